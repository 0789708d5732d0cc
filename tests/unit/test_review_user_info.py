# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records
from support.running import run

ONE = {"name": "alice", "readonly": False, "roles": [{"name": "Builders"}], "groups": [{"name": "devs"}]}
SHOWN = {
    "name": "alice",
    "readonly": False,
    "roles": [{"name": "Builders", "project_id": None}],
    "groups": ["devs"],
}
OTHER = {**ONE, "name": "Zoë, the *"}
ALL = {"limit": "1000000"}


def run_task(*calls: Call, **options: Any) -> Any:
    with conversation(*calls) as server:
        result = run("review_user_info", url=server.url, **options, **ACCOUNT)
    assert not result["changed"]
    return result.get("users", result.get("msg"))


@pytest.mark.parametrize("search", [{}, {"search": "a*"}])
def test_all_users_are_listed_by_name(search: dict[str, str]) -> None:
    listed = run_task(act("users", **ALL, **search, text=records(OTHER, ONE)), **search)
    assert listed == sorted([SHOWN, {**SHOWN, "name": "Zoë, the *"}], key=lambda one: one["name"])


def test_task_fails_when_response_is_empty() -> None:
    assert "'users' returned an empty list, but always returns the account 'admin'" in run_task(act("users", **ALL))


def test_name_is_compared_exactly() -> None:
    assert run_task(act("users", search="alice", text=records(ONE)), name="alice") == [SHOWN]
    assert run_task(act("users", search="Zoë, *", limit="1000000", text=records(OTHER)), name="Zoë, *") == []


def test_name_and_search_are_mutually_exclusive() -> None:
    assert "mutually exclusive" in run_task(name="a", search="b")


def test_task_fails_when_response_is_malformed() -> None:
    assert "'name' is the number 5 instead of a text" in run_task(act("users", **ALL, text=records({**ONE, "name": 5})))
