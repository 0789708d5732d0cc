# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Information about files and folders, and the contents of folders."""

from __future__ import annotations

import re
import typing as t
from urllib.parse import unquote

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import numeric, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    not_found_error,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_CHECKSUMS = ("sha1", "md5", "sha256")
_ENCODED = re.compile(r"([\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*", re.ASCII)


def find_item(artifact: ArtifactService, repo: str, path: str) -> Fields | None:
    """Return information about an item, or `None` if it does not exist or is hidden from the account.

    :raises UnexpectedResponse: if a 404 does not come from Artifactory itself
    """
    response = artifact.http.read("GET", artifact.info_address(repo, path), accept=(200, 404))
    record = response.record()
    return None if response.status == 404 else from_record(record)


def find_cached_type(artifact: ArtifactService, repo: str, path: str) -> str | None:
    """Return `file`, `folder`, or `None` if there is no item. The result is cached: use it only for predictions."""

    def read_type() -> str | None:
        item = find_item(artifact, repo, path)
        return t.cast(str, item["type"]) if item else None

    return t.cast("str | None", artifact.http.get_cached(f"type of {repo}/{path}", read_type))


def from_record(record: Record) -> Fields:
    """Return an item from the server's information."""
    children = record.maybe_records("children")
    folder = "children" in record
    return {
        "repo": record.text("repo"),
        "path": record.text("path").strip("/"),
        "type": "folder" if folder else "file",
        "size": None if folder else numeric.get_integer(record, "size"),
        "created": times.get_optional_time(record, "created"),
        "created_by": record.maybe_text("createdBy"),
        "modified": times.get_optional_time(record, "lastModified"),
        "modified_by": record.maybe_text("modifiedBy"),
        "updated": times.get_optional_time(record, "lastUpdated"),
        "mime_type": record.maybe_text("mimeType"),
        "checksums": _get_checksums(record.maybe_record("checksums")),
        "original_checksums": _get_checksums(record.maybe_record("originalChecksums")),
        "download_uri": record.maybe_text("downloadUri"),
        "remote_url": record.maybe_text("remoteUrl"),
        "children": sorted(map(_to_child, children), key=lambda child: child["name"]) if folder else None,
    }


def find_missing(artifact: ArtifactService, repo: str) -> str:
    """Return whether the `repository` is missing or only the `item`, if an item was not found."""
    keys = {repository["key"] for repository in queries.list_repositories(artifact)}
    return "item" if keys & {repo, repo.removesuffix("-cache")} else "repository"


def find_newest(artifact: ArtifactService, repo: str, path: str) -> Fields | None:
    """Return path and modification time of the file that was modified last below a folder, or `None` if there is no
    file.

    :raises ServerRefusal: for a virtual repository, for which Artifactory does not support this
    """
    response = artifact.http.read(
        "GET", artifact.info_address(repo, path), query={"lastModified": None}, accept=(200, 404)
    )
    if response.status == 404:
        return None
    record = response.record()
    return {"path": parse_location(record, "uri")[1], "modified": times.get_time(record, "lastModified")}


def fetch_statistics(artifact: ArtifactService, repo: str, path: str) -> Fields:
    """Return the download statistics of an item, from this server and from others that replicate it."""
    record = artifact.http.read("GET", artifact.info_address(repo, path), query={"stats": None}).record()
    return {
        "downloads": numeric.get_optional_integer(record, "downloadCount") or 0,
        "downloaded": _get_timestamp(record, "lastDownloaded"),
        "downloaded_by": record.maybe_text("lastDownloadedBy"),
        "remote_downloads": numeric.get_optional_integer(record, "remoteDownloadCount") or 0,
        "remote_downloaded": _get_timestamp(record, "remoteLastDownloaded"),
    }


def list_folder(
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
    """Yield the contents of a folder in the server's order, without loading all of them into memory.

    :raises ToolchainError: if the folder does not exist
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
        "GET", artifact.info_address(repo, path), query={"list": None, **query}, accept=(200, 404), stream=True
    )
    if response.status == 404:
        raise not_found_error("Folder", repo, path, response)
    for record in response.entries("files"):
        yield _to_entry(record, path.strip("/"))


def count_items(items: t.Iterable[Fields], counts: dict[str, int]) -> t.Iterator[Fields]:
    """Yield the items and add the numbers of `files`, `folders` and `bytes` to `counts`."""
    for item in items:
        counts[f"{item['type']}s"] += 1
        counts["bytes"] += item["size"] or 0
        yield item


def parse_location(record: Record, name: str) -> tuple[str, str]:
    """Return repository and path from a member that contains the address of an item's information."""
    return record.convert(name, "the address of an item", _split_address)


def _split_address(address: t.Any) -> tuple[str, str]:
    place = address.partition("/api/storage/")[2] if isinstance(address, str) else ""
    # only some servers encode addresses
    repo, _slash, path = (unquote(place) if "%" in place and _ENCODED.fullmatch(place) else place).partition("/")
    if not repo:
        raise ValueError(address)
    return repo, path


def _to_entry(record: Record, folder: str) -> Fields:
    is_folder = numeric.get_flag(record, "folder")
    stamps = record.maybe_record("mdTimestamps")
    return {
        "path": "/".join(filter(None, (folder, record.text("uri").strip("/")))),
        "type": "folder" if is_folder else "file",
        "size": None if is_folder else numeric.get_integer(record, "size"),
        "modified": times.get_optional_time(record, "lastModified"),
        "sha1": record.maybe_text("sha1"),
        "sha256": record.maybe_text("sha2"),
        "metadata_timestamps": {name: times.get_time(stamps, name) for name in stamps or ()}
        if stamps is not None
        else {},
    }


def _to_child(record: Record) -> Fields:
    return {
        "name": record.text("uri").strip("/"),
        "type": "folder" if numeric.get_flag(record, "folder") else "file",
    }


def _get_checksums(record: Record | None) -> Fields | None:
    return None if record is None else {name: record.maybe_text(name) for name in _CHECKSUMS}


def _get_timestamp(record: Record, name: str) -> str | None:
    """Return a time, or `None` for 0, which Artifactory returns for "never"."""
    return None if record.get(name) == 0 else times.get_optional_time(record, name)
