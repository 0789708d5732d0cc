# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of files and folders with all that changes it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from dataclasses import astuple, dataclass
from itertools import islice

from ...runtime.file_store import StoredFile
from ...runtime.runtime import Runtime
from .tree import (
    TRASH_REPO,
    Item,
    Tree,
    parent_path,
    path_with_ancestors,
)

# How many items a write may touch before other requests have their turn
PORTION = 50
LISTED = "(SELECT value FROM json_each(:ids))"
TRASHED = {
    "trash.time": ":time",
    "trash.deletedBy": ":by",
    "trash.originalRepository": "substr(path, 1, instr(path || '/', '/') - 1)",
    "trash.originalRepositoryType": "'local'",
    "trash.originalPath": "substr(path, instr(path || '/', '/') + 1)",
}
LAST_PATH = chr(0x10FFFF)
PORTION_BELOW = f"""
SELECT id, path FROM artifact_items WHERE repo = ? AND path > ? AND path < ? ORDER BY path DESC LIMIT {PORTION}
"""
COPY = """
INSERT INTO artifact_items (repo, path, parent, name, folder, created, created_by, modified, modified_by, updated,
    properties_modified, sha256, sha1, md5, size, client_sha256, client_sha1, client_md5)
SELECT :repo, :path, :parent, :name, folder, created, created_by, modified, modified_by, :now,
    properties_modified, sha256, sha1, md5, size, client_sha256, client_sha1, client_md5
FROM artifact_items WHERE id = :id
"""
RELEASED_BY_ALL = """
SELECT sha256 FROM artifact_released
WHERE NOT EXISTS (SELECT 1 FROM artifact_items WHERE artifact_items.sha256 = artifact_released.sha256)
"""


@dataclass(frozen=True)
class ClientChecksums:
    """The checksums that an uploader sent along."""

    sha256: str | None = None
    sha1: str | None = None
    md5: str | None = None


class NotAFolder(Exception):
    """A file is where a folder is needed."""


class Items(Tree):
    """The tree with all that changes it; what can touch many items does so a portion at a time."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime.db)
        self._runtime = runtime

    def create_folder(self, repo: str, path: str, by: str | None) -> Item:
        """The folder at this path, made with its parents if it is not there."""
        missing: list[str] = []
        for place in path_with_ancestors(path):
            found = self.find(repo, place)
            if found is not None and not found.folder:
                raise NotAFolder(place)
            if found is not None:
                break
            missing.append(place)
        if found is None or missing:
            self._insert(repo, reversed(missing), by, None, ClientChecksums())
            return self._existing(repo, path)
        return found

    def put_file(self, repo: str, path: str, content: StoredFile, client: ClientChecksums, by: str | None) -> Item:
        """Store a file; another content than before makes it a new item without properties."""
        before = self.find(repo, path)
        if before is not None and before.folder:
            raise NotAFolder(path)
        if before is not None and before.sha1 == content.sha1:
            self._db.execute(
                "UPDATE artifact_items SET modified = ?, modified_by = ?, updated = ?, client_sha256 = ?,"
                " client_sha1 = ?, client_md5 = ? WHERE id = ?",
                (self._now(), by, self._now(), *astuple(client), before.id),
            )
        else:
            if before is not None:
                self._delete([before.id])
            self.create_folder(repo, parent_path(path) or "", by)
            self._insert(repo, [path], by, content, client)
        return self._existing(repo, path)

    def insert_files(self, repo: str, paths: Iterable[str], content: StoredFile, by: str | None) -> None:
        """Store many new files with one content, in folders that are there."""
        self._insert(repo, paths, by, content, ClientChecksums())

    def set_client_checksum(self, item: Item, algorithm: str, checksum: str) -> None:
        """Keep a checksum that was uploaded as a file of its own."""
        self._db.execute(f"UPDATE artifact_items SET client_{algorithm} = ? WHERE id = ?", (checksum, item.id))

    async def delete(self, item: Item) -> None:
        """Remove an item with all that is below it; the root of a repository stays."""
        async for ids in self._portions(item, leaving=True):
            with self._runtime.transaction():
                self._delete(ids)

    async def move_to_trash(self, item: Item, by: str) -> None:
        """Move an item with all that is below it to the trash can, over what was trashed from there before."""
        find_obstacle = self.find_obstacle(TRASH_REPO, f"{item.repo}/{item.path}", bool(item.folder))
        if find_obstacle is not None:
            await self.delete(self._existing(TRASH_REPO, find_obstacle))
        self.create_folder(TRASH_REPO, f"{item.repo}/{parent_path(item.path) or ''}".rstrip("/"), None)
        async for ids in self._portions(item, leaving=True):
            with self._runtime.transaction():
                self._db.execute(
                    "UPDATE OR REPLACE artifact_items SET repo = :trash, path = repo || '/' || path,"
                    f" parent = rtrim(repo || '/' || parent, '/') WHERE id IN {LISTED}",
                    {"trash": TRASH_REPO, "ids": json.dumps(ids)},
                )
                self._say_where_from(ids, by)
                self._forget_released()

    def add_to_trash(self, path: str, content: StoredFile, by: str) -> None:
        """Lay a file into the trash can that was no item before: the record of a build."""
        item = self.put_file(TRASH_REPO, path, content, ClientChecksums(), by)
        self._say_where_from([item.id], by)

    async def copy(self, item: Item, repo: str, path: str, by: str) -> Item:
        """Copy an item with all that is below it; files that are there give way."""
        self.create_folder(repo, parent_path(path) or "", by)
        start = len(item.path)
        for portion in _portioned([item, *self.list_descendants(item)] if item.folder else [item]):
            with self._runtime.transaction():
                for source in portion:
                    self._copy(source, repo, (path + source.path[start:]).strip("/"), by)
            await asyncio.sleep(0)
        return self._existing(repo, path)

    async def move(self, item: Item, repo: str, path: str, by: str) -> Item:
        """Move an item with all that is below it; what comes out of the trash can does not say so any more."""
        moved = await self.copy(item, repo, path, by)
        await self.delete(item)
        if item.repo == TRASH_REPO:
            await self.set_properties_recursively(moved, {name: [] for name in TRASHED})
        return moved

    def record_archive_entries(self, sha1: str | None, entries: list[tuple[str, str]]) -> None:
        """Keep what is in an archive, folder and name of each entry."""
        if entries and not self._db.execute("SELECT 1 FROM artifact_archives WHERE sha1 = ?", (sha1,)).fetchone():
            self._db.execute("INSERT INTO artifact_archives VALUES (?)", (sha1,))
            rows = ((sha1, folder, name) for folder, name in entries)
            self._db.executemany("INSERT INTO artifact_archive_entries VALUES (?, ?, ?)", rows)

    def record_download(self, item: Item, by: str) -> None:
        """Count a download."""
        counted = {"item": item.id, "now": self._now(), "by": by}
        noted = self._db.execute(
            "UPDATE artifact_statistics SET downloads = coalesce(downloads, 0) + 1, downloaded = :now,"
            " downloaded_by = :by WHERE item = :item",
            counted,
        )
        if not noted.rowcount:
            self._db.execute(
                "INSERT INTO artifact_statistics (item, downloads, downloaded, downloaded_by)"
                " VALUES (:item, 1, :now, :by)",
                counted,
            )

    def set_properties(self, item: Item, changes: dict[str, list[str]]) -> None:
        """Give the named properties of an item exactly these values; none removes the property."""
        self._set_properties([item.id], changes)

    async def set_properties_recursively(self, item: Item, changes: dict[str, list[str]]) -> None:
        """The same for an item and all that is below it."""
        async for ids in self._portions(item, leaving=False):
            self._set_properties(ids, changes)

    def release_content(self, content: StoredFile) -> None:
        """Let go of a content: it is removed unless an item has it."""
        self._db.execute("INSERT OR IGNORE INTO artifact_released VALUES (?)", (content.sha256,))
        self._forget_released()

    async def _portions(self, item: Item, leaving: bool) -> AsyncIterator[list[int]]:
        """The ids of what is below an item and at last of the item, if it is no root, for one transaction at a time.

        The deepest come first, so that nothing ever lies in a folder that is not there. `leaving` says that those
        which were yielded are not below the item any more, so that what others add meanwhile is found as well.
        """
        above = f"{item.path}/" if item.path else ""
        end = f"{item.path}0" if item.path else LAST_PATH
        while portion := self._db.execute(PORTION_BELOW, (item.repo, above, end)).fetchall():
            yield [row["id"] for row in portion]
            end = end if leaving else portion[-1]["path"]
            await asyncio.sleep(0)
        if item.path:
            yield [item.id]

    def _say_where_from(self, ids: list[int], by: str) -> None:
        """Write into the properties of trashed items when, by whom and from where they came."""
        values = {"ids": json.dumps(ids), "by": by, "time": str(int(self._now() * 1000))}
        for name, value in TRASHED.items():
            self._db.execute(
                "INSERT OR REPLACE INTO artifact_properties (item, name, value)"
                f" SELECT id, :name, {value} FROM artifact_items WHERE id IN {LISTED}",
                {**values, "name": name},
            )

    def _copy(self, source: Item, repo: str, path: str, by: str) -> None:
        if source.folder:
            self.create_folder(repo, path, by)
        else:
            before = self.find(repo, path)
            if before is not None and before.folder:
                raise NotAFolder(path)
            if before is not None:
                self._delete([before.id])
            copied = {"id": source.id, "repo": repo, "path": path, "parent": parent_path(path), "now": self._now()}
            self._db.execute(COPY, {**copied, "name": path[path.rfind("/") + 1 :]})
        target = self._existing(repo, path)
        self._db.execute(
            "INSERT OR IGNORE INTO artifact_properties (item, name, value)"
            " SELECT ?, name, value FROM artifact_properties WHERE item = ?",
            (target.id, source.id),
        )

    def _delete(self, ids: list[int]) -> None:
        self._db.execute(f"DELETE FROM artifact_items WHERE id IN {LISTED}", {"ids": json.dumps(ids)})
        self._forget_released()

    def _forget_released(self) -> None:
        for row in self._db.execute(RELEASED_BY_ALL).fetchall():
            self._runtime.files.remove(row["sha256"])
        self._db.execute("DELETE FROM artifact_released")

    def _set_properties(self, ids: list[int], changes: dict[str, list[str]]) -> None:
        if not changes:
            return
        listed = {"ids": json.dumps(ids), "now": self._now()}
        with self._runtime.transaction():
            for name, values in changes.items():
                self._db.execute(
                    f"DELETE FROM artifact_properties WHERE item IN {LISTED} AND name = :name", {**listed, "name": name}
                )
                for value in dict.fromkeys(values):
                    self._db.execute(
                        "INSERT INTO artifact_properties (item, name, value)"
                        " SELECT value, :name, :value FROM json_each(:ids)",
                        {**listed, "name": name, "value": value},
                    )
            self._db.execute(f"UPDATE artifact_items SET properties_modified = :now WHERE id IN {LISTED}", listed)

    def _insert(
        self, repo: str, paths: Iterable[str], by: str | None, content: StoredFile | None, client: ClientChecksums
    ) -> None:
        now = self._now()
        of_content = (content.sha256, content.sha1, content.md5, content.size) if content else (None,) * 4
        rest = (content is None, now, by, now, by, now, *of_content, *astuple(client))
        rows = ((repo, path, parent_path(path), path[path.rfind("/") + 1 :], *rest) for path in paths)
        self._db.executemany(
            "INSERT INTO artifact_items (repo, path, parent, name, folder, created, created_by, modified, modified_by,"
            " updated, sha256, sha1, md5, size, client_sha256, client_sha1, client_md5)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def _existing(self, repo: str, path: str) -> Item:
        item = self.find(repo, path)
        assert item is not None
        return item

    def _now(self) -> float:
        return round(self._runtime.clock.now(), 3)  # as precise as times are shown


def _portioned(items: Iterable[Item]) -> Iterator[list[Item]]:
    remaining = iter(items)
    while portion := list(islice(remaining, PORTION)):
        yield portion
