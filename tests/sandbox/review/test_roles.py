# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of roles and their assignments."""

from __future__ import annotations

from support.wire.review import Api


def test_roles_are_found_by_a_part_of_the_name_or_the_exact_name(api: Api) -> None:
    def search_names(search: str) -> list[str]:
        return [role["name"] for role in api.records("roles", search=search)]

    api.write("create_role", name="Project admin assistant")
    assert search_names("") == ["Projects root admin", "Project admin", "Project admin assistant"]
    assert search_names("admin a") == ["Project admin assistant"]
    assert search_names("+Project admin") == ["Project admin"]
    assert search_names("*") == []
    assert [role["name"] for role in api.records("role_assignments", search="+Project admin")] == ["Project admin"]


def test_role_record_has_all_fourteen_permissions(api: Api) -> None:
    api.write(
        "create_role",
        name="Reviewer",
        change_issue_status="true",
        create_build="TRUE",
        delete_build="false",
        allowed_status_transitions="Any,analyze;Fix in Next Release,Not a problem;",
    )
    [role] = api.records("roles", search="+Reviewer")
    assert list(role) == ["name", "readonly", "permissions", "statusPermissions"]
    assert role["readonly"] is False
    assert len(role["permissions"]) == 14
    assert [flag["name"] for flag in role["permissions"] if flag["enabled"]] == ["create_build", "change_issue_status"]
    assert role["statusPermissions"] == [
        {"from": "Any", "to": "Analyze"},
        {"from": "Fix in Next Release", "to": "Not a Problem"},
    ]


def test_given_permissions_of_a_role_are_updated(api: Api) -> None:
    api.write("create_role", name="r", create_build="true", allowed_status_transitions="Any,Fix")
    api.write("update_role_permissions", name="r", delete_build="true")
    [role] = api.records("roles", search="+r")
    assert [flag["name"] for flag in role["permissions"] if flag["enabled"]] == ["create_build", "delete_build"]
    assert role["statusPermissions"] == [{"from": "Any", "to": "Fix"}]
    api.write("update_role_permissions", name="r", create_build="false", allowed_status_transitions="")
    [role] = api.records("roles", search="+r")
    assert [flag["name"] for flag in role["permissions"] if flag["enabled"]] == ["delete_build"]
    assert role["statusPermissions"] == []


def test_invalid_changes_of_roles_are_rejected(api: Api) -> None:
    assert api.expect_error("create_role", name="Project admin") == (409, "Role already exists: Project admin")
    assert api.expect_error("update_role_permissions", name="nope") == (404, "Role not found: nope")
    assert api.expect_error("delete_role", name="nope") == (404, "Role not found: nope")
    assert api.expect_error("delete_role", name="Project admin") == (403, "Role is read-only: Project admin")
    assert api.expect_error("update_role_permissions", name="Project admin", create_build="false")[0] == 403
    assert api.expect_error("create_role", name="r", allowed_status_transitions="Any")[0] == 400
    assert api.expect_error("create_role", name="r", allowed_status_transitions="Any,Mend")[0] == 400
    assert api.expect_error("create_role", name="r", create_build="yes")[0] == 400


def test_assignment_requires_the_id_of_a_project(api: Api) -> None:
    assignment = {"name": "Project admin", "account": "bob", "project": "mobile_app"}
    api.write("update_role_assignment", **assignment)
    api.write("update_role_assignment", **assignment)
    api.write("update_role_assignment", name="Project admin", account="developers", group="true")
    assignments = [
        {"name": "alice", "projectId": "platform", "group": False},
        {"name": "bob", "projectId": "mobile_app", "group": False},
        {"name": "developers", "group": True},
    ]
    assert api.records("role_assignments", search="+Project admin") == [
        {"name": "Project admin", "readonly": True, "assignments": assignments}
    ]
    api.write("update_role_assignment", **assignment, remove="true")
    assert api.records("role_assignments", search="+Project admin")[0]["assignments"] == [
        assignments[0],
        assignments[2],
    ]
    by_name = {**assignment, "project": "mobile-app"}
    assert api.expect_error("update_role_assignment", **by_name) == (404, "Project not found: mobile-app")
    assert api.expect_error("update_role_assignment", **{**assignment, "name": "x"}) == (404, "Role not found: x")
    assert api.expect_error("update_role_assignment", **{**assignment, "account": "x"}) == (404, "User not found: x")
    assert api.expect_error("update_role_assignment", **assignment, group="true") == (404, "Group not found: bob")


def test_role_is_deleted_with_its_assignments(api: Api) -> None:
    api.write("create_role", name="r")
    api.write("update_role_assignment", name="r", account="bob")
    api.write("delete_role", name="r")
    assert api.records("roles", search="+r") == []
    assert api.records("users", search="bob")[0]["roles"] == []
