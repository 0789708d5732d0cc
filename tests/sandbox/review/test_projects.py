# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of projects and streams."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import SandboxError
from support.wire.review import Api


def test_project_id_is_derived_from_its_name(api: Api, sandbox: Any) -> None:
    sandbox.seed({"review": {"projects": [{"name": "sds__speech.service__jpcc-sds", "creator": "wbh"}]}})
    assert api.records("projects")[-1]["id"] == "sds__speech_service__jpcc_sds"


def test_project_is_rejected_when_its_id_exists(api: Api, sandbox: Any) -> None:
    def seed(name: str) -> None:
        sandbox.seed({"review": {"projects": [{"name": name, "creator": "admin"}]}})

    with pytest.raises(
        SandboxError, match=r"the projects 'mobile-app' and 'mobile\.app' have the same ID 'mobile_app'"
    ):
        seed("mobile.app")
    api.write("update_project", name="mobile-app", new_name="apps")
    seed("apps")
    assert [project["id"] for project in api.records("projects")] == ["platform", "mobile_app"]
    with pytest.raises(SandboxError, match="have the same ID"):
        seed("mobile-app")


def test_seed_is_rejected_when_an_assignment_names_an_unknown_project(sandbox: Any) -> None:
    role = {"name": "r", "assignments": [{"account": "bob", "project": "x"}]}
    with pytest.raises(SandboxError, match="assignment of a role names the project 'x', which does not exist"):
        sandbox.seed({"review": {"roles": [role]}})


def test_project_is_updated(api: Api) -> None:
    api.write("update_project", name="mobile-app", new_name="apps", tags="ios, android", auto_delete_threshold="5")
    assert api.records("projects")[1] == {
        "id": "mobile_app",
        "name": "apps",
        "creator": "admin",
        "description": "The app",
        "tags": ["ios", "android"],
    }
    assert api.expect_error("update_project", name="mobile-app") == (404, "Project not found: mobile-app")
    assert api.expect_error("update_project", name="apps", new_name="platform") == (
        409,
        "Project already exists: platform",
    )


def test_streams_are_listed_when_the_switch_is_set(api: Api, sandbox: Any) -> None:
    sandbox.seed({"review": {"projects": [{"name": "core", "creator": "admin", "streams": ["main", "main/fix"]}]}})
    assert "core/main" not in [project["name"] for project in api.records("projects", include_streams="true")]
    assert api.expect_error("views", project="core/main")[0] == 404
    sandbox.switch("review", streams=True)
    assert "core/main" not in [project["name"] for project in api.records("projects")]
    names = [project["name"] for project in api.records("projects", include_streams="true")]
    assert names[-3:] == ["core", "core/main", "core/main/fix"]
    assert api.records("views", project="core/main/fix")[0]["name"] == "*default*"
    assert {"name": "create_stream", "enabled": False} in api.records("roles")[0]["permissions"]


def test_project_is_created_when_the_server_is_newer(api: Api, sandbox: Any) -> None:
    assert api.expect_error("create_project", name="web.shop") == (400, "Unknown action: create_project")
    sandbox.switch("review", version_major="23")
    api.write("create_project", name="web.shop")
    assert api.records("projects")[-1] == {"id": "web_shop", "name": "web.shop", "creator": "admin", "description": ""}
    assert [module["name"] for module in api.records("modules", project="web.shop")] == ["*default*"]
    assert [view["name"] for view in api.records("views", project="web.shop")] == ["*default*"]
    assert api.expect_error("create_project", name="web.shop") == (409, "Project already exists: web.shop")
    assert api.expect_error("create_project", name="web-shop")[0] == 409  # has the same ID
    api.user = "alice"
    sandbox.seed({"review": {"roles": [{"name": "Project admin", "permissions": ["webapi_access"]}]}})
    assert api.expect_error("create_project", name="mine")[0] == 403


def test_project_is_deleted_with_its_data(api: Api, sandbox: Any) -> None:
    sandbox.seed({"review": {"projects": [{"name": "core", "creator": "admin", "streams": ["main"]}]}})
    sandbox.switch("review", streams=True)
    api.write("update_role_assignment", name="Project admin", project="core", account="bob")
    api.write("delete_project", name="core")
    names = [project["name"] for project in api.records("projects", include_streams="true")]
    assert names == ["platform", "mobile-app"]
    assert api.expect_error("modules", project="core/main") == (404, "Project not found: core/main")
    assert api.expect_error("delete_project", name="core") == (404, "Project not found: core")
    assert api.records("users", search="bob")[0]["roles"] == []
    api.user = "alice"
    sandbox.seed({"review": {"roles": [{"name": "Project admin", "permissions": ["webapi_access"]}]}})
    assert api.expect_error("delete_project", name="platform")[0] == 403
