# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of metrics."""

from __future__ import annotations

from support.wire.review import Api

PROJECT = {"project": "mobile-app"}


def values(api: Api, query: str, **fields: str) -> list[float]:
    """Return the values that match a query."""
    return [record["metricValue"] for record in api.records("metrics", **PROJECT, query=query, **fields)]


def test_metric_record_has_file_and_entity(api: Api) -> None:
    record = api.records("metrics", **PROJECT, query="metric:CYCLOMATIC")[0]
    assert record == {
        "filePath": "src/core/list.c",
        "entity": "next_of",
        "entity_id": record["entity_id"],
        "tag": "CYCLOMATIC",
        "metricValue": 7.0,
    }
    assert api.records("metrics", project="platform", query="") == []
    assert len(api.records("metrics", **PROJECT)) == 5
    assert api.expect_error("metrics", project="x", query="") == (404, "Project not found: x")


def test_metrics_are_filtered_by_tag_and_file(api: Api) -> None:
    assert values(api, "") == [210, 95, 7, 12, 880]
    assert values(api, "", limit="2") == [210, 95]
    assert values(api, "metric:NCNBLOC_FILE") == [210, 95, 880]
    assert values(api, "metric:NCNBLOC") == []
    assert values(api, "metric:CYCLOMATIC,NCNBLOC_FILE -file:core") == [12, 880]
    assert values(api, "metric:NCNBLOC_FILE", exclude_system_files="true") == [210, 95]
    api.write("create_view", **PROJECT, name="core", query="file:core severity:1")
    assert values(api, "", view="core") == [210, 95, 7]
    assert api.expect_error("metrics", **PROJECT, query="", view="x") == (404, "View not found: x")


def test_metrics_are_aggregated_by_tag(api: Api) -> None:
    assert api.records("metrics", **PROJECT, query="", aggregate="True") == [
        {"tag": "CYCLOMATIC", "sum": 19.0, "min": 7.0, "max": 12.0, "entries": 2},
        {"tag": "NCNBLOC_FILE", "sum": 1185.0, "min": 95.0, "max": 880.0, "entries": 3},
    ]
