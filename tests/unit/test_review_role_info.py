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


def listed(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_role_info", url=server.url, **ACCOUNT, **parameters)


def test_roles_are_listed_with_all_that_belongs_to_them() -> None:
    result = listed(
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


def test_without_assignments_no_projects_are_asked_for() -> None:
    result = listed(
        act("roles", text=records(TRIAGE)), act("role_assignments", text=records({**ASSIGNED, "name": "x"}))
    )
    assert result["roles"][0]["assignments"] == []


def test_it_fails_when_the_response_is_empty() -> None:
    assert "'roles' returned an empty list, but always returns the built-in roles" in listed(act("roles"))["msg"]
    lost = act("roles", text=records(TRIAGE)), act("role_assignments")
    assert "'role_assignments' returned an empty list, but always returns a role of 'admin'" in listed(*lost)["msg"]


def test_an_exact_name_is_asked_for_with_a_plus() -> None:
    result = listed(
        act("roles", search="+Project admin", text=records({**ADMIN, "name": "Project admin 2"}, ADMIN)),
        act("role_assignments", search="+Project admin", text=records(ASSIGNED)),
        projects(),
        name="Project admin",
    )
    assert [role["name"] for role in result["roles"]] == ["Project admin"]


def test_a_role_that_is_not_there_is_no_error() -> None:
    assert listed(act("roles", search="+Nobody"), name="Nobody")["roles"] == []


def test_a_part_of_a_name_is_searched_for() -> None:
    result = listed(
        act("roles", search="admin", text=records(ADMIN)),
        act("role_assignments", search="admin", text=records({**ASSIGNED, "assignments": []})),
        search="admin",
    )
    assert [role["name"] for role in result["roles"]] == ["Project admin"]


def test_a_leading_plus_is_a_part_of_the_text() -> None:
    plus = {**ADMIN, "name": "C++1"}
    found = records({**ADMIN, "name": "Team 1"}, plus)
    calls = act("roles", search="1", text=found), act("role_assignments", search="1", text=records(plus))
    assert [role["name"] for role in listed(*calls, search="+1")["roles"]] == ["C++1"]


@pytest.mark.parametrize("parameters", [{"name": "a", "search": "b"}])
def test_name_and_search_exclude_each_other(parameters: dict[str, str]) -> None:
    assert listed(**parameters)["msg"] == "parameters are mutually exclusive: name|search"
