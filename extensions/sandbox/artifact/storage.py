# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known about items: info, listings, times."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

from starlette.responses import Response

from ..world import World
from .call import Call
from .errors import ArtifactError
from .formats import colon_time, media_type, plain_time
from .items import TRASH, Item, Items
from .properties import LOCAL_ONLY
from .repositories import Repositories


class Storage:
    """The reading calls under /api/storage."""

    def __init__(self, world: World, items: Items, repositories: Repositories) -> None:
        self._world = world
        self._items = items
        self._repositories = repositories

    async def info(self, call: Call, repo: str, path: str) -> Response:
        """GET /api/storage/{repo}/{path}"""
        found = self._found(call, repo, path)
        shown_as = self._repositories.shown_as(repo)
        if found[0].folder:
            info = self._folder_info(call, found, shown_as)
            return call.vnd("storage.FolderInfo", info, **{"Cache-Control": "no-store"})
        return call.vnd("storage.FileInfo", self._file_info(call, found[0], shown_as))

    async def last_modified(self, call: Call, repo: str, path: str) -> Response:
        """GET /api/storage/{repo}/{path}?lastModified"""
        call.need_pro()
        repository = self._repositories.find(repo)
        if repository is not None and not repository.keeps_items:
            raise ArtifactError(400, LOCAL_ONLY)
        repo = self._repositories.shown_as(repo)
        item = self._found(call, repo, path)[0]
        newest = self._items.newest_file(item) if item.folder else item
        if newest is None:
            raise ArtifactError(404, "Unable to find item")
        body = {"uri": f"{call.base}/api/storage/{repo}/{newest.path}", "lastModified": plain_time(newest.modified)}
        return call.vnd("storage.ItemLastModified", body, **{"Last-Modified": formatdate(newest.modified, usegmt=True)})

    async def list_files(self, call: Call, repo: str, path: str) -> Response:
        """GET /api/storage/{repo}/{path}?list"""
        call.need_pro()
        call.need_login()
        flags = {
            name: self._flag(call, name) for name in ("deep", "depth", "listFolders", "mdTimestamps", "includeRootPath")
        }
        found = self._found(call, repo, path)
        if not found[0].folder:
            raise ArtifactError(400, f"Expected a folder but found a file: '{repo}:{path}'.")
        depth = (flags["depth"] or None) if flags["deep"] else 1
        entries: dict[str, dict[str, Any]] = {}
        if flags["includeRootPath"]:
            entries["/"] = self._entry(found[0], "/", flags)
        for folder in found:
            for item in self._items.below(folder, depth):
                uri = item.path.removeprefix(path) if path else f"/{item.path}"
                if flags["listFolders"] or not item.folder:
                    entries.setdefault(uri, self._entry(item, uri, flags))
        listing = {
            "uri": f"{call.base}/api/storage/{repo}/{path}".rstrip("/"),
            "created": colon_time(self._world.clock.now()),
            "files": list(entries.values()),
        }
        return call.vnd("storage.FileList", listing)

    def _file_info(self, call: Call, item: Item, repo: str) -> dict[str, Any]:
        return {
            **_item_facts(item, repo),
            **file_facts(call, item, repo, self._repositories.upstream(item.repo)),
            "uri": f"{call.base}/api/storage/{repo}/{item.path}",
        }

    def _folder_info(self, call: Call, folders: list[Item], repo: str) -> dict[str, Any]:
        path = folders[0].path
        children = {child.name: child for item in folders for child in self._items.children(item.repo, path)}
        return {
            **_item_facts(folders[0], repo),
            "children": [{"uri": f"/{name}", "folder": bool(children[name].folder)} for name in sorted(children)],
            "uri": f"{call.base}/api/storage/{repo}/{path}".rstrip("/"),
        }

    def _found(self, call: Call, repo: str, path: str) -> list[Item]:
        if repo == TRASH and not call.principal.admin:
            call.need_login()
            raise ArtifactError(404 if call.switch("hide_unauthorized") else 403)
        found = self._repositories.items_at(call, repo, path)
        if not found:
            raise ArtifactError(404, None if self._repositories.is_virtual(repo) else "Unable to find item")
        return found

    def _flag(self, call: Call, name: str) -> int:
        text = call.query.get(name, "0")
        try:
            return int(text)
        except ValueError:
            raise ArtifactError(400, f'For input string: "{text}"') from None

    def _entry(self, item: Item, uri: str, flags: dict[str, int]) -> dict[str, Any]:
        stamped = flags["mdTimestamps"] and item.properties_modified and self._items.properties(item)
        return {
            "uri": uri,
            "size": -1 if item.folder else item.size,
            "lastModified": colon_time(item.modified),
            "folder": bool(item.folder),
            "sha1": item.sha1,
            "sha2": item.sha256,
            "mdTimestamps": {"properties": colon_time(item.properties_modified or 0)} if stamped else None,
        }


def file_facts(call: Call, item: Item, repo: str, upstream: str | None = None) -> dict[str, Any]:
    """What the info of a file and the answer to its deployment share."""
    return {
        "downloadUri": f"{call.base}/{repo}/{item.path}",
        "remoteUrl": f"{upstream}/{item.path}" if upstream else None,
        "mimeType": media_type(item.name),
        "size": str(item.size),
        "checksums": {"sha1": item.sha1, "md5": item.md5, "sha256": item.sha256},
        "originalChecksums": {"sha1": item.client_sha1, "md5": item.client_md5, "sha256": item.client_sha256},
    }


def _item_facts(item: Item, repo: str) -> dict[str, Any]:
    return {
        "repo": repo,
        "path": f"/{item.path}",
        "created": colon_time(item.created),
        "createdBy": item.created_by,
        "lastModified": colon_time(item.modified),
        "modifiedBy": item.modified_by,
        "lastUpdated": colon_time(item.updated),
    }
