# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, projects, records, refusal
from support.running import ctrl_c, run

SOURCE = {"source_url": "https://old.example.com:8443/", "source_username": "root", "source_password": "s3cret+1"}
SENT = {"sourceURL": "https://old.example.com:8443", "sourceAdmin": "root", "sourcePassword": "s3cret+1"}
OTHER, APP = ("other", "other"), ("app", "app")
FOUND = {"id": "app", "name": "app", "creator": "admin", "description": "", "tags": []}
PLAN = {"action": "import", "source": "https://old.example.com:8443", "project": "app"}
SOON = {"wait_delay": 0.1, "wait_timeout": 60}
RUNNING = {"project": "app", "status": "Running"}
BEGIN = act("import_project", project="app", **SENT)


def looks(imports: tuple[dict[str, Any], ...] = (), tasks: tuple[dict[str, Any], ...] = ()) -> list[Call]:
    return [act("task_status", text=records(*tasks)), act("import_status", text=records(*imports))]


def project(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_project_import", url=server.url, **{"name": "app", **SOURCE, **SOON, **options}, **ACCOUNT)


def configuration(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_server_import", url=server.url, **{**SOURCE, **SOON, **options}, **ACCOUNT)


def test_a_project_that_is_there_is_not_imported() -> None:
    assert project(projects(APP)) == {"changed": False, "plan": None, "project": FOUND}


def test_a_project_is_imported_and_waited_for() -> None:
    under_way = [*looks((RUNNING,)), projects(OTHER)]
    over = [*looks(), projects(APP), projects(APP)]
    result = project(projects(OTHER), *looks(), BEGIN, *under_way, *over)
    assert result == {"changed": True, "plan": PLAN, "project": FOUND}


@pytest.mark.parametrize(
    "told",
    [
        [],
        [{"project": "app", "status": "Completed"}],
        [{"what": "app", "State": "finished"}],
        [{"id": 9, "status": "Done"}],
        [{"project": "app", "status": "Succeeded"}],
        [{"project": "app", "status": "IMPORT_FINISHED"}],
        [{"project": "app", "status": "Completed without errors"}],
        [{"project": "app", "status": "Completed, 0 errors"}],
    ],
)
def test_a_server_may_tell_of_what_has_ended_or_not(told: list[dict[str, Any]]) -> None:
    result = project(projects(), *looks(), BEGIN, *looks(tuple(told)), projects(APP), projects(APP))
    assert result["changed"]


def test_a_project_that_is_there_before_the_end_is_waited_for() -> None:
    task = {"type": "Import", "project": "app", "status": "Running", "progress": 90}
    half = [*looks(tasks=(task,)), projects(APP)]
    result = project(projects(), *looks(), BEGIN, *half, *looks(), projects(APP), projects(APP))
    assert result["project"] == FOUND


def test_tasks_and_imports_of_others_are_left_alone() -> None:
    others = ({"project": "else", "status": "Running"}, {"project": "else", "status": "Failed"})
    load = {"type": "Load", "project": "else", "status": "Running"}
    mine = {"project": "app", "status": "Completed"}
    calls = [*looks(others, (load,)), BEGIN, *looks((*others, mine), (load,)), projects(APP), projects(APP)]
    assert project(projects(), *calls)["changed"]


@pytest.mark.parametrize("status", ["IMPORT_FAILED", "Unsuccessful", "Completed with errors", "done, 10 errors"])
def test_a_failure_is_known_by_its_words(status: str) -> None:
    result = project(projects(), *looks(), BEGIN, *looks(({"project": "app", "status": status},)), projects(APP))
    assert result["msg"].startswith("The import failed.")


def test_a_failure_is_told_in_the_words_of_the_server() -> None:
    failed = {"project": "app", "status": "Failed", "message": "no such account, s3cret+1"}
    result = project(projects(), *looks(), BEGIN, *looks((failed,)), projects())
    assert result["msg"].startswith('The import failed. Its record: {"project": "app", "status": "Failed"')
    assert result["changed"]
    assert "s3cret" not in str(result)


def test_an_import_that_ends_without_a_project_is_a_failure() -> None:
    gone = [*looks((RUNNING,)), projects(), *looks(), projects(), *looks(), projects()]
    assert project(projects(), *looks(), BEGIN, *gone)["msg"] == (
        "The import has finished, but project 'app' does not exist. See the log of the server."
    )


def test_waiting_has_an_end() -> None:
    look = [*looks(), projects()]
    result = project(projects(), *looks(), BEGIN, *look, wait_timeout=0)
    assert result["msg"] == "Waited 0 s, but project 'app' does not exist, and the server lists no import of it."


def test_an_interruption_of_the_wait_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    monkeypatch.setattr(time, "sleep", ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        project(projects(), *looks(), BEGIN, *looks((RUNNING,)), projects(), last_words=words.append)
    assert words == ["interrupted while the import was running. The server continues the import."]


def test_nothing_is_waited_for_unasked() -> None:
    result = project(projects(), *looks(), BEGIN, projects(), wait=False)
    assert result == {"changed": True, "plan": PLAN, "project": None}


def test_an_import_that_is_under_way_is_waited_for() -> None:
    ended = {"project": "app", "status": "Failed"}
    calls = [*looks((ended, RUNNING)), *looks((ended,)), projects(APP), projects(APP)]
    result = project(projects(), *calls)
    assert (result["changed"], result["plan"]["action"], result["project"]) == (False, "wait", FOUND)


def test_force_imports_what_is_there() -> None:
    over = [*looks(), projects(APP), *looks(), projects(APP), projects(APP)]
    result = project(projects(APP), *looks(), BEGIN, *over, force=True)
    assert result["changed"]


def test_an_import_of_an_existing_project_is_not_proven_by_the_project() -> None:
    lost = act("import_project", drop=True, project="app", **SENT)
    unknown = project(projects(APP), *looks(), lost, *looks(), force=True)
    assert "Whether the request had its effect is not known." in unknown["msg"]


def test_check_mode_tells_the_plan() -> None:
    result = project(projects(), *looks(), check_mode=True)
    assert result == {"changed": True, "plan": PLAN, "project": None}
    result = configuration(*looks(), check_mode=True)
    assert result == {"changed": True, "plan": {"action": "import", "source": PLAN["source"]}}


def test_a_lost_reply_is_resolved_by_what_the_server_tells() -> None:
    lost = act("import_project", drop=True, project="app", **SENT)
    begun = [*looks((RUNNING,)), *looks((RUNNING,)), projects(), *looks(), projects(APP), projects(APP)]
    result = project(projects(), *looks(), lost, *begun)
    assert result["changed"]
    assert result["warnings"][0].endswith("The server lists the import, so it was started.")
    unknown = project(projects(), *looks(), lost, *looks(), projects())
    assert "Whether the request had its effect is not known." in unknown["msg"]


def test_a_refusal_is_told() -> None:
    refused = act("import_project", 409, project="app", text=refusal(409, "Project is being imported"), **SENT)
    result = project(projects(), *looks(), refused)
    assert (result["changed"], "409 Project is being imported." in result["msg"]) == (False, True)


def test_the_configuration_of_a_server_is_imported_each_time() -> None:
    begin = act("import_server_configuration", **SENT)
    running = {"type": "server", "status": "Running"}
    calls = [*looks(), begin, *looks((running,)), *looks(({**running, "status": "Completed"},))]
    assert configuration(*calls) == {"changed": True, "plan": {"action": "import", "source": PLAN["source"]}}
    without = act("import_server_configuration", sourceURL=PLAN["source"], sourceAdmin="root")
    assert configuration(*looks(), without, *looks(), *looks(), source_password=None)["changed"]


CONFIGURE = act("import_server_configuration", **SENT)
BEFORE = {"id": 1, "type": "server", "source": "https://else.example.com", "status": "Running"}
OF_OTHERS = {"id": 2, "type": "project", "project": "else", "source": PLAN["source"], "status": "Failed"}
OWN = {"id": 3, "type": "server", "source": PLAN["source"], "status": "Running"}
FAILED_BEFORE, COMPLETED = {**BEFORE, "status": "Failed"}, {**OWN, "status": "Completed"}


def test_imports_of_others_are_ignored() -> None:
    first = looks((FAILED_BEFORE, OF_OTHERS, OWN), ({**OWN, "id": 9},))
    later = {**COMPLETED, "id": 4, "status": "Failed"}
    assert configuration(*looks((BEFORE,)), CONFIGURE, *first, *looks((FAILED_BEFORE, COMPLETED, later)))["changed"]
    failed = configuration(
        *looks((BEFORE,)), CONFIGURE, *looks(({**BEFORE, "status": "Completed"}, {**OWN, "status": "Failed"}))
    )
    assert '"id": 3' in failed["msg"]


def test_a_record_without_an_id_is_recognized_by_what_stays_the_same() -> None:
    before = {"type": "server", "status": "Running", "progress": 3}
    after = {"type": "server", "status": "Failed", "progress": 3}
    under_way = looks((after, {**before, "progress": 1}))
    ended = looks((after, {**before, "status": "Completed", "progress": 100}))
    assert configuration(*looks((before,)), CONFIGURE, *under_way, *ended)["changed"]


def test_a_failed_import_that_may_be_of_others_is_reported_as_such() -> None:
    two = ({"id": 5, "status": "Failed"}, {"id": 6, "status": "Completed"})
    message = configuration(*looks(), CONFIGURE, *looks(two))["msg"]
    assert message.startswith("One of 2 imports that started at the same time failed")


def test_another_import_does_not_prove_that_a_lost_request_had_its_effect() -> None:
    lost = act("import_server_configuration", drop=True, **SENT)
    unknown = configuration(*looks(), lost, *looks((BEFORE, {"id": 5, "status": "Running"})))
    assert "Whether the request had its effect is not known." in unknown["msg"]
    assert configuration(*looks(), lost, *looks((OWN,)), *looks((COMPLETED,)))["changed"]


def test_a_project_import_ignores_the_imports_of_others() -> None:
    others = ({"id": 7, "project": "else", "status": "Completed"}, {"id": 8, "project": "else", "status": "Failed"})
    mine = {"id": 9, "project": "app", "status": "Running"}
    under_way = [*looks((*others, mine)), projects()]
    over = [*looks((*others, {**mine, "status": "Done"})), projects(APP), projects(APP)]
    assert project(projects(), *looks(), BEGIN, *under_way, *over)["changed"]


def test_an_empty_response_does_not_end_the_wait() -> None:
    under_way = [*looks((OWN,)), *looks(), *looks((OWN,)), *looks(), *looks()]
    assert configuration(*looks(), CONFIGURE, *under_way)["changed"]


@pytest.mark.parametrize("url", ["old", "ftp://old", "http://me:secret@old"])
def test_bad_input_is_refused_before_any_request(url: str) -> None:
    assert "Option 'source_url'" in configuration(source_url=url)["msg"]
