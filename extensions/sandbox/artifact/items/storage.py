# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage of items: the item tree with all operations that change it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import astuple, dataclass
from itertools import islice
from typing import NamedTuple

from ...runtime.file_store import StoredFile
from ...runtime.runtime import Runtime
from ..protocol import feature_versions
from ..protocol.versions import has_behavior
from .tree import TRASH_REPO, Item, Tree, parent_path, path_with_ancestors

# Items that a write processes before other requests are served.
BATCH_SIZE = 50
IDS_SUBQUERY = "(SELECT value FROM json_each(:ids))"
TRASH_PROPERTIES = {
    "trash.time": ":time",
    "trash.deletedBy": ":by",
    "trash.originalRepository": "substr(path, 1, instr(path || '/', '/') - 1)",
    "trash.originalRepositoryType": "'local'",
    "trash.originalPath": "substr(path, instr(path || '/', '/') + 1)",
}
MAX_PATH = chr(0x10FFFF)
BATCH_QUERY = f"""
SELECT id, path FROM artifact_items WHERE repo = ? AND path > ? AND path < ? ORDER BY path DESC LIMIT {BATCH_SIZE}
"""
COPY_FILE = """
INSERT INTO artifact_items (repo, path, parent, name, folder, created, created_by, modified, modified_by, updated,
    properties_modified, sha256, sha1, md5, size, client_sha256, client_sha1, client_md5)
SELECT :repo, :path, :parent, :name, folder, created, created_by, modified, modified_by, :now,
    properties_modified, sha256, sha1, md5, size, client_sha256, client_sha1, client_md5
FROM artifact_items WHERE id = :id
"""
UNREFERENCED_CONTENTS = """
SELECT sha256 FROM artifact_released
WHERE NOT EXISTS (SELECT 1 FROM artifact_items WHERE artifact_items.sha256 = artifact_released.sha256)
"""


# Seconds for which old versions keep downloads in memory. The server empties it every 30 seconds.
FLUSH_SECONDS = 5


@dataclass(frozen=True)
class ClientChecksums:
    """The checksums that the client sent with an upload."""

    sha256: str | None = None
    sha1: str | None = None
    md5: str | None = None


class Download(NamedTuple):
    """A download that is not counted yet."""

    item: int
    time: float
    user: str


class NotAFolder(Exception):
    """A file exists where a folder is required. The message is its path."""


class Items(Tree):
    """The item tree with all operations that change it. Operations on many items run in batches."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the storage."""
        super().__init__(runtime.db)
        self._runtime = runtime
        self._recent_downloads: list[Download] = []

    def create_folder(self, repo: str, path: str, user: str | None) -> Item:
        """Return the folder at a path. It is created with its parents if it does not exist.

        :raises NotAFolder: if the path or a parent is a file
        """
        missing_folders: list[str] = []
        for ancestor in path_with_ancestors(path):
            existing = self.find(repo, ancestor)
            if existing is not None and not existing.folder:
                raise NotAFolder(ancestor)
            if existing is not None:
                break
            missing_folders.append(ancestor)
        if existing is None or missing_folders:
            self._insert(repo, reversed(missing_folders), user, None, ClientChecksums())
            return self._get(repo, path)
        return existing

    def put_file(self, repo: str, path: str, content: StoredFile, client: ClientChecksums, user: str | None) -> Item:
        """Store a file. If the content changes, the file becomes a new item without properties.

        :raises NotAFolder: if the path is a folder or a parent is a file
        """
        existing = self.find(repo, path)
        if existing is not None and existing.folder:
            raise NotAFolder(path)
        if existing is not None and existing.sha1 == content.sha1:
            self._db.execute(
                "UPDATE artifact_items SET modified = ?, modified_by = ?, updated = ?, client_sha256 = ?,"
                " client_sha1 = ?, client_md5 = ? WHERE id = ?",
                (self._now(), user, self._now(), *astuple(client), existing.id),
            )
        else:
            if existing is not None:
                self._delete_rows([existing.id])
            self.create_folder(repo, parent_path(path) or "", user)
            self._insert(repo, [path], user, content, client)
        return self._get(repo, path)

    def insert_files(self, repo: str, paths: Iterable[str], content: StoredFile, user: str | None) -> None:
        """Insert many new files with the same content. Their folders must exist."""
        self._insert(repo, paths, user, content, ClientChecksums())

    def set_client_checksum(self, item: Item, algorithm: str, checksum: str) -> None:
        """Set a checksum that was uploaded as a separate file."""
        self._db.execute(f"UPDATE artifact_items SET client_{algorithm} = ? WHERE id = ?", (checksum, item.id))

    async def delete(self, item: Item) -> None:
        """Delete an item and everything below it. The root of a repository is kept."""
        async for ids in self._iterate_batches(item, is_removing=True):
            with self._runtime.transaction():
                self._delete_rows(ids)

    async def move_to_trash(self, item: Item, user: str) -> None:
        """Move an item and everything below it to the trash can, replacing earlier items there."""
        obstacle = self.find_obstacle(TRASH_REPO, f"{item.repo}/{item.path}", bool(item.folder))
        if obstacle is not None:
            await self.delete(self._get(TRASH_REPO, obstacle))
        self.create_folder(TRASH_REPO, f"{item.repo}/{parent_path(item.path) or ''}".rstrip("/"), None)
        async for ids in self._iterate_batches(item, is_removing=True):
            with self._runtime.transaction():
                self._db.execute(
                    "UPDATE OR REPLACE artifact_items SET repo = :trash, path = repo || '/' || path,"
                    f" parent = rtrim(repo || '/' || parent, '/') WHERE id IN {IDS_SUBQUERY}",
                    {"trash": TRASH_REPO, "ids": json.dumps(ids)},
                )
                self._set_trash_properties(ids, user)
                self._remove_unreferenced_contents()

    def add_to_trash(self, path: str, content: StoredFile, user: str) -> None:
        """Add a file to the trash can that was not an item before: the record of a build."""
        item = self.put_file(TRASH_REPO, path, content, ClientChecksums(), user)
        self._set_trash_properties([item.id], user)

    async def copy(self, item: Item, repo: str, path: str, user: str) -> Item:
        """Copy an item and everything below it, replacing existing files. Return the new item."""
        self.create_folder(repo, parent_path(path) or "", user)
        start = len(item.path)
        for batch in _split_batches([item, *self.list_descendants(item)] if item.folder else [item]):
            with self._runtime.transaction():
                for source in batch:
                    self._copy_item(source, repo, (path + source.path[start:]).strip("/"), user)
            await asyncio.sleep(0)
        return self._get(repo, path)

    async def move(self, item: Item, repo: str, path: str, user: str) -> Item:
        """Move an item and everything below it. Items from the trash can lose their trash properties."""
        moved = await self.copy(item, repo, path, user)
        await self.delete(item)
        if item.repo == TRASH_REPO:
            await self.set_properties_recursively(moved, {name: [] for name in TRASH_PROPERTIES})
        return moved

    def record_archive_entries(self, sha1: str | None, entries: list[tuple[str, str]]) -> None:
        """Store folder and name of each entry of an archive."""
        if entries and not self._db.execute("SELECT 1 FROM artifact_archives WHERE sha1 = ?", (sha1,)).fetchone():
            self._db.execute("INSERT INTO artifact_archives VALUES (?)", (sha1,))
            rows = ((sha1, folder, name) for folder, name in entries)
            self._db.executemany("INSERT INTO artifact_archive_entries VALUES (?, ?, ?)", rows)

    def record_download(self, item: Item, user: str) -> None:
        """Count a download. Old versions do so some seconds later."""
        self._recent_downloads.append(Download(item.id, self._now(), user))
        self.count_downloads()

    def count_downloads(self) -> None:
        """Count the downloads that the server does not only keep in memory any more."""
        version = self._runtime.get_switch("artifact", "version")
        delay = 0 if has_behavior(version, feature_versions.STATISTICS_AT_ONCE) else FLUSH_SECONDS
        latest, downloads = self._now() - delay, self._recent_downloads
        self._recent_downloads = [download for download in downloads if download.time > latest]
        for download in downloads:
            if download.time <= latest:
                self._count_download(download)

    def list_recent_downloads(self, item: Item) -> list[Download]:
        """Return the downloads of an item that are not counted yet."""
        return [download for download in self._recent_downloads if download.item == item.id]

    def forget_downloads(self) -> None:
        """Forget the downloads that are not counted yet."""
        self._recent_downloads.clear()

    def _count_download(self, download: Download) -> None:
        updated = self._db.execute(
            "UPDATE artifact_statistics SET downloads = coalesce(downloads, 0) + 1, downloaded = :time,"
            " downloaded_by = :user WHERE item = :item",
            download._asdict(),
        )
        if not updated.rowcount:
            self._db.execute(
                "INSERT INTO artifact_statistics (item, downloads, downloaded, downloaded_by)"
                " SELECT id, 1, :time, :user FROM artifact_items WHERE id = :item",
                download._asdict(),
            )

    def set_properties(self, item: Item, changes: dict[str, list[str]]) -> None:
        """Set the values of the given properties. An empty list removes the property."""
        self._set_properties([item.id], changes)

    async def set_properties_recursively(self, item: Item, changes: dict[str, list[str]]) -> None:
        """Set properties of an item and everything below it."""
        async for ids in self._iterate_batches(item, is_removing=False):
            self._set_properties(ids, changes)

    def release_content(self, content: StoredFile) -> None:
        """Remove the content of a file unless an item refers to it."""
        self._db.execute("INSERT OR IGNORE INTO artifact_released VALUES (?)", (content.sha256,))
        self._remove_unreferenced_contents()

    async def _iterate_batches(self, item: Item, is_removing: bool) -> AsyncIterator[list[int]]:
        """Yield the ids of all items below an item, and last of the item, in batches. A root is not removed.

        Deepest items come first, so that the tree is consistent after each batch. `is_removing` means that the caller
        removes each batch, so that items which are added meanwhile are included.
        """
        lower = f"{item.path}/" if item.path else ""
        upper = f"{item.path}0" if item.path else MAX_PATH
        while batch := self._db.execute(BATCH_QUERY, (item.repo, lower, upper)).fetchall():
            yield [row["id"] for row in batch]
            upper = upper if is_removing else batch[-1]["path"]
            await asyncio.sleep(0)
        if item.path or not is_removing:
            yield [item.id]

    def _set_trash_properties(self, ids: list[int], user: str) -> None:
        """Set the properties of trashed items: time, user and original path."""
        values = {"ids": json.dumps(ids), "by": user, "time": str(int(self._now() * 1000))}
        for name, value in TRASH_PROPERTIES.items():
            self._db.execute(
                "INSERT OR REPLACE INTO artifact_properties (item, name, value)"
                f" SELECT id, :name, {value} FROM artifact_items WHERE id IN {IDS_SUBQUERY}",
                {**values, "name": name},
            )

    def _copy_item(self, source: Item, repo: str, path: str, user: str) -> None:
        if source.folder:
            self.create_folder(repo, path, user)
        else:
            existing = self.find(repo, path)
            if existing is not None and existing.folder:
                raise NotAFolder(path)
            if existing is not None:
                self._delete_rows([existing.id])
            values = {"id": source.id, "repo": repo, "path": path, "parent": parent_path(path), "now": self._now()}
            self._db.execute(COPY_FILE, {**values, "name": path[path.rfind("/") + 1 :]})
        target = self._get(repo, path)
        self._db.execute(
            "INSERT OR IGNORE INTO artifact_properties (item, name, value)"
            " SELECT ?, name, value FROM artifact_properties WHERE item = ?",
            (target.id, source.id),
        )

    def _delete_rows(self, ids: list[int]) -> None:
        self._db.execute(f"DELETE FROM artifact_items WHERE id IN {IDS_SUBQUERY}", {"ids": json.dumps(ids)})
        self._remove_unreferenced_contents()

    def _remove_unreferenced_contents(self) -> None:
        for row in self._db.execute(UNREFERENCED_CONTENTS).fetchall():
            self._runtime.files.remove(row["sha256"])
        self._db.execute("DELETE FROM artifact_released")

    def _set_properties(self, ids: list[int], changes: dict[str, list[str]]) -> None:
        if not changes:
            return
        parameters = {"ids": json.dumps(ids), "now": self._now()}
        with self._runtime.transaction():
            for name, values in changes.items():
                self._db.execute(
                    f"DELETE FROM artifact_properties WHERE item IN {IDS_SUBQUERY} AND name = :name",
                    {**parameters, "name": name},
                )
                for value in dict.fromkeys(values):
                    self._db.execute(
                        "INSERT INTO artifact_properties (item, name, value)"
                        " SELECT value, :name, :value FROM json_each(:ids)",
                        {**parameters, "name": name, "value": value},
                    )
            self._db.execute(
                f"UPDATE artifact_items SET properties_modified = :now WHERE id IN {IDS_SUBQUERY}", parameters
            )

    def _insert(
        self, repo: str, paths: Iterable[str], user: str | None, content: StoredFile | None, client: ClientChecksums
    ) -> None:
        now = self._now()
        checksums_and_size = (content.sha256, content.sha1, content.md5, content.size) if content else (None,) * 4
        common = (content is None, now, user, now, user, now, *checksums_and_size, *astuple(client))
        rows = ((repo, path, parent_path(path), path[path.rfind("/") + 1 :], *common) for path in paths)
        self._db.executemany(
            "INSERT INTO artifact_items (repo, path, parent, name, folder, created, created_by, modified, modified_by,"
            " updated, sha256, sha1, md5, size, client_sha256, client_sha1, client_md5)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def _get(self, repo: str, path: str) -> Item:
        item = self.find(repo, path)
        assert item is not None
        return item

    def _now(self) -> float:
        return round(self._runtime.clock.now(), 3)  # the precision of responses


def _split_batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    remaining = iter(items)
    while batch := list(islice(remaining, BATCH_SIZE)):
        yield batch
