# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Items as seeds describe them: rows as they are, and many at once."""

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
SECONDARY_INDEXES = """
SELECT name, sql FROM sqlite_master
WHERE type = 'index' AND tbl_name IN ('artifact_items', 'artifact_properties', 'artifact_statistics')
    AND sql LIKE 'CREATE INDEX %'
"""


class BulkInsert:
    """What seeds add to the tables of items; there need not be any content behind it."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._db = runtime.db

    @contextlib.contextmanager
    def defer_indexes(self) -> Iterator[None]:
        """Make the indexes of items again after many rows were added to few: that takes a fraction of the time."""
        found = self._db.execute(SECONDARY_INDEXES).fetchall()
        for index in found:
            self._db.execute(f"DROP INDEX {index['name']}")
        yield
        for index in found:
            self._db.execute(index["sql"])

    def settle(self) -> None:
        """Let the database look at what was planted, so that it knows which index helps most."""
        self._db.execute("PRAGMA analysis_limit = 1000")
        self._db.execute("ANALYZE")

    def next_id(self) -> int:
        """The id that the next item gets."""
        return self._db.execute("SELECT coalesce(max(id), 0) + 1 FROM artifact_items").fetchone()[0]

    def folders(self, repo: str, paths: Iterable[str], by: str | None) -> None:
        """Add many folders with all above them, as far as they are not there yet."""
        now = self._runtime.clock.now()
        times = {"created": now, "created_by": by, "modified": now, "modified_by": by, "updated": now}
        self._insert("OR IGNORE", ({**located(repo, path), **times, "folder": True} for path in _with_parents(paths)))

    def items(self, items: Iterable[Mapping[str, Any]]) -> None:
        """Add items, in folders that are there; what is not said of one is nothing."""
        self._insert("", items)

    def forget(self, repo: str, path: str) -> None:
        """Remove one item, and nothing below it."""
        self._db.execute(f"DELETE FROM artifact_items WHERE {EXACT_PATH}", {"repo": repo, "path": path})

    def properties(self, first: int, name: str, values: Iterable[str]) -> None:
        """Give items with ids from the first on a property each."""
        rows = ((first + place, name, value) for place, value in enumerate(values))
        self._db.executemany("INSERT INTO artifact_properties (item, name, value) VALUES (?, ?, ?)", rows)

    def downloads(self, first: int, times: Iterable[float], by: str) -> None:
        """Have items with ids from the first on downloaded once each."""
        rows = ((first + place, time, by) for place, time in enumerate(times))
        self._db.executemany(
            "INSERT INTO artifact_statistics (item, downloads, downloaded, downloaded_by) VALUES (?, 1, ?, ?)", rows
        )

    def statistics(self, item: Item, counted: Mapping[str, Any]) -> None:
        """Note how often an item was downloaded, here or through another server."""
        columns = [column for column in STATISTICS if counted.get(column) is not None]
        self._db.execute(
            f"INSERT INTO artifact_statistics (item, {', '.join(columns)}) VALUES (?{', ?' * len(columns)})",
            (item.id, *(counted[column] for column in columns)),
        )

    def _insert(self, unless: str, items: Iterable[Mapping[str, Any]]) -> None:
        rows = (tuple(map(item.get, COLUMNS)) for item in items)
        places = ", ".join("?" * len(COLUMNS))
        self._db.executemany(f"INSERT {unless} INTO artifact_items ({', '.join(COLUMNS)}) VALUES ({places})", rows)


def located(repo: str, path: str) -> dict[str, Any]:
    """Where an item lies, as its row has it."""
    return {"repo": repo, "path": path, "parent": parent_path(path), "name": path[path.rfind("/") + 1 :]}


def _with_parents(paths: Iterable[str]) -> Iterator[str]:
    """Each path after those of all folders above it, without what the one before it had."""
    before: list[str] = []
    for path in paths:
        line = [path]
        while path:
            path = parent_path(path) or ""
            line.append(path)
        line.reverse()
        yield from (one for one in line if one not in before)
        before = line
