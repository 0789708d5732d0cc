# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of users in the Access API of Artifactory."""

from __future__ import annotations

from typing import Any

import pytest

from support.session import Session

USERS = "/api/v2/users"
ALICE = {"username": "alice", "email": "alice@example.com", "password": "Alices-0wn"}
DETAILS = {
    "username": "alice",
    "email": "alice@example.com",
    "admin": False,
    "profile_updatable": True,
    "disable_ui_access": False,
    "internal_password_disabled": False,
    "effective_admin": False,
    "realm": "internal",
    "groups": [],
    "status": "enabled",
}
ROLES = dict.fromkeys(
    ("watch_manager", "policy_viewer", "policy_manager", "reports_manager", "manage_webhook", "resources_manager"),
    False,
)


def login(sandbox: Any, name: str = "alice", password: str = "Alices-0wn") -> int:
    """Return the status of a request with the credentials of a user."""
    return Session(f"{sandbox.url}/artifactory", (name, password)).get("/api/repositories").status_code


def error_of(response: Any) -> tuple[int, str]:
    """Return status and code of an error response."""
    (error,) = response.json()["errors"]
    assert error["message"]
    return response.status_code, error["code"]


def test_user_is_created_updated_and_deleted(access, sandbox):
    created = access.post(USERS, json=ALICE)
    assert (created.status_code, created.json()) == (201, DETAILS)
    assert login(sandbox) == 200
    assert access.get(f"{USERS}/alice").json().items() > DETAILS.items()
    changed = access.patch(f"{USERS}/alice", json={"admin": True, "email": "a@example.com"})
    assert changed.status_code == 200
    expected = {"admin": True, "effective_admin": True, "email": "a@example.com", "profile_updatable": True}
    assert changed.json().items() > expected.items()
    removed = access.delete(f"{USERS}/alice")
    assert (removed.status_code, removed.content) == (204, b"")
    assert error_of(access.get(f"{USERS}/alice")) == (404, "NOT_FOUND")
    assert error_of(access.delete(f"{USERS}/alice")) == (404, "NOT_FOUND")


def test_names_are_stored_in_lower_case(access):
    assert access.post(USERS, json={**ALICE, "username": "Alice"}).json()["username"] == "alice"
    assert access.get(f"{USERS}/ALICE").json()["username"] == "alice"
    assert error_of(access.post(USERS, json={**ALICE, "username": "ALICE"})) == (409, "CONFLICT")


def test_users_are_listed_in_pages(access, sandbox):
    sandbox.seed({"artifact": {"users": [{"name": f"user-{number:03}"} for number in range(5)]}})
    names, cursor = [], {}
    for _page in range(3):
        body = access.get(USERS, params={"limit": 3, **cursor}).json()
        names += [user["username"] for user in body["users"]]
        cursor = {"cursor": body.get("cursor")}
    assert names == ["admin", "anonymous", "reader", *(f"user-{number:03}" for number in range(5))]
    assert cursor == {"cursor": None}
    uri = f"{sandbox.url}/access/api/v2/users/admin"
    assert body["users"][0].keys() == {"username", "uri", "realm", "status"}
    assert access.get(USERS).json()["users"][0]["uri"] == uri


def test_users_are_filtered(access, sandbox):
    users = [{"name": "locked", "locked": True}, {"name": "gone", "status": "disabled"}]
    sandbox.seed({"artifact": {"users": users}})

    def list_names(**query: str) -> list[str]:
        return [user["username"] for user in access.get(USERS, params=query).json()["users"]]

    assert list_names(status="locked") == ["locked"]
    assert list_names(status="disabled") == ["gone"]
    assert list_names(username="ADM") == ["admin"]
    assert len(list_names(onlyAdmins="true")) == 5
    sandbox.switch("artifact", version="7.117.5")
    assert list_names(onlyAdmins="true") == ["admin"]


def test_new_user_joins_groups(access, sandbox):
    groups = [{"name": "leads"}, {"name": "everyone", "auto_join": True}]
    sandbox.seed({"artifact": {"groups": groups}})
    assert access.post(USERS, json={**ALICE, "groups": ["leads"]}).json()["groups"] == ["leads", "everyone"]
    changed = access.patch(f"{USERS}/alice/groups", json={"add": ["readers"], "remove": ["everyone"]})
    assert (changed.status_code, changed.json()) == (200, {"groups": ["leads", "readers"]})


def test_member_of_a_group_is_an_administrator(access, sandbox):
    sandbox.seed({"artifact": {"groups": [{"name": "admins", "admin_privileges": True}]}})
    details = access.post(USERS, json={**ALICE, "groups": ["admins"]}).json()
    assert (details["admin"], details["effective_admin"]) == (False, True)


@pytest.mark.parametrize(
    ("version", "roles"),
    [("7.65.0", {}), ("7.127.9", {}), ("7.128.0", ROLES), ("7.141.0", {**ROLES, "platform_auditor": False})],
)
def test_version_decides_on_the_fields(access, sandbox, version, roles):
    sandbox.switch("artifact", version=version)
    expected = {**DETAILS, **roles}
    if version == "7.65.0":
        del expected["effective_admin"]
    assert access.post(USERS, json={**ALICE, "platform_auditor": False}).json() == expected


@pytest.mark.parametrize("version", ["7.21.1", "7.49.2"])
def test_users_are_404_when_the_version_lacks_them(access, sandbox, version):
    sandbox.switch("artifact", version=version)
    assert error_of(access.get(USERS)) == (404, "NOT_FOUND")


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", USERS, {**ALICE, "username": " "}, 400),
        ("POST", USERS, {**ALICE, "email": ""}, 400),
        ("POST", USERS, {**ALICE, "password": None}, 400),
        ("POST", USERS, {**ALICE, "password": "alices-0wn"}, 400),
        ("POST", USERS, {**ALICE, "password": "ALICES-0WN"}, 400),
        ("POST", USERS, {**ALICE, "password": "Alices-own"}, 400),
        ("POST", USERS, {**ALICE, "password": "Alices0wn"}, 400),
        ("POST", USERS, {**ALICE, "password": "Short-1"}, 400),
        ("POST", USERS, {**ALICE, "groups": ["none"]}, 400),
        ("POST", USERS, {**ALICE, "groups": "readers"}, 400),
        ("POST", USERS, {**ALICE, "admin": "yes"}, 400),
        ("POST", USERS, {**ALICE, "admin": True, "disable_ui_access": True}, 400),
        ("POST", USERS, [], 400),
        ("PATCH", f"{USERS}/nobody", {"admin": True}, 404),
        ("PATCH", f"{USERS}/reader", {"password": "weak"}, 400),
        ("PUT", f"{USERS}/reader/password", {"password": "weak"}, 400),
        ("PATCH", f"{USERS}/reader/groups", {}, 400),
        ("PATCH", f"{USERS}/reader/groups", {"add": ["none"]}, 400),
        ("PATCH", f"{USERS}/reader/groups", {"add": ["readers"], "remove": ["readers"]}, 400),
        ("PATCH", f"{USERS}/reader/groups", {"add": "readers"}, 400),
        ("DELETE", f"{USERS}/anonymous", None, 403),
        ("GET", f"{USERS}?limit=0", None, 400),
        ("GET", f"{USERS}?status=asleep", None, 400),
    ],
)
def test_refused_request_changes_nothing(access, method, path, body, status):
    before = [access.get(f"{USERS}/{name}").json() for name in ("reader", "anonymous")]
    assert error_of(access.request(method, path, json=body))[0] == status
    assert [access.get(f"{USERS}/{name}").json() for name in ("reader", "anonymous")] == before
    assert access.get(f"{USERS}/alice").status_code == 404


def test_body_must_be_json(access):
    assert error_of(access.post(USERS, data="{")) == (400, "BAD_REQUEST")


def test_password_cannot_be_used_when_it_is_disabled(access, sandbox):
    access.post(USERS, json={**ALICE, "internal_password_disabled": True})
    assert login(sandbox) == 401
    assert error_of(access.put(f"{USERS}/alice/password", json={"password": "Other-0ne"}))[0] == 400
    assert error_of(access.patch(f"{USERS}/alice", json={"internal_password_disabled": False}))[0] == 400
    enabled = {"internal_password_disabled": False, "password": "Other-0ne"}
    assert access.patch(f"{USERS}/alice", json=enabled).status_code == 200
    assert login(sandbox, password="Other-0ne") == 200


def test_password_is_changed(access, sandbox):
    access.post(USERS, json=ALICE)
    assert access.put(f"{USERS}/alice/password", json={"password": "Other-0ne"}).status_code == 204
    assert [login(sandbox, password=password) for password in ("Alices-0wn", "Other-0ne")] == [401, 200]
    assert "last_logged_in" in access.get(f"{USERS}/alice").json()


def test_weak_password_is_accepted_when_the_rules_are_off(access, sandbox):
    sandbox.switch("artifact", password_rules=False)
    assert access.post(USERS, json={**ALICE, "password": "weak"}).status_code == 201


def test_disabled_user_cannot_log_in(sandbox):
    sandbox.seed({"artifact": {"users": [{"name": "gone", "password": "x", "status": "disabled"}]}})
    assert login(sandbox, "gone", "x") == 401


def test_callers_need_administration_or_a_scope(access, sandbox):
    reader = Session(f"{sandbox.url}/access", ("reader", "sandbox-reader"))
    assert error_of(reader.get(USERS)) == (403, "FORBIDDEN")
    assert error_of(Session(f"{sandbox.url}/access").get(USERS)) == (401, "UNAUTHORIZED")
    token = access.post("/api/v1/tokens", json={"username": "auditor", "scope": "system:identities:r"}).json()
    auditor = Session(f"{sandbox.url}/access", token["access_token"])
    assert auditor.get(f"{USERS}/reader").status_code == 200
    assert error_of(auditor.delete(f"{USERS}/reader")) == (403, "FORBIDDEN")


def test_passwords_are_rejected_when_tokens_are_required(access, sandbox):
    sandbox.switch("artifact", access_requires_token=True)
    admin = Session(f"{sandbox.url}/access", ("admin", "sandbox-admin"))
    assert error_of(admin.get(USERS)) == (401, "UNAUTHORIZED")
    assert Session(f"{sandbox.url}/access", sandbox.environment["JFROG_ACCESS_TOKEN"]).get(USERS).status_code == 200


def test_user_is_locked_after_failed_logins_when_the_policy_is_enabled(access, artifactory, sandbox):
    policy = "/api/security/userLockPolicy"
    assert artifactory.get(policy).json() == {"enabled": False, "loginAttempts": 5}
    assert artifactory.put(policy, json={"enabled": False, "loginAttempts": 0}).status_code == 200
    assert artifactory.put(policy, json={"enabled": True, "loginAttempts": 101}).status_code == 400
    assert artifactory.put(policy, json={"enabled": True, "loginAttempts": 2}).status_code == 200
    configuration = artifactory.get("/api/system/configuration").text
    assert "<userLockPolicy><enabled>true</enabled><loginAttempts>2</loginAttempts>" in "".join(configuration.split())
    access.post(USERS, json=ALICE)
    assert [login(sandbox, password="wrong") for _attempt in range(2)] == [401, 401]
    assert access.get(f"{USERS}/alice").json()["status"] == "locked"
    assert login(sandbox) == 403
    artifactory.post("/api/security/unlockUsers/alice")
    assert access.get(f"{USERS}/alice").json()["status"] == "enabled"
    assert login(sandbox) == 200
