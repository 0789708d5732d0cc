# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import dataclasses
from typing import Any
from urllib.parse import quote

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

USERS, CLASSIC = "/access/api/v2/users", "/artifactory/api/security/users"
VERSION = "/artifactory/api/system/version"
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "not found"}]}
# The payload is {"sub": "jfac@01/users/admin"}
OWN_TOKEN = "e30." + base64.urlsafe_b64encode(b'{"sub": "jfac@01/users/admin"}').decode().rstrip("=") + ".x"
TASK = {"name": "carol", "token": OWN_TOKEN}
STORED = {
    "username": "carol",
    "email": "carol@example.com",
    "admin": False,
    "effective_admin": False,
    "profile_updatable": True,
    "disable_ui_access": False,
    "internal_password_disabled": False,
    "realm": "internal",
    "groups": ["developers"],
    "status": "enabled",
}
NEW = {"email": "carol@example.com", "user_password": "Carols-0wn"}


def user(name: str = "carol", **changes: Any) -> Call:
    """Return the read of a user."""
    return call("GET", f"{USERS}/{name}", json={**STORED, "username": name, **changes})


def missing(name: str = "carol") -> Call:
    return call("GET", f"{USERS}/{name}", 404, json=NOT_FOUND)


def version(number: str = "7.77.3", license_text: str = "0" * 40) -> Call:
    return call("GET", VERSION, json={"version": number, "license": license_text})


def group(name: str, **changes: Any) -> Call:
    """Return the read of a group."""
    return call("GET", f"/access/api/v2/groups/{name}", json={"name": name, "admin_privileges": False, **changes})


def no_group(name: str) -> Call:
    return call("GET", f"/access/api/v2/groups/{name}", 404, json=NOT_FOUND)


def login(status: int, password: str = "Carols-0wn", name: str = "carol", text: str = "") -> Call:
    """Return the trial login."""
    credential = base64.b64encode(f"{name}:{password}".encode()).decode()
    return call("GET", VERSION, status, text=text, sent_headers={"Authorization": f"Basic {credential}"})


def test_unchanged_user_costs_one_request() -> None:
    with conversation(user()) as server:
        result = run(
            "artifact_user",
            url=server.url,
            email="carol@example.com",
            user_password="Other-0ne",
            groups=["Developers"],
            purge=True,
            admin=False,
            **{**TASK, "name": "Carol"},
        )
    assert result["changed"] is False
    assert result["user"] == {
        **{name: STORED[name] for name in STORED if name != "username"},
        **dict.fromkeys(("watch_manager", "policy_viewer", "policy_manager", "reports_manager", "manage_webhook")),
        **dict.fromkeys(("resources_manager", "platform_auditor", "last_logged_in")),
        "name": "carol",
        "groups": ["Developers"],
        "locked": False,
    }


def test_missing_user_is_created() -> None:
    body = {"username": "carol", "email": "carol@example.com", "password": "Carols-0wn", "groups": ["developers"]}
    created = call("POST", USERS, 201, sent_json=body, json=STORED)
    after = user(groups=["developers", "readers"])
    with conversation(missing(), version(), group("developers"), created, after) as server:
        result = run("artifact_user", url=server.url, diff_mode=True, groups=["developers"], **NEW, **TASK)
    assert result["changed"]
    assert result["user"]["groups"] == ["developers", "readers"]
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {"state": "present", "email": "carol@example.com", "groups": ["developers", "readers"]},
    }


def test_joined_groups_are_removed_when_purging() -> None:
    created = call("POST", USERS, 201, json={**STORED, "groups": ["developers", "readers"]})
    removed = call("PATCH", f"{USERS}/carol/groups", sent_json={"add": [], "remove": ["readers"]}, json={})
    with conversation(missing(), version(), group("developers"), created, removed, user()) as server:
        assert run("artifact_user", url=server.url, groups=["developers"], purge=True, **NEW, **TASK)["changed"]


def test_task_fails_when_joined_group_is_not_removed() -> None:
    created = call("POST", USERS, 201, json={**STORED, "groups": ["developers", "readers"]})
    removed = call("PATCH", f"{USERS}/carol/groups", json={})
    read_back = user(groups=["developers", "readers"])
    with conversation(missing(), version(), group("developers"), created, removed, read_back) as server:
        result = run("artifact_user", url=server.url, groups=["developers"], purge=True, **NEW, **TASK)
    assert "these fields of the user do not have the requested values: groups" in result["msg"]


def test_changes_are_written_and_read_back() -> None:
    scalars = call("PATCH", f"{USERS}/carol", sent_json={"email": "c@example.com", "admin": True}, json={})
    groups = call("PATCH", f"{USERS}/carol/groups", sent_json={"add": ["leads"], "remove": []}, json={})
    after = user(email="c@example.com", admin=True, groups=["developers", "leads"])
    with conversation(user(), group("leads"), scalars, groups, after) as server:
        result = run("artifact_user", url=server.url, email="c@example.com", admin=True, groups=["leads"], **TASK)
    assert result["changed"]


@pytest.mark.parametrize(
    ("options", "path"), [({"groups": None}, "groups"), ({"items": [{"name": "a", "groups": None}]}, "items[0].groups")]
)
def test_null_is_no_list_of_groups(options: dict[str, Any], path: str) -> None:
    with conversation() as server:
        result = run("artifact_user", url=server.url, token=OWN_TOKEN, purge=True, **{"name": "carol", **options})
    assert result["msg"] == f"Option '{path}': must not be null. Set a value or omit the option."


def test_groups_are_left_before_other_permissions_are_given() -> None:
    removed = call("PATCH", f"{USERS}/carol/groups", sent_json={"add": [], "remove": ["developers"]}, json={})
    added = call("PATCH", f"{USERS}/carol/groups", sent_json={"add": ["leads"], "remove": []}, json={})
    scalars = call("PATCH", f"{USERS}/carol", sent_json={"admin": True}, json={})
    after = user(admin=True, groups=["leads"])
    with conversation(user(), group("leads"), removed, scalars, added, after) as server:
        assert run("artifact_user", url=server.url, admin=True, groups=["leads"], purge=True, **TASK)["changed"]


def test_groups_are_exact_when_purging() -> None:
    groups = call("PATCH", f"{USERS}/carol/groups", sent_json={"add": [], "remove": ["developers"]}, json={})
    with conversation(user(), groups, user(groups=[])) as server:
        assert run("artifact_user", url=server.url, groups=[], purge=True, **TASK)["changed"]


def test_user_is_deleted() -> None:
    deleted = call("DELETE", f"{USERS}/carol", 204)
    with conversation(user(), deleted, missing(), version()) as server:
        result = run("artifact_user", url=server.url, state="absent", **TASK)
    assert (result["changed"], result["user"]) == (True, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"user_password": "Carols-0wn"}, "Option 'email': is required for a new user."),
        (
            {"email": "c@example.com"},
            "Option 'user_password': is required for a new user, unless 'internal_password_disabled: true'.",
        ),
        ({**NEW, "watch_manager": True}, "Option 'watch_manager': requires Artifactory 7.128.0 or later."),
        ({**NEW, "platform_auditor": True}, "Option 'platform_auditor': requires Artifactory 7.141.0 or later."),
    ],
)
@pytest.mark.parametrize("check_mode", [True, False])
def test_incomplete_user_is_not_created(options: dict[str, Any], message: str, check_mode: bool) -> None:
    with conversation(missing(), version()) as server:
        result = run("artifact_user", url=server.url, check_mode=check_mode, **options, **TASK)
    assert (result["changed"], result["msg"]) == (False, message)


def test_password_is_not_required_when_it_is_disabled() -> None:
    created = call("POST", USERS, 201, json=STORED)
    with conversation(missing(), version(), created, user(internal_password_disabled=True)) as server:
        options = {"email": "carol@example.com", "internal_password_disabled": True}
        assert run("artifact_user", url=server.url, **options, **TASK)["changed"]


@pytest.mark.parametrize("update_secret", ["on_create", "always"])
def test_password_is_sent_when_it_is_enabled_again(update_secret: str) -> None:
    body = {"internal_password_disabled": False, "password": "Carols-0wn"}
    changed = call("PATCH", f"{USERS}/carol", sent_json=body, json={})
    options = {"internal_password_disabled": False, "update_secret": update_secret}
    with conversation(user(internal_password_disabled=True), changed, user()) as server:
        assert run("artifact_user", url=server.url, user_password="Carols-0wn", **options, **TASK)["changed"]
    with conversation(user(internal_password_disabled=True)) as server:
        result = run("artifact_user", url=server.url, **options, **TASK)
    assert result["msg"].startswith("Option 'user_password': is required when it was disabled")


def test_flag_is_false_when_newer_server_omits_it() -> None:
    with conversation(user(), version("7.128.0")) as server:
        assert run("artifact_user", url=server.url, watch_manager=False, **TASK)["changed"] is False


@pytest.mark.parametrize("name", ["/", "a/b", ".", "..", "", " a", "a\nb"])
def test_name_is_refused_before_any_request(name: str) -> None:
    with conversation() as server:
        result = run("artifact_user", url=server.url, token=OWN_TOKEN, name=name)
    assert "Option 'name': " in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"locked": True}, "Option 'locked': must be false, because Artifactory locks users only after failed logins."),
        (
            {"groups": ["Dev", "dev"]},
            "Option 'groups': must not contain names that differ only in case, such as 'Dev' and 'dev'.",
        ),
        ({"undeclared": "remove"}, "Option 'undeclared': must be 'keep' without 'items'"),
        ({"user_password": ""}, "Option 'user_password': must not be empty."),
    ],
)
def test_options_are_refused_before_any_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert run("artifact_user", url=server.url, **options, **TASK)["msg"].startswith(message)


@pytest.mark.parametrize("name", ["ünï cödé", "a b", "a+b", "per%cent", "a;b=c", "a?b#c", "x" * 300])
def test_names_are_encoded(name: str) -> None:
    with conversation(call("GET", f"{USERS}/{quote(name, safe='')}", json={**STORED, "username": name})) as server:
        assert run("artifact_user", url=server.url, token=OWN_TOKEN, name=name)["user"]["name"] == name


# Passwords


def test_password_is_sent_on_each_run_with_always() -> None:
    changed = call("PATCH", f"{USERS}/carol", sent_json={"password": "Carols-0wn"}, json={})
    options = {"user_password": "Carols-0wn", "update_secret": "always"}
    with conversation(user(), changed, user()) as server:
        result = run("artifact_user", url=server.url, diff_mode=True, **options, **TASK)
    assert result["changed"]
    assert result["diff"]["after"]["updated_secrets"] == ["password"]
    assert "Carols-0wn" not in str(result)


VERIFY = {"user_password": "Carols-0wn", "update_secret": "verify"}


@pytest.mark.parametrize("check_mode", [True, False])
def test_password_is_unchanged_when_login_succeeds(check_mode: bool) -> None:
    with conversation(user(), login(200)) as server:
        result = run("artifact_user", url=server.url, check_mode=check_mode, **VERIFY, **TASK)
    assert result["changed"] is False


def test_password_is_changed_when_login_fails() -> None:
    changed = call("PATCH", f"{USERS}/carol", sent_json={"password": "Carols-0wn"}, json={})
    with conversation(user(), login(401), changed, user()) as server:
        assert run("artifact_user", url=server.url, **VERIFY, **TASK)["changed"]
    with conversation(user(), login(401)) as server:
        assert run("artifact_user", url=server.url, check_mode=True, **VERIFY, **TASK)["changed"]


def test_login_is_attempted_once_when_another_client_changes_the_user() -> None:
    refused = call("PATCH", f"{USERS}/carol", 400, json={"errors": [{"code": "BAD_REQUEST", "message": "conflict"}]})
    changed = call("PATCH", f"{USERS}/carol", json={})
    calls = user(), login(401), refused, user(email="x@example.com"), changed, user(email="x@example.com")
    with conversation(*calls) as server:
        assert run("artifact_user", url=server.url, **VERIFY, **TASK)["changed"]


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"status": "locked"}, "it is locked. Set 'locked: false' to unlock it and to set the password"),
        ({"status": "disabled"}, "its status is disabled, so that it cannot log in"),
        ({"status": "invited"}, "its status is invited, so that it cannot log in"),
        (
            {"internal_password_disabled": True},
            "its password is disabled. Set 'internal_password_disabled: false'",
        ),
    ],
)
def test_login_is_not_attempted_when_user_cannot_log_in(changes: dict[str, Any], cause: str) -> None:
    with conversation(user(**changes)) as server:
        result = run("artifact_user", url=server.url, **VERIFY, **TASK)
    assert (result["changed"], result["msg"]) == (False, f"Cannot verify the password of user 'carol': {cause}.")


def test_password_is_sent_without_login_when_user_is_unlocked() -> None:
    unlocked = call("POST", "/artifactory/api/security/unlockUsers/carol", text="unlocked")
    changed = call("PATCH", f"{USERS}/carol", sent_json={"password": "Carols-0wn"}, json={})
    with conversation(user(status="locked"), unlocked, changed, user()) as server:
        assert run("artifact_user", url=server.url, locked=False, **VERIFY, **TASK)["changed"]


def test_task_fails_when_login_is_blocked() -> None:
    blocked = '{"errors": [{"status": 403, "message": "blocked due to recurrent login failures"}]}'
    with conversation(user(), login(403, text=blocked)) as server:
        result = run("artifact_user", url=server.url, **VERIFY, **TASK)
    assert result["msg"] == (
        "Cannot verify the password of user 'carol': the server refused the login: "
        "blocked due to recurrent login failures. Try again later."
    )


def test_login_is_not_repeated_when_server_is_unavailable() -> None:
    with conversation(user(), login(503)) as server:
        result = run("artifact_user", url=server.url, **VERIFY, **TASK)
    assert "(trial login of 'carol'): 503" in result["msg"]


def test_unlocking_is_written_and_read_back() -> None:
    unlocked = call("POST", "/artifactory/api/security/unlockUsers/carol", text="unlocked")
    with conversation(user(status="locked"), unlocked, user()) as server:
        result = run("artifact_user", url=server.url, locked=False, diff_mode=True, **TASK)
    assert (result["changed"], result["user"]["locked"]) == (True, False)
    assert result["diff"]["before"] == {"state": "present", "locked": True}
    with conversation(user()) as server:
        assert not run("artifact_user", url=server.url, locked=False, **TASK)["changed"]


# Protection


ADMIN = {"name": "admin", "token": OWN_TOKEN}
WAY_OUT = "Set 'allow_lockout: true' to allow this."


def test_anonymous_user_is_not_deleted() -> None:
    with conversation(user("anonymous")) as server:
        result = run("artifact_user", url=server.url, token=OWN_TOKEN, name="Anonymous", state="absent")
    assert result["msg"] == "Option 'name': 'anonymous' is built in and cannot be deleted."


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("options", "consequence"),
    [({"state": "absent"}, "it would be deleted"), ({"admin": False}, "it would not be an administrator")],
)
def test_own_account_keeps_its_administration(options: dict[str, Any], consequence: str, check_mode: bool) -> None:
    with conversation(user("admin", admin=True, groups=[])) as server:
        result = run("artifact_user", url=server.url, check_mode=check_mode, **options, **ADMIN)
    assert (result["changed"], result["msg"]) == (
        False,
        f"The change would lock out 'admin', the account of this task: {consequence}. {WAY_OUT}",
    )


def test_own_account_keeps_its_group_of_administrators() -> None:
    before = user("admin", groups=["admins", "readers"])
    calls = before, group("admins", admin_privileges=True), group("readers")
    with conversation(*calls) as server:
        result = run("artifact_user", url=server.url, groups=["readers"], purge=True, **ADMIN)
    assert result["msg"].endswith(f"it would not be an administrator. {WAY_OUT}")


def test_own_account_may_leave_a_group_when_another_makes_it_an_administrator() -> None:
    before = user("admin", groups=["admins", "old"])
    removed = call("PATCH", f"{USERS}/admin/groups", json={})
    admins = group("old", admin_privileges=True), group("admins", admin_privileges=True)
    with conversation(before, *admins, removed, user("admin", groups=["admins"])) as server:
        assert run("artifact_user", url=server.url, groups=["admins"], purge=True, **ADMIN)["changed"]


def test_lockout_is_allowed_on_request() -> None:
    changed = call("PATCH", f"{USERS}/admin", sent_json={"admin": False}, json={})
    with conversation(user("admin", admin=True), changed, user("admin")) as server:
        assert run("artifact_user", url=server.url, admin=False, allow_lockout=True, **ADMIN)["changed"]


def test_own_password_is_not_disabled_when_the_task_uses_it() -> None:
    with conversation(user("admin", admin=True)) as server:
        result = run(
            "artifact_user",
            url=server.url,
            username="Admin",
            password="x",
            name="admin",
            internal_password_disabled=True,
        )
    assert result["msg"].endswith(f"it could not log in with its password. {WAY_OUT}")


def test_user_is_not_deleted_when_it_may_be_the_own_account() -> None:
    unknown = "Cannot verify that the account of this task is not affected: its name is unknown"
    with conversation(user(admin=True)) as server:
        result = run("artifact_user", url=server.url, api_key="key-of-mine", name="carol", state="absent")
    assert result["msg"].startswith(unknown)
    with conversation(user(), group("developers", admin_privileges=True)) as server:
        result = run("artifact_user", url=server.url, api_key="key-of-mine", name="carol", state="absent")
    assert result["msg"].startswith(unknown)
    with conversation(user(), call("GET", "/access/api/v1/tokens/me", 404)) as server:
        result = run("artifact_user", url=server.url, token="opaque-and-old", name="carol", state="absent")
    assert result["msg"].startswith(unknown)


def test_user_is_deleted_when_it_is_no_administrator_as_the_own_account() -> None:
    deleted = call("DELETE", f"{USERS}/carol", 204)
    with conversation(user(), group("developers"), deleted, missing(), version()) as server:
        result = run("artifact_user", url=server.url, api_key="key-of-mine", name="carol", state="absent")
    assert result["changed"]


def test_own_account_of_opaque_token_is_requested_once() -> None:
    me = call("GET", "/access/api/v1/tokens/me", json={"subject": "jfac@01/users/admin", "token_id": "1"})
    before = user("admin", admin=True, groups=[])
    calls = before, me, before
    with conversation(*calls) as server:
        for _time in range(2):
            result = run("artifact_user", url=server.url, token="opaque-and-long", name="admin", admin=False)
            assert "would lock out 'admin'" in result["msg"]


# Password of the own account


BASIC = {"username": "Admin", "password": "former-1", "name": "admin"}
NEW_PASSWORD = {"user_password": "Admins-0wn", "update_secret": "always"}


def as_admin(request: Call, password: str) -> Call:
    """Return a request of the account `admin`, with its password."""
    encoded = base64.b64encode(f"Admin:{password}".encode()).decode()
    return dataclasses.replace(request, sent={**request.sent, "headers": {"Authorization": f"Basic {encoded}"}})


def new_password(status: int = 200) -> Call:
    return call("PATCH", f"{USERS}/admin", status, sent_json={"password": "Admins-0wn"}, json={})


def test_own_password_is_changed_and_used_for_reading_back() -> None:
    before, after = as_admin(user("admin"), "former-1"), as_admin(user("admin"), "Admins-0wn")
    with conversation(before, as_admin(new_password(), "former-1"), login(200, "Admins-0wn", "admin"), after) as server:
        result = run("artifact_user", url=server.url, **NEW_PASSWORD, **BASIC)
    assert (result["changed"], result.get("failed")) == (True, None)
    with conversation(before) as server:
        assert run("artifact_user", url=server.url, check_mode=True, **NEW_PASSWORD, **BASIC)["changed"]


def test_own_password_is_reported_when_the_server_does_not_accept_it() -> None:
    with conversation(user("admin"), new_password(), login(401, "Admins-0wn", "admin")) as server:
        result = run("artifact_user", url=server.url, **NEW_PASSWORD, **BASIC)
    assert (result["changed"], result["msg"]) == (
        True,
        "The server does not accept the new password of 'admin', the account of this task. Find out which password is "
        "valid before you run the task again.",
    )


def test_own_password_is_verified_when_the_response_is_lost() -> None:
    lost = dataclasses.replace(new_password(), drop=True)
    accepted = login(200, "Admins-0wn", "admin"), as_admin(user("admin"), "Admins-0wn")
    with conversation(user("admin"), lost, *accepted) as server:
        result = run("artifact_user", url=server.url, **NEW_PASSWORD, **BASIC)
    assert (result["changed"], result.get("failed")) == (True, None)
    with conversation(user("admin"), lost, login(401, "Admins-0wn", "admin")) as server:
        result = run("artifact_user", url=server.url, **NEW_PASSWORD, **BASIC)
    assert result["failed"]
    assert "does not accept the new password of 'admin'" in result["msg"]


def test_own_password_is_changed_after_all_other_items() -> None:
    items = [{**NEW_PASSWORD, "name": "ADMIN"}, {"name": "carol", "admin": True}]
    items[0]["password"] = items[0].pop("user_password")
    changed = call("PATCH", f"{USERS}/carol", sent_json={"admin": True}, json={})
    carol = [as_admin(request, "former-1") for request in (user(), changed, user(admin=True))]
    own = as_admin(user("admin"), "former-1"), new_password(), login(200, "Admins-0wn", "admin"), user("admin")
    with conversation(*carol, *own) as server:
        result = run("artifact_user", url=server.url, username="Admin", password="former-1", items=items, workers=8)
    assert [outcome["status"] for outcome in result["outcomes"]] == ["changed", "changed"]


def test_web_interface_stays_enabled_for_administrators() -> None:
    refused = "Option 'disable_ui_access': must be false for a user with 'admin: true'."
    with conversation(missing(), version()) as server:
        result = run("artifact_user", url=server.url, admin=True, disable_ui_access=True, **NEW, **TASK)
    assert result["msg"] == refused
    for check_mode in (True, False):
        with conversation(user(admin=True)) as server:
            result = run("artifact_user", url=server.url, disable_ui_access=True, check_mode=check_mode, **TASK)
        assert (result["changed"], result["msg"]) == (False, refused)


# Check mode


def test_check_mode_predicts_creation() -> None:
    known = group("developers")
    with conversation(missing(), version(), known) as server:
        result = run("artifact_user", url=server.url, check_mode=True, groups=["developers"], **NEW, **TASK)
    assert result["changed"]
    assert result["user"]["name"] == "carol"
    assert result["user"]["status"] == "enabled"
    assert "password" not in result["user"]


def test_missing_groups_are_refused_before_the_first_write() -> None:
    with conversation(user(), no_group("leads"), version()) as server:
        result = run("artifact_user", url=server.url, groups=["leads"], admin=True, **TASK)
    assert (result["changed"], result["msg"]) == (False, "Option 'groups': these groups do not exist: leads.")


def test_check_mode_refuses_missing_groups() -> None:
    with conversation(user(), no_group("leads"), version()) as server:
        result = run("artifact_user", url=server.url, check_mode=True, groups=["leads"], **TASK)
    assert result["msg"] == "Option 'groups': these groups do not exist: leads." + PREDICT_MISSING
    listed = call("GET", "/access/api/v2/groups", json={"groups": [{"group_name": "a"}, {"group_name": "B"}]})
    with conversation(user(), listed) as server:
        result = run("artifact_user", url=server.url, check_mode=True, groups=["a", "b", "c", "D"], **TASK)
    assert result["msg"] == "Option 'groups': these groups do not exist: D, c." + PREDICT_MISSING


def test_check_mode_accepts_missing_groups_of_earlier_tasks() -> None:
    with conversation(user()) as server:
        result = run("artifact_user", url=server.url, check_mode=True, predict_missing=True, groups=["leads"], **TASK)
    assert (result["changed"], result["user"]["groups"]) == (True, ["developers", "leads"])


# Older versions and other editions


OLD = {
    "name": "carol",
    "email": "carol@example.com",
    "admin": False,
    "profileUpdatable": True,
    "disableUIAccess": True,
    "internalPasswordDisabled": False,
    "realm": "internal",
    "groups": ["developers"],
}


def old_user(**changes: Any) -> Call:
    return call("GET", f"{CLASSIC}/carol", json={**OLD, **changes})


def no_access() -> tuple[Call, Call]:
    """Return the requests that show that the server has no users in the Access API."""
    return call("GET", f"{USERS}/carol", 404, text="<html>"), version("7.46.11")


def test_older_api_is_used_when_the_server_lacks_the_access_api() -> None:
    with conversation(*no_access(), old_user(), old_user()) as server:
        for _time in range(2):
            result = run("artifact_user", url=server.url, disable_ui_access=True, groups=["developers"], **TASK)
            assert result["changed"] is False
    assert result["user"]["status"] is None


def old_group(name: str) -> Call:
    return call("GET", f"/artifactory/api/security/groups/{name}?includeUsers=true", json={"name": name})


def test_user_is_created_in_the_older_api() -> None:
    absent = call("GET", f"{CLASSIC}/carol", 404, json={"errors": [{"status": 404, "message": "Not Found"}]})
    body = {"name": "carol", "email": "carol@example.com", "password": "Carols-0wn", "groups": ["developers"]}
    created = call("PUT", f"{CLASSIC}/carol", 201, sent_json=body)
    exact = call("POST", f"{CLASSIC}/carol", sent_json={"groups": ["developers"]})
    joined = old_user(groups=["developers", "readers"])
    known = old_group("developers")
    with conversation(*no_access(), absent, known, created, joined, exact, old_user()) as server:
        assert run("artifact_user", url=server.url, groups=["developers"], purge=True, **NEW, **TASK)["changed"]


def test_user_is_updated_and_deleted_in_the_older_api() -> None:
    changed = call("POST", f"{CLASSIC}/carol", sent_json={"profileUpdatable": False, "groups": ["developers", "leads"]})
    after = old_user(profileUpdatable=False, groups=["developers", "leads"])
    deleted = call("DELETE", f"{CLASSIC}/carol", text="The user: 'carol' has been removed successfully.")
    gone = call("GET", f"{CLASSIC}/carol", 404, json=NOT_FOUND)
    known = old_group("leads")
    with conversation(*no_access(), old_user(), known, changed, after, after, deleted, gone) as server:
        options = {"groups": ["leads"], "profile_updatable": False}
        assert run("artifact_user", url=server.url, **options, **TASK)["changed"]
        assert run("artifact_user", url=server.url, state="absent", **TASK)["changed"]


def test_locked_users_are_listed_in_the_older_api() -> None:
    locked = "/artifactory/api/security/lockedUsers"
    unlocked = call("POST", "/artifactory/api/security/unlockUsers/carol", text="unlocked")
    reads = call("GET", locked, json=["carol"]), unlocked, old_user(), call("GET", locked, json=[])
    with conversation(*no_access(), old_user(), *reads) as server:
        assert run("artifact_user", url=server.url, locked=False, **TASK)["changed"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"watch_manager": True}, "Option 'watch_manager': requires Artifactory 7.128.0 or later."),
        (
            {"disable_ui_access": True},
            "Option 'disable_ui_access': is not supported by this version of Artifactory, which does not return it.",
        ),
    ],
)
def test_missing_flags_are_refused_in_the_older_api(options: dict[str, Any], message: str) -> None:
    with conversation(*no_access(), old_user(disableUIAccess=None)) as server:
        assert run("artifact_user", url=server.url, **options, **TASK)["msg"] == message


def test_plus_sign_is_refused_in_the_older_api() -> None:
    absent = call("GET", f"{USERS}/a%2Bb", 404, text="")
    with conversation(absent, version("7.46.11")) as server:
        result = run("artifact_user", url=server.url, token=OWN_TOKEN, name="a+b")
    assert result["msg"] == "Option 'name': must not contain '+', which Artifactory before 7.49.3 reads as a space."


def test_open_source_edition_is_refused() -> None:
    with conversation(missing(), version(license_text="Artifactory OSS")) as server:
        result = run("artifact_user", url=server.url, **NEW, **TASK)
    assert result["msg"].startswith("Managing users and groups requires Artifactory Pro")


def test_not_found_of_another_server_is_an_error() -> None:
    with conversation(call("GET", f"{USERS}/carol", 404, text="<html>"), version()) as server:
        result = run("artifact_user", url=server.url, state="absent", **TASK)
    assert "404, but not from the Access API. Check that 'url' is the root" in result["msg"]


def test_token_is_recommended_when_the_password_is_refused() -> None:
    with conversation(call("GET", f"{USERS}/carol", 401, json=NOT_FOUND)) as server:
        result = run("artifact_user", url=server.url, username="admin", password="x", name="carol")
    assert result["msg"].endswith("The Access API may accept only access tokens.")


# Several users


def test_password_of_an_item_is_not_that_of_the_connection() -> None:
    own = {"Authorization": "Basic " + base64.b64encode(b"admin:own").decode()}
    absent = call("GET", f"{USERS}/carol", 404, json=NOT_FOUND, sent_headers=own)
    created = call("POST", USERS, 201, json=STORED, sent_headers=own)
    read_back = call("GET", f"{USERS}/carol", json=STORED, sent_headers=own)
    item = {"name": "carol", "email": "carol@example.com", "password": "Carols-0wn"}
    with conversation(absent, version(), created, read_back) as server:
        result = run("artifact_user", url=server.url, username="admin", password="own", items=[item])
    assert (result["changed"], result["counts"]["changed"]) == (True, 1)
    assert "Carols-0wn" not in str(result)


def test_items_must_have_different_names() -> None:
    with conversation() as server:
        result = run("artifact_user", url=server.url, token=OWN_TOKEN, items=[{"name": "carol"}, {"name": "CAROL"}])
    assert result["msg"] == "items[1]: duplicate of items[0]."


def listed(*names: str) -> Call:
    users = [{"username": name, "uri": "", "realm": "internal", "status": "enabled"} for name in names]
    external = {"username": "from-ldap", "uri": "", "realm": "ldap", "status": "enabled"}
    return call("GET", USERS, json={"users": [*users, external]})


def test_undeclared_users_are_reported() -> None:
    with conversation(listed("admin", "anonymous", "carol", "mallory"), user()) as server:
        result = run("artifact_user", url=server.url, token=OWN_TOKEN, items=[{"name": "CAROL"}], undeclared="report")
    assert (result["changed"], result["undeclared"]) == (False, ["mallory"])


def test_undeclared_users_are_deleted() -> None:
    calls = user(), user("mallory"), call("DELETE", f"{USERS}/mallory", 204), missing("mallory"), version()
    with conversation(listed("admin", "anonymous", "carol", "mallory"), *calls) as server:
        options = {"items": [{"name": "carol"}], "undeclared": "remove", "workers": 1}
        result = run("artifact_user", url=server.url, token=OWN_TOKEN, **options)
    assert (result["changed"], result["undeclared"]) == (True, ["mallory"])


def test_undeclared_users_are_kept_when_own_account_is_unknown() -> None:
    with conversation() as server:
        options = {"items": [{"name": "carol"}], "undeclared": "remove"}
        result = run("artifact_user", url=server.url, api_key="key", **options)
    assert result["msg"].startswith("Undeclared users cannot be deleted: the name of the account")


# Information


def test_all_users_are_read() -> None:
    first = call("GET", USERS, json={"users": [{"username": "carol"}], "cursor": "carol"})
    second = call("GET", f"{USERS}?cursor=carol", json={"users": [{"username": "gone"}, {"username": "dave"}]})
    with conversation(first, second, user(), user("dave", email=None), missing("gone"), version()) as server:
        result = run("artifact_user_info", url=server.url, token=OWN_TOKEN, workers=1)
    assert [entry["name"] for entry in result["users"]] == ["carol", "dave"]
    assert result["states"]["dave"] == {
        "status": "enabled",
        "realm": "internal",
        "effective_admin": False,
        "last_logged_in": None,
    }
    assert result["users"][1]["email"] is None


def test_information_of_one_user_costs_one_request() -> None:
    with conversation(user()) as server:
        assert len(run("artifact_user_info", url=server.url, token=OWN_TOKEN, name="Carol")["users"]) == 1
    with conversation(missing(), version()) as server:
        assert run("artifact_user_info", url=server.url, token=OWN_TOKEN, name="carol")["users"] == []


def test_first_failure_is_reported_when_a_user_cannot_be_read() -> None:
    refused = call("GET", f"{USERS}/a", 403, json={"errors": [{"code": "FORBIDDEN", "message": "Forbidden"}]})
    with conversation(call("GET", USERS, json={"users": [{"username": "a"}, {"username": "b"}]}), refused) as server:
        result = run("artifact_user_info", url=server.url, token=OWN_TOKEN, workers=1)
    assert result["msg"].startswith(f"GET {server.url}{USERS}/a: 403 Forbidden")


def test_groups_are_removed_but_not_added_when_grants_are_withheld() -> None:
    change = call("PATCH", f"{USERS}/carol/groups", sent_json={"add": [], "remove": ["old"]}, json={})
    reads = user(groups=["developers", "old"]), user()
    with conversation(reads[0], change, reads[1]) as server:
        options = {"groups": ["developers", "leads"], "purge": True, "admin": True}
        result = run("artifact_user", url=server.url, withhold_grants=True, **options, **TASK)
    assert (result["changed"], result["user"]["groups"]) == (True, ["developers"])


def test_check_mode_predicts_added_groups_of_a_user_whom_an_earlier_task_creates() -> None:
    with conversation(missing(), version()) as server:
        options = {"groups": ["leads"], "predict_missing": True}
        result = run("artifact_user", url=server.url, check_mode=True, diff_mode=True, **options, **TASK)
    assert (result["changed"], result["diff"]["before"]) == (True, {"state": "present", "groups": []})
