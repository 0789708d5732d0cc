# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of groups in the Access API of Artifactory."""

from __future__ import annotations

from typing import Any

import pytest

GROUPS = "/api/v2/groups"
USERS = "/api/v2/users"
LEADS = {"name": "leads", "auto_join": False, "admin_privileges": False, "realm": "internal", "members": []}


def error_of(response: Any) -> tuple[int, str]:
    """Return status and code of an error response."""
    (error,) = response.json()["errors"]
    assert error["message"]
    return response.status_code, error["code"]


def test_group_is_created_updated_and_deleted(access):
    body = {"name": "leads", "description": "Leads", "members": ["reader"], "external_id": "7"}
    created = access.post(GROUPS, json=body)
    assert (created.status_code, created.json()) == (201, {**LEADS, **body})
    assert access.get(f"{GROUPS}/leads").json() == created.json()
    changed = access.patch(f"{GROUPS}/leads", json={"description": "", "admin_privileges": True})
    assert (changed.status_code, changed.json()) == (
        200,
        {**LEADS, "external_id": "7", "admin_privileges": True, "members": ["reader"]},
    )
    assert access.get(f"{USERS}/reader").json()["groups"] == ["readers", "leads"]
    removed = access.delete(f"{GROUPS}/leads")
    assert (removed.status_code, removed.content) == (204, b"")
    assert access.get(f"{USERS}/reader").json()["groups"] == ["readers"]
    assert error_of(access.delete(f"{GROUPS}/leads")) == (404, "NOT_FOUND")


def test_members_are_added_and_removed(access):
    access.post(GROUPS, json={"name": "leads", "members": ["reader"]})
    changed = access.patch(f"{GROUPS}/leads/members", json={"add": ["ADMIN"], "remove": ["reader"]})
    assert (changed.status_code, changed.json()) == (200, {"members": ["admin"]})
    assert access.patch(f"{GROUPS}/leads", json={}).json()["members"] == ["admin"]


def test_groups_are_listed_in_pages(access, sandbox):
    sandbox.seed({"artifact": {"groups": [{"name": "a b"}, {"name": "leads"}]}})
    first = access.get(GROUPS, params={"limit": 2}).json()
    uri = f"{sandbox.url}/access/api/v2/groups/a%20b"
    assert first["groups"][0] == {"group_name": "a b", "uri": uri}
    last = access.get(GROUPS, params={"cursor": first["cursor"]}).json()
    assert [group["group_name"] for group in last["groups"]] == ["readers"]
    assert "cursor" not in last


def test_policy_manager_can_view_policies(access, sandbox):
    assert "policy_manager" not in access.post(GROUPS, json={"name": "old", "policy_manager": True}).json()
    sandbox.switch("artifact", version="7.128.0")
    created = access.post(GROUPS, json={"name": "leads", "policy_manager": True}).json()
    assert (created["policy_manager"], created["policy_viewer"], created["manage_resources"]) == (True, True, False)


def test_names_are_stored_in_lower_case_when_the_switch_is_set(access, sandbox):
    assert access.post(GROUPS, json={"name": "Leads"}).json()["name"] == "Leads"
    sandbox.switch("artifact", lowercase_groups=True)
    assert access.post(GROUPS, json={"name": "Devs"}).json()["name"] == "devs"
    assert access.patch(f"{USERS}/reader/groups", json={"add": ["DEVS"]}).json() == {"groups": ["readers", "devs"]}


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", GROUPS, {"name": ""}, 400),
        ("POST", GROUPS, {"name": "x" * 65}, 400),
        ("POST", GROUPS, {"name": "readers"}, 409),
        ("POST", GROUPS, {"name": "leads", "members": ["nobody"]}, 404),
        ("POST", GROUPS, {"name": "leads", "members": "reader"}, 400),
        ("POST", GROUPS, {"name": "leads", "auto_join": True, "admin_privileges": True}, 400),
        ("PATCH", f"{GROUPS}/readers", {"description": 5}, 400),
        ("PATCH", f"{GROUPS}/none", {}, 404),
        ("PATCH", f"{GROUPS}/readers/members", {}, 400),
        ("PATCH", f"{GROUPS}/readers/members", {"add": ["nobody"]}, 400),
        ("PATCH", f"{GROUPS}/readers/members", {"add": ["admin"], "remove": ["admin"]}, 400),
        ("PATCH", f"{GROUPS}/none/members", {"add": ["admin"]}, 404),
    ],
)
def test_refused_request_changes_nothing(access, method, path, body, status):
    before = [access.get(path).json() for path in (GROUPS, f"{GROUPS}/readers")]
    assert error_of(access.request(method, path, json=body))[0] == status
    assert [access.get(path).json() for path in (GROUPS, f"{GROUPS}/readers")] == before
