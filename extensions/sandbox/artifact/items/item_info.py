# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The reading calls under /api/storage: info, listings, times."""

from __future__ import annotations

import heapq
import sqlite3
from collections.abc import Iterable, Iterator
from email.utils import formatdate
from operator import attrgetter
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ...parsing.integers import parse_integer
from ..access.accounts import Principal
from ..call import Call
from ..content import content_path
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_time, format_time_with_offset, media_type
from . import properties
from .properties import STORAGE
from .tree import TRASH_REPO, Item, Tree

# Actions, and the letters in which permissions on an item are told
LETTERS = {"m": "m", "d": "d", "w": "w", "a": "n", "r": "r"}


async def info(call: Call, repo: str, path: str) -> Response:
    """GET /api/storage/{repo}/{path}[:{metadata}]"""
    path = content_path.strip_metadata_suffix(path)
    if not call.supports(feature_versions.REMOTE_KEY_INFO):
        _refuse_remote_key(call, repo)
    found = _shown(call, repo, path, None)
    info_key = call.repositories.info_key(repo)
    if found[0].folder:
        return await call.stream_vendor_json(
            "storage.FolderInfo",
            lambda db: folder_info(call, found[0], info_key, child_entries(below(db, found, 1))),
            **call.info_headers,
        )
    return call.vendor_json("storage.FileInfo", file_info(call, found[0], info_key))


async def storage_info(call: Call, repo: str, path: str) -> Response:
    """GET /api/storage/{repo}/{path}?storageinfo: as the info, but it knows no cache by the name of its remote"""
    _refuse_remote_key(call, repo)
    return await info(call, repo, path)


async def last_modified(call: Call, repo: str, path: str) -> Response:
    """GET /api/storage/{repo}/{path}?lastModified"""
    _need_items(call, repo)
    call.require_pro()
    repo = call.repositories.info_key(repo)
    item = _found(call, repo, path)[0]
    newest = await call.runtime.readers.read(lambda db: Tree(db).find_newest_file(item)) if item.folder else item
    if newest is None:
        raise ArtifactError(404, "Unable to find item")
    body = {
        "uri": f"{call.base}/api/storage/{repo}/{newest.path}",
        "lastModified": format_time_with_offset(newest.modified),
    }
    return call.vendor_json(
        "storage.ItemLastModified", body, **{"Last-Modified": formatdate(newest.modified, usegmt=True)}
    )


async def list_files(call: Call, repo: str, path: str) -> Response:
    """GET /api/storage/{repo}/{path}?list"""
    call.require_pro()
    call.require_login()
    flags = {name: _flag(call, name) for name in ("deep", "depth", "listFolders", "mdTimestamps", "includeRootPath")}
    flags["sha2"] = call.supports_sha256
    repository = call.repositories.resolve(repo)
    if repository is not None and repository.is_blacked_out:
        raise repository.blackout_error(path)
    found = _found(call, repo, path)
    if not found[0].folder:
        raise ArtifactError(400, f"Expected a folder but found a file: '{repo}:{path}'.")
    depth = (flags["depth"] or None) if flags["deep"] else 1
    return await call.stream_vendor_json(
        "storage.FileList",
        lambda db: {
            "uri": f"{call.base}/api/storage/{repo}/{path}".rstrip("/"),
            "created": format_time(call.runtime.clock.now()),
            "files": _entries(db, found, depth, flags),
        },
    )


async def statistics(call: Call, repo: str, path: str) -> Response:
    """GET /api/storage/{repo}/{path}?stats"""
    asked = next(filter(call.query.__contains__, AHEAD), None)
    if asked and not call.supports(feature_versions.STATISTICS_PRECEDENCE):
        return await AHEAD[asked](call, repo, path)
    item = _shown(call, repo, path, "Unable to find item path")[0]
    counted = call.items.get_statistics(item)
    body = {
        "uri": f"{call.base}/{call.repositories.info_key(repo)}/{path}".rstrip("/"),
        "downloadCount": counted.downloads or 0,
        "lastDownloaded": round((counted.downloaded or 0) * 1000),
        "lastDownloadedBy": counted.downloaded_by,
        "remoteDownloadCount": counted.remote_downloads or 0,
        "remoteLastDownloaded": round((counted.remote_downloaded or 0) * 1000),
    }
    return call.vendor_json("storage.StatsInfo", body)


async def permissions(call: Call, repo: str, path: str) -> Response:
    """GET /api/storage/{repo}/{path}?permissions"""
    _need_items(call, repo)
    call.require_pro()
    call.require_admin()
    item = _found(call, repo, path)[0]
    body = {
        "uri": f"{call.base}/api/storage/{call.repositories.info_key(repo)}/{path}".rstrip("/"),
        "principals": {
            "users": _allowed(call.accounts.user_principals(), item),
            "groups": _allowed(call.accounts.group_principals(), item),
        },
    }
    return call.vendor_json("storage.ItemPermissions", body)


def _allowed(principals: Iterable[Principal], item: Item) -> dict[str, list[str]]:
    """The letters of what each may do with an item, of those who may do anything."""
    letters = {
        principal.name: [letter for action, letter in LETTERS.items() if principal.may(action, item.repo, item.path)]
        for principal in principals
    }
    return {name: found for name, found in letters.items() if found}


def _entries(
    db: sqlite3.Connection, folders: list[Item], depth: int | None, flags: dict[str, int]
) -> Iterator[dict[str, Any]]:
    tree = Tree(db)
    if flags["includeRootPath"]:
        yield _entry(tree, folders[0], "/", flags)
    start = len(folders[0].path)
    for item in below(db, folders, depth):
        if flags["listFolders"] or not item.folder:
            yield _entry(tree, item, item.path[start:] if start else f"/{item.path}", flags)


def below(db: sqlite3.Connection, folders: list[Item], depth: int | None) -> Iterator[Item]:
    """What is below a folder by path, in its first storage that has it."""
    path = None
    for item in heapq.merge(*(Tree(db).list_descendants(folder, depth) for folder in folders), key=attrgetter("path")):
        if item.path != path:
            yield item
        path = item.path


def file_info(call: Call, item: Item, repo: str) -> dict[str, Any]:
    return {
        **_item_facts(item, repo),
        **file_fields(call, item, repo, call.repositories.find_upstream_url(item.repo)),
        "uri": f"{call.base}/api/storage/{repo}/{item.path}",
    }


def folder_info(call: Call, folder: Item, repo: str, children: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the info of a folder; `children` are entries of `children_of`."""
    return {
        **_item_facts(folder, repo),
        "children": children,
        "uri": f"{call.base}/api/storage/{repo}/{folder.path}".rstrip("/"),
    }


def child_entries(items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    """Return the entries of a folder in its info."""
    return ({"uri": f"/{item.name}", "folder": bool(item.folder)} for item in items)


def _refuse_remote_key(call: Call, repo: str) -> None:
    repository = call.repositories.find(repo)
    if repository is not None and repository.rclass == "remote":
        raise ArtifactError(404, "Unable to find item")


def _need_items(call: Call, repo: str) -> None:
    """Refuse virtual and unknown repositories, and remote ones without a cache."""
    if call.repositories.is_virtual(repo) or not call.repositories.list_storages(repo):
        raise ArtifactError(400, call.permission_message("local_only", repo))


def _shown(call: Call, repo: str, path: str, missing: str | None) -> list[Item]:
    """Return the same as `_found`, and refuse to show what the caller may not read without an envelope."""
    try:
        return _found(call, repo, path, missing)
    except ArtifactError as refusal:
        if refusal.status != 403:
            raise
        raise call.item_error(403, refusal.message) from None


def _found(call: Call, repo: str, path: str, missing: str | None = None) -> list[Item]:
    if repo == TRASH_REPO and not call.principal.admin:
        call.require_login()
        if call.get_switch("hide_unauthorized"):
            raise ArtifactError(404, "Resource not found")
        raise ArtifactError(403, call.permission_message("read", repo, path))
    found = call.find_items(repo, path)
    if not found:
        raise ArtifactError(404, missing or (None if call.repositories.is_virtual(repo) else "Unable to find item"))
    return found


def _flag(call: Call, name: str) -> int:
    text = call.query.get(name, "")
    try:
        return parse_integer(text) if text.strip() else 0
    except ValueError:
        raise ArtifactError(400, f'For input string: "{text}"') from None


def _entry(tree: Tree, item: Item, uri: str, flags: dict[str, int]) -> dict[str, Any]:
    stamped = flags["mdTimestamps"] and item.properties_modified and tree.get_properties(item)
    return {
        "uri": uri,
        "size": -1 if item.folder else item.size,
        "lastModified": format_time(item.modified),
        "folder": bool(item.folder),
        "sha1": item.sha1,
        "sha2": item.sha256 if flags["sha2"] else None,
        "mdTimestamps": {"properties": format_time(item.properties_modified or 0)} if stamped else None,
    }


def file_fields(call: Call, item: Item, repo: str, upstream: str | None = None) -> dict[str, Any]:
    """What the info of a file and the answer to its deployment share."""
    sha256 = item.sha256 if call.supports_sha256 else None
    return {
        "downloadUri": f"{call.base}/{repo}/{item.path}",
        "remoteUrl": f"{upstream}/{item.path}" if upstream else None,
        "mimeType": media_type(item.name),
        "size": str(item.size),
        "checksums": {"sha1": item.sha1, "md5": item.md5, "sha256": sha256},
        "originalChecksums": {"sha1": item.client_sha1, "md5": item.client_md5, "sha256": sha256},
    }


def _item_facts(item: Item, repo: str) -> dict[str, Any]:
    return {
        "repo": repo,
        "path": f"/{item.path}",
        "created": format_time(item.created),
        "createdBy": item.created_by,
        "lastModified": format_time(item.modified),
        "modifiedBy": item.modified_by,
        "lastUpdated": format_time(item.updated),
    }


# The arguments that decide before `stats` in old versions
AHEAD = {
    "lastModified": last_modified,
    "properties": properties.get,
    "propertiesXml": properties.get_xml,
    "permissions": permissions,
}
ROUTES = (
    # Of several arguments the first in this list decides, whatever its value.
    Route("GET", STORAGE, list_files, "list_files", argument="list"),
    Route("GET", STORAGE, storage_info, "item_storage", argument="storageinfo"),
    Route("GET", STORAGE, statistics, "statistics", argument="stats"),
    Route("GET", STORAGE, last_modified, "last_modified", argument="lastModified"),
    Route("GET", STORAGE, permissions, "permissions", argument="permissions"),
    Route("GET", STORAGE, info, "item_info"),
)
