# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports of a Klocwork project: issue counts in a table with two axes, and file churn."""

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
# Names of the axes in requests
_WIRE_NAMES = {"rows": "x", "columns": "y"}
_NO_LOWER_LEVEL = -1


class Report:
    """A report on the issues that the options of a task select.

    :raises BadOption: if a query is not a string or is invalid
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
                raise BadOption(f"counts.{name}", "must be a query, which is a string")
            parse(query, f"counts.{name}")
        parse(self._query or "", "query")

    def read_table(self) -> Fields:
        """Return the table with its rows, columns and values.

        :raises BadOption: if a name of the drilldown does not exist or has no lower level
        """
        axes: Fields = {}
        for option, wire_name in _WIRE_NAMES.items():
            axes[wire_name] = AXES[self._task.params[option]]
            axes.update(self._drilldown(option, wire_name))
        return _to_result(self._read(self._query, **axes))

    def count_queries(self) -> dict[str, int | float]:
        """Return the number of issues for each query of `counts`, limited by the query of the task."""
        return {name: self._count(query) for name, query in self._queries.items()}

    def _count(self, query: str) -> int | float:
        data = self._read(" ".join(filter(None, (self._query, query)))).data
        return sum(map(sum, data))

    def _drilldown(self, option: str, wire_name: str) -> Fields:
        """Return the request field that drills down an axis. Names are resolved level by level."""
        drilldown: Fields = {}
        for number, name in enumerate(self._task.params[f"{option}_drilldown"]):
            axis = {wire_name: AXES[self._task.params[option]], **drilldown}
            headings = getattr(self._read(self._query, **axis), option)
            heading = next((heading for heading in headings if heading["name"] == name), None)
            path = f"{option}_drilldown[{number}]"
            if heading is None:
                available = ", ".join(heading["name"] for heading in headings[:20])
                raise BadOption(path, f"'{name}' does not exist. Available: {available or 'none'}")
            if heading["id"] == _NO_LOWER_LEVEL:
                raise BadOption(path, f"'{name}' has no lower level. Remove it")
            drilldown = {f"{wire_name}Drilldown": heading["id"]}
        return drilldown

    def _read(self, query: str | None, **axes: t.Any) -> Table:
        return _read_table(self._task, self._review, "report", filterQuery=query or None, **self._fields, **axes)


def read_churn(task: Task, review: ReviewService) -> Fields:
    """Return the file churn table that the options of a task select."""
    fields = task.select("project", "view", "component")
    options = {"viewCreator": task.params["view_creator"], "latestBuilds": task.params["latest_builds"]}
    return _to_result(_read_table(task, review, "fchurns", **fields, **options))


class Table(t.NamedTuple):
    """A table of the server: `name` and `id` of each row and column, and the values, one list per row."""

    rows: list[Fields]
    columns: list[Fields]
    data: list[list[int | float]]


def _read_table(task: Task, review: ReviewService, action: str, **fields: t.Any) -> Table:
    """Return the table of an action. Warnings of the server become warnings of the task."""
    records = list(review.records(action, **fields))
    if len(records) != 1:
        raise ToolchainError(f"Expected one table for action '{action}', but the server returned {len(records)}.")
    (record,) = records
    for warning in record.maybe_texts("warnings"):
        task.warn(f"Warning of the server about the {action}: {warning}")
    rows, columns = _parse_headings(record, "rows"), _parse_headings(record, "columns")
    return Table(rows, columns, _parse_data(record, len(rows), len(columns)))


def _parse_headings(record: Record, name: str) -> list[Fields]:
    return [{"id": heading.maybe_integer("id"), "name": heading.text("name")} for heading in record.records(name)]


def _parse_data(record: Record, rows: int, columns: int) -> list[list[int | float]]:
    """Return the values. An empty table can have empty rows or no rows."""

    def check_shape(value: t.Any) -> list[list[int | float]]:
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

    return record.convert("data", f"{rows} lists of {columns} numbers", check_shape)


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
