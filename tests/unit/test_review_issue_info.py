# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, FOUND, ISSUE, act, projects, records, refusal, summary
from support.running import run

OPEN = "grouping:off state:New,Existing"


def search(*lines: dict[str, Any], query: str = OPEN, **fields: str) -> Call:
    return act("search", project="mobile-app", query=query, summary="true", text=records(*lines), **fields)


def run_task(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_issue_info", url=server.url, **{"project": "mobile-app", **parameters}, **ACCOUNT)


def test_open_issues_are_searched_ungrouped() -> None:
    result = run_task(search(ISSUE, summary(1)))
    assert result == {"changed": False, "issues": [FOUND], "count": 1, "query": OPEN}


def test_missing_members_are_null() -> None:
    group = {"id": 1, "status": "Fix", "issueIds": [5, 6]}
    result = run_task(search(group, {"summary": {}}, query="grouping:on severity:1"), **GROUPED)
    (issue,) = result["issues"]
    assert (issue["id"], issue["line"], issue["date"], issue["issue_ids"]) == (1, None, None, [5, 6])


GROUPED = {"query": "severity:1", "grouped": True}


@pytest.mark.parametrize(
    ("parts", "query"),
    [
        ({"state": ["Fixed"]}, "grouping:off state:Fixed"),
        ({"status": ["Fix", "Not a Problem"]}, f'{OPEN} status:+"Fix",+"Not a Problem"'),
        ({"severity": ["1-2", "4"]}, f"{OPEN} severity:1-2,4"),
        ({"file": ["my app", "a,b"], "issue_owner": ["o'neil"]}, f'{OPEN} file:"my app","a,b" owner:"o\'neil"'),
        ({"code": ["ABV"], "exact": True}, f'{OPEN} code:+"ABV"'),
        ({"text": ['say "x"', "y"]}, f'{OPEN} \'say "x"\' "y"'),
        ({"build": {"name": "123"}}, f'{OPEN} build:+"123"'),
        ({"build": {"id": 123}}, f"{OPEN} build:123"),
        ({"build": {"any": True}}, f"{OPEN} build:any"),
        ({"query": ""}, "grouping:off"),
        ({"query": 'text:"grouping: on"'}, 'grouping:off text:"grouping: on"'),
    ],
)
def test_options_build_query(parts: dict[str, Any], query: str) -> None:
    assert run_task(search(query=query), **parts)["query"] == query


def version(major: str) -> Call:
    return act("version", text=records({"majorVersion": major, "minorVersion": "1"}))


def test_part_of_build_name_is_refused_by_newer_servers() -> None:
    query = f'{OPEN} build:"12"'
    assert run_task(version("20"), search(query=query), build={"contains": "12"})["query"] == query
    for major in ("24", "2024"):
        assert (
            "'build.contains': is not supported by this server"
            in run_task(version(major), build={"contains": "x"})["msg"]
        )


@pytest.mark.parametrize(
    ("parameters", "option"),
    [
        ({"query": "grouping:on"}, "query"),
        ({"file": ["\"'"]}, "file"),
        ({"build": {"any": False}}, "build.any"),
        ({"severity": ["11"]}, "severity[0]"),
    ],
)
def test_inexpressible_options_are_refused(parameters: dict[str, Any], option: str) -> None:
    assert f"Option '{option}'" in run_task(**parameters)["msg"]


def test_view_and_limit_are_sent_and_warnings_reported() -> None:
    result = run_task(search(ISSUE, summary(9, "Unknown keyword: x"), view="mine", limit="1"), view="mine", limit=1)
    assert result["count"] == 1
    assert result["warnings"] == [f"Warning of the server about the query '{OPEN}': Unknown keyword: x"]


def test_task_fails_when_issues_are_missing(tmp_path: Path) -> None:
    file = tmp_path / "issues"
    result = run_task(search(ISSUE, summary(2)), to_file=str(file))
    assert (
        result["msg"]
        == "The result of the search is incomplete: the server found 2 issues, but sent 1. Narrow the query."
    )
    assert not file.exists()


def test_task_fails_when_line_is_incomplete() -> None:
    call = act("search", project="mobile-app", query=OPEN, summary="true", text=records(ISSUE) + '{"id": 55')
    assert "a line is not a record" in run_task(call)["msg"]


def test_task_fails_when_lines_are_missing() -> None:
    message = run_task(search(ISSUE))["msg"]
    assert (
        message
        == "The response to the search is incomplete: it ends after 1 issues without a summary. Run the task again."
    )


def test_long_line_is_read_completely() -> None:
    long = {**ISSUE, "message": "é" * 3_000_000}
    assert run_task(search(long, summary(1)))["issues"] == [{**FOUND, "message": long["message"]}]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<!DOCTYPE html>\n<title>Sign in</title>", "a line is not a record"),
        (refusal(500, "The project is locked"), "The action 'search' failed: 500 The project is locked"),
    ],
)
def test_task_fails_when_response_is_not_a_list_of_issues(text: str, problem: str) -> None:
    call = act("search", project="mobile-app", query=OPEN, summary="true", text=text)
    assert problem in run_task(call)["msg"]


def test_issues_are_written_to_file(tmp_path: Path) -> None:
    file = tmp_path / "issues"
    assert run_task(search(ISSUE, summary(1)), to_file=str(file)) == {"changed": False, "count": 1, "query": OPEN}
    assert json.loads(file.read_text(encoding="utf-8")) == FOUND


DETAILS = {
    "id": "27593",
    "code": "ABV.GENERAL",
    "name": "Buffer Overflow",
    "location": "src/a.cpp",
    "build": "b1",
    "severity": "Critical (1)",
    "owner": "unowned",
    "state": "Existing",
    "status": "Fix",
    "history": [
        {"date": 1484055505000, "userid": "bob", "status": "Fix", "comment": ""},
        {"date": 1484055504000, "userid": "alice", "status": "Ignore", "comment": "first"},
    ],
}


def detail(number: int, status: int = 200, text: str = "") -> Call:
    return act("issue_details", status, project="mobile-app", id=str(number), text=text)


def test_details_are_read_after_search_is_complete() -> None:
    ids = records({"id": 5, "status": "Fix"}, {"id": 7, "status": "Fix"}, {"summary": {"total": 2}})
    query = {"project": "mobile-app", "query": "grouping:off status:Fix", "summary": "true"}
    five, seven = ({**DETAILS, "id": number} for number in ("5", "7"))
    calls = [act("search", text=ids, **query), detail(5, text=records(five)), detail(7, text=records(seven))]
    result = run_task(*calls, query="status:Fix", details=True)
    assert [(issue["id"], len(issue["history"])) for issue in result["issues"]] == [(5, 2), (7, 2)]
    assert result["count"] == 2
    assert "grouped issues have no details" in run_task(query="status:Fix", details=True, grouped=True)["msg"]


def test_details_contain_history() -> None:
    (issue,) = run_task(detail(27593, text=records(DETAILS)), ids=[27593])["issues"]
    assert issue == {
        "id": 27593,
        "status": "Fix",
        "severity": "Critical (1)",
        "state": "Existing",
        "code": "ABV.GENERAL",
        "title": "Buffer Overflow",
        "file": "src/a.cpp",
        "build": "b1",
        "owner": "unowned",
        "comment": "first",
        "history": [
            {"date": "2017-01-10T13:38:24Z", "account": "alice", "status": "Ignore", "comment": "first"},
            {"date": "2017-01-10T13:38:25Z", "account": "bob", "status": "Fix", "comment": ""},
        ],
    }


def test_missing_issues_are_omitted() -> None:
    not_found = detail(2, 404, text=refusal(404, "Issue not found: 2"))
    assert run_task(detail(1), not_found, projects(("mobile-app", "mobile_app")), ids=[1, 2])["issues"] == []
    unknown = detail(2, 404, text=refusal(404, "Project not found: mobile-app"))
    assert "404 Project not found" in run_task(unknown, projects(("x", "x")), ids=[2])["msg"]


def test_task_fails_when_server_returns_another_issue() -> None:
    result = run_task(detail(1, text=records(DETAILS)), ids=[1])
    assert result["msg"] == "Requested issue 1, but the server returned issue 27593."
