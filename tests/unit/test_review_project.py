# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.admin_program import Program
from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

APP = {"id": "app", "name": "app", "creator": "admin", "description": "The app", "tags": ["ios", "android"]}
OTHER = {"id": "other", "name": "other", "creator": "admin", "description": ""}
UNTOLD = {"auto_delete_builds": None, "auto_delete_threshold": None}
SHOWN = {**APP, "tags": ["android", "ios"], **UNTOLD}


def list_call(*entries: dict[str, Any]) -> Call:
    return act("projects", text=records(OTHER, *entries))


def version(major: str) -> Call:
    return act("version", text=records({"majorVersion": major, "minorVersion": "1.0"}))


def update(name: str = "app", **fields: Any) -> Call:
    return act("update_project", name=name, **fields)


def project(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_project", url=server.url, **{"name": "app", **options}, **ACCOUNT)


def test_second_run_sends_one_read() -> None:
    result = project(list_call(APP), description="The app", tags=["ios", "android", "ios"])
    assert result == {"changed": False, "project": SHOWN}


@pytest.mark.parametrize(
    ("options", "sent", "stored"),
    [
        ({"description": ""}, {"description": ""}, {"description": ""}),
        ({"tags": []}, {"tags": ""}, {"tags": []}),
        ({"tags": ["a, b", "ios"]}, {"tags": "a\\, b,ios"}, {"tags": ["a, b", "ios"]}),
    ],
)
def test_only_differences_are_sent(options: dict[str, Any], sent: dict[str, str], stored: dict[str, Any]) -> None:
    assert project(list_call(APP), update(**sent), list_call({**APP, **stored}), **options)["changed"]


def test_project_is_renamed_once() -> None:
    renamed = {**APP, "name": "apps"}
    done = project(list_call(APP), update(new_name="apps"), list_call(renamed), new_name="apps")
    assert (done["changed"], done["project"]["name"]) == (True, "apps")
    assert not project(list_call(renamed), new_name="apps")["changed"]
    result = project(list_call(APP), new_name="other")
    assert result["msg"] == "Option 'new_name': another project 'other' already exists."
    assert project(new_name="x", state="absent")["msg"] == "Option 'new_name': must not be set with 'state: absent'."


def test_unreadable_fields_are_sent_with_other_changes() -> None:
    waiting = project(list_call(APP), auto_delete_builds=True, auto_delete_threshold=5)
    assert not waiting["changed"]
    assert "Did not send auto_delete_builds, auto_delete_threshold" in waiting["warnings"][0]
    sent = update(description="x", auto_delete_builds="true")
    along = project(
        list_call(APP), sent, list_call({**APP, "description": "x"}), description="x", auto_delete_builds=True
    )
    assert (along["changed"], along["project"]["auto_delete_builds"]) == (True, True)
    options = {"auto_delete_threshold": 5, "update_unreadable": "always"}
    always = project(list_call(APP), update(auto_delete_threshold="5"), list_call(APP), **options)
    assert (always["changed"], always["project"]["auto_delete_threshold"]) == (True, 5)


def test_project_is_created_by_newer_servers() -> None:
    plain = {**APP, "description": ""}
    del plain["tags"]
    calls = [list_call(), version("2023"), act("create_project", name="app"), list_call(plain)]
    assert project(*calls)["project"] == {**SHOWN, "description": "", "tags": []}
    created = [list_call(), version("23"), act("create_project", name="app")]
    set_then = update(description="The app", tags="android,ios", auto_delete_threshold="5")
    options = {"description": "The app", "tags": ["ios", "android"], "auto_delete_threshold": 5}
    assert project(*created, set_then, list_call(APP), **options)["project"] == {**SHOWN, "auto_delete_threshold": 5}


def test_task_fails_when_update_after_creation_fails() -> None:
    created = [list_call(), version("23"), act("create_project", name="app")]
    lost = act("update_project", drop=True, name="app", description="The app")
    result = project(*created, lost, list_call({**APP, "description": ""}), description="The app")
    assert "Reading back shows a part of the change, but these fields of the project do not" in result["msg"]
    assert result["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("major", ["20", "2020"])
def test_creation_is_refused_for_older_servers(major: str, check_mode: bool) -> None:
    result = project(list_call(), version(major), check_mode=check_mode)
    assert f"Cannot create project 'app': the Web API of this server ({major}.1.0) does not support it" in result["msg"]
    assert "kwadmin create-project" in result["msg"]


def test_check_mode_predicts_change() -> None:
    assert project(list_call(), version("23"), check_mode=True)["project"] == {
        **SHOWN,
        "id": None,
        "creator": None,
        "description": "",
        "tags": [],
    }


def test_project_is_deleted_once() -> None:
    deleted = act("delete_project", name="app")
    removed = project(list_call(APP), deleted, list_call(), state="absent", allow_delete=True)
    assert removed == {"changed": True, "project": None}
    assert project(list_call(), state="absent") == {"changed": False, "project": None}


EMPTY = act("projects")
UNKNOWN = act("modules", 404, project="app", text=refusal(404, "Project not found: app"))
DEFAULT_MODULE = act("modules", project="app", text=records({"name": "*default*", "allowAll": True}))


def test_absence_is_not_assumed_when_response_is_empty() -> None:
    assert project(EMPTY, UNKNOWN, state="absent") == {"changed": False, "project": None}
    lost = project(EMPTY, DEFAULT_MODULE, state="absent")
    assert lost["msg"].startswith(
        "Cannot list the projects: the body of the response was lost. The list is empty, but project 'app' has modules"
    )
    assert (
        "403 no" in project(EMPTY, act("modules", 403, project="app", text=refusal(403, "no")), state="absent")["msg"]
    )


def builds(project: str, *names: str) -> Call:
    return act("builds", project=project, text=records(*({"id": 1, "name": name} for name in names)))


def no_builds(project: str) -> list[Call]:
    refused = act("project_configuration", 404, project=project, text=refusal(404, "Build not found"))
    return [builds(project), refused]


STREAMS = act("projects", include_streams="true", text=records(APP, {**APP, "id": "s", "name": "app/s"}, OTHER))


@pytest.mark.parametrize("check_mode", [True, False])
def test_project_with_builds_is_kept_without_allow_delete(check_mode: bool) -> None:
    result = project(list_call(APP), STREAMS, builds("app", "b1", "b2"), state="absent", check_mode=check_mode)
    assert result["msg"].startswith("Option 'allow_delete': must be true to delete 'app': 'app' has 2 build(s)")
    calls = [list_call(APP), STREAMS, *no_builds("app"), builds("app/s", "b1")]
    result = project(*calls, state="absent", check_mode=check_mode)
    assert result["msg"].startswith("Option 'allow_delete': must be true to delete 'app': 'app/s' has 1 build(s)")


def test_project_without_builds_is_deleted() -> None:
    alone = act("projects", include_streams="true", text=records(APP))
    calls = [list_call(APP), alone, *no_builds("app"), act("delete_project", name="app"), list_call()]
    assert project(*calls, state="absent")["changed"]


def test_refusal_is_reported() -> None:
    refused = act("update_project", 403, name="app", tags="", text=refusal(403, "No change_project_settings"))
    assert "403 No change_project_settings." in project(list_call(APP), refused, tags=[])["msg"]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def run_with_tool(program: Program, *calls: Call, **options: Any) -> dict[str, Any]:
    return project(*calls, use_admin_tool=True, admin_tool=program.words, **options)


@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("auto_delete_threshold=5", {"auto_delete_builds": True, "auto_delete_threshold": 5}),
        ("  auto_delete_threshold : 5 ", {"auto_delete_builds": True, "auto_delete_threshold": 5}),
        ("auto_delete_threshold\t5", {"auto_delete_builds": True, "auto_delete_threshold": 5}),
        ("auto_delete_threshold=null", {"auto_delete_builds": False, "auto_delete_threshold": None}),
        ("auto_delete_threshold=", {"auto_delete_builds": False, "auto_delete_threshold": None}),
    ],
)
def test_kwadmin_reports_auto_delete_settings(program: Program, line: str, settings: dict[str, Any]) -> None:
    program.answers("get-project-properties", out=f"creator=me\n{line}\ndescription=x\n")
    options = {name: value for name, value in settings.items() if value is not None}
    result = run_with_tool(program, list_call(APP), **options)
    assert result == {"changed": False, "project": {**SHOWN, **settings}}
    assert [words[2:] for words in program.words_of_calls()] == [["get-project-properties", "app"]]


def test_auto_delete_settings_are_compared_and_read_back(program: Program) -> None:
    program.answers("get-project-properties", out="auto_delete_threshold=5\n")
    sent = update(auto_delete_threshold="7")
    result = run_with_tool(program, list_call(APP), sent, list_call(APP), auto_delete_threshold=7)
    assert result["msg"].endswith(
        "these fields of the project do not have the requested values: auto_delete_threshold."
    )


def test_unknown_settings_are_not_sent(program: Program) -> None:
    program.answers("get-project-properties", out="creator=me\n")
    waiting = run_with_tool(program, list_call(APP), auto_delete_builds=True)
    assert "Did not send auto_delete_builds" in waiting["warnings"][0]
    program.words_of_calls()
    assert not run_with_tool(program, list_call(APP), description="The app")["changed"]
    assert program.words_of_calls() == []


def test_kwadmin_creates_project_on_older_servers(program: Program) -> None:
    program.answers("create-project")
    program.answers("get-project-properties", out="auto_delete_threshold=5\n")
    sent = update(description="The app", auto_delete_threshold="5")
    options = {"description": "The app", "auto_delete_threshold": 5}
    checked = run_with_tool(program, list_call(), version("20"), check_mode=True, **options)
    assert (checked["changed"], program.words_of_calls()) == (True, [])
    result = run_with_tool(program, list_call(), version("20"), sent, list_call(APP), **options)
    assert (result["changed"], result["project"]["auto_delete_builds"]) == (True, True)
    assert [words[2] for words in program.words_of_calls()] == ["create-project", "get-project-properties"]
    plain = run_with_tool(program, list_call(), version("24"), act("create_project", name="app"), list_call(APP))
    assert (plain["changed"], program.words_of_calls()) == (True, [])


@pytest.mark.parametrize("check_mode", [True, False])
def test_name_like_an_option_is_refused(program: Program, check_mode: bool) -> None:
    result = run_with_tool(program, list_call(), version("20"), name="-x", check_mode=check_mode)
    assert (
        result["msg"] == "'-x' cannot be passed to kwadmin because it looks like an option or a file name. Rename it."
    )
    assert program.words_of_calls() == []


def test_failure_of_kwadmin_is_reported(program: Program) -> None:
    program.answers("create-project", status=1, error="No licence\n")
    result = run_with_tool(program, list_call(), version("20"))
    assert "'kwadmin create-project' failed with exit code 1: No licence." in result["msg"]
