# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of imports and tasks."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.review import Api

SOURCE = {"sourceURL": "http://old:8080", "sourceAdmin": "admin", "sourcePassword": "secret"}
BEGIN = 1_700_000_000


@pytest.fixture(autouse=True)
def frozen_clock(sandbox: Any) -> None:
    """Freeze the clock, and let imports take a minute."""
    sandbox.clock(set=BEGIN, frozen=True)
    sandbox.switch("review", import_seconds=60, list_completed_imports=False)


def test_no_tasks_are_listed_when_the_server_is_idle(api: Api) -> None:
    assert api.post("task_status").content == b""
    assert api.post("import_status").content == b""


def test_project_exists_when_the_import_is_complete(api: Api, sandbox: Any) -> None:
    api.write("import_project", project="old app", **SOURCE)
    sandbox.clock(set=BEGIN + 30)
    (task,) = api.records("task_status")
    assert task == {
        "id": task["id"],
        "type": "Import project",
        "project": "old app",
        "status": "Running",
        "progress": 50,
    }
    (status,) = api.records("import_status")
    assert (status["project"], status["status"]) == ("old app", "Running")
    assert api.expect_error("import_project", project="old app", **SOURCE)[0] == 409
    assert "old app" not in [project["name"] for project in api.records("projects")]
    sandbox.clock(set=BEGIN + 60)
    assert api.records("projects")[-1] == {
        "id": "old_app",
        "name": "old app",
        "creator": "admin",
        "description": "Imported from http://old:8080",
    }
    assert [build["name"] for build in api.records("builds", project="old app")] == ["build_1"]
    assert api.records("task_status") + api.records("import_status") == []
    assert api.expect_error("import_project", project="old app", **SOURCE) == (409, "Project already exists: old app")


def test_import_fails_when_the_switch_is_set(api: Api, sandbox: Any) -> None:
    sandbox.switch("review", import_failure="Authentication failed", list_completed_imports=True)
    api.write("import_project", project="old", **SOURCE)
    assert "message" not in api.records("import_status")[0]
    sandbox.clock(set=BEGIN + 60)
    (status,) = api.records("import_status")
    assert (status["status"], status["message"]) == ("Failed", "Authentication failed")
    assert "old" not in [project["name"] for project in api.records("projects")]
    sandbox.switch("review", list_completed_imports=False)
    assert api.records("import_status") == []


def test_server_configuration_is_imported(api: Api, sandbox: Any) -> None:
    sandbox.switch("review", list_completed_imports=True)
    api.write("import_server_configuration", **SOURCE)
    assert [record["type"] for record in api.records("task_status")] == ["Import server configuration"]
    sandbox.clock(set=BEGIN + 60)
    (status,) = api.records("import_status")
    assert (status["status"], "project" in status) == ("Completed", False)


def test_invalid_imports_are_rejected(api: Api) -> None:
    bad = api.expect_error("import_server_configuration", sourceURL="old:8080", sourceAdmin="admin")
    assert bad == (400, "Invalid value for parameter sourceURL: old:8080")
    assert api.expect_error("import_project", project="x", sourceURL="http://old") == (
        400,
        "Missing required parameter: sourceAdmin",
    )
    api.user = "alice"
    for action in ("import_status", "task_status"):
        assert api.expect_error(action)[0] == 403
    assert api.expect_error("import_project", project="x", **SOURCE)[0] == 403
    assert api.expect_error("import_server_configuration", **SOURCE)[0] == 403
