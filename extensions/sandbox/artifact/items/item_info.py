# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Item information: details, file lists, modification times, statistics, permissions."""

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
from ..protocol.formats import format_time, format_time_with_offset
from . import properties
from .properties import STORAGE
from .tree import TRASH_REPO, Item, Tree

# Actions and the letters of item permissions.
PERMISSION_LETTERS = {"m": "m", "d": "d", "w": "w", "a": "n", "r": "r"}


async def get_info(call: Call, repo: str, path: str) -> Response:
    """Handle `GET /api/storage/{repo}/{path}[:{metadata}]`."""
    path = content_path.strip_metadata_suffix(path)
    if not call.supports(feature_versions.REMOTE_KEY_INFO):
        _refuse_remote_key(call, repo)
    items = _find_for_info(call, repo, path, None)
    info_key = call.repositories.info_key(repo)
    if items[0].folder:
        return await call.stream_vendor_json(
            "storage.FolderInfo",
            lambda db: folder_info(call, items[0], info_key, child_entries(merge_descendants(db, items, 1))),
            **call.info_headers,
        )
    return call.vendor_json("storage.FileInfo", file_info(call, items[0], info_key))


async def get_storage_info(call: Call, repo: str, path: str) -> Response:
    """Handle `GET /api/storage/{repo}/{path}?storageinfo`.

    It returns the item information, but does not accept keys of remote repositories.
    """
    _refuse_remote_key(call, repo)
    return await get_info(call, repo, path)


async def get_last_modified(call: Call, repo: str, path: str) -> Response:
    """Handle `GET /api/storage/{repo}/{path}?lastModified`."""
    _require_stored_items(call, repo)
    call.require_pro()
    repo = call.repositories.info_key(repo)
    item = _find_or_fail(call, repo, path)[0]
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
    """Handle `GET /api/storage/{repo}/{path}?list`."""
    flags = {
        name: _parse_flag(call, name) for name in ("deep", "depth", "listFolders", "mdTimestamps", "includeRootPath")
    }
    call.require_pro()
    call.require_login()
    flags["sha2"] = call.supports_sha256
    repository = call.repositories.resolve(repo)
    if repository is not None and repository.is_blacked_out:
        raise repository.blackout_error(path)
    folders = _find_or_fail(call, repo, path)
    if not folders[0].folder:
        raise ArtifactError(400, f"Expected a folder but found a file: '{repo}:{path}'.")
    depth = (flags["depth"] or None) if flags["deep"] else 1
    return await call.stream_vendor_json(
        "storage.FileList",
        lambda db: {
            "uri": f"{call.base}/api/storage/{repo}/{path}".rstrip("/"),
            "created": format_time(call.runtime.clock.now()),
            "files": _iterate_entries(db, folders, depth, flags),
        },
    )


async def get_statistics_info(call: Call, repo: str, path: str) -> Response:
    """Handle `GET /api/storage/{repo}/{path}?stats`."""
    argument = next(filter(call.query.__contains__, HANDLERS_BEFORE_STATS), None)
    if argument and not call.supports(feature_versions.STATISTICS_PRECEDENCE):
        return await HANDLERS_BEFORE_STATS[argument](call, repo, path)
    item = _find_for_info(call, repo, path, "Unable to find item path")[0]
    downloads, recent = call.items.get_statistics(item), call.items.list_recent_downloads(item)
    latest = recent[-1] if recent else None
    body = {
        "uri": f"{call.base}/{call.repositories.info_key(repo)}/{path}".rstrip("/"),
        "downloadCount": (downloads.downloads or 0) + len(recent),
        "lastDownloaded": round(((latest.time if latest else downloads.downloaded) or 0) * 1000),
        "lastDownloadedBy": latest.user if latest else downloads.downloaded_by,
        "remoteDownloadCount": downloads.remote_downloads or 0,
        "remoteLastDownloaded": round((downloads.remote_downloaded or 0) * 1000),
    }
    return call.vendor_json("storage.StatsInfo", body)


async def get_permissions(call: Call, repo: str, path: str) -> Response:
    """Handle `GET /api/storage/{repo}/{path}?permissions`."""
    if not call.supports(feature_versions.REMOTE_KEY_INFO) and _is_remote_key(call, repo):
        raise _local_only_error(call, repo)
    _require_stored_items(call, repo)
    call.require_pro()
    call.require_admin()
    item = _find_or_fail(call, repo, path)[0]
    body = {
        "uri": f"{call.base}/api/storage/{call.repositories.info_key(repo)}/{path}".rstrip("/"),
        "principals": {
            "users": _permission_letters(call.accounts.user_principals(), item),
            "groups": _permission_letters(call.accounts.group_principals(), item),
        },
    }
    return call.vendor_json("storage.ItemPermissions", body)


def _permission_letters(principals: Iterable[Principal], item: Item) -> dict[str, list[str]]:
    """Return the permission letters of each principal that has any permission on the item."""
    letters = {
        principal.name: [
            letter for action, letter in PERMISSION_LETTERS.items() if principal.may(action, item.repo, item.path)
        ]
        for principal in principals
    }
    return {name: names for name, names in letters.items() if names}


def _iterate_entries(
    db: sqlite3.Connection, folders: list[Item], depth: int | None, flags: dict[str, int]
) -> Iterator[dict[str, Any]]:
    tree = Tree(db)
    if flags["includeRootPath"]:
        yield _list_entry(tree, folders[0], "/", flags)
    start = len(folders[0].path)
    for item in merge_descendants(db, folders, depth):
        if flags["listFolders"] or not item.folder:
            yield _list_entry(tree, item, item.path[start:] if start else f"/{item.path}", flags)


def merge_descendants(db: sqlite3.Connection, folders: list[Item], depth: int | None) -> Iterator[Item]:
    """Yield the items below a folder, sorted by path. Of items in several storages, the first counts."""
    path = None
    for item in heapq.merge(*(Tree(db).list_descendants(folder, depth) for folder in folders), key=attrgetter("path")):
        if item.path != path:
            yield item
        path = item.path


def file_info(call: Call, item: Item, repo: str) -> dict[str, Any]:
    """Return the information of a file."""
    fields = file_fields(call, item, repo, call.repositories.find_upstream_url(item.repo))
    if not call.supports_sha256:
        fields["checksums"]["sha256"] = next(iter(call.items.get_properties(item).get("sha256", ())), None)
    return {**_item_fields(item, repo), **fields, "uri": f"{call.base}/api/storage/{repo}/{item.path}"}


def folder_info(call: Call, folder: Item, repo: str, children: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the information of a folder; `children` are the result of `child_entries`."""
    return {
        **_item_fields(folder, repo),
        "children": children,
        "uri": f"{call.base}/api/storage/{repo}/{folder.path}".rstrip("/"),
    }


def child_entries(items: Iterable[Item]) -> Iterator[dict[str, Any]]:
    """Yield the child entries of a folder's information."""
    return ({"uri": f"/{item.name}", "folder": bool(item.folder)} for item in items)


def _refuse_remote_key(call: Call, repo: str) -> None:
    if _is_remote_key(call, repo):
        raise ArtifactError(404, "Unable to find item")


def _is_remote_key(call: Call, repo: str) -> bool:
    repository = call.repositories.find(repo)
    return repository is not None and repository.rclass == "remote"


def _require_stored_items(call: Call, repo: str) -> None:
    """Fail if the repository is virtual, unknown, or remote without a cache."""
    if call.repositories.is_virtual(repo) or not call.repositories.list_storages(repo):
        raise _local_only_error(call, repo)


def _local_only_error(call: Call, repo: str) -> ArtifactError:
    return ArtifactError(400, call.permission_message("local_only", repo))


def _find_for_info(call: Call, repo: str, path: str, missing_message: str | None) -> list[Item]:
    """Return the items at a path. A missing permission is reported in the format of item resources."""
    try:
        return _find_or_fail(call, repo, path, missing_message)
    except ArtifactError as error:
        if error.status != 403:
            raise
        raise call.item_error(403, error.message) from None


def _find_or_fail(call: Call, repo: str, path: str, missing_message: str | None = None) -> list[Item]:
    if repo == TRASH_REPO and not call.principal.admin:
        call.require_login()
        if call.get_switch("hide_unauthorized"):
            raise ArtifactError(404, "Resource not found")
        raise ArtifactError(403, call.permission_message("read", repo, path))
    items = call.find_items(repo, path)
    if not items:
        raise ArtifactError(
            404, missing_message or (None if call.repositories.is_virtual(repo) else "Unable to find item")
        )
    return items


def _parse_flag(call: Call, name: str) -> int:
    text = call.query.get(name, "")
    try:
        return parse_integer(text) if text.strip() else 0
    except ValueError:
        raise ArtifactError(400, f'For input string: "{text}"') from None


def _list_entry(tree: Tree, item: Item, uri: str, flags: dict[str, int]) -> dict[str, Any]:
    has_timestamps = flags["mdTimestamps"] and item.properties_modified and tree.get_properties(item)
    return {
        "uri": uri,
        "size": -1 if item.folder else item.size,
        "lastModified": format_time(item.modified),
        "folder": bool(item.folder),
        "sha1": item.sha1,
        "sha2": item.sha256 if flags["sha2"] else None,
        "mdTimestamps": {"properties": format_time(item.properties_modified or 0)} if has_timestamps else None,
    }


def file_fields(call: Call, item: Item, repo: str, upstream_url: str | None = None) -> dict[str, Any]:
    """Return the fields that the information of a file and the upload response share."""
    sha256 = item.sha256 if call.supports_sha256 else None
    return {
        "downloadUri": f"{call.base}/{repo}/{item.path}",
        "remoteUrl": f"{upstream_url}/{item.path}" if upstream_url else None,
        "mimeType": call.guess_media_type(item.name),
        "size": str(item.size),
        "checksums": {"sha1": item.sha1, "md5": item.md5, "sha256": sha256},
        "originalChecksums": {"sha1": item.client_sha1, "md5": item.client_md5, "sha256": sha256},
    }


def _item_fields(item: Item, repo: str) -> dict[str, Any]:
    return {
        "repo": repo,
        "path": f"/{item.path}",
        "created": format_time(item.created),
        "createdBy": item.created_by,
        "lastModified": format_time(item.modified),
        "modifiedBy": item.modified_by,
        "lastUpdated": format_time(item.updated),
    }


# Arguments that take precedence over `stats` in old versions.
HANDLERS_BEFORE_STATS = {
    "lastModified": get_last_modified,
    "properties": properties.get_properties,
    "propertiesXml": properties.get_properties_xml,
    "permissions": get_permissions,
}
ROUTES = (
    # Of several arguments, the first in this list decides.
    Route("GET", STORAGE, list_files, "list_files", argument="list"),
    Route("GET", STORAGE, get_storage_info, "item_storage", argument="storageinfo"),
    Route("GET", STORAGE, get_statistics_info, "statistics", argument="stats"),
    Route("GET", STORAGE, get_last_modified, "last_modified", argument="lastModified"),
    Route("GET", STORAGE, get_permissions, "permissions", argument="permissions"),
    Route("GET", STORAGE, get_info, "item_info"),
)
