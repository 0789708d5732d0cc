# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the settings of the platform: single sign-on, roles, SCIM, stages and the reverse proxy."""

from __future__ import annotations

from typing import Any

import pytest

from support.session import Session

ROLE = {
    "name": "auditor",
    "description": "",
    "type": "CUSTOM_GLOBAL",
    "environments": ["DEV"],
    "actions": ["READ_BUILD"],
}
EMAIL = "carol@example.com"
USER = {"userName": EMAIL, "active": True, "emails": [{"value": EMAIL, "primary": True}]}


@pytest.fixture
def access(sandbox) -> Session:
    """Return a session of an administrator for the Access API of a current server."""
    sandbox.switch("artifact", version="7.161.5", edition="enterprise")
    return Session(f"{sandbox.url}/access", sandbox.environment["JFROG_ACCESS_TOKEN"])


@pytest.mark.parametrize(
    ("path", "change", "default"),
    [
        (
            "/api/v1/crowd",
            {"enable_integration": True, "server_url": "http://crowd.example", "session_validation_interval": 5},
            {"enable_integration": False, "server_url": "", "session_validation_interval": 0},
        ),
        (
            "/api/v1/httpsso",
            {"http_sso_proxied": True, "remote_user_request_variable": "USER"},
            {"http_sso_proxied": False, "remote_user_request_variable": "REMOTE_USER"},
        ),
    ],
)
def test_sign_on_settings_are_replaced(
    access: Session, path: str, change: dict[str, Any], default: dict[str, Any]
) -> None:
    assert access.get(path).json().items() >= default.items()
    assert access.put(path, json={**change, "password": "hidden"}).status_code == 200
    stored = access.get(path).json()
    assert stored.items() >= change.items()
    assert "password" not in stored
    access.put(path, json={})
    assert access.get(path).json().items() >= default.items()


def test_role_of_aws_is_assigned_and_removed(access: Session) -> None:
    path, role = "/api/v1/aws/iam_role", {"username": "reader", "iam_role": "arn:aws:iam::000000000000:role/example"}
    assert access.get(f"{path}/reader").status_code == 400
    assert access.put(path, json=role).status_code == 200
    assert access.get(f"{path}/reader").json() == role
    assert access.put(path, json={**role, "username": "nobody"}).status_code == 400
    assert access.delete(f"{path}/reader").status_code == 204
    assert access.get(f"{path}/reader").status_code == 400


def test_global_role_is_created_replaced_and_deleted(access: Session, sandbox) -> None:
    path = "/api/v1/roles/auditor"
    assert access.post("/api/v1/roles", json=ROLE).status_code == 201
    assert access.post("/api/v1/roles", json=ROLE).status_code == 409
    assert access.get(path).json() == ROLE
    changed = {**ROLE, "environments": ["DEV", "PROD"]}
    assert access.put(path, json=changed).json() == changed == access.get("/api/v1/roles").json()[-1]
    for member, value in (("environments", ["QA"]), ("actions", ["FLY"]), ("type", "ADMIN")):
        assert access.put(path, json={**ROLE, member: value}).status_code == 400
    assert access.put("/api/v1/roles/Viewer", json={}).status_code == 400
    assert "global roles" in str(sandbox.call("GET", "seed")["omitted"])
    assert access.delete(path).status_code == 204
    assert access.get(path).status_code == 404


def test_users_and_groups_over_scim_are_those_of_the_platform(access: Session) -> None:
    users, groups = "/api/v1/scim/v2/Users", "/api/v1/scim/v2/Groups"
    created = access.post(users, json=USER)
    assert (created.status_code, created.json().items() >= USER.items()) == (201, True)
    assert created.json()["meta"] == {"resourceType": "User"}
    assert access.post(users, json=USER).status_code == 409
    assert access.put(f"{users}/{EMAIL}", json={**USER, "active": False}).json()["active"] is False
    assert access.get(f"/api/v2/users/{EMAIL}").json()["status"] == "disabled"
    member = {"value": EMAIL, "display": EMAIL}
    assert access.post(groups, json={"displayName": "team", "members": [member]}).status_code == 201
    assert access.get("/api/v2/groups/team").json()["members"] == [EMAIL]
    both = [{"value": "anonymous", "display": "anonymous"}, member]
    assert access.put(f"{groups}/team", json={"displayName": "team", "members": both}).json()["members"] == both
    assert access.put(f"{groups}/team", json={"members": [{"value": "nobody"}]}).status_code == 404
    assert [access.delete(path).status_code for path in (f"{groups}/team", f"{users}/{EMAIL}")] == [204, 204]
    assert [access.get(path).status_code for path in (f"{groups}/team", f"{users}/{EMAIL}")] == [404, 404]


def test_stages_form_lifecycles(access: Session, sandbox) -> None:
    access.post("/api/v1/projects", json={"project_key": "team", "display_name": "Team"})
    of_team = {"params": {"project_key": "team"}}
    stage = access.post("/api/v2/stages/", json={"name": "team-qa", "project_key": "team"})
    assert (stage.status_code, stage.json()["scope"], stage.json()["category"]) == (201, "project", "promote")
    assert access.post("/api/v2/stages", json={"name": "qa", "project_key": "team"}).status_code == 400
    assert access.post("/api/v2/stages", json={"name": "qa", "category": "x"}).status_code == 400
    assert access.post("/api/v2/stages", json={"name": "qa"}).status_code == 201
    assert access.get("/api/v2/stages/team-qa").status_code == 404
    changed = access.patch("/api/v2/stages/team-qa", json={"category": "none"}, **of_team)
    assert changed.json()["category"] == access.get("/api/v2/stages/team-qa", **of_team).json()["category"] == "none"
    promoted = {"promote_stages": ["qa", "team-qa"]}
    lifecycle = access.patch("/api/v2/lifecycle", json=promoted, **of_team)
    assert lifecycle.json() == access.get("/api/v2/lifecycle", **of_team).json()
    assert lifecycle.json()["release_stage"] == "PROD"
    assert lifecycle.json()["categories"][0] == {
        "category": "promote",
        "stages": [{"name": "qa", "scope": "global"}, {"name": "team-qa", "scope": "project"}],
    }
    assert access.patch("/api/v2/lifecycle", json={"promote_stages": ["no"]}).status_code == 400
    assert access.get("/api/v2/stages/team-qa", **of_team).json()["used_in_lifecycles"] == ["team"]
    assert access.delete("/api/v2/stages/team-qa", **of_team).status_code == 400
    access.patch("/api/v2/lifecycle", json={"promote_stages": []}, **of_team)
    assert access.delete("/api/v2/stages/team-qa", **of_team).status_code == 204
    sandbox.switch("artifact", version="7.154")
    assert access.get("/api/v2/lifecycle").status_code == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/crowd"),
        ("PUT", "/api/v1/httpsso"),
        ("GET", "/api/v1/aws/iam_role/reader"),
        ("GET", "/api/v1/roles"),
        ("POST", "/api/v1/scim/v2/Users"),
        ("GET", "/api/v2/lifecycle"),
    ],
)
def test_settings_require_an_administrator(access: Session, sandbox, method: str, path: str) -> None:
    reader = Session(f"{sandbox.url}/access", ("reader", "sandbox-reader"))
    assert reader.request(method, path, json={}).status_code == 403


def test_reverse_proxy_is_replaced(access: Session, artifactory: Session) -> None:
    path = "/api/system/configuration/webServer"
    assert artifactory.get(path).json()["webServerType"] == "DIRECT"
    proxy = {"key": "nginx", "webServerType": "NGINX", "serverName": "example.com", "httpPort": 88, "useHttps": True}
    assert artifactory.post(path, json=proxy).status_code == 200
    stored = artifactory.get(path).json()
    assert stored.items() >= proxy.items()
    assert "sslKey" not in stored
