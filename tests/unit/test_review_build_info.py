# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.admin_program import Program
from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records
from support.running import run

B2 = {"id": 2, "name": "b2", "date": 1619436216567, "keepit": True}
B3 = {"id": 3, "name": "b3", "date": 1619437882164, "keepit": False, "tags": ["x"]}


def run_task(answer: Call, **options: Any) -> dict[str, Any]:
    with conversation(answer) as server:
        return run("review_build_info", url=server.url, project="app", **options, **ACCOUNT)


def builds(*entries: dict[str, Any]) -> Call:
    return act("builds", project="app", text=records(*entries))


def test_newest_build_is_first() -> None:
    assert run_task(builds(B2, B3)) == {
        "changed": False,
        "builds": [
            {"id": 3, "name": "b3", "date": "2021-04-26T11:51:22Z", "keep": False},
            {"id": 2, "name": "b2", "date": "2021-04-26T11:23:36Z", "keep": True},
        ],
    }


@pytest.mark.parametrize(("name", "ids"), [("b2", [2]), ("b", [])])
def test_name_is_compared_exactly(name: str, ids: list[int]) -> None:
    assert [build["id"] for build in run_task(builds(B2, B3), name=name)["builds"]] == ids


@pytest.mark.parametrize(
    ("build", "message"),
    [
        ({**B2, "date": "yesterday"}, "'date' is a text instead of a whole number"),
        ({**B2, "date": 2**62}, "instead of a number of milliseconds since 1970"),
    ],
)
def test_task_fails_when_date_is_invalid(build: dict[str, Any], message: str) -> None:
    assert message in run_task(builds(build))["msg"]


def test_kwadmin_returns_only_names(tmp_path: Path) -> None:
    program = Program(tmp_path)
    program.answers("list-builds", out="b2\nb (3)\n", error="Warning: old client\n")
    url = "https://review.example.com"
    options = {"url": url, "project": "app", "via": "admin_tool", "admin_tool": program.words, **ACCOUNT}
    unknown = {"id": None, "date": None, "keep": None}
    assert run("review_build_info", **options) == {
        "changed": False,
        "builds": [{"name": "b (3)", **unknown}, {"name": "b2", **unknown}],
        "warnings": ["Warning: old client"],
    }
    assert program.words_of_calls() == [["--url", url, "list-builds", "app"]]
