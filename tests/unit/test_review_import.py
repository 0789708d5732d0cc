# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, projects, records, refusal
from support.running import run, send_ctrl_c

SOURCE = {"source_url": "https://old.example.com:8443/", "source_username": "root", "source_password": "s3cret+1"}
SENT = {"sourceURL": "https://old.example.com:8443", "sourceAdmin": "root", "sourcePassword": "s3cret+1"}
OTHER, APP = ("other", "other"), ("app", "app")
FOUND = {"id": "app", "name": "app", "creator": "admin", "description": "", "tags": []}
PLAN = {"action": "import", "source": "https://old.example.com:8443", "project": "app"}
SOON = {"wait_delay": 0.1, "wait_timeout": 60}
RUNNING = {"project": "app", "status": "Running"}
BEGIN = act("import_project", project="app", **SENT)


def polls(imports: tuple[dict[str, Any], ...] = (), tasks: tuple[dict[str, Any], ...] = ()) -> list[Call]:
    return [act("task_status", text=records(*tasks)), act("import_status", text=records(*imports))]


def project(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_project_import", url=server.url, **{"name": "app", **SOURCE, **SOON, **options}, **ACCOUNT)


def configuration(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_server_import", url=server.url, **{**SOURCE, **SOON, **options}, **ACCOUNT)


def test_existing_project_is_not_imported() -> None:
    assert project(projects(APP)) == {"changed": False, "plan": None, "project": FOUND}


def test_task_waits_until_project_is_imported() -> None:
    under_way = [*polls((RUNNING,)), projects(OTHER)]
    over = [*polls(), projects(APP), projects(APP)]
    result = project(projects(OTHER), *polls(), BEGIN, *under_way, *over)
    assert result == {"changed": True, "plan": PLAN, "project": FOUND}


@pytest.mark.parametrize(
    "imports",
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
def test_import_ends_when_listed_as_finished_or_not_at_all(imports: list[dict[str, Any]]) -> None:
    result = project(projects(), *polls(), BEGIN, *polls(tuple(imports)), projects(APP), projects(APP))
    assert result["changed"]


def test_task_waits_when_project_exists_before_import_ends() -> None:
    task = {"type": "Import", "project": "app", "status": "Running", "progress": 90}
    half = [*polls(tasks=(task,)), projects(APP)]
    result = project(projects(), *polls(), BEGIN, *half, *polls(), projects(APP), projects(APP))
    assert result["project"] == FOUND


def test_records_of_other_projects_are_ignored() -> None:
    others = ({"project": "else", "status": "Running"}, {"project": "else", "status": "Failed"})
    load = {"type": "Load", "project": "else", "status": "Running"}
    own_record = {"project": "app", "status": "Completed"}
    calls = [*polls(others, (load,)), BEGIN, *polls((*others, own_record), (load,)), projects(APP), projects(APP)]
    assert project(projects(), *calls)["changed"]


@pytest.mark.parametrize("status", ["IMPORT_FAILED", "Unsuccessful", "Completed with errors", "done, 10 errors"])
def test_failure_is_recognized_by_status(status: str) -> None:
    result = project(projects(), *polls(), BEGIN, *polls(({"project": "app", "status": status},)), projects(APP))
    assert result["msg"].startswith("The import failed.")


def test_failure_is_reported_with_record() -> None:
    failed = {"project": "app", "status": "Failed", "message": "no such account, s3cret+1"}
    result = project(projects(), *polls(), BEGIN, *polls((failed,)), projects())
    assert result["msg"].startswith('The import failed. Its record: {"project": "app", "status": "Failed"')
    assert result["changed"]
    assert "s3cret" not in str(result)


def test_task_fails_when_import_ends_without_project() -> None:
    requests = [*polls((RUNNING,)), projects(), *polls(), projects(), *polls(), projects()]
    assert project(projects(), *polls(), BEGIN, *requests)["msg"] == (
        "The import has finished, but project 'app' does not exist. See the log of the server."
    )


def test_task_fails_after_wait_timeout() -> None:
    requests = [*polls(), projects()]
    result = project(projects(), *polls(), BEGIN, *requests, wait_timeout=0)
    assert result["msg"] == "Waited 0 s, but project 'app' does not exist, and the server lists no import of it."


def test_interruption_of_wait_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    with pytest.raises(KeyboardInterrupt):
        project(projects(), *polls(), BEGIN, *polls((RUNNING,)), projects(), display_interruption=words.append)
    assert words == ["interrupted while the import was running. The server continues the import."]


def test_task_does_not_wait_without_wait() -> None:
    result = project(projects(), *polls(), BEGIN, projects(), wait=False)
    assert result == {"changed": True, "plan": PLAN, "project": None}


def test_task_waits_for_running_import() -> None:
    ended = {"project": "app", "status": "Failed"}
    calls = [*polls((ended, RUNNING)), *polls((ended,)), projects(APP), projects(APP)]
    result = project(projects(), *calls)
    assert (result["changed"], result["plan"]["action"], result["project"]) == (False, "wait", FOUND)


def test_force_imports_existing_project() -> None:
    over = [*polls(), projects(APP), *polls(), projects(APP), projects(APP)]
    result = project(projects(APP), *polls(), BEGIN, *over, force=True)
    assert result["changed"]


def test_existing_project_does_not_prove_import() -> None:
    lost = act("import_project", drop=True, project="app", **SENT)
    unknown = project(projects(APP), *polls(), lost, *polls(), force=True)
    assert "Whether the request had its effect is not known." in unknown["msg"]


def test_check_mode_returns_plan() -> None:
    result = project(projects(), *polls(), check_mode=True)
    assert result == {"changed": True, "plan": PLAN, "project": None}
    result = configuration(*polls(), check_mode=True)
    assert result == {"changed": True, "plan": {"action": "import", "source": PLAN["source"]}}


def test_import_is_found_when_response_is_lost() -> None:
    lost = act("import_project", drop=True, project="app", **SENT)
    begun = [*polls((RUNNING,)), *polls((RUNNING,)), projects(), *polls(), projects(APP), projects(APP)]
    result = project(projects(), *polls(), lost, *begun)
    assert result["changed"]
    assert result["warnings"][0].endswith("Reading back shows that the request had its effect.")
    unknown = project(projects(), *polls(), lost, *polls(), projects())
    assert "Whether the request had its effect is not known." in unknown["msg"]


def test_refusal_is_reported() -> None:
    refused = act("import_project", 409, project="app", text=refusal(409, "Project is being imported"), **SENT)
    result = project(projects(), *polls(), refused)
    assert (result["changed"], "409 Project is being imported." in result["msg"]) == (False, True)


def test_server_configuration_is_imported_on_each_run() -> None:
    begin = act("import_server_configuration", **SENT)
    running = {"type": "server", "status": "Running"}
    calls = [*polls(), begin, *polls((running,)), *polls(({**running, "status": "Completed"},))]
    assert configuration(*calls) == {"changed": True, "plan": {"action": "import", "source": PLAN["source"]}}
    without = act("import_server_configuration", sourceURL=PLAN["source"], sourceAdmin="root")
    assert configuration(*polls(), without, *polls(), *polls(), source_password=None)["changed"]


CONFIGURE = act("import_server_configuration", **SENT)
BEFORE = {"id": 1, "type": "server", "source": "https://else.example.com", "status": "Running"}
OF_OTHERS = {"id": 2, "type": "project", "project": "else", "source": PLAN["source"], "status": "Failed"}
OWN = {"id": 3, "type": "server", "source": PLAN["source"], "status": "Running"}
FAILED_BEFORE, COMPLETED = {**BEFORE, "status": "Failed"}, {**OWN, "status": "Completed"}


def test_other_imports_are_ignored() -> None:
    first = polls((FAILED_BEFORE, OF_OTHERS, OWN), ({**OWN, "id": 9},))
    later = {**COMPLETED, "id": 4, "status": "Failed"}
    assert configuration(*polls((BEFORE,)), CONFIGURE, *first, *polls((FAILED_BEFORE, COMPLETED, later)))["changed"]
    failed = configuration(
        *polls((BEFORE,)), CONFIGURE, *polls(({**BEFORE, "status": "Completed"}, {**OWN, "status": "Failed"}))
    )
    assert '"id": 3' in failed["msg"]


def test_record_without_id_is_recognized_by_stable_members() -> None:
    before = {"type": "server", "status": "Running", "progress": 3}
    after = {"type": "server", "status": "Failed", "progress": 3}
    under_way = polls((after, {**before, "progress": 1}))
    ended = polls((after, {**before, "status": "Completed", "progress": 100}))
    assert configuration(*polls((before,)), CONFIGURE, *under_way, *ended)["changed"]


def test_ambiguous_failure_is_reported() -> None:
    two = ({"id": 5, "status": "Failed"}, {"id": 6, "status": "Completed"})
    message = configuration(*polls(), CONFIGURE, *polls(two))["msg"]
    assert message.startswith("One of 2 imports that started at the same time failed")


def test_other_import_does_not_prove_lost_request() -> None:
    lost = act("import_server_configuration", drop=True, **SENT)
    unknown = configuration(*polls(), lost, *polls((BEFORE, {"id": 5, "status": "Running"})))
    assert "Whether the request had its effect is not known." in unknown["msg"]
    assert configuration(*polls(), lost, *polls((OWN,)), *polls((COMPLETED,)))["changed"]


def test_project_import_ignores_other_imports() -> None:
    others = ({"id": 7, "project": "else", "status": "Completed"}, {"id": 8, "project": "else", "status": "Failed"})
    own_record = {"id": 9, "project": "app", "status": "Running"}
    under_way = [*polls((*others, own_record)), projects()]
    over = [*polls((*others, {**own_record, "status": "Done"})), projects(APP), projects(APP)]
    assert project(projects(), *polls(), BEGIN, *under_way, *over)["changed"]


def test_wait_continues_when_response_is_empty() -> None:
    under_way = [*polls((OWN,)), *polls(), *polls((OWN,)), *polls(), *polls()]
    assert configuration(*polls(), CONFIGURE, *under_way)["changed"]


@pytest.mark.parametrize("url", ["old", "ftp://old", "http://me:secret@old"])
def test_invalid_options_are_refused_before_first_request(url: str) -> None:
    assert "Option 'source_url'" in configuration(source_url=url)["msg"]
