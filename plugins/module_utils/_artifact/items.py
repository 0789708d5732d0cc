# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Items: what is known of one file or folder, and what is in a folder."""

from __future__ import annotations

import re
import typing as t
from urllib.parse import unquote

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import figures, repositories, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService, not_there
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_CHECKSUMS = ("sha1", "md5", "sha256")
_ENCODED = re.compile(r"([\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*", re.ASCII)


def find(artifact: ArtifactService, repo: str, path: str) -> Fields | None:
    """One item, or `None` when the server knows none there, or hides it from this account.

    :raises UnexpectedResponse: for a 404 in other words than the server's own, which says nothing of an item
    """
    response = artifact.http.read("GET", artifact.item(repo, path), accept=(200, 404))
    found = response.record()
    return None if response.status == 404 else of(found)


def remembered_type(artifact: ArtifactService, repo: str, path: str) -> str | None:
    """Return `file`, `folder`, or `None` if there is no item. Asked for once, so for predictions only."""

    def look() -> str | None:
        item = find(artifact, repo, path)
        return t.cast(str, item["type"]) if item else None

    return t.cast("str | None", artifact.http.cached(f"type of {repo}/{path}", look))


def of(found: Record) -> Fields:
    """An item from the information that the server gives on it."""
    children = found.maybe_records("children")
    folder = "children" in found
    return {
        "repo": found.text("repo"),
        "path": found.text("path").strip("/"),
        "type": "folder" if folder else "file",
        "size": None if folder else figures.number(found, "size"),
        "created": times.maybe_of(found, "created"),
        "created_by": found.maybe_text("createdBy"),
        "modified": times.maybe_of(found, "lastModified"),
        "modified_by": found.maybe_text("modifiedBy"),
        "updated": times.maybe_of(found, "lastUpdated"),
        "mime_type": found.maybe_text("mimeType"),
        "checksums": _checksums(found.maybe_record("checksums")),
        "original_checksums": _checksums(found.maybe_record("originalChecksums")),
        "download_uri": found.maybe_text("downloadUri"),
        "remote_url": found.maybe_text("remoteUrl"),
        "children": sorted(map(_child, children), key=lambda child: child["name"]) if folder else None,
    }


def missing(artifact: ArtifactService, repo: str) -> str:
    """What is not there, or hidden, when an item of this repository is not found: `repository` or `item`."""
    known = {repository["key"] for repository in repositories.listed(artifact)}
    return "item" if known & {repo, repo.removesuffix("-cache")} else "repository"


def newest(artifact: ArtifactService, repo: str, path: str) -> Fields | None:
    """The path of the file that was modified last, and when: of a folder the newest below it, `None` for no file.

    :raises ServerRefusal: in a virtual repository, which the server does not look through
    """
    response = artifact.http.read("GET", artifact.item(repo, path), query={"lastModified": None}, accept=(200, 404))
    if response.status == 404:
        return None
    found = response.record()
    return {"path": location(found, "uri")[1], "modified": times.of(found, "lastModified")}


def statistics(artifact: ArtifactService, repo: str, path: str) -> Fields:
    """How often and when an item was downloaded, from this server and from others that have it from here."""
    found = artifact.http.read("GET", artifact.item(repo, path), query={"stats": None}).record()
    return {
        "downloads": figures.maybe_number(found, "downloadCount") or 0,
        "downloaded": _moment(found, "lastDownloaded"),
        "downloaded_by": found.maybe_text("lastDownloadedBy"),
        "remote_downloads": figures.maybe_number(found, "remoteDownloadCount") or 0,
        "remote_downloaded": _moment(found, "remoteLastDownloaded"),
    }


def listed(
    artifact: ArtifactService,
    repo: str,
    path: str,
    *,
    deep: bool = False,
    depth: int | None = None,
    folders: bool = False,
    metadata_timestamps: bool = False,
    root: bool = False,
) -> t.Iterator[Fields]:
    """What is in a folder, in the server's order; memory stays flat.

    :raises ToolchainError: when there is no such folder
    """
    switches = {
        "deep": deep,
        "depth": depth,
        "listFolders": folders,
        "mdTimestamps": metadata_timestamps,
        "includeRootPath": root,
    }
    query: dict[str, str | None] = {name: str(int(value)) for name, value in switches.items() if value}
    response = artifact.http.read(
        "GET", artifact.item(repo, path), query={"list": None, **query}, accept=(200, 404), stream=True
    )
    if response.status == 404:
        raise not_there("folder", repo, path, response)
    for found in response.entries("files"):
        yield _entry(found, path.strip("/"))


def counted(items: t.Iterable[Fields], counts: dict[str, int]) -> t.Iterator[Fields]:
    """The items themselves, while `counts` gets how many `files`, `folders` and `bytes` they are."""
    for item in items:
        counts[f"{item['type']}s"] += 1
        counts["bytes"] += item["size"] or 0
        yield item


def location(found: Record, name: str) -> tuple[str, str]:
    """Repository and path in a member that is the address of an item's information."""
    return found.convert(name, "the address of an item", _location)


def _location(address: t.Any) -> tuple[str, str]:
    place = address.partition("/api/storage/")[2] if isinstance(address, str) else ""
    # some servers encode what stands there, some do not
    repo, _slash, path = (unquote(place) if "%" in place and _ENCODED.fullmatch(place) else place).partition("/")
    if not repo:
        raise ValueError(address)
    return repo, path


def _entry(found: Record, folder: str) -> Fields:
    is_folder = figures.flag(found, "folder")
    stamps = found.maybe_record("mdTimestamps")
    return {
        "path": "/".join(filter(None, (folder, found.text("uri").strip("/")))),
        "type": "folder" if is_folder else "file",
        "size": None if is_folder else figures.number(found, "size"),
        "modified": times.maybe_of(found, "lastModified"),
        "sha1": found.maybe_text("sha1"),
        "sha256": found.maybe_text("sha2"),
        "metadata_timestamps": {name: times.of(stamps, name) for name in stamps or ()} if stamps is not None else {},
    }


def _child(found: Record) -> Fields:
    return {
        "name": found.text("uri").strip("/"),
        "type": "folder" if figures.flag(found, "folder") else "file",
    }


def _checksums(found: Record | None) -> Fields | None:
    return None if found is None else {name: found.maybe_text(name) for name in _CHECKSUMS}


def _moment(found: Record, name: str) -> str | None:
    """A time, where 0 stands for never."""
    return None if found.get(name) == 0 else times.maybe_of(found, name)
