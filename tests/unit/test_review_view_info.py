# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

DEFAULT = {"id": 1, "name": "*default*", "query": "", "creator": "klocwork", "is_public": True}
ONLINE = {
    "id": 9,
    "name": "onlineapplication",
    "query": '-module:"JsonLib"',
    "creator": "klocwork",
    "is_public": False,
    "tags": ["web", "gate"],
}


def views(*entries: dict[str, Any], project: str = "mobile-app") -> Call:
    return act("views", project=project, text=records(*entries))


def run_task(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_view_info", url=server.url, **{"project": "mobile-app", **parameters}, **ACCOUNT)


def test_views_are_listed_by_name() -> None:
    assert run_task(views(ONLINE, DEFAULT)) == {
        "changed": False,
        "views": [
            {"id": 1, "name": "*default*", "query": "", "tags": [], "public": True, "creator": "klocwork"},
            {
                "id": 9,
                "name": "onlineapplication",
                "query": '-module:"JsonLib"',
                "tags": ["gate", "web"],
                "public": False,
                "creator": "klocwork",
            },
        ],
    }


@pytest.mark.parametrize(("name", "ids"), [("*default*", [1]), ("onlineapplication", [9, 12]), ("online", [])])
def test_name_is_compared_exactly(name: str, ids: list[int]) -> None:
    result = run_task(views(DEFAULT, ONLINE, {**ONLINE, "id": 12, "creator": "alice"}), name=name)
    assert [view["id"] for view in result["views"]] == ids


def test_special_characters_in_project_are_sent_unchanged() -> None:
    assert run_task(views(DEFAULT, project="a+b & c=d%é;/"), project="a+b & c=d%é;/")["views"]


def test_task_fails_when_project_is_unknown() -> None:
    answer = act("views", 404, project="mobile-app", text=refusal(404, "Project not found: mobile-app"))
    result = run_task(answer)
    assert result["failed"]
    assert "404 Project not found: mobile-app." in result["msg"]
