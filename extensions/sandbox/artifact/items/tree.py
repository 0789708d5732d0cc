# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read access to the item tree through one database connection. All queries use indexes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields

TRASH_REPO = "auto-trashcan"
# File names of an image manifest and of a manifest list.
MANIFEST_NAME, MANIFEST_LIST_NAME = "manifest.json", "list.manifest.json"


@dataclass(frozen=True)
class Item:
    """A file or a folder. `path` has no leading slash; the root of a repository has the path ''."""

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


@dataclass(frozen=True)
class Statistics:
    """Downloads of an item, here and through other servers."""

    downloads: int | None = None
    downloaded: float | None = None
    downloaded_by: str | None = None
    remote_downloads: int | None = None
    remote_downloaded: float | None = None


COLUMNS = ", ".join(field.name for field in fields(Item))
# '0' is the character after '/', so the range contains exactly the paths below the folder.
DESCENDANTS = "repo = :repo AND path > :path || '/' AND path < :path || '0'"
ROOT_DESCENDANTS = "repo = :repo AND path > ''"
EXACT_PATH = "repo = :repo AND path = :path"
FILE_NAME_GLOB = "name GLOB :name AND NOT folder"
CHILDREN = "repo = :repo AND aql_path = :folder AND path > '' ORDER BY aql_name"
# The plus prevents SQLite from scanning all items of the repository.
WITH_PROPERTY = """
+repo = :repo AND id IN (SELECT item FROM artifact_properties WHERE name = :name) ORDER BY path
"""
WITH_VALUE = "NOT folder AND id IN (SELECT item FROM artifact_properties WHERE name = :name AND value = :value)"
BUILD_ARTIFACTS = """
repo <> :trash AND NOT folder
AND id IN (SELECT item FROM artifact_properties WHERE name = 'build.name' AND value = :name)
AND id IN (SELECT item FROM artifact_properties WHERE name = 'build.number' AND value = :number)
"""
DOWNLOAD_TOTALS = """
SELECT max(downloads), max(downloaded), max(downloaded_by), sum(remote_downloads), max(remote_downloaded)
FROM artifact_statistics WHERE item = ? GROUP BY item
"""


class Tree:
    """The item tree as one database connection sees it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        """Create the tree for a connection."""
        self._db = db

    def find(self, repo: str, path: str) -> Item | None:
        """Return the item at a path."""
        return next(self._select_items(EXACT_PATH, repo=repo, path=path), None)

    def find_obstacle(self, repo: str, path: str, folder: bool) -> str | None:
        """Return the path of the item that prevents a file or folder from being stored at a path."""
        for ancestor in path_with_ancestors(path):
            item = self.find(repo, ancestor)
            if item is not None:
                return ancestor if bool(item.folder) != (folder or ancestor != path) else None
        return None

    def list_children(self, repo: str, path: str) -> Iterator[Item]:
        """Return the children of a folder, sorted by name."""
        return self._select_items(CHILDREN, repo=repo, folder=path or ".")

    def list_names(self, repo: str, path: str) -> list[str]:
        """Return the names of the children of a folder, sorted."""
        return self._select_column("name", CHILDREN, repo=repo, folder=path or ".")

    def list_descendants(self, item: Item, depth: int | None = None) -> Iterator[Item]:
        """Return the items below a folder, sorted by path, optionally limited to a depth."""
        if depth == 1:
            return self.list_children(item.repo, item.path)
        depth_condition = "" if depth is None else " AND length(path) - length(replace(path, '/', '')) < :slashes"
        slashes = (item.path.count("/") + 1 if item.path else 0) + (depth or 0)
        condition = DESCENDANTS if item.path else ROOT_DESCENDANTS
        return self._select_items(
            f"{condition}{depth_condition} ORDER BY path", repo=item.repo, path=item.path, slashes=slashes
        )

    def find_newest_file(self, item: Item) -> Item | None:
        """Return the file below a folder that was modified last."""
        condition = DESCENDANTS if item.path else ROOT_DESCENDANTS
        files = self._select_items(
            f"{condition} AND NOT folder ORDER BY modified DESC LIMIT 1", repo=item.repo, path=item.path
        )
        return next(files, None)

    def find_by_content(self, algorithm: str, checksum: str) -> Iterator[Item]:
        """Return the files with a checksum."""
        return self._select_items(f"{algorithm} = :checksum AND NOT folder", checksum=checksum)

    def find_files(self, repo: str, folder: str, name: str) -> Iterator[Item]:
        """Return the files below a folder whose names match a GLOB pattern, sorted by path."""
        return self._select_items(_files_condition(folder), repo=repo, folder=folder, name=name)

    def find_file_paths(self, repo: str, folder: str, name: str) -> list[str]:
        """Return the paths of the files below a folder whose names match a GLOB pattern."""
        return self._select_column("path", _files_condition(folder), repo=repo, folder=folder, name=name)

    def find_folders(self, name: str) -> Iterator[Item]:
        """Return the folders with a name, in all repositories."""
        return self._select_items("aql_name = :name AND folder", name=name)

    def find_by_property(self, repo: str, name: str) -> Iterator[Item]:
        """Return the items of a repository that have a property, sorted by path."""
        return self._select_items(WITH_PROPERTY, repo=repo, name=name)

    def find_by_property_value(self, name: str, value: str) -> Iterator[Item]:
        """Return the files that have a property with a value."""
        return self._select_items(WITH_VALUE, name=name, value=value)

    def find_paths_by_property(self, repo: str, name: str) -> list[str]:
        """Return the paths of the items that have a property."""
        return self._select_column("path", WITH_PROPERTY, repo=repo, name=name)

    def list_archive_entries(self, item: Item) -> Iterator[tuple[str, str]]:
        """Return folder and name of each entry of an archive."""
        rows = self._db.execute("SELECT path, name FROM artifact_archive_entries WHERE sha1 = ?", (item.sha1,))
        return ((path, name) for path, name in rows)

    def find_build_artifacts(self, name: str, number: str) -> Iterator[Item]:
        """Return the files whose properties refer to a run of a build."""
        return self._select_items(BUILD_ARTIFACTS, name=name, number=number, trash=TRASH_REPO)

    def get_statistics(self, item: Item) -> Statistics:
        """Return the downloads of an item."""
        row = self._db.execute(DOWNLOAD_TOTALS, (item.id,)).fetchone()
        return Statistics(*row) if row else Statistics()

    def list_manifests(self, repo: str, image: str | None = None) -> Iterator[Item]:
        """Return the manifests of all images in a repository, or of the tags of one image."""
        condition = f"repo = :repo AND name IN ('{MANIFEST_NAME}', '{MANIFEST_LIST_NAME}')"
        if image is None:
            return self._select_items(condition, repo=repo)
        return self._select_items(
            f"{condition} AND parent > :path || '/' AND parent < :path || '0'", repo=repo, path=image
        )

    def get_properties(self, item: Item) -> dict[str, list[str]]:
        """Return the properties of an item, names and values sorted."""
        properties: dict[str, list[str]] = {}
        query = "SELECT name, value FROM artifact_properties WHERE item = ? ORDER BY name, value"
        for name, value in self._db.execute(query, (item.id,)):
            properties.setdefault(name, []).append(value)
        return properties

    def _select_items(self, condition: str, **values: object) -> Iterator[Item]:
        rows = self._db.execute(f"SELECT {COLUMNS} FROM artifact_items WHERE {condition}", values)
        return (Item(*row) for row in rows)

    def _select_column(self, column: str, condition: str, **values: object) -> list[str]:
        rows = self._db.execute(f"SELECT {column} FROM artifact_items WHERE {condition}", values)
        return [value for (value,) in rows]


def _files_condition(folder: str) -> str:
    """Return the SQL condition for the files below a folder."""
    condition = f"path > :folder || '/' AND path < :folder || '0' AND {FILE_NAME_GLOB}" if folder else FILE_NAME_GLOB
    return f"repo = :repo AND {condition} ORDER BY path"


def path_with_ancestors(path: str) -> Iterator[str]:
    """Yield a path and its parent folders, the root last."""
    current: str | None = path
    while current is not None:
        yield current
        current = parent_path(current)


def parent_path(path: str) -> str | None:
    """Return the parent folder of a path, or `None` for a root."""
    return path[: max(path.rfind("/"), 0)] if path else None
