# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

GROUPS, USERS = "/access/api/v2/groups", "/access/api/v2/users"
CLASSIC = "/artifactory/api/security/groups"
VERSION = "/artifactory/api/system/version"
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "not found"}]}
OWN_TOKEN = "e30." + base64.urlsafe_b64encode(b'{"sub": "jfac@01/users/admin"}').decode().rstrip("=") + ".x"
TASK = {"name": "developers", "token": OWN_TOKEN}
STORED = {
    "name": "developers",
    "description": "Web team",
    "auto_join": False,
    "admin_privileges": False,
    "realm": "internal",
    "members": ["carol", "dave"],
}


def group(name: str = "developers", **changes: Any) -> Call:
    """Return the read of a group."""
    return call("GET", f"{GROUPS}/{name}", json={**STORED, "name": name, **changes})


def missing(name: str = "developers") -> Call:
    return call("GET", f"{GROUPS}/{name}", 404, json=NOT_FOUND)


def version(number: str = "7.77.3") -> Call:
    return call("GET", VERSION, json={"version": number, "license": "0" * 40})


def user(name: str, **changes: Any) -> Call:
    return call("GET", f"{USERS}/{name}", json={"username": name, "admin": False, "groups": ["developers"], **changes})


def update(name: str = "developers", **sent: Any) -> Call:
    return call("PATCH", f"{GROUPS}/{name}", sent_json=sent, json={})


def members(added: list[str], removed: list[str]) -> Call:
    sent = {"add": added, "remove": removed}
    return call("PATCH", f"{GROUPS}/developers/members", sent_json=sent, json={"members": []})


def test_unchanged_group_costs_one_request() -> None:
    options = {"description": "Web team", "members": ["Dave"], "auto_join": False, "external_id": ""}
    with conversation(group()) as server:
        result = run("artifact_group", url=server.url, **options, **TASK)
    assert result["changed"] is False
    assert result["group"] == {
        **STORED,
        **dict.fromkeys(("watch_manager", "policy_viewer", "policy_manager", "reports_manager", "manage_webhook")),
        **dict.fromkeys(("resources_manager", "realm_attributes")),
        "external_id": "",
    }


def test_missing_group_is_created_with_its_members() -> None:
    body = {"name": "developers", "description": "Web team", "members": ["carol", "dave"]}
    created = call("POST", GROUPS, 201, sent_json=body, json=STORED)
    with conversation(missing(), version(), user("carol"), user("dave"), created, group()) as server:
        options = {"description": "Web team", "members": ["DAVE", "carol"]}
        result = run("artifact_group", url=server.url, diff_mode=True, **options, **TASK)
    assert result["changed"]
    assert result["diff"]["after"] == {"state": "present", "description": "Web team", "members": ["carol", "dave"]}


def test_members_are_added() -> None:
    after = group(members=["carol", "dave", "erin"])
    with conversation(group(), user("erin"), members(["erin"], []), after) as server:
        result = run("artifact_group", url=server.url, members=["erin", "carol"], **TASK)
    assert result["group"]["members"] == ["carol", "dave", "erin"]


def test_members_are_exact_when_purging() -> None:
    changed = members(["erin"], ["carol", "dave"])
    with conversation(group(), user("erin"), changed, group(members=["erin"])) as server:
        assert run("artifact_group", url=server.url, members=["erin"], purge=True, **TASK)["changed"]
    with conversation(group(), members([], ["carol", "dave"]), group(members=[])) as server:
        assert run("artifact_group", url=server.url, members=[], purge=True, **TASK)["changed"]


def test_members_are_untouched_when_they_are_not_declared() -> None:
    with conversation(group(), update(description=""), group(description=None)) as server:
        result = run("artifact_group", url=server.url, description="", purge=True, **TASK)
    assert (result["changed"], result["group"]["members"]) == (True, ["carol", "dave"])
    with conversation(group(description=None)) as server:
        assert not run("artifact_group", url=server.url, description="", **TASK)["changed"]


def test_group_is_deleted() -> None:
    with conversation(group(), call("DELETE", f"{GROUPS}/developers", 204), missing(), version()) as server:
        result = run("artifact_group", url=server.url, state="absent", **TASK)
    assert (result["changed"], result["group"]) == (True, None)


@pytest.mark.parametrize(
    ("stored", "member"),
    [({"resources_manager": False}, "resources_manager"), ({"manage_resources": False}, "manage_resources")],
)
def test_both_names_of_resources_manager_are_known(stored: dict[str, Any], member: str) -> None:
    after = dict.fromkeys(stored, True)
    with conversation(group(**stored), update(**{member: True}), group(**after)) as server:
        result = run("artifact_group", url=server.url, resources_manager=True, **TASK)
    assert result["group"]["resources_manager"] is True


def test_roles_are_refused_when_the_version_lacks_them() -> None:
    with conversation(group(), version("7.127.9")) as server:
        result = run("artifact_group", url=server.url, policy_manager=True, **TASK)
    assert result["msg"] == "Option 'policy_manager': requires Artifactory 7.128.0 or later."


# Names


def test_group_in_lower_case_is_the_same_group() -> None:
    options = {"token": OWN_TOKEN, "name": "Developers", "description": "New"}
    calls = missing("Developers"), version(), group(), update(description="New")
    with conversation(*calls, missing("Developers"), group(description="New")) as server:
        result = run("artifact_group", url=server.url, **options)
    assert (result["changed"], result["group"]["name"]) == (True, "developers")


def test_new_group_may_be_stored_in_lower_case() -> None:
    created = call("POST", GROUPS, 201, json=STORED)
    calls = missing("Developers"), version(), missing(), created, missing("Developers"), group()
    with conversation(*calls) as server:
        assert run("artifact_group", url=server.url, token=OWN_TOKEN, name="Developers")["changed"]


def test_group_in_lower_case_is_not_deleted() -> None:
    with conversation(missing("Developers"), version(), group()) as server:
        result = run("artifact_group", url=server.url, token=OWN_TOKEN, name="Developers", state="absent")
    assert result["changed"] is False
    assert result["warnings"] == [
        "The group 'Developers' does not exist, but 'developers' does and is kept. "
        "To delete it, write its name in lower case."
    ]


@pytest.mark.parametrize("name", ["", "a/b", ".", " a", "x" * 65])
def test_name_is_refused_before_any_request(name: str) -> None:
    with conversation() as server:
        assert "Option 'name': " in run("artifact_group", url=server.url, token=OWN_TOKEN, name=name)["msg"]


# Protection


def test_built_in_group_is_not_deleted() -> None:
    with conversation(group("readers")) as server:
        result = run("artifact_group", url=server.url, token=OWN_TOKEN, name="readers", state="absent")
    assert result["msg"] == "Option 'name': 'readers' is built in and cannot be deleted."


AUTO_JOIN = (
    "Option 'auto_join': must be false for a group with 'admin_privileges: true', or new users would be administrators."
)


def test_new_users_do_not_become_administrators() -> None:
    with conversation() as server:
        result = run("artifact_group", url=server.url, auto_join=True, admin_privileges=True, **TASK)
    assert result["msg"] == AUTO_JOIN
    with conversation(group(admin_privileges=True)) as server:
        assert run("artifact_group", url=server.url, auto_join=True, **TASK)["msg"] == AUTO_JOIN


ADMINS = {"admin_privileges": True, "members": ["admin", "carol"]}
LOCKED_OUT = (
    "The change would lock out 'admin', the account of this task: it would not be an administrator. Set "
    "'allow_lockout: true' to allow this."
)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    "options", [{"members": ["carol"], "purge": True}, {"admin_privileges": False}, {"state": "absent"}]
)
def test_own_account_keeps_its_administration(options: dict[str, Any], check_mode: bool) -> None:
    with conversation(group(**ADMINS), user("admin")) as server:
        result = run("artifact_group", url=server.url, check_mode=check_mode, **options, **TASK)
    assert (result["changed"], result["msg"]) == (False, LOCKED_OUT)


@pytest.mark.parametrize(
    "reads",
    [
        (user("admin", admin=True),),
        (user("admin", groups=[]),),
        (user("admin", groups=["developers", "other"]), group("other", admin_privileges=True)),
    ],
    ids=["directly", "not a member", "through another group"],
)
def test_group_may_lose_administration_when_own_account_keeps_it(reads: tuple[Call, ...]) -> None:
    changed = update(admin_privileges=False), group()
    with conversation(group(**ADMINS), *reads, *changed) as server:
        assert run("artifact_group", url=server.url, admin_privileges=False, **TASK)["changed"]


def test_other_members_may_leave_a_group_of_administrators() -> None:
    after = group(**{**ADMINS, "members": ["admin"]})
    with conversation(group(**ADMINS), members([], ["carol"]), after) as server:
        assert run("artifact_group", url=server.url, members=["admin"], purge=True, **TASK)["changed"]


def test_lockout_is_allowed_on_request() -> None:
    with conversation(group(**ADMINS), update(admin_privileges=False), group()) as server:
        options = {"admin_privileges": False, "allow_lockout": True}
        assert run("artifact_group", url=server.url, **options, **TASK)["changed"]


def test_change_is_refused_when_own_account_is_unknown() -> None:
    with conversation(group(**ADMINS)) as server:
        result = run("artifact_group", url=server.url, api_key="key-of-mine", name="developers", state="absent")
    assert result["msg"].startswith("Cannot verify that the account of this task is not affected")


def make_token(**claims: str) -> str:
    """Return an access token of the user `admin`."""
    payload = json.dumps({"sub": "jfac@01/users/admin", **claims}).encode()
    return "e30." + base64.urlsafe_b64encode(payload).decode().rstrip("=") + ".x"


def test_own_account_keeps_its_administration_when_two_items_remove_it() -> None:
    items = [{"name": "developers", "state": "absent"}, {"name": "other", "admin_privileges": False}]
    other = group("other", admin_privileges=True)
    with conversation(group(**ADMINS), user("admin", groups=["Developers", "other"]), other) as server:
        result = run("artifact_group", url=server.url, token=OWN_TOKEN, items=items, workers=1)
    assert (result["changed"], [failure["reason"] for failure in result["failures"]]) == (False, [LOCKED_OUT] * 2)
    reads = user("admin", groups=["developers", "other"]), group(**ADMINS)
    with conversation(other, *reads, update("other", admin_privileges=False), group("other")) as server:
        result = run("artifact_group", url=server.url, token=OWN_TOKEN, items=items[1:], workers=1)
    assert "failed" not in result


@pytest.mark.parametrize(
    "scope", ["applied-permissions/groups:developers", 'applied-permissions/groups:"a b","Developers" applied/x']
)
def test_own_token_keeps_the_administration_of_its_groups(scope: str) -> None:
    options: dict[str, Any] = {"token": make_token(scp=scope), "name": "developers", "state": "absent"}
    others = (group("a%20b"),) if "a b" in scope else ()
    with conversation(group(**ADMINS), *others) as server:
        assert run("artifact_group", url=server.url, **options)["msg"] == LOCKED_OUT


def test_own_token_keeps_its_administration_when_a_member_of_its_group_leaves() -> None:
    options = {"token": make_token(scp="applied-permissions/groups:developers"), "members": ["carol"], "purge": True}
    after = group(**{**ADMINS, "members": ["carol"]})
    with conversation(group(**ADMINS), members([], ["admin"]), after) as server:
        assert run("artifact_group", url=server.url, name="developers", **options)["changed"]


def test_change_is_refused_when_the_user_of_the_token_is_missing() -> None:
    options: dict[str, Any] = {"name": "developers", "state": "absent"}
    no_user = call("GET", f"{USERS}/admin", 404, json=NOT_FOUND)
    with conversation(group(**ADMINS), no_user, version()) as server:
        result = run("artifact_group", url=server.url, token=OWN_TOKEN, **options)
    assert result["msg"] == (
        "Cannot verify that 'admin', the account of this task, remains an administrator: the user does not exist. Set "
        "'allow_lockout: true' to allow the change."
    )
    administrator = make_token(scp="applied-permissions/admin")
    deleted = call("DELETE", f"{GROUPS}/developers", 204), missing()
    with conversation(group(**ADMINS), no_user, version(), *deleted) as server:
        assert run("artifact_group", url=server.url, token=administrator, **options)["changed"]


def test_groups_of_an_opaque_token_are_requested() -> None:
    token = {"subject": "jfac@01/users/admin", "scope": "applied-permissions/groups:developers", "token_id": "1"}
    me = call("GET", "/access/api/v1/tokens/me", json=token)
    with conversation(group(**ADMINS), me) as server:
        result = run("artifact_group", url=server.url, token="opaque", name="developers", state="absent")
    assert result["msg"] == LOCKED_OUT


def test_own_account_is_known_when_the_password_is_a_token() -> None:
    options = {"api_key": make_token(jti="1"), "name": "developers", "state": "absent"}
    with conversation(group(**ADMINS), user("admin")) as server:
        assert run("artifact_group", url=server.url, **options)["msg"] == LOCKED_OUT


def test_change_of_members_of_external_group_is_reported() -> None:
    after = group(realm="ldap", members=["carol", "dave", "erin"])
    with conversation(group(realm="ldap"), user("erin"), members(["erin"], []), after) as server:
        result = run("artifact_group", url=server.url, members=["erin"], **TASK)
    assert result["changed"]
    assert result["warnings"][0].startswith("The group 'developers' comes from an external directory (ldap)")


# Check mode


def test_missing_members_are_refused_before_the_first_write() -> None:
    absent = call("GET", f"{USERS}/nobody", 404, json=NOT_FOUND)
    with conversation(group(), absent, version()) as server:
        result = run("artifact_group", url=server.url, members=["nobody"], description="x", **TASK)
    assert (result["changed"], result["msg"]) == (False, "Option 'members': these users do not exist: nobody.")


def test_check_mode_refuses_missing_members() -> None:
    absent = call("GET", f"{USERS}/nobody", 404, json=NOT_FOUND)
    with conversation(group(), absent, version()) as server:
        result = run("artifact_group", url=server.url, check_mode=True, members=["nobody", "carol"], **TASK)
    message = "Option 'members': these users do not exist: nobody."
    assert (result["changed"], result["msg"]) == (False, message + PREDICT_MISSING)
    listed = call("GET", USERS, json={"users": [{"username": name} for name in "abc"]})
    with conversation(group(), listed) as server:
        result = run("artifact_group", url=server.url, check_mode=True, members=list("abcd"), **TASK)
    assert result["msg"] == "Option 'members': these users do not exist: d." + PREDICT_MISSING


def test_check_mode_accepts_missing_members_of_earlier_tasks() -> None:
    with conversation(group()) as server:
        options = {"check_mode": True, "predict_missing": True, "members": ["new"]}
        assert run("artifact_group", url=server.url, **options, **TASK)["changed"]


# Older versions


OLD = {
    "name": "developers",
    "description": "Web team",
    "autoJoin": False,
    "adminPrivileges": False,
    "realm": "internal",
}


def old_group(**changes: Any) -> Call:
    return call("GET", f"{CLASSIC}/developers?includeUsers=true", json={**OLD, "userNames": ["carol"], **changes})


def no_access() -> tuple[Call, Call]:
    return call("GET", f"{GROUPS}/developers", 404, text="<html>"), version("7.46.11")


def old_user(name: str) -> Call:
    return call("GET", f"/artifactory/api/security/users/{name}", json={"name": name})


def test_group_is_managed_in_the_older_api() -> None:
    absent = call("GET", f"{CLASSIC}/developers?includeUsers=true", 404, json=NOT_FOUND)
    body = {"name": "developers", "description": "Web team", "userNames": ["carol"]}
    created = call("PUT", f"{CLASSIC}/developers", 201, sent_json=body)
    changed = call("POST", f"{CLASSIC}/developers", sent_json={"userNames": ["carol", "dave"]})
    after = old_group(userNames=["carol", "dave"])
    deleted = call("DELETE", f"{CLASSIC}/developers", text="removed")
    steps = absent, old_user("carol"), created, old_group(), old_group(), old_user("dave"), changed, after
    with conversation(*no_access(), *steps, after, deleted, absent) as server:
        for options in (
            {"description": "Web team", "members": ["carol"]},
            {"members": ["dave"]},
            {"state": "absent"},
        ):
            assert run("artifact_group", url=server.url, **options, **TASK)["changed"]


def test_older_api_removes_members_by_replacing_the_group() -> None:
    ldap = {"realm": "ldap", "realmAttributes": "cn=developers", "externalId": None}
    body = {**OLD, "realm": "ldap", "realmAttributes": "cn=developers", "description": "New", "userNames": ["dave"]}
    before = old_group(userNames=["carol", "dave"], **ldap)
    replaced = call("PUT", f"{CLASSIC}/developers", 201, sent_json={k: v for k, v in body.items() if v is not None})
    after = old_group(userNames=["dave"], description="New", **ldap)
    with conversation(*no_access(), before, replaced, after) as server:
        options = {"members": ["dave"], "purge": True, "description": "New"}
        assert run("artifact_group", url=server.url, **options, **TASK)["changed"]


def test_members_are_refused_when_the_older_api_does_not_return_them() -> None:
    with conversation(*no_access(), call("GET", f"{CLASSIC}/developers?includeUsers=true", json=OLD)) as server:
        result = run("artifact_group", url=server.url, members=["carol"], **TASK)
    assert result["msg"] == "Option 'members': requires Artifactory 6.13 or later, which returns the members."


# Several groups


def listed(*names: str) -> Call:
    return call("GET", GROUPS, json={"groups": [{"group_name": name} for name in names]})


def test_undeclared_groups_are_deleted_unless_they_are_external() -> None:
    others = group("old"), group("ldap-team", realm="ldap")
    deletion = group("old"), call("DELETE", f"{GROUPS}/old", 204), missing("old"), version()
    lists = listed("Developers", "old", "ldap-team", "readers"), others[1], others[0]
    with conversation(*lists, group(), *deletion) as server:
        options = {"items": [{"name": "developers"}], "undeclared": "remove", "workers": 1}
        result = run("artifact_group", url=server.url, token=OWN_TOKEN, **options)
    assert (result["changed"], result["undeclared"]) == (True, ["old"])


def test_all_groups_are_read() -> None:
    with conversation(listed("b", "a"), group("a", members=["Carol"]), group("b")) as server:
        result = run("artifact_group_info", url=server.url, token=OWN_TOKEN, workers=1)
    assert [entry["name"] for entry in result["groups"]] == ["a", "b"]
    assert result["groups"][0]["members"] == ["carol"]
    assert result["states"]["a"] == {"realm": "internal", "realm_attributes": None}


def test_information_of_one_group_costs_one_request() -> None:
    with conversation(group()) as server:
        assert len(run("artifact_group_info", url=server.url, **TASK)["groups"]) == 1


def test_members_are_removed_but_not_added_when_grants_are_withheld() -> None:
    change = call("PATCH", f"{GROUPS}/developers/members", sent_json={"add": [], "remove": ["dave"]}, json={})
    with conversation(group(), change, group(members=["carol"])) as server:
        options = {"members": ["carol", "erin"], "purge": True, "admin_privileges": True}
        result = run("artifact_group", url=server.url, withhold_grants=True, **options, **TASK)
    assert (result["changed"], result["group"]["members"]) == (True, ["carol"])


def test_nothing_is_written_when_only_grants_are_missing() -> None:
    with conversation(group()) as server:
        result = run("artifact_group", url=server.url, withhold_grants=True, members=["erin"], auto_join=True, **TASK)
    assert result["changed"] is False


def test_new_group_has_no_members_when_grants_are_withheld() -> None:
    sent = {"name": "developers", "description": "Web", "members": []}
    created = call("POST", GROUPS, 201, sent_json=sent, json={})
    with conversation(missing(), version(), created, group(description="Web", members=[])) as server:
        options = {"description": "Web", "members": ["carol"], "admin_privileges": True}
        result = run("artifact_group", url=server.url, withhold_grants=True, **options, **TASK)
    assert result["group"]["members"] == []


def test_check_mode_predicts_added_members_of_a_group_that_an_earlier_task_creates() -> None:
    with conversation(missing(), version()) as server:
        options = {"members": ["carol"], "admin_privileges": True, "predict_missing": True}
        result = run("artifact_group", url=server.url, check_mode=True, diff_mode=True, **options, **TASK)
    assert result["changed"] is True
    assert result["diff"]["before"] == {"state": "present", "admin_privileges": False, "members": []}
