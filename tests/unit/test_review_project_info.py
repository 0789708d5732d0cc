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


def listed(answer: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(answer) as server:
        return run("review_project_info", url=server.url, **ACCOUNT, **parameters)


def test_projects_are_listed_by_name() -> None:
    assert listed(act("projects", text=records(SPEECH, TEMPLATE))) == {
        "changed": False,
        "projects": [{**TEMPLATE, "tags": []}, {**SPEECH, "tags": ["c", "security"]}],
        "configuration": None,
        "taxonomies": None,
    }


def test_one_project_is_found_by_its_exact_name() -> None:
    answer = act("projects", text=records(TEMPLATE, SPEECH))
    assert [found["id"] for found in listed(answer, name="MASTER_klocwork")["projects"]] == ["MASTER_klocwork"]
    answer = act("projects", text=records(TEMPLATE, SPEECH))
    assert listed(answer, name="sds__speech_service__jpcc_sds")["projects"] == []


def test_check_mode_reads_although_the_request_is_a_post() -> None:
    assert len(listed(act("projects", text=records(TEMPLATE)), check_mode=True)["projects"]) == 1


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
def test_records_are_read_a_line_at_a_time(text: str, names: list[str]) -> None:
    assert [found["name"] for found in listed(act("projects", text=text))["projects"]] == names


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
def test_a_line_that_is_no_record_is_a_failure(text: str) -> None:
    result = listed(act("projects", text=text))
    assert result["failed"]
    assert "the action 'projects': a line is not a record" in result["msg"]


def test_an_answer_that_is_shorter_than_announced_is_asked_for_again() -> None:
    cut_off = call("POST", "/review/api", text=records(TEMPLATE), headers={"Content-Length": "5000"})
    with conversation(cut_off, act("projects", text=records(TEMPLATE, SPEECH))) as server:
        result = run("review_project_info", url=server.url, **ACCOUNT)
    assert len(result["projects"]) == 2
    assert "1 request(s) had to be repeated" in result["warnings"][0]


@pytest.mark.parametrize("status", [200, 400, 404, 500])
def test_the_error_object_is_a_failure_with_any_status(status: int) -> None:
    result = listed(act("projects", status, text=refusal(max(status, 400), "Project not found: p")))
    assert result["failed"]
    assert f"{max(status, 400)} Project not found: p" in result["msg"]


def test_a_record_with_a_text_status_is_no_error() -> None:
    odd = {**TEMPLATE, "status": "Analyze", "message": "Null pointer"}
    assert len(listed(act("projects", text=records(odd)))["projects"]) == 1


def test_a_server_that_is_overloaded_is_asked_again() -> None:
    busy = act("projects", 503, text="busy")
    with conversation(busy, act("projects", text=records(TEMPLATE))) as server:
        result = run("review_project_info", url=server.url, **ACCOUNT)
    assert len(result["projects"]) == 1
    assert "1 request(s) had to be repeated" in result["warnings"][0]


def test_a_list_beyond_what_fits_into_memory_is_read_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_LARGEST_ANSWER", 2**16)
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


def test_streams_are_asked_for() -> None:
    stream = {**TEMPLATE, "name": "MASTER_klocwork/main"}
    found = listed(act("projects", include_streams="true", text=records(TEMPLATE, stream)), streams=True)
    assert [project["name"] for project in found["projects"]] == ["MASTER_klocwork", "MASTER_klocwork/main"]


@pytest.mark.parametrize("build", [{}, {"build": "2019-07-17-26"}])
def test_the_configuration_is_typed_beside_what_the_server_says(build: dict[str, str]) -> None:
    name = TEMPLATE["name"]
    asked = act("project_configuration", project=name, **build, text=records(CONFIGURATION))
    with conversation(act("projects", text=records(TEMPLATE)), asked) as server:
        found = run("review_project_info", url=server.url, name=name, configuration=True, **build, **ACCOUNT)
    assert found["configuration"] == {
        "build": "2019-07-17-26",
        "version": "19.1.0.57",
        "taxonomies": ["C and C++", "Metrics"],
        "figures": {"numberOfFiles": 1638, "linesOfCode": 49741},
        "raw": CONFIGURATION,
    }


def test_a_name_of_digits_is_no_figure() -> None:
    told = {**CONFIGURATION, "build": "20190717", "version": "24", "more": "9" * 5000}
    asked = act("project_configuration", project="MASTER_klocwork", text=records(told))
    with conversation(act("projects", text=records(TEMPLATE)), asked) as server:
        found = run("review_project_info", url=server.url, name="MASTER_klocwork", configuration=True, **ACCOUNT)
    assert found["configuration"]["figures"] == {"numberOfFiles": 1638, "linesOfCode": 49741}


def test_no_configuration_is_told() -> None:
    asked = act("project_configuration", project="MASTER_klocwork")
    with conversation(act("projects", text=records(TEMPLATE)), asked) as server:
        found = run("review_project_info", url=server.url, name="MASTER_klocwork", configuration=True, **ACCOUNT)
    assert found["msg"] == "Expected one configuration for project 'MASTER_klocwork', but the server returned 0."


def test_taxonomies_are_listed_by_name() -> None:
    told = records({"name": "Java", "is_custom": False}, {"name": "C and C++", "is_custom": True})
    asked = act("taxonomies", project="MASTER_klocwork", text=told)
    with conversation(act("projects", text=records(TEMPLATE)), asked) as server:
        found = run("review_project_info", url=server.url, name="MASTER_klocwork", taxonomies=True, **ACCOUNT)
    assert found["taxonomies"] == [{"name": "C and C++", "custom": True}, {"name": "Java", "custom": False}]


def test_of_a_project_that_is_not_there_nothing_is_asked() -> None:
    found = listed(act("projects", text=records(TEMPLATE)), name="x", configuration=True, taxonomies=True)
    assert (found["projects"], found["configuration"], found["taxonomies"]) == ([], None, None)
