# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ask the server for artifacts, in pages of a stable sort, and remember after each page how far it came."""

from __future__ import annotations

import collections
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import query
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import artifact as artifacts
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

Condition = dict[str, t.Any]
_SORT = ("path", "name")
# What a server answers that gives up on a query
_TOO_MUCH = (408, 500, 504)
_SMALLEST_PAGE = 100


class Scan:
    """Queries over a repository that may be long, and go on where they were interrupted.

    A page begins after the last row of the one before, not at a number: so it costs the same wherever it is, and
    nothing shifts when others delete meanwhile.
    """

    def __init__(self, task: Task, artifact: ArtifactService, store: Store) -> None:
        self._task = task
        self._artifact = artifact
        self._store = store
        self._size = task.params["page_size"]

    def each_page(
        self, name: str, find: list[Condition], include: t.Sequence[str], take: t.Callable[[list[Fields]], None]
    ) -> None:
        """Hand each page to `take`, which writes it to the store.

        :arg name: of the scan, to go on with it
        :arg find: conditions that all have to hold
        :arg include: the fields of a row
        """
        done = self._store.fact(name) or {"rows": 0, "after": None, "whole": False, "end": False}
        while not done["end"]:
            self._artifact.check_pro("Sorting in queries, without which artifacts cannot be listed page by page,")
            rows, done = self._next(find, include, done)
            with self._store.transaction():
                take(rows)
                self._store.remember(name, done)
            self._task.report_progress(f"{name}: {done['rows']:,} artifacts seen", "planning")

    def values(self, find: list[Condition], page: list[Fields], field: str) -> dict[tuple[str, str], list[str]]:
        """Return the values of a property of the artifacts of a page, or their last downloads, by path and name.

        An artifact that has none, is gone or no longer meets the conditions is not in the result.

        :arg find: what the page was asked for with, and perhaps more
        :arg page: rows whose names can be in a query
        :arg field: `@key` of the property, or `stat.downloaded`
        """
        if not page:
            return {}
        between = [*_beyond(_place(page[0]), "$gt", "$gte"), *_beyond(_place(page[-1]), "$lt", "$lte")]
        asked = query.Query("items", [*find, *between], ("repo", *_SORT, field))
        found: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
        for row in query.rows(self._artifact, asked, 0):
            found[_place(artifacts.check_row(row))] += artifacts.values(row)
        return found

    def _next(self, find: list[Condition], include: t.Sequence[str], done: Fields) -> tuple[list[Fields], Fields]:
        """Return the next page by path and name: in the last folder if that fills pages alone, else from there on."""
        after, whole = done["after"], done["whole"]
        rows, size = self._page([*find, *_after(after, whole)], include)
        full = len(rows) >= size
        if full:
            rows = _up_to_a_place(rows)
        if whole and not full:  # the folder is through
            place: t.Any = (after[0], None)
        else:
            place = _place(rows[-1]) if rows else after
        return rows, {
            "rows": done["rows"] + len(rows),
            "after": place,
            "whole": full and rows[0]["path"] == place[0],
            "end": not full and not whole,
        }

    def _page(self, find: list[Condition], include: t.Sequence[str]) -> tuple[list[Fields], int]:
        """Return one page, and how many rows it could have: fewer than before if the server gave up on more."""
        while True:
            asked = query.Query("items", find, tuple(include), _SORT, limit=self._size)
            try:
                return [artifacts.check_row(row) for row in query.rows(self._artifact, asked, 0)], self._size
            except ToolchainError as error:
                if self._size <= _SMALLEST_PAGE or not _is_too_much(error):
                    raise
                self._size = max(self._size // 4, _SMALLEST_PAGE)


def _up_to_a_place(rows: list[Fields]) -> list[Fields]:
    """Return the rows up to the last one whose name can be in a query, because the next page begins after it."""
    for last in range(len(rows), 0, -1):
        if query.is_writable(rows[last - 1]):
            return rows[:last]
    raise ToolchainError(
        f"The names of {len(rows):,} artifacts in '{rows[0]['path']}' of '{rows[0]['repo']}' cannot be written in the "
        "query language, so that no page can begin after them. Choose a larger 'page_size'."
    )


def _is_too_much(error: ToolchainError) -> bool:
    return isinstance(error, query.Trimmed) or (isinstance(error, ServerRefusal) and error.status in _TOO_MUCH)


def _after(place: t.Sequence[str | None] | None, whole: bool) -> list[Condition]:
    if place is None:
        return []
    folder, name = place
    if name is None:
        return [{"path": {"$gt": folder}}]
    return [{"path": folder}, {"name": {"$gt": name}}] if whole else _beyond((folder, name), "$gt", "$gt")


def _beyond(place: tuple[str | None, str], strict: str, own: str) -> list[Condition]:
    """Return what is on one side of a place; the first condition is what an index finds it by.

    :arg strict: `$gt` or `$lt`
    :arg own: the same, or with `e` for the place itself, too
    """
    folder, name = place
    return [{"path": {f"{strict}e": folder}}, {"$or": [{"path": {strict: folder}}, {"name": {own: name}}]}]


def _place(row: Fields) -> tuple[str, str]:
    return row["path"], row["name"]
