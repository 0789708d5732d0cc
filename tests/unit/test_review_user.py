# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

ADMIN = {"name": "admin", "readonly": False, "roles": [], "groups": []}
CAROL = {"name": "carol", "readonly": False, "roles": [], "groups": []}
SHOWN = {"name": "carol", "readonly": False, "roles": [], "groups": []}


def users(*entries: dict[str, Any], name: str = "carol") -> Call:
    return act("users", search=name, text=records(*entries))


def all_users(*entries: dict[str, Any]) -> Call:
    return act("users", limit="1000000", text=records(*entries))


def test_second_run_sends_one_read_and_ignores_password() -> None:
    stored = {
        **CAROL,
        "roles": [{"name": "Project admin", "projectId": "platform"}, {"name": "Builders"}],
        "groups": [{"name": "z", "readonly": False}, {"name": "a", "readonly": True}],
    }
    with conversation(users(stored)) as server:
        result = run("review_user", url=server.url, name="carol", password="n3w-s3cret", **ACCOUNT)
    assert not result["changed"]
    assert result["user"] == {
        **SHOWN,
        "roles": [{"name": "Builders", "project_id": None}, {"name": "Project admin", "project_id": "platform"}],
        "groups": ["a", "z"],
    }


@pytest.mark.parametrize(("options", "sent"), [({"password": "s3cret;+&="}, {"password": "s3cret;+&="}), ({}, {})])
def test_user_is_created(options: dict[str, str], sent: dict[str, str]) -> None:
    with conversation(users(), act("create_user", name="carol", **sent), users(CAROL)) as server:
        result = run("review_user", url=server.url, name="carol", diff_mode=True, **options, **ACCOUNT)
    assert result["changed"]
    assert result["user"] == SHOWN
    assert result["diff"] == {"before": {"state": "absent"}, "after": {"state": "present", "name": "carol"}}


def test_check_mode_predicts_change() -> None:
    with conversation(users()) as server:
        result = run("review_user", url=server.url, name="carol", password="x", check_mode=True, **ACCOUNT)
    assert result == {"changed": True, "user": SHOWN}


def test_user_is_deleted_once() -> None:
    with conversation(users(CAROL), act("delete_user", name="carol"), users(), all_users(ADMIN)) as server:
        result = run("review_user", url=server.url, name="carol", state="absent", **ACCOUNT)
    assert result == {"changed": True, "user": None}
    with conversation(users(), all_users(ADMIN)) as server:
        assert not run("review_user", url=server.url, name="carol", state="absent", **ACCOUNT)["changed"]


def test_absence_is_not_assumed_when_response_is_empty() -> None:
    removed = [act("delete_user", name="carol"), users(), all_users(ADMIN)]
    with conversation(users(), all_users(ADMIN, CAROL), *removed) as server:
        assert run("review_user", url=server.url, name="carol", state="absent", **ACCOUNT)["changed"]
    with conversation(users(), all_users()) as server:
        result = run("review_user", url=server.url, name="carol", state="absent", **ACCOUNT)
    assert result["msg"].startswith("The action 'users' returned an empty list, but always returns the account 'admin'")


@pytest.mark.parametrize("check_mode", [True, False])
def test_read_only_user_is_not_deleted(check_mode: bool) -> None:
    with conversation(users({**CAROL, "readonly": True})) as server:
        result = run("review_user", url=server.url, name="carol", state="absent", check_mode=check_mode, **ACCOUNT)
    assert result["failed"]
    assert (
        "Cannot change user 'carol': it is read-only. Manage it in the external directory (LDAP, NIS)" in result["msg"]
    )


@pytest.mark.parametrize("name", ["admin", "Admin"])
@pytest.mark.parametrize("check_mode", [True, False])
def test_account_of_task_is_not_deleted(name: str, check_mode: bool) -> None:
    with conversation(users({**CAROL, "name": name}, name=name)) as server:
        result = run("review_user", url=server.url, name=name, state="absent", check_mode=check_mode, **ACCOUNT)
    assert (result["changed"], result["msg"]) == (
        False,
        "The change would lock out 'admin', the account of this task: it would be deleted. Set 'allow_lockout: true' "
        "to allow this.",
    )


def test_account_of_task_is_deleted_on_request() -> None:
    gone = dataclasses.replace(users(name="admin"), status=401)
    with conversation(
        users({**CAROL, "name": "admin"}, name="admin"), act("delete_user", name="admin"), gone
    ) as server:
        result = run("review_user", url=server.url, name="admin", state="absent", allow_lockout=True, **ACCOUNT)
    assert (result["changed"], result["failed"]) == (True, True)


def test_star_in_name_is_compared_literally() -> None:
    with conversation(act("users", search="c*", limit="1000000", text=records(CAROL))) as server:
        result = run("review_user", url=server.url, name="c*", state="absent", **ACCOUNT)
    assert not result["changed"]


def test_task_succeeds_when_response_of_effective_write_is_lost() -> None:
    with conversation(users(), act("create_user", drop=True, name="carol"), users(CAROL)) as server:
        result = run("review_user", url=server.url, name="carol", **ACCOUNT)
    assert result["changed"]
    with conversation(users(), act("create_user", drop=True, name="carol"), users()) as server:
        result = run("review_user", url=server.url, name="carol", **ACCOUNT)
    assert "Whether the request had its effect is not known." in result["msg"]


def test_refusal_is_reported() -> None:
    refused = act("create_user", 403, name="carol", text=refusal(403, "Users are managed by LDAP"))
    with conversation(users(), refused) as server:
        result = run("review_user", url=server.url, name="carol", **ACCOUNT)
    assert "403 Users are managed by LDAP." in result["msg"]


def test_empty_password_is_refused() -> None:
    with conversation() as server:
        result = run("review_user", url=server.url, name="carol", password="", **ACCOUNT)
    assert result["msg"] == "Option 'password': must not be empty."
