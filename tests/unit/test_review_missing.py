# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode of tasks whose project, accounts and groups an earlier task would have made."""

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, projects, records, refusal
from support.running import run

MODULE = {"project": "app", "name": "ui", "paths": ["**/ui/*"]}
VIEW = {"project": "app", "name": "critical", "query": "severity:1"}
ASSIGNED = {"name": "Triage", "assignments": [{"group": "devs", "project": "app"}, {"account": "carol"}]}
OTHER = ("other", "other")


def no_project(action: str, status: int = 404) -> Call:
    return act(action, status, project="app", text=refusal(status, "Project not found: app"))


def asked(module: str, *calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run(module, url=server.url, **{"check_mode": True, "predict_missing": True, **options}, **ACCOUNT)


@pytest.mark.parametrize("status", [404, 400])
def test_what_a_new_project_would_get_is_predicted(status: int) -> None:
    module = asked("review_module", no_project("modules", status), projects(OTHER), **MODULE)
    assert (module["changed"], module["module"]["paths"]) == (True, ["**/ui/*"])
    view = asked("review_view", no_project("views", status), projects(OTHER), **VIEW)
    assert (view["changed"], view["view"]["query"]) == (True, "severity:1")
    absent = asked("review_view", no_project("views", status), projects(OTHER), **VIEW, state="absent")
    assert not absent["changed"]


def test_a_refusal_for_another_reason_is_one() -> None:
    result = asked("review_module", no_project("modules", 403), projects(("app", "app")), **MODULE)
    assert "Project not found: app" in result["msg"]


@pytest.mark.parametrize("options", [{"check_mode": False}, {"predict_missing": False}])
def test_else_a_missing_project_is_an_error(options: dict[str, Any]) -> None:
    for module, action, task in (("review_module", "modules", MODULE), ("review_view", "views", VIEW)):
        assert "Project not found: app" in asked(module, no_project(action), **task, **options)["msg"]
    role = asked("review_role", projects(OTHER), **ASSIGNED, **options)
    assert role["msg"].startswith("Option 'assignments': there is no project 'app'")


@pytest.mark.parametrize("there", [False, True])
def test_assignments_to_those_who_would_be_there_are_predicted(there: bool) -> None:
    found = records({"name": "Triage", "readonly": False, "permissions": [], "statusPermissions": []}) if there else ""
    calls = [act("roles", search="+Triage", text=found)]
    if there:
        calls.append(act("role_assignments", search="+Triage"))
    result = asked("review_role", *calls, projects(OTHER), **ASSIGNED)
    assert result["changed"]
    assert [entry["project"] for entry in result["role"]["assignments"]] == [None, "app"]
