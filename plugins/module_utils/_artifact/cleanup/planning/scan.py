# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read artifacts page by page in a stable order, and record the position after each page."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

Condition = dict[str, t.Any]
_SORT = ("path", "name")
# Statuses with which a server reports that a query is too expensive
_OVERLOAD_STATUSES = (408, 500, 504)
_SMALLEST_PAGE = 100


class Scan:
    """Queries with large results in one repository, which continue where they were interrupted.

    A page begins after the last row of the previous one instead of at an offset. This makes all pages equally fast, and
    deletions in the meantime do not shift them.
    """

    def __init__(self, task: Task, artifact: ArtifactService, store: Store) -> None:
        self._task = task
        self._artifact = artifact
        self._store = store
        self._page_size = task.params["page_size"]

    def read_pages(
        self, name: str, find: list[Condition], include: t.Sequence[str], handle_page: t.Callable[[list[Fields]], None]
    ) -> None:
        """Pass each page to `take`, which writes it to the store.

        :arg name: name under which the position is stored
        :arg find: conditions, all of which must be met
        :arg include: fields to return
        """
        done = self._store.get_fact(name) or {"rows": 0, "after": None, "whole": False, "end": False}
        while not done["end"]:
            editions.check(self._artifact, features.PAGES)
            rows, done = self._read_next(find, include, done)
            with self._store.transaction():
                handle_page(rows)
                self._store.set_fact(name, done)
            self._task.report_progress(f"{name}: {done['rows']:,} artifacts read", "planning")

    def fetch_values(self, find: list[Condition], page: list[Fields], field: str) -> dict[tuple[str, str], list[str]]:
        """Return the values of a property, or the last downloads, of the artifacts of a page by path and name.

        The result does not include artifacts without values, that no longer exist or that no longer meet the
        conditions.

        :arg find: the conditions of the page, and optionally more
        :arg page: rows whose names AQL can express
        :arg field: `@key` of the property, or `stat.downloaded`
        """
        if not page:
            return {}
        between = [
            *_compare_position(_position(page[0]), "$gt", "$gte"),
            *_compare_position(_position(page[-1]), "$lt", "$lte"),
        ]
        aql_query = aql.Query("items", [*find, *between], ("repo", *_SORT, field))
        values: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
        for row in aql.fetch_rows(self._artifact, aql_query, 0):
            values[_position(artifacts.check_row(row))] += artifacts.get_values(row)
        return values

    def _read_next(self, find: list[Condition], include: t.Sequence[str], done: Fields) -> tuple[list[Fields], Fields]:
        """Return the next page by path and name, and the new position. A folder that fills pages alone is read
        separately.
        """
        after, whole = done["after"], done["whole"]
        rows, size = self._read_page([*find, *_after_position(after, whole)], include)
        full = len(rows) >= size
        if full:
            rows = _trim_to_writable(rows)
        if whole and not full:  # the folder is complete
            place: t.Any = (after[0], None)
        else:
            place = _position(rows[-1]) if rows else after
        return rows, {
            "rows": done["rows"] + len(rows),
            "after": place,
            "whole": full and rows[0]["path"] == place[0],
            "end": not full and not whole,
        }

    def _read_page(self, find: list[Condition], include: t.Sequence[str]) -> tuple[list[Fields], int]:
        """Return one page and its maximum number of rows, which is reduced if the server cannot process the query."""
        while True:
            aql_query = aql.Query("items", find, tuple(include), _SORT, limit=self._page_size)
            try:
                return [
                    artifacts.check_row(row) for row in aql.fetch_rows(self._artifact, aql_query, 0)
                ], self._page_size
            except ToolchainError as error:
                if self._page_size <= _SMALLEST_PAGE or not _is_overload(error):
                    raise
                self._page_size = max(self._page_size // 4, _SMALLEST_PAGE)


def _trim_to_writable(rows: list[Fields]) -> list[Fields]:
    """Return the rows up to the last one whose name AQL can express, because the next page begins after it."""
    for last in range(len(rows), 0, -1):
        if aql.is_writable(rows[last - 1]):
            return rows[:last]
    raise ToolchainError(
        f"The names of {len(rows):,} artifacts in '{rows[0]['path']}' of '{rows[0]['repo']}' cannot be "
        "expressed in AQL, so that no page can begin after them. Increase 'page_size'."
    )


def _is_overload(error: ToolchainError) -> bool:
    return isinstance(error, aql.TruncatedResult) or (
        isinstance(error, ServerRefusal) and error.status in _OVERLOAD_STATUSES
    )


def _after_position(place: t.Sequence[str | None] | None, whole: bool) -> list[Condition]:
    if place is None:
        return []
    folder, name = place
    if name is None:
        return [{"path": {"$gt": folder}}]
    return [{"path": folder}, {"name": {"$gt": name}}] if whole else _compare_position((folder, name), "$gt", "$gt")


def _compare_position(place: tuple[str | None, str], strict: str, own: str) -> list[Condition]:
    """Return the conditions for rows before or after a place. The first condition can use an index.

    :arg strict: `$gt` or `$lt`
    :arg own: `$gte` or `$lte` to include the place itself, otherwise the same as `strict`
    """
    folder, name = place
    return [{"path": {f"{strict}e": folder}}, {"$or": [{"path": {strict: folder}}, {"name": {own: name}}]}]


def _position(row: Fields) -> tuple[str, str]:
    return row["path"], row["name"]
