# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records
from support.running import run

VALUE = {"filePath": "src/a.c", "entity": "f", "entity_id": 12, "tag": "CYCLOMATIC", "metricValue": 7}
SHOWN = {"file": "src/a.c", "entity": "f", "entity_id": 12, "tag": "CYCLOMATIC", "value": 7.0}
SENT = {"project": "app", "query": "", "aggregate": "false", "exclude_system_files": "false"}


def metrics(*entries: dict[str, Any], **sent: str) -> Call:
    return act("metrics", **{**SENT, **sent}, text=records(*entries))


def run_task(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_metric_info", url=server.url, project="app", **options, **ACCOUNT)


def test_values_are_typed() -> None:
    assert run_task(metrics(VALUE)) == {"changed": False, "metrics": [SHOWN], "count": 1}
    assert run_task(metrics()) == {"changed": False, "metrics": [], "count": 0}


def test_aggregate_returns_summaries() -> None:
    summed = {"tag": "NCNBLOC_FILE", "sum": 12, "min": 3.5, "max": 8.5, "entries": 2}
    assert run_task(metrics(summed, aggregate="true"), aggregate=True)["metrics"] == [summed]


def test_all_options_are_sent() -> None:
    sent = {
        "query": "metric:CYCLOMATIC,NCNBLOC_FILE file:+'a b'",
        "view": "v & w",
        "limit": "5",
        "exclude_system_files": "true",
    }
    options = {"tags": ["CYCLOMATIC", "NCNBLOC_FILE"], "query": "file:+'a b'", "view": "v & w", "limit": 5}
    assert run_task(metrics(VALUE, **sent), **options, system_files=False)["count"] == 1


@pytest.mark.parametrize("check_mode", [True, False])
def test_values_are_written_to_file(tmp_path: Path, check_mode: bool) -> None:
    target = tmp_path / "metrics"
    result = run_task(metrics(VALUE, VALUE), to_file=str(target), check_mode=check_mode)
    assert result == {"changed": False, "count": 2}
    assert target.exists() is not check_mode
    if not check_mode:
        assert [json.loads(line) for line in target.read_text().splitlines()] == [SHOWN, SHOWN]


@pytest.mark.parametrize("value", ["7", None, True, [], 10**400, float("nan"), float("inf")])
def test_task_fails_when_value_is_not_a_number(value: Any) -> None:
    assert "'metricValue' is" in run_task(metrics({**VALUE, "metricValue": value}))["msg"]


def test_existing_file_is_kept_when_response_is_incomplete(tmp_path: Path) -> None:
    target = tmp_path / "metrics"
    target.write_text("old")
    cut = act("metrics", **SENT, text=records(VALUE) + '{"filePath": "src')
    assert "The response is incomplete" in run_task(cut, to_file=str(target))["msg"]
    assert target.read_text() == "old"


def test_invalid_options_are_refused_before_first_request() -> None:
    assert "must be a tag of letters" in run_task(tags=["A B"])["msg"]
    assert "must be 1 to 999,999,999" in run_task(limit=0)["msg"]
