# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of files and folders, in the database; every question is answered from an index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import astuple, dataclass, fields

from ..world import Stored, World

TRASH = "auto-trashcan"

SCHEMA = """
CREATE TABLE IF NOT EXISTS artifact_items (
    id INTEGER PRIMARY KEY,
    repo TEXT NOT NULL,
    path TEXT NOT NULL,
    parent TEXT,
    name TEXT NOT NULL,
    folder INTEGER NOT NULL,
    created REAL NOT NULL,
    created_by TEXT,
    modified REAL NOT NULL,
    modified_by TEXT,
    updated REAL NOT NULL,
    properties_modified REAL,
    sha256 TEXT,
    sha1 TEXT,
    md5 TEXT,
    size INTEGER,
    client_sha256 TEXT,
    client_sha1 TEXT,
    client_md5 TEXT
);
CREATE UNIQUE INDEX IF NOT EXISTS artifact_items_path ON artifact_items (repo, path);
CREATE INDEX IF NOT EXISTS artifact_items_parent ON artifact_items (repo, parent, name);
CREATE INDEX IF NOT EXISTS artifact_items_sha256 ON artifact_items (sha256);
CREATE INDEX IF NOT EXISTS artifact_items_sha1 ON artifact_items (sha1);
CREATE INDEX IF NOT EXISTS artifact_items_manifests ON artifact_items (repo, parent) WHERE name = 'manifest.json';
CREATE TABLE IF NOT EXISTS artifact_properties (
    item INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (item, name, value)
) WITHOUT ROWID;
CREATE TRIGGER IF NOT EXISTS artifact_items_deleted AFTER DELETE ON artifact_items
BEGIN
    DELETE FROM artifact_properties WHERE item = OLD.id;
END;
"""


@dataclass(frozen=True)
class Item:
    """A file or a folder; `path` has no leading slash, and a repository's root has the path ''."""

    id: int
    repo: str
    path: str
    parent: str | None
    name: str
    folder: bool
    created: float
    created_by: str | None
    modified: float
    modified_by: str | None
    updated: float
    properties_modified: float | None
    sha256: str | None
    sha1: str | None
    md5: str | None
    size: int | None
    client_sha256: str | None
    client_sha1: str | None
    client_md5: str | None


COLUMNS = ", ".join(field.name for field in fields(Item))
# '0' is the character after '/': between the two lies exactly what is below the folder.
BELOW = "repo = :repo AND path > :path || '/' AND path < :path || '0'"
BELOW_ROOT = "repo = :repo AND path > ''"
SELF = "repo = :repo AND path = :path"


@dataclass(frozen=True)
class ClientChecksums:
    """The checksums that an uploader sent along."""

    sha256: str | None = None
    sha1: str | None = None
    md5: str | None = None


class NotAFolder(Exception):
    """A file is where a folder is needed."""


class Items:
    """Everything that is stored, by repository and path."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._db = world.db

    def find(self, repo: str, path: str) -> Item | None:
        """The item at this path."""
        return next(self._select(SELF, repo=repo, path=path), None)

    def children(self, repo: str, path: str) -> Iterator[Item]:
        """What lies directly in a folder."""
        return self._select("repo = :repo AND parent = :path ORDER BY name", repo=repo, path=path)

    def below(self, item: Item, depth: int | None = None) -> Iterator[Item]:
        """What lies in a folder and its folders, down to a depth if one is given."""
        deepest = "" if depth is None else " AND length(path) - length(replace(path, '/', '')) < :slashes"
        slashes = (item.path.count("/") + 1 if item.path else 0) + (depth or 0)
        condition = BELOW if item.path else BELOW_ROOT
        return self._select(f"{condition}{deepest} ORDER BY path", repo=item.repo, path=item.path, slashes=slashes)

    def newest_file(self, item: Item) -> Item | None:
        """The file in a folder that was modified last."""
        condition = BELOW if item.path else BELOW_ROOT
        files = self._select(
            f"{condition} AND NOT folder ORDER BY modified DESC LIMIT 1", repo=item.repo, path=item.path
        )
        return next(files, None)

    def with_content(self, algorithm: str, checksum: str) -> Iterator[Item]:
        """The files that have this content."""
        return self._select(f"{algorithm} = :checksum AND NOT folder", checksum=checksum)

    def manifests(self, repo: str, image: str | None = None) -> Iterator[Item]:
        """The manifests of all images of a repository, or of the tags of one image."""
        manifests = "repo = :repo AND name = 'manifest.json'"
        if image is None:
            return self._select(manifests, repo=repo)
        return self._select(f"{manifests} AND parent > :path || '/' AND parent < :path || '0'", repo=repo, path=image)

    def make_folder(self, repo: str, path: str, by: str | None) -> Item:
        """The folder at this path, made with its parents if it is not there."""
        found = self.find(repo, path)
        if found is None:
            if path:
                self.make_folder(repo, _parent(path) or "", by)
            return self._insert(repo, path, by, folder=True)
        if not found.folder:
            raise NotAFolder(path)
        return found

    def put_file(self, repo: str, path: str, content: Stored, client: ClientChecksums, by: str | None) -> Item:
        """Store a file; another content than before makes it a new item without properties."""
        before = self.find(repo, path)
        if before is not None and before.folder:
            raise NotAFolder(path)
        if before is not None and before.sha1 == content.sha1:
            self._db.execute(
                "UPDATE artifact_items SET modified = ?, modified_by = ?, updated = ? WHERE id = ?",
                (self._now(), by, self._now(), before.id),
            )
        else:
            if before is not None:
                self.delete(before)
            self.make_folder(repo, _parent(path) or "", by)
            self._insert(repo, path, by, folder=False)
        self._db.execute(
            "UPDATE artifact_items SET sha256 = ?, sha1 = ?, md5 = ?, size = ?, client_sha256 = ?, client_sha1 = ?,"
            " client_md5 = ? WHERE repo = ? AND path = ?",
            (content.sha256, content.sha1, content.md5, content.size, *astuple(client), repo, path),
        )
        return self._existing(repo, path)

    def note_client_checksum(self, item: Item, algorithm: str, checksum: str) -> None:
        """Keep a checksum that was uploaded as a file of its own."""
        self._db.execute(f"UPDATE artifact_items SET client_{algorithm} = ? WHERE id = ?", (checksum, item.id))

    def delete(self, item: Item) -> None:
        """Remove an item with all that is below it; the root of a repository stays."""
        with self._world.transaction():
            condition, values = _subtree(item)
            self._db.execute(f"DELETE FROM artifact_items WHERE {condition} AND path <> ''", values)

    def move_to_trash(self, item: Item, by: str) -> None:
        """Move an item with all that is below it to the trash can, over what was trashed from there before."""
        with self._world.transaction():
            condition, values = _subtree(item)
            values = {**values, "trash": TRASH, "now": self._now()}
            self.make_folder(TRASH, f"{item.repo}/{_parent(item.path) or ''}".rstrip("/"), None)
            trashed = f"SELECT repo || '/' || path FROM artifact_items WHERE {condition} AND path <> ''"
            self._db.execute(
                f"DELETE FROM artifact_items WHERE repo = :trash AND NOT folder AND path IN ({trashed})", values
            )
            self._db.execute(
                f"DELETE FROM artifact_items WHERE {condition} AND folder AND path <> '' AND EXISTS (SELECT 1 FROM"
                " artifact_items trashed WHERE trashed.repo = :trash"
                " AND trashed.path = artifact_items.repo || '/' || artifact_items.path)",
                values,
            )
            self._note_origin(condition, values, by)
            self._db.execute(
                f"UPDATE OR REPLACE artifact_items SET repo = :trash, path = repo || '/' || path,"
                f" parent = rtrim(repo || '/' || parent, '/') WHERE {condition} AND path <> ''",
                values,
            )

    def _note_origin(self, condition: str, values: dict[str, object], by: str) -> None:
        origin = {
            "trash.time": ":time",
            "trash.deletedBy": ":by",
            "trash.originalRepository": "repo",
            "trash.originalRepositoryType": "'local'",
            "trash.originalPath": "path",
        }
        for name, value in origin.items():
            self._db.execute(
                f"INSERT OR REPLACE INTO artifact_properties SELECT id, '{name}', {value} FROM artifact_items"
                f" WHERE {condition} AND path <> ''",
                {**values, "time": str(int(self._now() * 1000)), "by": by},
            )

    def properties(self, item: Item) -> dict[str, list[str]]:
        """The properties of an item."""
        found: dict[str, list[str]] = {}
        for name, value in self._db.execute("SELECT name, value FROM artifact_properties WHERE item = ?", (item.id,)):
            found.setdefault(name, []).append(value)
        return found

    def set_properties(self, item: Item, changes: dict[str, list[str]], recursive: bool) -> None:
        """Give the named properties exactly these values; none removes the property."""
        if not changes:
            return
        condition, values = _subtree(item) if recursive else (SELF, {"repo": item.repo, "path": item.path})
        targets = f"FROM artifact_items WHERE {condition}"
        with self._world.transaction():
            for name, property_values in changes.items():
                self._db.execute(
                    f"DELETE FROM artifact_properties WHERE item IN (SELECT id {targets}) AND name = :name",
                    {**values, "name": name},
                )
                for value in set(property_values):
                    self._db.execute(
                        f"INSERT INTO artifact_properties SELECT id, :name, :value {targets}",
                        {**values, "name": name, "value": value},
                    )
            self._db.execute(
                f"UPDATE artifact_items SET properties_modified = :now WHERE {condition}",
                {**values, "now": self._now()},
            )

    def _insert(self, repo: str, path: str, by: str | None, folder: bool) -> Item:
        now = self._now()
        self._db.execute(
            "INSERT INTO artifact_items (repo, path, parent, name, folder, created, created_by, modified, modified_by,"
            " updated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (repo, path, _parent(path), path[path.rfind("/") + 1 :], folder, now, by, now, by, now),
        )
        return self._existing(repo, path)

    def _existing(self, repo: str, path: str) -> Item:
        item = self.find(repo, path)
        assert item is not None
        return item

    def _select(self, condition: str, **values: object) -> Iterator[Item]:
        rows = self._db.execute(f"SELECT {COLUMNS} FROM artifact_items WHERE {condition}", values)
        return (Item(*row) for row in rows)

    def _now(self) -> float:
        return self._world.clock.now()


def _parent(path: str) -> str | None:
    """The folder of a path; a root has none."""
    return path[: max(path.rfind("/"), 0)] if path else None


def _subtree(item: Item) -> tuple[str, dict[str, object]]:
    values: dict[str, object] = {"repo": item.repo, "path": item.path}
    # With OR instead of UNION, SQLite would look at everything in the repository.
    items = " UNION ALL ".join(f"SELECT id FROM artifact_items WHERE {condition}" for condition in (SELF, BELOW))
    return (f"id IN ({items})" if item.path else "repo = :repo"), values
