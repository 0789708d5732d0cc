# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: groups, roles, spending, certificates and settings, as OpenAI's Terraform provider uses them."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.wire.inference import ADMIN, Api, error

ORGANIZATION = "/v1/organization"
PROJECT = f"{ORGANIZATION}/projects/proj_sandbox"
PROJECT_ROLES = "/v1/projects/proj_sandbox"
BOB = "user-sandbox-bob"
AMOUNT = {"threshold_amount": 100, "currency": "USD", "interval": "month"}
ALERT = {**AMOUNT, "notification_channel": {"type": "email", "recipients": ["a@sandbox.example"]}}


@pytest.fixture
def call(api: Api) -> Any:
    def send(method: str, path: str, **body: Any) -> Any:
        return read(api.call(method, path, ADMIN, json=body or None))

    return send


def read(answer: requests.Response) -> Any:
    """Return the body of a response without the members that all pages have, or the status of a failure."""
    return answer.json() if answer.status_code == 200 else answer.status_code


@pytest.fixture
def group(call: Any) -> str:
    return str(call("POST", f"{ORGANIZATION}/groups", name="team")["id"])


@pytest.mark.parametrize("place", [ORGANIZATION, PROJECT_ROLES])
@pytest.mark.parametrize("principal", ["user", "group"])
def test_role_is_assigned_until_it_is_deleted(call: Any, group: str, place: str, principal: str) -> None:
    roles = f"{place}/roles"
    role = call("POST", roles, role_name="readers", permissions=["api.groups.read"])
    scope = "api.organization" if place == ORGANIZATION else "api.project"
    assert (role["name"], role["description"], role["resource_type"]) == ("readers", None, scope)
    changed = call("POST", f"{roles}/{role['id']}", description="Read", permissions=[])
    assert changed == {**role, "description": "Read", "permissions": []}
    assigned = f"{place}/{principal}s/{BOB if principal == 'user' else group}/roles"
    created = call("POST", assigned, role_id=role["id"])
    assert (created["object"], created["role"]) == (f"{principal}.role", changed)
    listed = {name: value for name, value in changed.items() if name != "object"}
    assert call("GET", assigned) == {"object": "list", "data": [listed], "has_more": False, "next": None}
    assert call("GET", f"{assigned}/{role['id']}") == listed
    assert call("DELETE", f"{roles}/{role['id']}")["object"] == "role.deleted"
    assert (call("GET", assigned)["data"], call("GET", f"{assigned}/{role['id']}")) == ([], 404)


def test_group_has_users_and_projects(call: Any, group: str) -> None:
    users, groups = f"{ORGANIZATION}/groups/{group}/users", f"{PROJECT}/groups"
    assert call("POST", users, user_id=BOB) == {"object": "group.user", "user_id": BOB, "group_id": group}
    assert [user["email"] for user in call("GET", users)["data"]] == ["bob@sandbox.example"]
    assert call("POST", users, user_id="nobody") == 404
    entry = call("POST", groups, group_id=group, role="role-api-project-member")
    assert (entry["project_id"], entry["group_name"]) == ("proj_sandbox", "team")
    assert call("GET", groups)["data"] == [call("GET", f"{groups}/{group}")] == [entry]
    assert call("POST", groups, group_id=group, role="role-1") == 404
    assert call("DELETE", f"{users}/{BOB}") == {"object": "group.user.deleted", "deleted": True}
    assert (call("GET", f"{users}/{BOB}"), call("DELETE", f"{users}/{BOB}")) == (404, 404)
    assert call("DELETE", f"{ORGANIZATION}/groups/{group}")["deleted"] is True
    assert (call("GET", groups)["data"], call("GET", f"{groups}/{group}"), call("GET", users)) == ([], 404, 404)


def test_lists_by_cursor_name_the_next_page(call: Any) -> None:
    groups = [call("POST", f"{ORGANIZATION}/groups", name=f"g{number}")["id"] for number in range(3)]
    first = call("GET", f"{ORGANIZATION}/groups?limit=2")
    assert (first["has_more"], first["next"]) == (True, groups[1])
    last = call("GET", f"{ORGANIZATION}/groups?limit=2&after={first['next']}")
    assert ([group["id"] for group in last["data"]], last["next"]) == ([groups[2]], None)


@pytest.mark.parametrize(("owner", "scope"), [(ORGANIZATION, "organization"), (PROJECT, "project")])
def test_spending_is_watched_and_limited(call: Any, owner: str, scope: str) -> None:
    alert = call("POST", f"{owner}/spend_alerts", **ALERT)
    assert alert == {"object": f"{scope}.spend_alert", "id": alert["id"], **ALERT}
    changed = call("POST", f"{owner}/spend_alerts/{alert['id']}", threshold_amount=200)
    assert changed == {**alert, "threshold_amount": 200}
    assert call("GET", f"{owner}/spend_limit") == 404
    limit = call("POST", f"{owner}/spend_limit", **AMOUNT)
    assert limit == {"object": f"{scope}.spend_limit", **AMOUNT, "enforcement": {"status": "inactive"}}
    assert call("GET", f"{owner}/spend_limit") == limit
    assert call("DELETE", f"{owner}/spend_limit")["deleted"] is True
    assert call("DELETE", f"{owner}/spend_limit") == 404


def test_settings_have_defaults(call: Any) -> None:
    retention = "data_retention"
    assert call("GET", f"{ORGANIZATION}/{retention}") == 404
    assert call("POST", f"{ORGANIZATION}/{retention}", retention_type="none") == 400
    kept = call("POST", f"{ORGANIZATION}/{retention}", retention_type="zero_data_retention")
    assert kept == call("GET", f"{ORGANIZATION}/{retention}")
    assert call("GET", f"{PROJECT}/{retention}")["type"] == "organization_default"
    assert call("POST", f"{PROJECT}/{retention}", retention_type="none")["type"] == "none"
    tools = call("GET", f"{PROJECT}/hosted_tool_permissions")
    assert (tools["mcp"], tools["web_search"]) == ({"enabled": True}, {"enabled": True})
    changed = call("POST", f"{PROJECT}/hosted_tool_permissions", mcp={"enabled": False})
    assert changed == call("GET", f"{PROJECT}/hosted_tool_permissions") == {**tools, "mcp": {"enabled": False}}
    assert call("GET", f"{PROJECT}/model_permissions") == 404


@pytest.mark.parametrize(
    ("path", "body", "param"),
    [
        (f"{ORGANIZATION}/groups", {}, "name"),
        (f"{ORGANIZATION}/roles", {"role_name": "a"}, "permissions"),
        (f"{ORGANIZATION}/certificates", {"certificate": "x"}, "certificate"),
        (f"{ORGANIZATION}/spend_alerts", {**ALERT, "currency": "EUR"}, "currency"),
        (f"{ORGANIZATION}/spend_alerts", {**ALERT, "notification_channel": {}}, "notification_channel.type"),
        (f"{ORGANIZATION}/spend_limit", {**AMOUNT, "threshold_amount": 0}, "threshold_amount"),
        (f"{PROJECT}/data_retention", {"retention_type": "forever"}, "retention_type"),
        (f"{PROJECT}/model_permissions", {"mode": "all", "model_ids": []}, "mode"),
        (f"{PROJECT}/hosted_tool_permissions", {"mcp": {"enabled": "no"}}, "mcp.enabled"),
    ],
)
def test_request_is_refused_when_a_member_is_invalid(api: Api, path: str, body: dict[str, Any], param: str) -> None:
    status, refused = error(api.call("POST", path, ADMIN, json=body))
    assert (status, refused["param"]) == (400, param)


def test_archived_project_keeps_its_settings(call: Any) -> None:
    old = f"{ORGANIZATION}/projects/proj_old"
    assert call("POST", f"{old}/data_retention", retention_type="none") == 400
    assert call("GET", f"{old}/data_retention")["type"] == "organization_default"
