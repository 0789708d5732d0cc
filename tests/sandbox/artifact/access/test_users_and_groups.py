# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of users, groups and permission targets in Artifactory."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from pyartifactory import Artifactory
from pyartifactory.exception import GroupNotFoundError, UserNotFoundError
from pyartifactory.models import Group, NewUser, User
from pydantic import SecretStr

from support.session import Session
from support.wire.artifact import error_of

USERS, GROUPS, TARGETS = (f"/api/security/{kind}" for kind in ("users", "groups", "permissions"))
ALICE = {"email": "alice@example.com", "password": "Alices-0wn"}


def fetch_status(sandbox, name: str, password: str, path: str = "/api/repositories") -> int:
    """Return the status of a GET request sent with the credentials of a user."""
    return Session(f"{sandbox.url}/artifactory", (name, password)).get(path).status_code


def test_user_is_created_updated_and_deleted(artifactory, sandbox):
    created = artifactory.put(f"{USERS}/alice", json={**ALICE, "groups": ["readers"]})
    assert (created.status_code, created.content) == (201, b"")
    assert fetch_status(sandbox, "alice", "Alices-0wn", "/api/storage/generic-local") == 200
    detail = artifactory.get(f"{USERS}/alice")
    assert detail.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.security.User+json"
    assert detail.json() == {
        "name": "alice",
        "email": "alice@example.com",
        "admin": False,
        "profileUpdatable": True,
        "disableUIAccess": True,
        "internalPasswordDisabled": False,
        "realm": "internal",
        "groups": ["readers"],
        "lastLoggedIn": detail.json()["lastLoggedIn"],
    }
    assert artifactory.post(f"{USERS}/alice", json={"admin": True, "groups": []}).status_code == 200
    changed = artifactory.get(f"{USERS}/alice").json()
    assert (changed["admin"], changed["groups"], changed["email"]) == (True, [], "alice@example.com")
    assert fetch_status(sandbox, "alice", "Alices-0wn", USERS) == 200
    removed = artifactory.delete(f"{USERS}/alice")
    assert (removed.status_code, removed.text) == (200, "The user: 'alice' has been removed successfully.")
    assert fetch_status(sandbox, "alice", "Alices-0wn") == 401


def test_users_are_listed(artifactory, sandbox):
    response = artifactory.get(USERS)
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.security.Users+json"
    uri = f"{sandbox.url}/artifactory/api/security/users/admin"
    assert {"name": "admin", "uri": uri, "realm": "internal"} in response.json()


def test_replaced_user_gets_defaults_and_keeps_permissions(artifactory, sandbox):
    sandbox.seed({"artifact": {"users": [{"name": "bob", "password": "old", "permissions": {"generic-local": "r"}}]}})
    artifactory.post(f"{USERS}/bob", json={"admin": True})
    artifactory.put(f"{USERS}/bob", json={"email": "bob@example.com", "password": "Bobs-n3w"})
    assert artifactory.get(f"{USERS}/bob").json()["admin"] is False
    assert fetch_status(sandbox, "bob", "old") == 401
    assert fetch_status(sandbox, "bob", "Bobs-n3w", "/api/storage/generic-local") == 200


def test_group_is_created_updated_and_deleted(artifactory):
    artifactory.put(f"{USERS}/alice", json=ALICE)
    created = artifactory.put(f"{GROUPS}/leads", json={"description": "Leads", "userNames": ["alice"]})
    assert (created.status_code, created.content) == (201, b"")
    detail = artifactory.get(f"{GROUPS}/leads?includeUsers=true")
    assert detail.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.security.Group+json"
    assert detail.json() == {
        "name": "leads",
        "description": "Leads",
        "autoJoin": False,
        "adminPrivileges": False,
        "realm": "internal",
        "watchManager": False,
        "policyManager": False,
        "reportsManager": False,
        "userNames": ["alice"],
    }
    assert artifactory.get(f"{USERS}/alice").json()["groups"] == ["leads"]
    assert artifactory.post(f"{GROUPS}/leads", json={"description": "All leads"}).status_code == 200
    assert artifactory.get(f"{GROUPS}/leads?includeUsers=true").json() == {
        **detail.json(),
        "description": "All leads",
    }
    assert "userNames" not in artifactory.get(f"{GROUPS}/leads").json()
    assert "leads" in [group["name"] for group in artifactory.get(GROUPS).json()]
    assert artifactory.delete(f"{GROUPS}/leads").text == "Group 'leads' has been removed successfully."
    assert artifactory.get(f"{USERS}/alice").json()["groups"] == []


def test_only_replacing_a_group_removes_members(artifactory):
    artifactory.put(f"{USERS}/alice", json=ALICE)
    artifactory.put(f"{USERS}/bob", json=ALICE)
    leads = f"{GROUPS}/leads"
    artifactory.put(leads, json={"userNames": ["alice"]})
    artifactory.post(leads, json={"userNames": []})
    artifactory.post(leads, json={"userNames": ["bob"]})
    assert artifactory.get(f"{leads}?includeUsers=true").json()["userNames"] == ["alice", "bob"]
    artifactory.put(leads, json={"userNames": ["bob"]})
    assert artifactory.get(f"{leads}?includeUsers=true").json()["userNames"] == ["bob"]


def test_group_has_roles_and_a_realm_in_lower_case(artifactory, sandbox):
    roles = {"watchManager": True, "policyManager": True, "reportsManager": True}
    artifactory.put(f"{GROUPS}/leads", json={**roles, "realm": "LDAP"})
    detail = artifactory.get(f"{GROUPS}/leads").json()
    assert detail.items() >= {**roles, "realm": "ldap"}.items()
    sandbox.switch("artifact", version="6.20.0")
    assert "watchManager" not in artifactory.get(f"{GROUPS}/leads").json()


def test_members_have_the_permissions_of_their_groups(artifactory, sandbox):
    artifactory.put(f"{GROUPS}/joined", json={"autoJoin": True})
    artifactory.put(f"{GROUPS}/admins", json={"adminPrivileges": True})
    artifactory.put(f"{USERS}/alice", json=ALICE)
    assert artifactory.get(f"{USERS}/alice").json()["groups"] == ["joined"]
    assert fetch_status(sandbox, "alice", "Alices-0wn", USERS) == 403
    artifactory.post(f"{USERS}/alice", json={"groups": ["admins"]})
    assert fetch_status(sandbox, "alice", "Alices-0wn", USERS) == 200


@pytest.mark.parametrize("name", ["with blank", "ünï🙂", "per%cent", "a+b", "quo'te\"s", "$.groups"])
def test_names_with_special_characters_are_accepted(artifactory, sandbox, name):
    path = quote(name)
    assert artifactory.put(f"{GROUPS}/{path}", json={}).status_code == 201
    (uri,) = [group["uri"] for group in artifactory.get(GROUPS).json() if group["name"] == name]
    assert artifactory.get(uri.removeprefix(f"{sandbox.url}/artifactory")).json()["name"] == name
    target = {"repositories": ["generic-local"], "principals": {"groups": {name: ["r", "d"]}}}
    artifactory.put(f"{TARGETS}/odd", json=target)
    principals = artifactory.get("/api/storage/generic-local/app/1.0?permissions").json()["principals"]
    assert principals["groups"][name] == ["d", "r"]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", f"{USERS}/nobody", None, 404),
        ("POST", f"{USERS}/nobody", {"admin": True}, 404),
        ("DELETE", f"{USERS}/nobody", None, 404),
        ("GET", f"{GROUPS}/none", None, 404),
        ("POST", f"{GROUPS}/none", {"description": "x"}, 404),
        ("DELETE", f"{GROUPS}/none", None, 404),
        ("PUT", f"{USERS}/alice", {"password": "x"}, 400),
        ("PUT", f"{USERS}/alice", {"email": "alice@example.com"}, 400),
        ("PUT", f"{USERS}/alice", {**ALICE, "groups": ["none"]}, 400),
        ("PUT", f"{USERS}/alice", {**ALICE, "groups": 5}, 400),
        ("PUT", f"{USERS}/alice", [], 400),
        ("PUT", f"{USERS}/alice", {**ALICE, "password": {}}, 400),
        ("PUT", f"{USERS}/alice", {**ALICE, "email": ["alice@example.com"]}, 400),
        ("PUT", f"{USERS}/alice", {**ALICE, "admin": "no"}, 400),
        ("PUT", f"{USERS}/alice", {**ALICE, "admin": 1.5}, 400),
        ("PUT", f"{USERS}/alice", {**ALICE, "profileUpdatable": {}}, 400),
        ("PUT", f"{GROUPS}/leads", {"description": {}}, 400),
        ("PUT", f"{GROUPS}/leads", {"adminPrivileges": ["false"]}, 400),
        ("PUT", f"{GROUPS}/leads", {"autoJoin": True, "adminPrivileges": True}, 400),
        ("PUT", f"{GROUPS}/leads", {"userNames": ["nobody"]}, 400),
        ("GET", f"{TARGETS}/none", None, 404),
        ("DELETE", f"{TARGETS}/none", None, 404),
        ("PUT", f"{TARGETS}/new", {"repositories": []}, 400),
        ("PUT", f"{TARGETS}/new", {"repositories": ["none"]}, 400),
        ("PUT", f"{TARGETS}/new", {"repositories": ["ANY"], "principals": {"users": {"alice": "r"}}}, 400),
        ("PUT", f"{TARGETS}/new", {"repositories": ["ANY"], "principals": ["alice"]}, 400),
        ("PUT", f"{TARGETS}/new", {"repositories": ["ANY"], "includesPattern": 5}, 400),
    ],
)
def test_refused_request_changes_nothing(artifactory, method: str, path: str, body: Any, status: int):
    before = [artifactory.get(kind).json() for kind in (USERS, GROUPS, TARGETS)]
    assert error_of(artifactory.request(method, path, json=body))[0] == status
    assert [artifactory.get(kind).json() for kind in (USERS, GROUPS, TARGETS)] == before


def test_values_of_other_types_are_converted(artifactory, sandbox):
    sandbox.switch("artifact", password_rules=False)
    artifactory.put(f"{USERS}/alice", json={**ALICE, "password": 12, "admin": "false", "profileUpdatable": 0})
    details = artifactory.get(f"{USERS}/alice").json()
    assert (details["admin"], details["profileUpdatable"]) == (False, False)
    assert fetch_status(sandbox, "alice", "12", USERS) == 403
    artifactory.post(f"{USERS}/alice", json={"admin": " true", "profileUpdatable": ""})
    details = artifactory.get(f"{USERS}/alice").json()
    assert (details["admin"], details["profileUpdatable"]) == (True, False)
    artifactory.put(f"{GROUPS}/leads", json={"description": 5, "autoJoin": "true", "adminPrivileges": "false"})
    details = artifactory.get(f"{GROUPS}/leads").json()
    assert (details["description"], details["autoJoin"], details["adminPrivileges"]) == ("5", True, False)


def test_request_is_refused_when_the_body_is_not_json(artifactory):
    assert artifactory.put(f"{USERS}/alice", data="{").status_code == 415
    broken = artifactory.put(f"{USERS}/alice", data="{", headers={"Content-Type": "application/json"})
    assert broken.status_code == 400


def test_security_calls_require_an_administrator_and_pro(sandbox, artifactory):
    for path in (USERS, f"{USERS}/admin", GROUPS, f"{GROUPS}/readers", TARGETS, "/api/security/lockedUsers"):
        assert fetch_status(sandbox, "reader", "sandbox-reader", path) == 403
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.get(USERS))[0] == 400


def test_locked_users_are_listed_and_unlocked(artifactory, sandbox):
    locked = [{"name": name, "password": "x", "locked": True} for name in ("l1", "l2", "l3", "l4")]
    sandbox.seed({"artifact": {"users": locked}})
    path = "/api/security/lockedUsers"
    assert artifactory.get(path).json() == ["l1", "l2", "l3", "l4"]
    one = artifactory.post("/api/security/unlockUsers/l1")
    assert (one.status_code, one.text) == (200, "The user: 'l1' was successfully unlocked")
    assert fetch_status(sandbox, "l1", "x") == 200
    some = artifactory.post("/api/security/unlockUsers", json=["l2", "nobody"])
    assert some.text == "Specified users were successfully unlocked"
    assert artifactory.get(path).json() == ["l3", "l4"]
    assert artifactory.post("/api/security/unlockAllUsers").text == "All users were successfully unlocked"
    assert artifactory.get(path).json() == []


def test_permission_target_grants_its_permissions(artifactory, sandbox):
    artifactory.put(f"{GROUPS}/leads", json={})
    artifactory.put(f"{USERS}/alice", json=ALICE)
    artifactory.put(f"{USERS}/bob", json={**ALICE, "groups": ["leads"]})
    item, other = "/api/storage/generic-local/app/1.0", "/api/storage/generic-local/app/README.txt"
    target = {
        "includesPattern": "app/**",
        "excludesPattern": "**/*.txt",
        "repositories": ["generic-local"],
        "principals": {"users": {"alice": ["r", "n", "mxm"]}, "groups": {"leads": ["r"]}},
    }
    created = artifactory.put(f"{TARGETS}/of-app", json=target)
    assert (created.status_code, created.content) == (201, b"")
    detail = artifactory.get(f"{TARGETS}/of-app")
    assert detail.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.security.PermissionTarget+json"
    assert detail.json() == {"name": "of-app", **target}
    for name, annotates in (("alice", 204), ("bob", 403)):
        session = Session(f"{sandbox.url}/artifactory", (name, ALICE["password"]))
        assert [session.get(path).status_code for path in (item, other)] == [200, 403]
        assert session.put(f"{item}?properties=a=b").status_code == annotates
    uri = f"{sandbox.url}/artifactory/api/security/permissions/of-app"
    assert artifactory.get(TARGETS).json() == [{"name": "of-app", "uri": uri}]
    principals = artifactory.get("/api/storage/generic-local/app/1.0?permissions").json()["principals"]
    assert (principals["users"]["alice"], principals["groups"]["leads"]) == (["n", "r"], ["r"])
    artifactory.delete(f"{GROUPS}/leads")
    assert artifactory.get(f"{TARGETS}/of-app").json()["principals"]["groups"] == {}
    removed = artifactory.delete(f"{TARGETS}/of-app")
    assert removed.text == "Permission Target 'of-app' has been removed successfully."
    assert fetch_status(sandbox, "alice", "Alices-0wn", item) == 403


@pytest.mark.parametrize(
    ("repositories", "keys"),
    [
        ("ANY", {"generic-local", "libs-remote"}),
        ("ANY LOCAL", {"generic-local"}),
        ("ANY REMOTE", {"libs-remote"}),
    ],
)
def test_permission_target_applies_to_repository_wildcards(artifactory, sandbox, repositories, keys):
    artifactory.put(f"{USERS}/alice", json=ALICE)
    target = {"repositories": [repositories], "principals": {"users": {"alice": ["r"]}}}
    artifactory.put(f"{TARGETS}/many", json=target)
    repositories_of_user = (
        Session(f"{sandbox.url}/artifactory", ("alice", "Alices-0wn")).get("/api/repositories").json()
    )
    assert {repository["key"] for repository in repositories_of_user} & {"generic-local", "libs-remote"} == keys


def test_pyartifactory_manages_users_and_groups(sandbox):
    server = Artifactory(f"{sandbox.url}/artifactory", auth=("admin", SecretStr("sandbox-admin")), api_version=2)
    assert server.groups.create(Group(name="leads", description="Leads")).description == "Leads"
    created = server.users.create(
        NewUser(name="alice", email="alice@example.com", password=SecretStr("Alices-0wn"), groups=["leads"])
    )
    assert (created.email, created.groups, created.realm) == ("alice@example.com", ["leads"], "internal")
    changed = server.users.update(User(name="alice", email="other@example.com", admin=True))
    assert (changed.email, changed.admin) == ("other@example.com", True)
    assert "alice" in [user.name for user in server.users.list()]
    server.users.unlock("alice")
    server.users.delete("alice")
    server.groups.delete("leads")
    with pytest.raises(UserNotFoundError):
        server.users.get("alice")
    with pytest.raises(GroupNotFoundError):
        server.groups.get("leads")
