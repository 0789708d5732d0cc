# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode of tasks whose project, accounts and groups an earlier task would have created."""

from __future__ import annotations

from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, projects, records, refusal
from support.running import run

MODULE = {"project": "app", "name": "ui", "paths": ["**/ui/*"]}
VIEW = {"project": "app", "name": "critical", "query": "severity:1"}
ASSIGNED = {"name": "Triage", "assignments": [{"group": "devs", "project": "app"}, {"account": "carol"}]}
OTHER = ("other", "other")


def no_project(action: str, status: int = 404) -> Call:
    return act(action, status, project="app", text=refusal(status, "Project not found: app"))


def run_task(module: str, *calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run(module, url=server.url, **{"check_mode": True, "predict_missing": True, **options}, **ACCOUNT)


@pytest.mark.parametrize("status", [404, 400])
def test_resources_of_new_project_are_predicted(status: int) -> None:
    module = run_task("review_module", no_project("modules", status), projects(OTHER), **MODULE)
    assert (module["changed"], module["module"]["paths"]) == (True, ["**/ui/*"])
    view = run_task("review_view", no_project("views", status), projects(OTHER), **VIEW)
    assert (view["changed"], view["view"]["query"]) == (True, "severity:1")
    absent = run_task("review_view", no_project("views", status), projects(OTHER), **VIEW, state="absent")
    assert not absent["changed"]


ABSENT = {
    "review_module": ("modules", {"project": "app", "name": "ui"}),
    "review_view": ("views", {"project": "app", "name": "critical"}),
    "review_build": ("builds", {"project": "app", "name": "build_1"}),
}


@pytest.mark.parametrize("module", ABSENT)
@pytest.mark.parametrize("check_mode", [True, False])
def test_nothing_is_deleted_when_project_is_missing(module: str, check_mode: bool) -> None:
    action, task = ABSENT[module]
    options = {"check_mode": check_mode, "state": "absent", **task}
    if module != "review_build":
        options["predict_missing"] = False
    with conversation(no_project(action), projects(OTHER)) as server:
        result = run(module, url=server.url, **options, **ACCOUNT)
    assert (result.get("failed", False), result["changed"]) == (False, False)
    with conversation(no_project(action), projects(OTHER, ("app", "app"))) as server:
        assert "Project not found: app" in run(module, url=server.url, **options, **ACCOUNT)["msg"]
    with conversation(no_project(action, 403)) as server:
        assert "403 Project not found: app" in run(module, url=server.url, **options, **ACCOUNT)["msg"]


@pytest.mark.parametrize("module", ABSENT)
def test_absence_is_not_assumed_when_project_list_is_empty(module: str) -> None:
    action, task = ABSENT[module]
    options = {**task, "state": "absent", **ACCOUNT}
    with conversation(no_project(action), projects(), no_project("modules")) as server:
        assert "failed" not in run(module, url=server.url, **options)
    default = act("modules", project="app", text=records({"name": "*default*", "allowAll": True}))
    with conversation(no_project(action), projects(), default) as server:
        message = run(module, url=server.url, **options)["msg"]
    assert message.startswith(
        "Cannot list the projects: the body of the response was lost. The list is empty, but project 'app' has modules"
    )
    with conversation(no_project(action), projects(), act("modules", project="app")) as server:
        message = run(module, url=server.url, **options)["msg"]
    assert message.startswith("The action 'modules' returned an empty list, but always returns the module")


def test_other_refusals_are_reported() -> None:
    result = run_task("review_module", no_project("modules", 403), **MODULE)
    assert "Project not found: app" in result["msg"]
    result = run_task("review_module", no_project("modules"), projects(("app", "app")), **MODULE)
    assert "Project not found: app" in result["msg"]


@pytest.mark.parametrize("options", [{"check_mode": False}, {"predict_missing": False}])
def test_missing_project_fails_without_predict_missing(options: dict[str, Any]) -> None:
    advice = PREDICT_MISSING * options.get("check_mode", True)
    for module, action, task in (("review_module", "modules", MODULE), ("review_view", "views", VIEW)):
        result = run_task(module, no_project(action), projects(OTHER), **task, **options)
        assert (
            result["msg"]
            == f"Option 'project': project 'app' does not exist, or the account has no access to it.{advice}"
        )
    role = run_task("review_role", projects(OTHER), **ASSIGNED, **options)
    assert role["msg"].startswith("Option 'assignments': project 'app' does not exist")


@pytest.mark.parametrize("there", [False, True])
def test_assignments_to_predicted_groups_are_predicted(there: bool) -> None:
    text = records({"name": "Triage", "readonly": False, "permissions": [], "statusPermissions": []}) if there else ""
    calls = [act("roles", search="+Triage", text=text)]
    if there:
        calls.append(act("role_assignments", search="+Triage", text=records({"name": "Triage", "assignments": []})))
    result = run_task("review_role", *calls, projects(OTHER), **ASSIGNED)
    assert result["changed"]
    assert [entry["project"] for entry in result["role"]["assignments"]] == [None, "app"]
