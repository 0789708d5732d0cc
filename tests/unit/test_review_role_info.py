# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, NO_PERMISSIONS, act, projects, records
from support.running import run

ADMIN = {
    "name": "Project admin",
    "readonly": True,
    "permissions": [{"name": "create_build", "enabled": True}, {"name": "create_project", "enabled": False}],
    "statusPermissions": [{"from": "Fix", "to": "Defer"}, {"from": "Any", "to": "Analyze"}],
}
TRIAGE = {"name": "Triage", "readonly": False, "permissions": [], "statusPermissions": []}
ASSIGNED = {
    "name": "Project admin",
    "readonly": True,
    "assignments": [
        {"name": "jdoe", "projectId": "mobile_app", "group": False},
        {"name": "developers", "group": True},
        {"name": "bob", "projectId": "", "group": False},
        {"name": "eve", "projectId": "hidden_project", "group": False},
    ],
}


def run_task(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_role_info", url=server.url, **ACCOUNT, **parameters)


def test_roles_are_listed_with_details() -> None:
    result = run_task(
        act("roles", text=records(TRIAGE, ADMIN)),
        act("role_assignments", text=records(ASSIGNED, {"name": "Triage", "readonly": False, "assignments": []})),
        projects(("mobile-app", "mobile_app"), ("platform", "platform")),
    )
    assert result == {
        "changed": False,
        "roles": [
            {
                "name": "Project admin",
                "readonly": True,
                "permissions": {**NO_PERMISSIONS, "create_build": True},
                "transitions": [{"from": "Any", "to": "Analyze"}, {"from": "Fix", "to": "Defer"}],
                "assignments": [
                    {"account": "bob", "group": None, "project": None},
                    {"account": "eve", "group": None, "project": "hidden_project"},
                    {"account": "jdoe", "group": None, "project": "mobile-app"},
                    {"account": None, "group": "developers", "project": None},
                ],
            },
            {"name": "Triage", "readonly": False, "permissions": NO_PERMISSIONS, "transitions": [], "assignments": []},
        ],
    }


def test_projects_are_not_requested_without_assignments() -> None:
    result = run_task(
        act("roles", text=records(TRIAGE)), act("role_assignments", text=records({**ASSIGNED, "name": "x"}))
    )
    assert result["roles"][0]["assignments"] == []


def test_task_fails_when_response_is_empty() -> None:
    assert "'roles' returned an empty list, but always returns the built-in roles" in run_task(act("roles"))["msg"]
    lost = act("roles", text=records(TRIAGE)), act("role_assignments")
    assert "'role_assignments' returned an empty list, but always returns a role of 'admin'" in run_task(*lost)["msg"]


def test_exact_name_is_searched_with_plus() -> None:
    result = run_task(
        act("roles", search="+Project admin", text=records({**ADMIN, "name": "Project admin 2"}, ADMIN)),
        act("role_assignments", search="+Project admin", text=records(ASSIGNED)),
        projects(),
        name="Project admin",
    )
    assert [role["name"] for role in result["roles"]] == ["Project admin"]


def test_result_is_empty_when_role_is_missing() -> None:
    assert run_task(act("roles", search="+Nobody"), name="Nobody")["roles"] == []


def test_search_finds_part_of_name() -> None:
    result = run_task(
        act("roles", search="admin", text=records(ADMIN)),
        act("role_assignments", search="admin", text=records({**ASSIGNED, "assignments": []})),
        search="admin",
    )
    assert [role["name"] for role in result["roles"]] == ["Project admin"]


def test_leading_plus_is_part_of_search() -> None:
    plus = {**ADMIN, "name": "C++1"}
    text = records({**ADMIN, "name": "Team 1"}, plus)
    calls = act("roles", search="1", text=text), act("role_assignments", search="1", text=records(plus))
    assert [role["name"] for role in run_task(*calls, search="+1")["roles"]] == ["C++1"]


@pytest.mark.parametrize("parameters", [{"name": "a", "search": "b"}])
def test_name_and_search_are_mutually_exclusive(parameters: dict[str, str]) -> None:
    assert run_task(**parameters)["msg"] == "parameters are mutually exclusive: name|search"
