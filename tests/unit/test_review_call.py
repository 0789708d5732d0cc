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


def called(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_call", url=server.url, **options, **ACCOUNT)


@pytest.mark.parametrize("check_mode", [True, False])
def test_what_reads_is_called_in_check_mode_too(check_mode: bool) -> None:
    answer = act("ci_builds", project="a+b & c,d;%", text=records(RECORD, RECORD))
    result = called(
        answer, action="ci_builds", parameters={"project": "a+b & c,d;%"}, read_only=True, check_mode=check_mode
    )
    assert result == {"changed": False, "plan": None, "records": [RECORD, RECORD]}


def test_values_are_sent_by_their_types() -> None:
    given = {"flag": True, "off": False, "many": ["a,b", "c\\d", 3], "number": 7, "none": None, "empty": ""}
    sent = {"flag": "true", "off": "false", "many": "a\\,b,c\\\\d,3", "number": "7", "empty": ""}
    assert called(act("ask", **sent), action="ask", parameters=given, read_only=True)["records"] == []


@pytest.mark.parametrize("read_only", [True, False])
def test_a_parameter_may_have_any_name(read_only: bool) -> None:
    names = {"self": "x", "a b": "y", "": "z"}
    result = called(act("ask", text=records(RECORD), **names), action="ask", parameters=names, read_only=read_only)
    assert result["records"]


def test_what_changes_something_is_planned_and_called() -> None:
    options = {"action": "import_project", "parameters": {"sourcePassword": "s3cret-of-theirs", "project": "p"}}
    plan = {"action": "import_project", "parameters": ["project", "sourcePassword"]}
    assert called(**options, check_mode=True) == {"changed": True, "plan": plan, "records": None}
    sent = act("import_project", project="p", sourcePassword="s3cret-of-theirs", text=records(RECORD))
    assert called(sent, **options) == {"changed": True, "plan": plan, "records": [RECORD]}


def test_a_lost_reply_is_not_known() -> None:
    result = called(act("update_x", drop=True), action="update_x")
    assert "Whether the request had its effect is not known." in result["msg"]


@pytest.mark.parametrize("action", ["create_view", "update_x", "delete_project", "import_project"])
def test_what_surely_changes_something_does_not_read(action: str) -> None:
    expected = f"Option 'read_only': must not be true for '{action}', which changes the server."
    assert called(action=action, read_only=True)["msg"] == expected


def test_the_state_of_imports_is_read() -> None:
    assert called(act("import_status"), action="import_status", read_only=True)["records"] == []


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
def test_bad_input(options: dict[str, Any], message: str) -> None:
    assert message in called(**{"action": "ask", **options})["msg"]


@pytest.mark.parametrize("read_only", [True, False])
@pytest.mark.parametrize(
    ("status", "text", "message"),
    [
        (400, refusal(400, "Unknown action: ask"), "400 Unknown action: ask."),
        (200, "PK\x03\x04", "a line is not a record"),
        (200, refusal(403, "No"), "The action 'ask' failed: 403 No"),
    ],
)
def test_a_refusal_is_told(read_only: bool, status: int, text: str, message: str) -> None:
    assert message in called(act("ask", status, text=text), action="ask", read_only=read_only, retries=0)["msg"]


DOWNLOAD = {"action": "compliance_download", "parameters": {"file_path": "a+b.pdf"}, "read_only": True}


def download(content: bytes, kind: str = "application/octet-stream", status: int = 200) -> Call:
    asked = act("compliance_download", status, file_path="a+b.pdf")
    return dataclasses.replace(asked, body=content, headers={"Content-Type": kind})


@pytest.mark.parametrize("check_mode", [True, False])
def test_a_file_goes_to_its_place(tmp_path: Path, check_mode: bool) -> None:
    target = tmp_path / "report"
    result = called(download(b"%PDF\n\0\xff"), **DOWNLOAD, dest=str(target), mode="0640", check_mode=check_mode)
    assert result == {"changed": False, "plan": None, "records": None}
    assert target.exists() is not check_mode
    if not check_mode:
        assert (target.read_bytes(), target.stat().st_mode & 0o777) == (b"%PDF\n\0\xff", 0o640)


def test_a_file_beyond_the_largest_answer_is_stored_as_it_arrives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "_LARGEST_ANSWER", 2**16)
    content = b"0123456789abcdef" * 2**14
    assert not called(download(content), **DOWNLOAD, dest=str(tmp_path / "report")).get("failed")
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
def test_what_is_no_file_leaves_the_old_one(tmp_path: Path, answer: Call, message: str) -> None:
    target = tmp_path / "report"
    target.write_text("old")
    result = called(answer, **DOWNLOAD, dest=str(target))
    assert message in result["msg"]
    assert target.read_text() == "old"


def test_a_file_is_only_read(tmp_path: Path) -> None:
    result = called(action="compliance_download", dest=str(tmp_path / "x"))
    assert result["msg"] == "Option 'dest': requires 'read_only: true'."
    missing = called(**DOWNLOAD, dest=str(tmp_path / "none" / "x"))
    assert "its directory must exist and be writable" in missing["msg"]
