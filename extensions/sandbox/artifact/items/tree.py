# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of files and folders, as one connection sees it; every question is answered from an index."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, fields

TRASH_REPO = "auto-trashcan"
# The manifest of an image for one platform, and of one for several
MANIFEST_NAME, MANIFEST_LIST_NAME = "manifest.json", "list.manifest.json"


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


@dataclass(frozen=True)
class Statistics:
    """The downloads of an item, here and through other servers."""

    downloads: int | None = None
    downloaded: float | None = None
    downloaded_by: str | None = None
    remote_downloads: int | None = None
    remote_downloaded: float | None = None


COLUMNS = ", ".join(field.name for field in fields(Item))
# '0' is the character after '/': between the two lies exactly what is below the folder.
BELOW = "repo = :repo AND path > :path || '/' AND path < :path || '0'"
BELOW_ROOT = "repo = :repo AND path > ''"
SELF = "repo = :repo AND path = :path"
NAMED = "name GLOB :name AND NOT folder"
IN_FOLDER = "repo = :repo AND aql_path = :folder AND path > '' ORDER BY aql_name"
# The plus keeps SQLite from going through all items of the repository.
WITH_PROPERTY = """
+repo = :repo AND id IN (SELECT item FROM artifact_properties WHERE name = :name) ORDER BY path
"""
OF_BUILD = """
repo <> :trash AND NOT folder
AND id IN (SELECT item FROM artifact_properties WHERE name = 'build.name' AND value = :name)
AND id IN (SELECT item FROM artifact_properties WHERE name = 'build.number' AND value = :number)
"""
DOWNLOADS = """
SELECT max(downloads), max(downloaded), max(downloaded_by), sum(remote_downloads), max(remote_downloaded)
FROM artifact_statistics WHERE item = ? GROUP BY item
"""


class Tree:
    """What is stored, by repository and path, as one connection sees it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def find(self, repo: str, path: str) -> Item | None:
        """The item at this path."""
        return next(self._select(SELF, repo=repo, path=path), None)

    def find_obstacle(self, repo: str, path: str, folder: bool) -> str | None:
        """Return the path of the item that keeps a file or a folder from being stored at this path."""
        for place in path_with_ancestors(path):
            found = self.find(repo, place)
            if found is not None:
                return place if bool(found.folder) != (folder or place != path) else None
        return None

    def list_children(self, repo: str, path: str) -> Iterator[Item]:
        """What lies directly in a folder, by name."""
        return self._select(IN_FOLDER, repo=repo, folder=path or ".")

    def list_names(self, repo: str, path: str) -> list[str]:
        """Return the names of the items directly in a folder, in order."""
        return self._column("name", IN_FOLDER, repo=repo, folder=path or ".")

    def list_descendants(self, item: Item, depth: int | None = None) -> Iterator[Item]:
        """What lies in a folder and its folders, down to a depth if one is given, by path."""
        if depth == 1:
            return self.list_children(item.repo, item.path)
        deepest = "" if depth is None else " AND length(path) - length(replace(path, '/', '')) < :slashes"
        slashes = (item.path.count("/") + 1 if item.path else 0) + (depth or 0)
        condition = BELOW if item.path else BELOW_ROOT
        return self._select(f"{condition}{deepest} ORDER BY path", repo=item.repo, path=item.path, slashes=slashes)

    def find_newest_file(self, item: Item) -> Item | None:
        """The file in a folder that was modified last."""
        condition = BELOW if item.path else BELOW_ROOT
        files = self._select(
            f"{condition} AND NOT folder ORDER BY modified DESC LIMIT 1", repo=item.repo, path=item.path
        )
        return next(files, None)

    def find_by_content(self, algorithm: str, checksum: str) -> Iterator[Item]:
        """The files that have this content."""
        return self._select(f"{algorithm} = :checksum AND NOT folder", checksum=checksum)

    def find_files(self, repo: str, folder: str, name: str) -> Iterator[Item]:
        """The files below a folder whose names fit a pattern of GLOB, by path."""
        return self._select(_named(folder), repo=repo, folder=folder, name=name)

    def find_file_paths(self, repo: str, folder: str, name: str) -> list[str]:
        """Return the paths of the same files."""
        return self._column("path", _named(folder), repo=repo, folder=folder, name=name)

    def find_folders(self, name: str) -> Iterator[Item]:
        """The folders with this name, in all repositories."""
        return self._select("aql_name = :name AND folder", name=name)

    def find_by_property(self, repo: str, name: str) -> Iterator[Item]:
        """The items of a repository that have a property of this name, by path."""
        return self._select(WITH_PROPERTY, repo=repo, name=name)

    def find_paths_by_property(self, repo: str, name: str) -> list[str]:
        """Return the paths of the same items."""
        return self._column("path", WITH_PROPERTY, repo=repo, name=name)

    def list_archive_entries(self, item: Item) -> Iterator[tuple[str, str]]:
        """Folder and name of each entry of an archive."""
        rows = self._db.execute("SELECT path, name FROM artifact_archive_entries WHERE sha1 = ?", (item.sha1,))
        return ((path, name) for path, name in rows)

    def find_build_artifacts(self, name: str, number: str) -> Iterator[Item]:
        """The files whose properties say that they are of this run of a build."""
        return self._select(OF_BUILD, name=name, number=number, trash=TRASH_REPO)

    def get_statistics(self, item: Item) -> Statistics:
        """How often an item was downloaded."""
        row = self._db.execute(DOWNLOADS, (item.id,)).fetchone()
        return Statistics(*row) if row else Statistics()

    def list_manifests(self, repo: str, image: str | None = None) -> Iterator[Item]:
        """The manifests of all images of a repository, or of the tags of one image."""
        manifests = f"repo = :repo AND name IN ('{MANIFEST_NAME}', '{MANIFEST_LIST_NAME}')"
        if image is None:
            return self._select(manifests, repo=repo)
        return self._select(f"{manifests} AND parent > :path || '/' AND parent < :path || '0'", repo=repo, path=image)

    def get_properties(self, item: Item) -> dict[str, list[str]]:
        """Return the properties of an item, the names and the values of each in order."""
        found: dict[str, list[str]] = {}
        of_item = "SELECT name, value FROM artifact_properties WHERE item = ? ORDER BY name, value"
        for name, value in self._db.execute(of_item, (item.id,)):
            found.setdefault(name, []).append(value)
        return found

    def _select(self, condition: str, **values: object) -> Iterator[Item]:
        rows = self._db.execute(f"SELECT {COLUMNS} FROM artifact_items WHERE {condition}", values)
        return (Item(*row) for row in rows)

    def _column(self, column: str, condition: str, **values: object) -> list[str]:
        rows = self._db.execute(f"SELECT {column} FROM artifact_items WHERE {condition}", values)
        return [value for (value,) in rows]


def _named(folder: str) -> str:
    """Return the condition for the files below a folder, by path."""
    below = f"path > :folder || '/' AND path < :folder || '0' AND {NAMED}" if folder else NAMED
    return f"repo = :repo AND {below} ORDER BY path"


def path_with_ancestors(path: str) -> Iterator[str]:
    """Yield a path and the folders above it, the root last."""
    place: str | None = path
    while place is not None:
        yield place
        place = parent_path(place)


def parent_path(path: str) -> str | None:
    """The folder of a path; a root has none."""
    return path[: max(path.rfind("/"), 0)] if path else None
