# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from support.conversation import Call, call, conversation
from support.review_server import ACCOUNT, act, projects, records, refusal
from support.running import run

TEMPLATE = {
    "id": "MASTER_klocwork",
    "name": "MASTER_klocwork",
    "creator": "wbh",
    "description": "the template project",
}
SPEECH = {
    "id": "sds__speech_service__jpcc_sds",
    "name": "sds__speech.service__jpcc-sds",
    "creator": "wbh",
    "description": "",
    "tags": ["security", "c"],
}


def run_task(answer: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(answer) as server:
        return run("review_project_info", url=server.url, **ACCOUNT, **parameters)


def test_projects_are_listed_by_name() -> None:
    assert run_task(act("projects", text=records(SPEECH, TEMPLATE))) == {
        "changed": False,
        "projects": [{**TEMPLATE, "tags": []}, {**SPEECH, "tags": ["c", "security"]}],
        "configuration": None,
        "taxonomies": None,
    }


def test_project_is_found_by_exact_name() -> None:
    answer = act("projects", text=records(TEMPLATE, SPEECH))
    assert [project["id"] for project in run_task(answer, name="MASTER_klocwork")["projects"]] == ["MASTER_klocwork"]
    answer = act("projects", text=records(TEMPLATE, SPEECH))
    assert run_task(answer, name="sds__speech_service__jpcc_sds")["projects"] == []


def test_check_mode_sends_post_requests_that_read() -> None:
    assert len(run_task(act("projects", text=records(TEMPLATE)), check_mode=True)["projects"]) == 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", []),
        ("\n", []),
        (records(TEMPLATE), ["MASTER_klocwork"]),
        (records(TEMPLATE).rstrip("\n"), ["MASTER_klocwork"]),
        (records(TEMPLATE) + "\n" + records(SPEECH), ["MASTER_klocwork", "sds__speech.service__jpcc-sds"]),
        (records(TEMPLATE).replace("\n", "\r\n"), ["MASTER_klocwork"]),
        (records({**TEMPLATE, "name": "a=b"}), ["a=b"]),
        (records({**TEMPLATE, "name": "Prüfung\u2028x"}), ["Prüfung\u2028x"]),
        ('{"id":"p","name":"Prüfung\u2028x"}\n', ["Prüfung\u2028x"]),
    ],
)
def test_records_are_read_by_line(text: str, names: list[str]) -> None:
    assert [project["name"] for project in run_task(act("projects", text=text))["projects"]] == names


@pytest.mark.parametrize(
    "text",
    [
        "<html><body>Sign in</body></html>",
        records(TEMPLATE) + records(SPEECH)[:40],
        '"text"\n',
        "[]\n",
    ],
    ids=["html", "truncated", "text", "list"],
)
def test_task_fails_when_line_is_not_a_record(text: str) -> None:
    result = run_task(act("projects", text=text))
    assert result["failed"]
    assert "the action 'projects': a line is not a record" in result["msg"]


def test_request_is_retried_when_response_is_truncated() -> None:
    cut_off = call("POST", "/review/api", text=records(TEMPLATE), headers={"Content-Length": "5000"})
    with conversation(cut_off, act("projects", text=records(TEMPLATE, SPEECH))) as server:
        result = run("review_project_info", url=server.url, **ACCOUNT)
    assert len(result["projects"]) == 2
    assert "1 request(s) were retried" in result["warnings"][0]


@pytest.mark.parametrize("status", [200, 400, 404, 500])
def test_error_record_fails_with_any_status(status: int) -> None:
    result = run_task(act("projects", status, text=refusal(max(status, 400), "Project not found: p")))
    assert result["failed"]
    assert f"{max(status, 400)} Project not found: p" in result["msg"]


def test_record_with_text_status_is_accepted() -> None:
    record = {**TEMPLATE, "status": "Analyze", "message": "Null pointer"}
    assert len(run_task(act("projects", text=records(record)))["projects"]) == 1


def test_request_is_retried_when_server_is_overloaded() -> None:
    busy = act("projects", 503, text="busy")
    with conversation(busy, act("projects", text=records(TEMPLATE))) as server:
        result = run("review_project_info", url=server.url, **ACCOUNT)
    assert len(result["projects"]) == 1
    assert "1 request(s) were retried" in result["warnings"][0]


def test_large_list_is_streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MAX_BODY_SIZE", 2**16)
    names = [(f"project {number:05}", str(number)) for number in range(8000)]
    with conversation(projects(*names)) as server:
        result = run("review_project_info", url=server.url, **ACCOUNT)
    assert [project["name"] for project in result["projects"]] == [name for name, _id in names]


CONFIGURATION = {
    "build": "2019-07-17-26",
    "creationDate": "Wed Jul 17 23:42:46 HKT 2019",
    "version": "19.1.0.57",
    "numberOfFiles": "1638",
    "linesOfCode": "49741",
    "taxonomies": "Metrics, C and C++",
}


def test_streams_are_requested() -> None:
    stream = {**TEMPLATE, "name": "MASTER_klocwork/main"}
    result = run_task(act("projects", include_streams="true", text=records(TEMPLATE, stream)), streams=True)
    assert [project["name"] for project in result["projects"]] == ["MASTER_klocwork", "MASTER_klocwork/main"]


@pytest.mark.parametrize("build", [{}, {"build": "2019-07-17-26"}])
def test_configuration_contains_typed_and_raw_values(build: dict[str, str]) -> None:
    name = TEMPLATE["name"]
    request = act("project_configuration", project=name, **build, text=records(CONFIGURATION))
    with conversation(act("projects", text=records(TEMPLATE)), request) as server:
        result = run("review_project_info", url=server.url, name=name, configuration=True, **build, **ACCOUNT)
    assert result["configuration"] == {
        "build": "2019-07-17-26",
        "version": "19.1.0.57",
        "taxonomies": ["C and C++", "Metrics"],
        "figures": {"numberOfFiles": 1638, "linesOfCode": 49741},
        "raw": CONFIGURATION,
    }


def test_names_of_digits_are_not_figures() -> None:
    document = {**CONFIGURATION, "build": "20190717", "version": "24", "more": "9" * 5000}
    request = act("project_configuration", project="MASTER_klocwork", text=records(document))
    with conversation(act("projects", text=records(TEMPLATE)), request) as server:
        result = run("review_project_info", url=server.url, name="MASTER_klocwork", configuration=True, **ACCOUNT)
    assert result["configuration"]["figures"] == {"numberOfFiles": 1638, "linesOfCode": 49741}


def test_task_fails_without_configuration() -> None:
    request = act("project_configuration", project="MASTER_klocwork")
    with conversation(act("projects", text=records(TEMPLATE)), request) as server:
        result = run("review_project_info", url=server.url, name="MASTER_klocwork", configuration=True, **ACCOUNT)
    assert result["msg"] == "Expected one configuration for project 'MASTER_klocwork', but the server returned 0."


def test_taxonomies_are_listed_by_name() -> None:
    text = records({"name": "Java", "is_custom": False}, {"name": "C and C++", "is_custom": True})
    request = act("taxonomies", project="MASTER_klocwork", text=text)
    with conversation(act("projects", text=records(TEMPLATE)), request) as server:
        result = run("review_project_info", url=server.url, name="MASTER_klocwork", taxonomies=True, **ACCOUNT)
    assert result["taxonomies"] == [{"name": "C and C++", "custom": True}, {"name": "Java", "custom": False}]


def test_no_details_are_requested_for_missing_project() -> None:
    result = run_task(act("projects", text=records(TEMPLATE)), name="x", configuration=True, taxonomies=True)
    assert (result["projects"], result["configuration"], result["taxonomies"]) == ([], None, None)
