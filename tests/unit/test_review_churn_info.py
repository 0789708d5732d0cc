# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records
from support.running import run

TABLE = {
    "rows": [{"id": 1, "name": "src"}],
    "columns": [{"id": 3, "name": "build_1"}, {"id": 4, "name": "build_2"}],
    "data": [[2, 1]],
}


def churns(**sent: str) -> Call:
    return act("fchurns", project="app", text=records(TABLE), **sent)


def run_task(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_churn_info", url=server.url, project="app", **options, **ACCOUNT)


def test_churn_is_returned_as_table() -> None:
    assert run_task(churns())["churns"] == {
        "rows": ["src"],
        "columns": ["build_1", "build_2"],
        "data": [[2, 1]],
        "counts": [{"row": "src", "column": "build_1", "count": 2}, {"row": "src", "column": "build_2", "count": 1}],
    }


def test_options_are_sent_with_names_of_web_api() -> None:
    sent = {"view": "a + b", "viewCreator": "jo", "latestBuilds": "5", "component": "src/a&b"}
    result = run_task(churns(**sent), view="a + b", view_creator="jo", latest_builds=5, component="src/a&b")
    assert not result["changed"]


def test_invalid_options_are_refused_before_first_request() -> None:
    assert "required by 'view_creator'" in run_task(view_creator="jo")["msg"]
    assert "must be 1 to 10,000" in run_task(latest_builds=0)["msg"]
