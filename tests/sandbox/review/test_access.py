# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of authentication and permissions."""

from __future__ import annotations

import pathlib
from typing import Any

from support.wire.review import LTOKENS, Api


def test_request_is_rejected_when_the_credentials_are_wrong(api: Api) -> None:
    assert api.expect_error("version", ltoken="wrong") == (401, "Authentication failed for user admin")
    assert api.expect_error("version", ltoken=LTOKENS["alice"]) == (401, "Authentication failed for user admin")
    assert api.expect_error("version", ltoken="") == (401, "Authentication failed for user admin")
    assert api.expect_error("version", user="myself") == (401, "Authentication failed for user myself")


def test_web_api_requires_a_permission(api: Api) -> None:
    api.user = "bob"
    for action in ("version", "projects", "foo"):
        assert api.expect_error(action) == (403, "User bob does not have the Web API access permission")


def test_any_user_name_is_accepted_when_access_control_is_disabled(api: Api, sandbox: Any) -> None:
    sandbox.switch("review", access_control=False)
    api.user = "whoever"
    assert len(api.records("projects")) == 2
    api.write("create_role", name="dev")
    api.write("create_view", project="mobile-app", name="v", query="x")
    assert api.records("views", project="mobile-app")[1]["creator"] == "whoever"


def test_project_admin_has_access_to_own_projects_only(api: Api) -> None:
    api.user = "alice"
    assert [project["name"] for project in api.records("projects")] == ["platform"]
    assert api.expect_error("views", project="mobile-app") == (404, "Project not found: mobile-app")
    api.write("update_project", name="platform", description="mine")
    api.write("update_role_assignment", name="Project admin", project="platform", account="bob")
    assert api.expect_error("create_role", name="r") == (403, "User alice does not have the manage_roles permission")
    assert api.expect_error("create_user", name="u") == (403, "User alice does not have the manage_users permission")
    assert api.expect_error("create_group", name="g") == (403, "User alice does not have the manage_users permission")
    assert api.expect_error("update_role_assignment", name="Project admin", account="bob")[0] == 403
    assert api.expect_error("license_count") == (403, "User alice is not a Projects root admin")
    assert api.expect_error("task_status") == (403, "User alice is not a Projects root admin")


def test_permissions_are_inherited_from_groups(api: Api) -> None:
    api.write("create_role", name="api", webapi_access="true", change_project_settings="false")
    api.write("update_role_assignment", name="api", account="developers", group="true", project="mobile_app")
    api.user = "bob"
    assert [project["name"] for project in api.records("projects")] == ["mobile-app"]
    assert api.expect_error("update_project", name="mobile-app")[0] == 403


def test_ltoken_file_is_updated_by_seeds_and_resets(sandbox: Any) -> None:
    path = pathlib.Path(sandbox.environment["KLOCWORK_LTOKEN"])
    default = path.read_text()
    sandbox.seed({"review": {"users": [{"name": "carol", "ltoken": "c" * 64}]}})
    assert path.read_text().splitlines()[-1].endswith(f";carol;{'c' * 64}")
    sandbox.seed({}, reset=True)
    assert path.read_text() == ""
    sandbox.reset()
    assert path.read_text() == default


def test_ltoken_file_is_exported(api: Api, sandbox: Any) -> None:
    assert sandbox.environment["KLOCWORK_URL"] == f"{sandbox.url}/analysis"
    path = pathlib.Path(sandbox.environment["KLOCWORK_LTOKEN"])
    assert path.stat().st_mode & 0o777 == 0o600
    port = sandbox.url.rsplit(":")[-1]
    assert path.read_text().splitlines() == [f"127.0.0.1;{port};{user};{LTOKENS[user]}" for user in LTOKENS]
