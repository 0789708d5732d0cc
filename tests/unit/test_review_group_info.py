# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records
from support.running import run

ONE = {"name": "devs", "readonly": True, "roles": [], "groups": [], "users": ["bob", "alice"]}
SHOWN = {
    "name": "devs",
    "readonly": True,
    "users": ["alice", "bob"],
    "roles": [],
    "groups": [],
}
OTHER = {**ONE, "name": "Zoë, the *"}
ALL = {"limit": "1000000", "list_users": "true"}


def run_task(*calls: Call, **options: Any) -> Any:
    with conversation(*calls) as server:
        result = run("review_group_info", url=server.url, **options, **ACCOUNT)
    assert not result["changed"]
    return result.get("groups", result.get("msg"))


@pytest.mark.parametrize("search", [{}, {"search": "a*"}])
def test_all_groups_are_listed_by_name(search: dict[str, str]) -> None:
    listed = run_task(act("groups", **ALL, **search, text=records(OTHER, ONE)), **search)
    assert listed == sorted([SHOWN, {**SHOWN, "name": "Zoë, the *"}], key=lambda one: one["name"])


def test_result_is_empty_without_groups() -> None:
    assert run_task(act("groups", **ALL), act("users", limit="1000000", text=records({"name": "admin"}))) == []


def test_name_is_compared_exactly() -> None:
    assert run_task(act("groups", search="devs", list_users="true", text=records(ONE)), name="devs") == [SHOWN]
    assert (
        run_task(act("groups", search="Zoë, *", limit="1000000", list_users="true", text=records(OTHER)), name="Zoë, *")
        == []
    )


def test_name_and_search_are_mutually_exclusive() -> None:
    assert "mutually exclusive" in run_task(name="a", search="b")


def test_task_fails_when_response_is_malformed() -> None:
    assert "'name' is the number 5 instead of a text" in run_task(
        act("groups", **ALL, text=records({**ONE, "name": 5}))
    )
