# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

RECORD = {"name": "a=b", "ids": [1, 2], "more": {"x": None}}


def run_task(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_call", url=server.url, **options, **ACCOUNT)


@pytest.mark.parametrize("check_mode", [True, False])
def test_read_only_action_is_called_in_check_mode(check_mode: bool) -> None:
    answer = act("ci_builds", project="a+b & c,d;%", text=records(RECORD, RECORD))
    result = run_task(
        answer, action="ci_builds", parameters={"project": "a+b & c,d;%"}, read_only=True, check_mode=check_mode
    )
    assert result == {"changed": False, "plan": None, "records": [RECORD, RECORD]}


def test_values_are_encoded_by_type() -> None:
    parameters = {"flag": True, "off": False, "many": ["a,b", "c\\d", 3], "number": 7, "none": None, "empty": ""}
    sent = {"flag": "true", "off": "false", "many": "a\\,b,c\\\\d,3", "number": "7", "empty": ""}
    assert run_task(act("ask", **sent), action="ask", parameters=parameters, read_only=True)["records"] == []


@pytest.mark.parametrize("read_only", [True, False])
def test_parameter_can_have_any_name(read_only: bool) -> None:
    names = {"self": "x", "a b": "y", "": "z"}
    result = run_task(act("ask", text=records(RECORD), **names), action="ask", parameters=names, read_only=read_only)
    assert result["records"]


def test_writing_action_is_planned_and_called() -> None:
    options = {"action": "import_project", "parameters": {"sourcePassword": "s3cret-of-theirs", "project": "p"}}
    plan = {"action": "import_project", "parameters": ["project", "sourcePassword"]}
    assert run_task(**options, check_mode=True) == {"changed": True, "plan": plan, "records": None}
    sent = act("import_project", project="p", sourcePassword="s3cret-of-theirs", text=records(RECORD))
    assert run_task(sent, **options) == {"changed": True, "plan": plan, "records": [RECORD]}


def test_outcome_is_unknown_when_response_is_lost() -> None:
    result = run_task(act("update_x", drop=True), action="update_x")
    assert "Whether the request had its effect is not known." in result["msg"]


@pytest.mark.parametrize("action", ["create_view", "update_x", "delete_project", "import_project"])
def test_read_only_is_refused_for_writing_actions(action: str) -> None:
    expected = f"Option 'read_only': must not be true for '{action}', which changes the server."
    assert run_task(action=action, read_only=True)["msg"] == expected


def test_read_only_is_accepted_for_import_status() -> None:
    assert run_task(act("import_status"), action="import_status", read_only=True)["records"] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action": "a b"}, "Option 'action': must be lower-case letters, digits and underscores"),
        (
            {"parameters": {"user": "x"}},
            "Option 'parameters.user': is not a parameter. Set the option 'username' instead.",
        ),
        (
            {"parameters": {"ltoken": "x"}},
            "Option 'parameters.ltoken': is not a parameter. Set the option 'ltoken' instead.",
        ),
        (
            {"parameters": {"a": {"b": 1}}},
            "Option 'parameters.a': must be a string, a number, true or false, or a list",
        ),
        ({"parameters": {"a": [None]}}, "Option 'parameters.a': must be a string, a number, true or false, or a list"),
        ({"parameters": {"a": [["b"]]}}, "Option 'parameters.a': must be a string, a number, true or false, or a list"),
    ],
)
def test_invalid_options_are_refused(options: dict[str, Any], message: str) -> None:
    assert message in run_task(**{"action": "ask", **options})["msg"]


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("status", "text", "message"),
    [
        (400, refusal(400, "Unknown action: ask"), "400 Unknown action: ask."),
        (200, "PK\x03\x04", "a line is not a record"),
        (200, refusal(403, "No"), "The action 'ask' failed: 403 No"),
    ],
)
def test_refusal_is_reported(read_only: bool, status: int, text: str, message: str) -> None:
    assert message in run_task(act("ask", status, text=text), action="ask", read_only=read_only, retries=0)["msg"]


DOWNLOAD = {"action": "compliance_download", "parameters": {"file_path": "a+b.pdf"}, "read_only": True}


def download(content: bytes, kind: str = "application/octet-stream", status: int = 200) -> Call:
    response = act("compliance_download", status, file_path="a+b.pdf")
    return dataclasses.replace(response, body=content, headers={"Content-Type": kind})


@pytest.mark.parametrize("check_mode", [True, False])
def test_file_is_stored_in_dest(tmp_path: Path, check_mode: bool) -> None:
    target = tmp_path / "report"
    result = run_task(download(b"%PDF\n\0\xff"), **DOWNLOAD, dest=str(target), mode="0640", check_mode=check_mode)
    assert result == {"changed": False, "plan": None, "records": None}
    assert target.exists() is not check_mode
    if not check_mode:
        assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"%PDF\n\0\xff", 0o640)


def test_file_larger_than_response_limit_is_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "_MAX_BODY_SIZE", 2**16)
    content = b"0123456789abcdef" * 2**14
    assert not run_task(download(content), **DOWNLOAD, dest=str(tmp_path / "report")).get("failed")
    assert (tmp_path / "report").read_bytes() == content


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (download(b"<html>Sign in</html>", "text/html; charset=UTF-8"), "returned an HTML page. Verify 'url'"),
        (download(b'{"id":1}\n', "application/json"), "returned records."),
        (download(refusal(404, "No such report").encode(), "application/json", 404), "404 No such report."),
    ],
    ids=["page", "records", "refusal"],
)
def test_existing_file_is_kept_when_response_is_not_a_file(tmp_path: Path, answer: Call, message: str) -> None:
    target = tmp_path / "report"
    target.write_text("old")
    result = run_task(answer, **DOWNLOAD, dest=str(target))
    assert message in result["msg"]
    assert target.read_text() == "old"


def test_dest_requires_read_only(tmp_path: Path) -> None:
    result = run_task(action="compliance_download", dest=str(tmp_path / "x"))
    assert result["msg"] == "Option 'dest': requires 'read_only: true'."
    no_directory = run_task(**DOWNLOAD, dest=str(tmp_path / "none" / "x"))
    assert "its directory must exist and be writable" in no_directory["msg"]


@pytest.mark.parametrize("action", ["ask", "compliance_delete", "compliance_report", "users_reset", "search2"])
def test_action_that_may_act_counts_as_a_write_when_it_is_declared_as_read_only(action: str) -> None:
    options = {"action": action, "parameters": {"id": 1}, "read_only": True}
    plan = {"action": action, "parameters": ["id"]}
    assert run_task(**options, check_mode=True) == {"changed": False, "plan": plan, "records": None}
    called = run_task(act(action, id="1", text=records(RECORD)), **options)
    assert called == {"changed": False, "plan": plan, "records": [RECORD]}
    lost = run_task(act(action, id="1", drop=True), **options, retries=3)
    assert lost["failed"]
