# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

DEVS = {"name": "devs", "readonly": False, "roles": [], "groups": [], "users": ["bob", "alice"]}
OTHER = {**DEVS, "name": "others"}
SHOWN = {"name": "devs", "readonly": False, "users": ["alice", "bob"], "roles": [], "groups": []}


def groups(*entries: dict[str, Any]) -> Call:
    return act("groups", search="devs", list_users="true", text=records(*entries))


def all_groups(*entries: dict[str, Any]) -> Call:
    return act("groups", limit="1000000", list_users="true", text=records(*entries))


def users(*names: str) -> Call:
    """Return the request that verifies new members."""
    return act("users", limit="1000000", text=records(*({"name": name} for name in names)))


def group(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_group", url=server.url, **{"name": "devs", **options}, **ACCOUNT)


@pytest.mark.parametrize(
    "options",
    [{}, {"users": ["bob", "alice", "bob"]}, {"users": ["alice"], "append": True}, {"users": [], "append": True}],
    ids=["no-users", "the-same", "one-of-them", "none-more"],
)
def test_second_run_sends_one_read(options: dict[str, Any]) -> None:
    assert group(groups(DEVS), **options) == {"changed": False, "group": SHOWN}


@pytest.mark.parametrize(
    ("options", "sent", "stored"),
    [
        ({"users": ["carol"]}, {"users": "carol"}, ["carol"]),
        ({"users": ["carol"], "append": True}, {"users": "alice,bob,carol"}, ["alice", "bob", "carol"]),
        ({"users": []}, {"remove_all": "true"}, []),
        ({"users": ["Last, First", "a\\b"]}, {"users": "Last\\, First,a\\\\b"}, ["a\\b", "Last, First"]),
    ],
    ids=["exact", "append", "empty", "escaped"],
)
def test_members_are_replaced(options: dict[str, Any], sent: dict[str, str], stored: list[str]) -> None:
    update = act("update_group", name="devs", **sent)
    lookups = [users("alice", *stored)] if stored else []
    result = group(groups(DEVS), *lookups, groups(DEVS), update, groups({**DEVS, "users": stored}), **options)
    assert result["changed"]
    assert result["group"]["users"] == sorted(stored)


@pytest.mark.parametrize(
    ("options", "sent", "stored"),
    [({"users": ["b", "a"]}, {"users": "a,b"}, ["a", "b"]), ({"users": []}, {}, []), ({}, {}, [])],
)
def test_group_is_created(options: dict[str, Any], sent: dict[str, str], stored: list[str]) -> None:
    create = act("create_group", name="devs", **sent)
    lookups = [users("a", "b")] if stored else []
    result = group(groups(), *lookups, create, groups({**DEVS, "users": stored}), **options)
    assert result["changed"]
    assert result["group"]["users"] == stored


def test_check_mode_predicts_change() -> None:
    added = group(groups(DEVS), users("carol"), users=["carol"], append=True, check_mode=True)
    assert added == {"changed": True, "group": {**SHOWN, "users": ["alice", "bob", "carol"]}}
    result = group(groups(), check_mode=True)
    assert result == {"changed": True, "group": {**SHOWN, "users": []}}


def test_group_is_deleted_once() -> None:
    removed = group(groups(DEVS), act("delete_group", name="devs"), groups(), all_groups(OTHER), state="absent")
    assert removed == {"changed": True, "group": None}
    assert group(groups(), all_groups(OTHER), state="absent") == {"changed": False, "group": None}


def test_absence_is_not_assumed_when_response_is_empty() -> None:
    removed = [act("delete_group", name="devs"), groups(), all_groups(OTHER)]
    assert group(groups(), all_groups(OTHER, DEVS), *removed, state="absent")["changed"]
    without_groups = [groups(), all_groups(), users("admin")]
    assert group(*without_groups, state="absent") == {"changed": False, "group": None}
    assert "'users' returned an empty list" in group(groups(), all_groups(), users(), state="absent")["msg"]
    in_a_group = act("users", limit="1000000", text=records({"name": "bob", "groups": [{"name": "devs"}]}))
    assert group(groups(), all_groups(), in_a_group, state="absent")["msg"].startswith(
        "Cannot list the groups: the body of the response was lost. The account 'bob' is in a group"
    )


@pytest.mark.parametrize("options", [{"users": []}, {"state": "absent"}])
def test_read_only_group_is_refused_before_write(options: dict[str, Any]) -> None:
    result = group(groups({**DEVS, "readonly": True}), **options)
    assert (
        "Cannot change group 'devs': it is read-only. Manage it in the external directory (LDAP, NIS)" in result["msg"]
    )


def test_member_of_another_client_is_kept_when_it_is_added_before_the_write() -> None:
    other, added = (
        {**DEVS, "users": ["alice", "bob", "dave"]},
        act("update_group", name="devs", users="alice,bob,carol,dave"),
    )
    stored = groups({**DEVS, "users": ["alice", "bob", "carol", "dave"]})
    calls = groups(DEVS), users("carol"), groups(other), users("carol"), groups(other), added, stored
    result = group(*calls, users=["carol"], append=True)
    assert result["group"]["users"] == ["alice", "bob", "carol", "dave"]
    assert "Another client changed the group while the task was running." in result["warnings"][0]


def test_task_fails_when_member_is_not_added() -> None:
    update = act("update_group", name="devs", users="nobody")
    result = group(groups(DEVS), users("nobody"), groups(DEVS), update, groups(DEVS), users=["nobody"])
    assert result["failed"]
    assert "these fields of the group do not have the requested values: users" in result["msg"]


def test_refusal_is_reported() -> None:
    refused = act("update_group", 404, name="devs", users="x", text=refusal(404, "User not found: x"))
    result = group(groups(DEVS), users("x"), groups(DEVS), refused, groups(DEVS), users=["x"])
    assert "404 User not found: x." in result["msg"]


ADMINS = {**DEVS, "users": ["admin", "bob"], "roles": [{"name": "Root"}]}
ROOT = {"name": "Root", "readonly": True, "permissions": [{"name": "manage_roles", "enabled": True}]}


def held_roles(*roles: str) -> list[Call]:
    """Return the requests before the account of the task leaves the group: its own roles and those of the group."""
    own = {"name": "admin", "roles": [{"name": name} for name in roles], "groups": [{"name": "devs"}]}
    by_group = act("groups", search="devs", text=records(ADMINS))
    return [act("users", search="admin", text=records(own)), by_group, act("roles", text=records(ROOT))]


@pytest.mark.parametrize("options", [{"users": ["bob"]}, {"users": []}, {"state": "absent"}])
@pytest.mark.parametrize("check_mode", [False, True])
def test_lockout_is_refused(options: dict[str, Any], check_mode: bool) -> None:
    refused = group(groups(ADMINS), *held_roles(), **options, check_mode=check_mode)
    assert refused["msg"].startswith(
        "The change would lock out 'admin', the account of this task: it would lose manage_roles"
    )


def nested_roles(*, outer: dict[str, Any]) -> list[Call]:
    """Return the requests for the account, which is in a group of the group `devs`."""
    own = {"name": "admin", "roles": [], "groups": [{"name": "inner"}]}
    inner = {**DEVS, "name": "inner", "users": ["admin"], "groups": [{"name": "devs"}]}
    replies = act("groups", search="inner", text=records(inner)), act("groups", search="devs", text=records(outer))
    return [act("users", search="admin", text=records(own)), *replies]


def test_lockout_is_refused_when_the_group_contains_a_group_of_the_account() -> None:
    outer = {**DEVS, "roles": [{"name": "Root"}]}
    calls = groups(outer), *nested_roles(outer=outer), act("roles", text=records(ROOT))
    assert "it would lose manage_roles" in group(*calls, state="absent")["msg"]


def test_lockout_is_refused_when_the_server_spells_the_account_differently() -> None:
    spelled = {**ADMINS, "users": ["Admin", "bob"]}
    unknown = act("users", search="admin", text=""), act("users", limit="1000000", text=records({"name": "Admin"}))
    refused = group(groups(spelled), *unknown, users=["bob"])
    assert refused["msg"].startswith("Cannot verify that 'admin', the account of this task, keeps its permissions")


def test_account_can_leave_group_without_needed_permissions() -> None:
    removed = [act("delete_group", name="devs"), groups(), all_groups(OTHER)]
    assert group(groups(ADMINS), *held_roles("Root"), *removed, state="absent")["changed"]
    assert group(groups(ADMINS), *removed, state="absent", allow_lockout=True)["changed"]
    calls = groups(ADMINS), groups(ADMINS), act("update_group", name="devs", users="admin")
    assert group(*calls, groups({**ADMINS, "users": ["admin"]}), users=["admin"])["changed"]


@pytest.mark.parametrize("permission", ["assign_role", "manage_users"])
def test_lockout_from_each_permission_is_refused(permission: str) -> None:
    permitting = {**ROOT, "permissions": [{"name": permission, "enabled": True}]}
    refused = group(groups(ADMINS), *held_roles()[:2], act("roles", text=records(permitting)), state="absent")
    assert refused["msg"].startswith(
        f"The change would lock out 'admin', the account of this task: it would lose {permission}"
    )


def test_lockout_is_not_checked_without_access_control() -> None:
    def sent_members(**form: str) -> dict[str, Any]:
        return {"sent_form": {"user": "admin", **form}}

    search = {"action": "groups", "search": "devs", "list_users": "true"}
    calls = [
        call("POST", "/review/api", text=records(ADMINS), **sent_members(**search)),
        call("POST", "/review/api", **sent_members(action="delete_group", name="devs")),
        call("POST", "/review/api", **sent_members(**search)),
        call(
            "POST",
            "/review/api",
            text=records(OTHER),
            **sent_members(action="groups", limit="1000000", list_users="true"),
        ),
    ]
    with conversation(*calls) as server:
        assert run("review_group", url=server.url, username="admin", name="devs", state="absent")["changed"]


def test_deletion_is_refused_when_roles_of_account_are_unknown() -> None:
    unlisted = [act("users", search="admin"), users("bob")]
    assert group(groups(ADMINS), *unlisted, state="absent")["msg"].startswith(
        "Cannot verify that 'admin', the account of this task, keeps its permissions"
    )
    own, group_is_missing = (
        held_roles()[0],
        [act("groups", search="devs"), act("groups", limit="1000000", text=records(OTHER))],
    )
    assert group(groups(ADMINS), own, *group_is_missing, state="absent")["msg"].startswith(
        "Cannot verify that 'admin', the account of this task, keeps its permissions"
    )
    assert (
        "'roles' returned an empty list"
        in group(groups(ADMINS), *held_roles()[:2], act("roles"), state="absent")["msg"]
    )


@pytest.mark.parametrize("check_mode", [False, True])
def test_unknown_member_is_refused_before_write(check_mode: bool) -> None:
    result = group(groups(DEVS), users("alice", "bob"), users=["alice", "bbo", "x"], check_mode=check_mode)
    assert result["msg"] == "Option 'users': contains users that do not exist: bbo, x." + PREDICT_MISSING * check_mode


def test_missing_member_is_accepted_with_predict_missing() -> None:
    result = group(groups(), users=["carol"], check_mode=True, predict_missing=True)
    assert (result["changed"], result["group"]["users"]) == (True, ["carol"])


def test_member_is_added_again_when_another_client_overwrites_it() -> None:
    first, again = (act("update_group", name="devs", users=f"alice,bob,{new}") for new in ("carol", "carol,dave"))
    overwritten, both = (groups({**DEVS, "users": ["alice", "bob", *new]}) for new in (["dave"], ["dave", "carol"]))
    calls = groups(DEVS), users("carol"), groups(DEVS), first, overwritten, users("carol"), overwritten, again, both
    result = group(*calls, users=["carol"], append=True)
    assert result["changed"]
    assert result["group"]["users"] == ["alice", "bob", "carol", "dave"]


def test_member_is_added_when_another_client_creates_the_group_at_the_same_time() -> None:
    refused = act("create_group", 409, name="devs", users="carol", text=refusal(409, "Group already exists: devs"))
    added = act("update_group", name="devs", users="alice,bob,carol")
    stored = groups({**DEVS, "users": ["alice", "bob", "carol"]})
    calls = groups(), users("carol"), refused, groups(DEVS), users("carol"), groups(DEVS), added, stored
    assert group(*calls, users=["carol"], append=True)["group"]["users"] == ["alice", "bob", "carol"]
