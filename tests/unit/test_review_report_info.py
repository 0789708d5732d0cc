# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run


def place(name: str, number: int = -1) -> dict[str, Any]:
    return {"id": number, "name": name}


def report(
    rows: list[dict[str, Any]], columns: list[dict[str, Any]], data: Any, warnings: tuple[str, ...] = (), **sent: str
) -> Call:
    table = {"rows": rows, "columns": columns, "data": data, "warnings": list(warnings)}
    return act("report", project="app", **{"group_issues": "false", **sent}, text=records(table))


def run_task(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_report_info", url=server.url, project="app", **options, **ACCOUNT)


ROWS = [place("C and C++", 1), place("Java", 7)]
COLUMNS = [place("Existing"), place("New")]
AXES = {"rows": "category", "columns": "state"}
SENT = {"x": "Category", "y": "State"}


def test_table_is_returned_as_matrix_and_list() -> None:
    assert run_task(report(ROWS, COLUMNS, [[14, 2], [0, 1]], **SENT), **AXES) == {
        "changed": False,
        "counts": None,
        "report": {
            "rows": ["C and C++", "Java"],
            "columns": ["Existing", "New"],
            "data": [[14, 2], [0, 1]],
            "counts": [
                {"row": "C and C++", "column": "Existing", "count": 14},
                {"row": "C and C++", "column": "New", "count": 2},
                {"row": "Java", "column": "Existing", "count": 0},
                {"row": "Java", "column": "New", "count": 1},
            ],
        },
    }


def test_all_options_are_sent_unchanged() -> None:
    options = {"build": "build+1", "query": "status:+Analyze,+Fix", "view": "a & b", "group": True}
    sent = {"build": "build+1", "filterQuery": "status:+Analyze,+Fix", "view": "a & b", "group_issues": "true"}
    call = report([place("x")], [place("y")], [[1]], **{**sent, "x": "Error Code", "y": "Owner"})
    assert run_task(call, rows="code", columns="owner", **options)["report"]["data"] == [[1]]


def test_drilldown_is_resolved_by_names() -> None:
    first = report(ROWS, [place("Total")], [[16], [1]], x="Category")
    inner = [place("Leaks", 8), place("Overflows", 9)]
    second = report(inner, [place("Total")], [[5], [11]], x="Category", xDrilldown="1")
    codes = [place("ABV.GENERAL"), place("ABV.ITERATOR")]
    last = report(codes, COLUMNS, [[9, 1], [1, 0]], xDrilldown="9", **SENT)
    result = run_task(first, second, last, **AXES, rows_drilldown=["C and C++", "Overflows"])
    assert result["report"]["rows"] == ["ABV.GENERAL", "ABV.ITERATOR"]
    columns = report([place("Total")], [place("src", 5)], [[3]], y="Component")
    below = report(ROWS, [place("a.c")], [[2], [1]], x="Category", y="Component", yDrilldown="5")
    result = run_task(columns, below, rows="category", columns="component", columns_drilldown=["src"])
    assert result["report"]["columns"] == ["a.c"]


def test_invalid_drilldown_is_refused() -> None:
    first = report(ROWS, [place("Total")], [[16], [1]], x="Category")
    result = run_task(first, **AXES, rows_drilldown=["Ada"])
    assert result["msg"] == "Option 'rows_drilldown[0]': 'Ada' does not exist. Available: C and C++, Java."
    columns = report([place("Total")], COLUMNS, [[1, 2]], y="State")
    flat = run_task(columns, **AXES, columns_drilldown=["New"])
    assert flat["msg"] == "Option 'columns_drilldown[0]': 'New' has no lower level. Remove it."


def test_queries_are_counted() -> None:
    total = [place("Total")], [place("Total")]
    calls = [
        report(*total, [[3]], filterQuery="owner:me severity:1"),
        report(*total, [[0]], filterQuery="owner:me"),
    ]
    result = run_task(*calls, query="owner:me", counts={"critical": "severity:1", "all": ""})
    assert (result["report"], result["counts"]) == (None, {"critical": 3, "all": 0})
    nothing = run_task(report([], [], []), counts={"all": ""})
    assert nothing["counts"] == {"all": 0}


@pytest.mark.parametrize(
    ("rows", "columns", "data"), [([], [], []), ([], COLUMNS, []), ([], COLUMNS, [[]]), ([], [], [[]])]
)
def test_empty_table_is_accepted(rows: Any, columns: Any, data: Any) -> None:
    result = run_task(report(rows, columns, data, **SENT), **AXES)
    assert (result["report"]["data"], result["report"]["counts"]) == ([], [])


NAN = float("nan")


@pytest.mark.parametrize(
    "data", [[[1, 2]], [[1, 2], [3]], [[1, 2], [3, "4"]], [[1, 2], 3], 7, None, [[1, 2], [3, True]], [[1, 2], [3, NAN]]]
)
def test_task_fails_when_table_is_malformed(data: Any) -> None:
    assert "'data' is" in run_task(report(ROWS, COLUMNS, data, **SENT), **AXES)["msg"]


def test_task_fails_without_exactly_one_table() -> None:
    result = run_task(act("report", project="app", group_issues="false", **SENT), **AXES)
    assert result["msg"] == "Expected one table for action 'report', but the server returned 0."


def test_warnings_of_server_are_reported() -> None:
    result = run_task(report(ROWS, COLUMNS, [[1, 2], [3, 4]], ("Unknown keyword: x",), **SENT), **AXES)
    assert result["warnings"] == ["Warning of the server about the report: Unknown keyword: x"]


def test_refusal_is_reported() -> None:
    refused = act("report", 404, project="app", group_issues="false", text=refusal(404, "Project not found"), **SENT)
    assert "404 Project not found." in run_task(refused, **AXES)["msg"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({}, "one of the following is required: rows, counts"),
        ({"rows": "state"}, "parameters are required together: rows, columns"),
        ({"rows": "colour", "columns": "state"}, "value of rows must be one of"),
        ({"counts": {"a": 1}}, "Option 'counts.a': must be a query, which is a string."),
        ({"counts": {}}, "must not be empty"),
    ],
)
def test_invalid_options_are_refused_before_first_request(options: dict[str, Any], problem: str) -> None:
    assert problem in run_task(**options)["msg"]
