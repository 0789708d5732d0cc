# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of reports and churn."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.review import Api

PROJECT = {"project": "mobile-app"}


def table(api: Api, **fields: str) -> tuple[list[str], list[str], list[list[int]]]:
    """Return row names, column names and numbers of a report without warnings."""
    (report,) = api.records("report", **{**PROJECT, **fields})
    assert report["warnings"] == []
    return [row["name"] for row in report["rows"]], [column["name"] for column in report["columns"]], report["data"]


def total(api: Api, **fields: str) -> int:
    """Return the total of a report without axes."""
    rows, columns, data = table(api, **fields)
    assert (rows, columns) == (["Total"], ["Total"])
    return data[0][0]


def test_report_contains_a_total_when_it_has_no_axes(api: Api) -> None:
    assert total(api) == 3
    assert total(api, filterQuery="severity:1-2") == 2
    assert total(api, filterQuery="state:Fixed") == 1
    assert total(api, build="build_1") == 2
    assert total(api, project="platform") == 0
    api.write("create_view", **PROJECT, name="mine", query="owner:alice")
    assert total(api, view="mine") == 1


@pytest.mark.parametrize(
    ("axis", "names"),
    [
        ("Severity", ["Critical", "Error", "Warning"]),
        ("State", ["Existing", "New"]),
        ("Status", ["Analyze", "Fix"]),
        ("Owner", ["alice", "unowned"]),
        ("Error Code", ["ABV.GENERAL", "NPD.FUNC.MUST", "RLK.MAIN"]),
        ("Module", ["*default*"]),
        ("Category", ["C and C++"]),
        ("Component", ["src"]),
    ],
)
def test_each_axis_is_usable_for_rows_and_columns(api: Api, axis: str, names: list[str]) -> None:
    rows, columns, data = table(api, x=axis)
    assert (rows, columns) == (names, ["Total"])
    rows, columns, turned = table(api, y=axis.lower())
    assert (rows, columns) == (["Total"], names)
    assert [row[0] for row in data] == turned[0]
    assert sum(turned[0]) == 3


def test_report_has_two_axes(api: Api) -> None:
    rows, columns, data = table(api, x="Severity", y="State")
    assert rows == ["Critical", "Error", "Warning"]
    assert columns == ["Existing", "New"]
    assert data == [[1, 0], [1, 0], [0, 1]]


def test_issue_is_counted_in_each_of_its_modules(api: Api) -> None:
    for name, paths in (("core", "src/core/*"), ("lists", "**/list.c")):
        api.write("create_module", **PROJECT, name=name, paths=paths, allow_all="true")
    assert table(api, x="Module") == (["*default*", "core", "lists"], ["Total"], [[1], [2], [1]])


def test_drill_down_shows_the_next_level(api: Api) -> None:
    below, names = "0", []
    while below != "-1":
        (report,) = api.records("report", **PROJECT, x="Component", xDrilldown=below)
        names.append([row["name"] for row in report["rows"]])
        below = str(report["rows"][-1]["id"])
    assert names == [["src"], ["app", "core"], ["list.c", "names.c"]]
    (report,) = api.records("report", **PROJECT, y="category")
    taxonomy = str(report["columns"][0]["id"])
    (report,) = api.records("report", **PROJECT, y="category", yDrilldown=taxonomy)
    assert [column["name"] for column in report["columns"]] == ["Buffer Overflow", "Other"]
    (report,) = api.records("report", **PROJECT, x="category", xDrilldown="7")
    assert (report["rows"], report["columns"], report["data"]) == ([], [], [])


def test_groups_are_counted_when_requested(api: Api, sandbox: Any) -> None:
    alike = {"code": "A", "file": "src/a.c", "method": "f"}
    sandbox.seed(
        {"review": {"projects": [{"name": "mobile-app", "creator": "admin", "issues": [alike, alike]}]}},
    )
    assert total(api, group_issues="false") == 5
    assert total(api, group_issues="true") == 4
    assert total(api) == 4
    sandbox.switch("review", grouping_by_default=False)
    assert total(api) == 5


def test_unknown_axes_cause_warnings_and_unknown_views_errors(api: Api) -> None:
    (report,) = api.records("report", **PROJECT, x="Colour", filterQuery="colour:red")
    assert report["warnings"] == ["Unknown axis: Colour", "Unknown keyword: colour"]
    assert report["rows"] == [{"id": -1, "name": "Total"}]
    assert api.expect_error("report", project="x") == (404, "Project not found: x")
    assert api.expect_error("report", **PROJECT, build="x") == (404, "Build not found: x")
    assert api.expect_error("report", **PROJECT, view="x") == (404, "View not found: x")


def test_churn_counts_files_by_build(api: Api) -> None:
    (report,) = api.records("fchurns", **PROJECT)
    assert set(report) == {"rows", "columns", "data"}
    assert [row["name"] for row in report["rows"]] == ["src"]
    assert [column["name"] for column in report["columns"]] == ["build_1", "build_2", "build_3"]
    assert report["data"] == [[2, 1, 1]]
    (report,) = api.records("fchurns", **PROJECT, component="src/", latestBuilds="2")
    assert [row["name"] for row in report["rows"]] == ["app", "core"]
    assert report["data"] == [[0, 1], [1, 0]]


def test_churn_requires_an_existing_view(api: Api) -> None:
    assert api.records("fchurns", **PROJECT, view="*default*", viewCreator="admin")
    assert api.expect_error("fchurns", **PROJECT, view="*default*", viewCreator="bob") == (
        404,
        "View not found: *default*",
    )
    assert api.expect_error("fchurns", project="x") == (404, "Project not found: x")
