# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Insertion of seeded items as database rows, many at once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from ...runtime.runtime import Runtime
from ..items.tree import EXACT_PATH, Item, parent_path

COLUMNS = [field.name for field in fields(Item) if field.name != "id"]
LOCAL_STATISTICS = ("downloads", "downloaded", "downloaded_by")
STATISTICS = (
    *LOCAL_STATISTICS,
    "remote_downloads",
    "remote_downloaded",
    "remote_downloaded_by",
    "remote_origin",
    "remote_path",
)
SECONDARY_INDEXES_QUERY = """
SELECT name, sql FROM sqlite_master
WHERE type = 'index' AND tbl_name IN ('artifact_items', 'artifact_properties', 'artifact_statistics')
    AND sql LIKE 'CREATE INDEX %'
"""


class BulkInsert:
    """Inserts items, properties and statistics of seeds. The items need not have stored content."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the inserter."""
        self._runtime = runtime
        self._db = runtime.db

    @contextlib.contextmanager
    def defer_indexes(self) -> Iterator[None]:
        """Drop the secondary indexes and recreate them at the end, which is faster for many rows."""
        indexes = self._db.execute(SECONDARY_INDEXES_QUERY).fetchall()
        for index in indexes:
            self._db.execute(f"DROP INDEX {index['name']}")
        yield
        for index in indexes:
            self._db.execute(index["sql"])

    def analyze(self) -> None:
        """Update the statistics of the query planner."""
        self._db.execute("PRAGMA analysis_limit = 1000")
        self._db.execute("ANALYZE")

    def next_id(self) -> int:
        """Return the id of the next item."""
        return self._db.execute("SELECT coalesce(max(id), 0) + 1 FROM artifact_items").fetchone()[0]

    def add_folders(self, repo: str, paths: Iterable[str], user: str | None) -> None:
        """Add folders and their parents, unless they exist."""
        now = self._runtime.clock.now()
        times = {"created": now, "created_by": user, "modified": now, "modified_by": user, "updated": now}
        self._insert(
            "OR IGNORE",
            ({**path_columns(repo, path), **times, "folder": True} for path in _iterate_with_parents(paths)),
        )

    def add_items(self, items: Iterable[Mapping[str, Any]]) -> None:
        """Add items whose folders exist. Missing columns are null."""
        self._insert("", items)

    def remove_row(self, repo: str, path: str) -> None:
        """Remove an item, but nothing below it."""
        self._db.execute(f"DELETE FROM artifact_items WHERE {EXACT_PATH}", {"repo": repo, "path": path})

    def add_properties(self, first: int, name: str, values: Iterable[str]) -> None:
        """Add a property to consecutive items, beginning with the id `first`."""
        rows = ((first + index, name, value) for index, value in enumerate(values))
        self._db.executemany("INSERT INTO artifact_properties (item, name, value) VALUES (?, ?, ?)", rows)

    def add_downloads(self, first: int, times: Iterable[float], user: str) -> None:
        """Record one download for consecutive items, beginning with the id `first`."""
        rows = ((first + index, time, user) for index, time in enumerate(times))
        self._db.executemany(
            "INSERT INTO artifact_statistics (item, downloads, downloaded, downloaded_by) VALUES (?, 1, ?, ?)", rows
        )

    def add_statistics(self, item: Item, values: Mapping[str, Any]) -> None:
        """Store the downloads of an item, here or through another server."""
        columns = [column for column in STATISTICS if values.get(column) is not None]
        self._db.execute(
            f"INSERT INTO artifact_statistics (item, {', '.join(columns)}) VALUES (?{', ?' * len(columns)})",
            (item.id, *(values[column] for column in columns)),
        )

    def _insert(self, conflict_clause: str, items: Iterable[Mapping[str, Any]]) -> None:
        rows = (tuple(map(item.get, COLUMNS)) for item in items)
        placeholders = ", ".join("?" * len(COLUMNS))
        self._db.executemany(
            f"INSERT {conflict_clause} INTO artifact_items ({', '.join(COLUMNS)}) VALUES ({placeholders})", rows
        )


def path_columns(repo: str, path: str) -> dict[str, Any]:
    """Return the columns of an item's row that its path determines."""
    return {"repo": repo, "path": path, "parent": parent_path(path), "name": path[path.rfind("/") + 1 :]}


def _iterate_with_parents(paths: Iterable[str]) -> Iterator[str]:
    """Yield each path after its parents, except those that the previous path had as well."""
    previous: list[str] = []
    for path in paths:
        ancestors = [path]
        while path:
            path = parent_path(path) or ""
            ancestors.append(path)
        ancestors.reverse()
        yield from (ancestor for ancestor in ancestors if ancestor not in previous)
        previous = ancestors
