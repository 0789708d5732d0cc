# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tables of the review service: reports of issues along two axes, and churns of files."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.issues.query_terms import parse
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

AXES = {
    "category": "Category",
    "code": "Error Code",
    "component": "Component",
    "module": "Module",
    "owner": "Owner",
    "severity": "Severity",
    "state": "State",
    "status": "Status",
}
# The axes of a task, and what the server calls them
_WIRE_NAMES = {"rows": "x", "columns": "y"}
_NO_LOWER_LEVEL = -1


class Report:
    """Counts the issues that the options of a task select.

    :raises BadOption: for a query of `counts` that is no text, and for a query that can find nothing
    """

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._task, self._review = task, review
        self._query: str | None = task.params["query"]
        self._fields: Fields = {
            **task.select("project", "build", "view"),
            "group_issues": task.params["group"],
        }
        self._queries: dict[str, str] = task.params["counts"] or {}
        for name, query in self._queries.items():
            if not isinstance(query, str):
                raise BadOption(f"counts.{name}", "takes a query, which is a text")
            parse(query, f"counts.{name}")
        parse(self._query or "", "query")

    def read_table(self) -> Fields:
        """Rows, columns and numbers along the two axes.

        :raises BadOption: when it is to show what lies below something that is not there
        """
        axes: Fields = {}
        for option, wire_name in _WIRE_NAMES.items():
            axes[wire_name] = AXES[self._task.params[option]]
            axes.update(self._drilldown(option, wire_name))
        return _to_result(self._read(self._query, **axes))

    def count_queries(self) -> dict[str, int | float]:
        """How many issues there are, by the name of a query, each within the query of the task."""
        return {name: self._count(query) for name, query in self._queries.items()}

    def _count(self, query: str) -> int | float:
        data = self._read(" ".join(filter(None, (self._query, query)))).data
        return sum(map(sum, data))

    def _drilldown(self, option: str, wire_name: str) -> Fields:
        """The id of what the axis is to show the inside of; names are looked up level by level."""
        drilldown: Fields = {}
        for number, name in enumerate(self._task.params[f"{option}_drilldown"]):
            axis = {wire_name: AXES[self._task.params[option]], **drilldown}
            places = getattr(self._read(self._query, **axis), option)
            place = next((place for place in places if place["name"] == name), None)
            path = f"{option}_drilldown[{number}]"
            if place is None:
                known = ", ".join(place["name"] for place in places[:20])
                raise BadOption(path, f"there is no '{name}', but {known or 'nothing at all'}")
            if place["id"] == _NO_LOWER_LEVEL:
                raise BadOption(path, f"nothing lies below '{name}'")
            drilldown = {f"{wire_name}Drilldown": place["id"]}
        return drilldown

    def _read(self, query: str | None, **axes: t.Any) -> Table:
        return _read_table(self._task, self._review, "report", filterQuery=query or None, **self._fields, **axes)


def read_churn(task: Task, review: ReviewService) -> Fields:
    """The churns of files that the options of a task select, as the server counts them."""
    fields = task.select("project", "view", "component")
    more = {"viewCreator": task.params["view_creator"], "latestBuilds": task.params["latest_builds"]}
    return _to_result(_read_table(task, review, "fchurns", **fields, **more))


class Table(t.NamedTuple):
    """What the server answers: `name` and `id` of each row and column, and the numbers, row by row."""

    rows: list[Fields]
    columns: list[Fields]
    data: list[list[int | float]]


def _read_table(task: Task, review: ReviewService, action: str, **fields: t.Any) -> Table:
    """The table of an action. What the server warns of becomes a warning of the task."""
    records = list(review.records(action, **fields))
    if len(records) != 1:
        raise ToolchainError(f"The server answered the action '{action}' with {len(records)} tables, not one.")
    (record,) = records
    for warning in record.maybe_texts("warnings"):
        task.warn(f"The server about the {action}: {warning}")
    rows, columns = _parse_headings(record, "rows"), _parse_headings(record, "columns")
    return Table(rows, columns, _parse_data(record, len(rows), len(columns)))


def _parse_headings(record: Record, name: str) -> list[Fields]:
    return [{"id": place.maybe_integer("id"), "name": place.text("name")} for place in record.records(name)]


def _parse_data(record: Record, rows: int, columns: int) -> list[list[int | float]]:
    """The numbers. A table of nothing may come with rows of nothing, or without any."""

    def checked(value: t.Any) -> list[list[int | float]]:
        if not isinstance(value, list):
            raise ValueError
        if not (rows and columns) and not any(value):
            return [[] for _row in range(rows)]
        if len(value) != rows:
            raise ValueError
        for row in value:
            if not isinstance(row, list) or len(row) != columns or not all(map(_is_number, row)):
                raise ValueError
        return value

    return record.convert("data", f"{rows} lists of {columns} numbers", checked)


def _is_number(value: t.Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= 1e300


def _to_result(table: Table) -> Fields:
    names = [column["name"] for column in table.columns]
    counts = [
        {"row": row["name"], "column": name, "count": number}
        for row, numbers in zip(table.rows, table.data)
        for name, number in zip(names, numbers)
    ]
    return {
        "rows": [row["name"] for row in table.rows],
        "columns": names,
        "data": table.data,
        "counts": counts,
    }
