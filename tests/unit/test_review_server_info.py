# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records
from support.running import run

LICENSE = {
    "feature": "kwadmin10",
    "version": "10.7",
    "count": 10,
    "permanent": False,
    "days_to_expiry": 365,
    "servers": ["27000@kw"],
}


def run_task(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_server_info", url=server.url, **options, **ACCOUNT)


@pytest.mark.parametrize(
    ("major", "minor", "version"),
    [
        ("19.1", "0", {"text": "19.1.0", "numbers": [19, 1, 0]}),
        ("19", "1.10", {"text": "19.1.10", "numbers": [19, 1, 10]}),
        ("2024", "", {"text": "2024", "numbers": [2024]}),
    ],
)
def test_version_is_text_and_numbers(major: str, minor: str, version: dict[str, Any]) -> None:
    result = run_task(act("version", text=records({"majorVersion": major, "minorVersion": minor})))
    assert result == {"changed": False, "version": version, "licenses": None, "tasks": None, "imports": None}


def test_licenses_are_sorted_by_feature() -> None:
    other = {"feature": "a", "permanent": True}
    result = run_task(act("license_count", text=records(LICENSE, other)), gather=["licenses"])
    defaults = {"version": None, "count": None, "days_to_expiry": None, "servers": []}
    assert result["licenses"] == [{**defaults, **other}, LICENSE]
    one = run_task(
        act("license_count", feature="kwadmin10", text=records(LICENSE)), gather=["licenses"], feature="kwadmin10"
    )
    assert (one["licenses"], one["version"]) == ([LICENSE], None)


def test_tasks_and_imports_are_returned_unchanged() -> None:
    record = {"whatever": [1, {"a": None}]}
    result = run_task(act("task_status", text=records(record)), act("import_status"), gather=["imports", "tasks"])
    assert (result["tasks"], result["imports"]) == ([record], [])


def test_task_fails_without_version() -> None:
    assert run_task(act("version"))["msg"] == "Cannot get the version: the server returned no record."


def test_invalid_options_are_refused() -> None:
    assert "value of gather must be one or more of: version" in run_task(gather=["everything"])["msg"]
