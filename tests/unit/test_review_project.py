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


def listed(*found: dict[str, Any]) -> Call:
    return act("projects", text=records(OTHER, *found))


def version(major: str) -> Call:
    return act("version", text=records({"majorVersion": major, "minorVersion": "1.0"}))


def update(name: str = "app", **fields: Any) -> Call:
    return act("update_project", name=name, **fields)


def project(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_project", url=server.url, **{"name": "app", **options}, **ACCOUNT)


def test_a_second_run_reads_once() -> None:
    result = project(listed(APP), description="The app", tags=["ios", "android", "ios"])
    assert result == {"changed": False, "project": SHOWN}


@pytest.mark.parametrize(
    ("options", "sent", "stored"),
    [
        ({"description": ""}, {"description": ""}, {"description": ""}),
        ({"tags": []}, {"tags": ""}, {"tags": []}),
        ({"tags": ["a, b", "ios"]}, {"tags": "a\\, b,ios"}, {"tags": ["a, b", "ios"]}),
    ],
)
def test_only_what_differs_is_sent(options: dict[str, Any], sent: dict[str, str], stored: dict[str, Any]) -> None:
    assert project(listed(APP), update(**sent), listed({**APP, **stored}), **options)["changed"]


def test_a_project_is_renamed_once() -> None:
    renamed = {**APP, "name": "apps"}
    done = project(listed(APP), update(new_name="apps"), listed(renamed), new_name="apps")
    assert (done["changed"], done["project"]["name"]) == (True, "apps")
    assert not project(listed(renamed), new_name="apps")["changed"]
    taken = project(listed(APP), new_name="other")
    assert taken["msg"] == "Option 'new_name': another project 'other' already exists."
    assert project(new_name="x", state="absent")["msg"] == "Option 'new_name': must not be set with 'state: absent'."


def test_what_the_server_does_not_tell_goes_along() -> None:
    waiting = project(listed(APP), auto_delete_builds=True, auto_delete_threshold=5)
    assert not waiting["changed"]
    assert "Did not send auto_delete_builds, auto_delete_threshold" in waiting["warnings"][0]
    sent = update(description="x", auto_delete_builds="true")
    along = project(listed(APP), sent, listed({**APP, "description": "x"}), description="x", auto_delete_builds=True)
    assert (along["changed"], along["project"]["auto_delete_builds"]) == (True, True)
    options = {"auto_delete_threshold": 5, "update_unreadable": "always"}
    always = project(listed(APP), update(auto_delete_threshold="5"), listed(APP), **options)
    assert (always["changed"], always["project"]["auto_delete_threshold"]) == (True, 5)


def test_a_new_server_creates_a_project() -> None:
    plain = {**APP, "description": ""}
    del plain["tags"]
    calls = [listed(), version("2023"), act("create_project", name="app"), listed(plain)]
    assert project(*calls)["project"] == {**SHOWN, "description": "", "tags": []}
    created = [listed(), version("23"), act("create_project", name="app")]
    set_then = update(description="The app", tags="android,ios", auto_delete_threshold="5")
    options = {"description": "The app", "tags": ["ios", "android"], "auto_delete_threshold": 5}
    assert project(*created, set_then, listed(APP), **options)["project"] == {**SHOWN, "auto_delete_threshold": 5}


def test_what_is_left_after_a_creation_is_no_success() -> None:
    created = [listed(), version("23"), act("create_project", name="app")]
    lost = act("update_project", drop=True, name="app", description="The app")
    result = project(*created, lost, listed({**APP, "description": ""}), description="The app")
    assert "Reading back shows a part of the change, but these fields of the project do not" in result["msg"]
    assert result["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("major", ["20", "2020"])
def test_an_old_server_creates_none(major: str, check_mode: bool) -> None:
    result = project(listed(), version(major), check_mode=check_mode)
    assert f"Cannot create project 'app': the Web API of this server ({major}.1.0) does not support it" in result["msg"]
    assert "kwadmin create-project" in result["msg"]


def test_check_mode_predicts() -> None:
    assert project(listed(), version("23"), check_mode=True)["project"] == {
        **SHOWN,
        "id": None,
        "creator": None,
        "description": "",
        "tags": [],
    }


def test_a_project_is_removed_once() -> None:
    deleted = act("delete_project", name="app")
    removed = project(listed(APP), deleted, listed(), state="absent", allow_delete=True)
    assert removed == {"changed": True, "project": None}
    assert project(listed(), state="absent") == {"changed": False, "project": None}


EMPTY = act("projects")
UNKNOWN = act("modules", 404, project="app", text=refusal(404, "Project not found: app"))
DEFAULT_MODULE = act("modules", project="app", text=records({"name": "*default*", "allowAll": True}))


def test_absence_is_not_concluded_when_a_response_is_empty() -> None:
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
def test_a_project_with_builds_is_kept_unless_deletion_is_allowed(check_mode: bool) -> None:
    told = project(listed(APP), STREAMS, builds("app", "b1", "b2"), state="absent", check_mode=check_mode)
    assert told["msg"].startswith("Option 'allow_delete': must be true to delete 'app': 'app' has 2 build(s)")
    calls = [listed(APP), STREAMS, *no_builds("app"), builds("app/s", "b1")]
    told = project(*calls, state="absent", check_mode=check_mode)
    assert told["msg"].startswith("Option 'allow_delete': must be true to delete 'app': 'app/s' has 1 build(s)")


def test_a_project_without_builds_is_deleted() -> None:
    alone = act("projects", include_streams="true", text=records(APP))
    calls = [listed(APP), alone, *no_builds("app"), act("delete_project", name="app"), listed()]
    assert project(*calls, state="absent")["changed"]


def test_a_refusal_is_told() -> None:
    refused = act("update_project", 403, name="app", tags="", text=refusal(403, "No change_project_settings"))
    assert "403 No change_project_settings." in project(listed(APP), refused, tags=[])["msg"]


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


def by_tool(program: Program, *calls: Call, **options: Any) -> dict[str, Any]:
    return project(*calls, use_admin_tool=True, admin_tool=program.words, **options)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("auto_delete_threshold=5", {"auto_delete_builds": True, "auto_delete_threshold": 5}),
        ("  auto_delete_threshold : 5 ", {"auto_delete_builds": True, "auto_delete_threshold": 5}),
        ("auto_delete_threshold\t5", {"auto_delete_builds": True, "auto_delete_threshold": 5}),
        ("auto_delete_threshold=null", {"auto_delete_builds": False, "auto_delete_threshold": None}),
        ("auto_delete_threshold=", {"auto_delete_builds": False, "auto_delete_threshold": None}),
    ],
)
def test_the_administration_tool_tells_what_the_web_api_does_not(
    program: Program, line: str, told: dict[str, Any]
) -> None:
    program.answers("get-project-properties", out=f"creator=me\n{line}\ndescription=x\n")
    wanted = {name: value for name, value in told.items() if value is not None}
    result = by_tool(program, listed(APP), **wanted)
    assert result == {"changed": False, "project": {**SHOWN, **told}}
    assert [words[2:] for words in program.words_of_calls()] == [["get-project-properties", "app"]]


def test_what_the_tool_tells_is_compared_and_read_back(program: Program) -> None:
    program.answers("get-project-properties", out="auto_delete_threshold=5\n")
    sent = update(auto_delete_threshold="7")
    result = by_tool(program, listed(APP), sent, listed(APP), auto_delete_threshold=7)
    assert result["msg"].endswith(
        "these fields of the project do not have the requested values: auto_delete_threshold."
    )


def test_a_tool_that_tells_nothing_changes_nothing(program: Program) -> None:
    program.answers("get-project-properties", out="creator=me\n")
    waiting = by_tool(program, listed(APP), auto_delete_builds=True)
    assert "Did not send auto_delete_builds" in waiting["warnings"][0]
    program.words_of_calls()
    assert not by_tool(program, listed(APP), description="The app")["changed"]
    assert program.words_of_calls() == []


def test_the_tool_creates_a_project_where_the_server_cannot(program: Program) -> None:
    program.answers("create-project")
    program.answers("get-project-properties", out="auto_delete_threshold=5\n")
    sent = update(description="The app", auto_delete_threshold="5")
    options = {"description": "The app", "auto_delete_threshold": 5}
    checked = by_tool(program, listed(), version("20"), check_mode=True, **options)
    assert (checked["changed"], program.words_of_calls()) == (True, [])
    result = by_tool(program, listed(), version("20"), sent, listed(APP), **options)
    assert (result["changed"], result["project"]["auto_delete_builds"]) == (True, True)
    assert [words[2] for words in program.words_of_calls()] == ["create-project", "get-project-properties"]
    plain = by_tool(program, listed(), version("24"), act("create_project", name="app"), listed(APP))
    assert (plain["changed"], program.words_of_calls()) == (True, [])


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_name_that_the_tool_takes_for_an_option_is_refused(program: Program, check_mode: bool) -> None:
    result = by_tool(program, listed(), version("20"), name="-x", check_mode=check_mode)
    assert (
        result["msg"] == "'-x' cannot be passed to kwadmin because it looks like an option or a file name. Rename it."
    )
    assert program.words_of_calls() == []


def test_a_tool_that_fails_is_told(program: Program) -> None:
    program.answers("create-project", status=1, error="No licence\n")
    result = by_tool(program, listed(), version("20"))
    assert "'kwadmin create-project' failed with exit code 1: No licence." in result["msg"]
