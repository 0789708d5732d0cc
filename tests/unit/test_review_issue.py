# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.review_server import ACCOUNT, act, projects, records, refusal
from support.running import run


def issue(number: int, status: str = "Analyze", owner: str = "unowned", **fields: Any) -> dict[str, Any]:
    return {"id": number, "status": status, "owner": owner, **fields}


def search(*entries: dict[str, Any], query: str = "grouping:off code:ABV") -> Call:
    text = records(*entries, {"summary": {"total": len(entries)}})
    return act("search", project="mobile-app", query=query, summary="true", text=text)


def detail(number: int, status: str = "Analyze", *comments: str, owner: str = "unowned") -> Call:
    history = [{"date": 1, "userid": "admin", "status": status, "comment": comment} for comment in comments]
    document = {"id": str(number), "status": status, "owner": owner, "history": history}
    return act("issue_details", project="mobile-app", id=str(number), text=records(document))


def cite(ids: str, code: int = 200, text: str = "", drop: bool = False, **fields: str) -> Call:
    return act("update_status", code, project="mobile-app", ids=ids, text=text, drop=drop, **fields)


def users(*names: str) -> Call:
    return act("users", limit="1000000", text=records(*({"name": name} for name in ("admin", *names))))


def rights(*transitions: tuple[str, str], permission: bool = True, readonly: bool = False) -> list[Call]:
    """Return the responses with the roles of the account: on the project, on another one, and through its group."""
    roles = [{"name": "Triage", "projectId": "m"}, {"name": "Elsewhere", "projectId": "other"}]
    account = {"name": "admin", "roles": roles, "groups": [{"name": "devs"}]}
    devs = {"name": "devs", "roles": [{"name": "Readers"}]}
    flags = [{"name": "change_issue_status", "enabled": permission}]
    allowed = [{"from": before, "to": after} for before, after in transitions]
    role = {"name": "Triage", "readonly": readonly, "permissions": flags, "statusPermissions": allowed}
    everything = {**role, "name": "Elsewhere", "statusPermissions": [{"from": "Any", "to": "Any"}]}
    nothing = {**role, "name": "Readers", "readonly": False, "permissions": []}
    return [
        act("users", search="admin", text=records(account)),
        act("groups", search="devs", text=records(devs)),
        projects(("mobile-app", "m"), ("other", "other")),
        act("roles", text=records(role, everything, nothing)),
    ]


ANYTHING = rights(("Any", "Any"))


def run_task(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_issue", url=server.url, **{"project": "mobile-app", **parameters}, **ACCOUNT)


BY_QUERY = {"query": "code:ABV", "status": "Fix", "comment": "soon, really"}


def test_differing_issues_are_changed_by_status() -> None:
    result = run_task(
        search(issue(1), issue(2, "Fix"), issue(3, "Defer"), issue(4)),
        cite("1,4", status="Fix", comment="soon, really"),
        cite("3", status="Fix", comment="soon, really"),
        *(detail(number, "Fix", "soon, really") for number in (1, 2, 3, 4)),
        **BY_QUERY,
    )
    assert result["changed"]
    assert {number: changes["status"] for number, changes in result["issues"].items()} == dict.fromkeys("1234", "Fix")


def test_nothing_is_written_without_differences_or_in_check_mode() -> None:
    listing = search(issue(1, "Fix"))
    assert not run_task(listing, **BY_QUERY)["changed"]
    assert not run_task(search(), **BY_QUERY)["changed"]
    predicted = run_task(search(issue(1)), *ANYTHING, check_mode=True, diff_mode=True, **BY_QUERY)
    assert predicted["changed"]
    assert predicted["diff"] == {"before": {"1": {"status": "Analyze"}}, "after": {"1": {"status": "Fix"}}}
    assert predicted["issues"]["1"]["status"] == "Fix"


def test_status_is_compared_case_insensitively() -> None:
    issues = issue(1, "Not a problem"), issue(2, "fix")
    rule = {"query": "code:ABV", "from_status": ["Fix", "Not a Problem"], "status": "Not a Problem"}
    result = run_task(search(*issues), *ANYTHING, check_mode=True, rules=[rule])
    assert result["rules"] == [{"title": "code:ABV", "count": 2, "changed_ids": [2]}]
    assert not run_task(detail(1, "NOT A PROBLEM"), ids=[1], status="Not a Problem")["changed"]


def test_few_ids_are_read_one_by_one() -> None:
    result = run_task(detail(7), users("bob"), cite("7", owner="bob"), detail(7, owner="bob"), ids=[7], owner="bob")
    assert result["issues"] == {"7": {"status": "Analyze", "owner": "bob", "comment": ""}}


def test_many_ids_are_read_at_once_and_changed_in_batches() -> None:
    ids = list(range(1, 503))
    everywhere = "grouping:off build:any state:New,Existing,Fixed"
    result = run_task(
        search(*map(issue, range(1, 600)), query=everywhere),
        cite(",".join(map(str, ids[:500])), status="Fix"),
        cite("501,502", status="Fix"),
        search(*(issue(number, "Fix") for number in range(1, 600)), query=everywhere),
        ids=ids,
        status="Fix",
    )
    assert result["changed"]
    assert len(result["issues"]) == 502


def test_other_batches_continue_when_one_is_refused() -> None:
    everywhere = "grouping:off build:any state:New,Existing,Fixed"
    before, after = ([issue(number, status) for number in range(1, 503)] for status in ("Analyze", "Fix"))
    result = run_task(
        search(*before, query=everywhere),
        cite(",".join(map(str, range(1, 501))), 403, text=refusal(403, "No."), status="Fix"),
        cite("501,502", status="Fix"),
        search(*before[:500], *after[500:], query=everywhere),
        ids=list(range(1, 503)),
        status="Fix",
    )
    assert result["changed"]
    summary = "issues 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 490 more"
    assert result["msg"].startswith(f"500 of 502 issues cannot be changed. ids ({summary}): POST")


def test_nothing_changes_without_ids() -> None:
    result = run_task(ids=[], status="Fix")
    assert (result["changed"], result["issues"]) == (False, {})


def test_group_id_is_refused() -> None:
    not_found = act("issue_details", 404, project="mobile-app", id="9", text=refusal(404, "Issue not found: 9"))
    result = run_task(not_found, projects(("mobile-app", "m")), ids=[9], status="Fix")
    assert "Issue 9 does not exist in project 'mobile-app'" in result["msg"]
    assert "If this is the ID of an issue group" in result["msg"]


def test_comment_without_status_is_compared_with_last_one() -> None:
    assert not run_task(detail(1, "Fix", "old", "new"), ids=[1], comment="new")["changed"]
    result = run_task(
        detail(1, "Fix", "new", "old"), cite("1", comment="new"), detail(1, "Fix", "new"), ids=[1], comment="new"
    )
    assert result["changed"]


def test_refused_transition_is_reported() -> None:
    refused = cite("1", 403, text=refusal(403, "No."), status="Fix")
    result = run_task(detail(1), refused, ids=[1], status="Fix")
    assert "that allows the transition from 'Analyze' to 'Fix'" in result["msg"]
    assert not result["changed"]


def test_issue_is_changed_once_when_response_is_lost() -> None:
    result = run_task(detail(1), cite("1", drop=True, status="Fix"), detail(1, "Fix"), ids=[1], status="Fix")
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]
    result = run_task(detail(1), cite("1", drop=True, status="Fix"), detail(1), ids=[1], status="Fix")
    assert "not known" in result["msg"]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_issue_is_read_when_a_gateway_fails_after_the_change(status: int) -> None:
    failed = cite("1", status, text="<html>upstream</html>", status="Fix")
    result = run_task(detail(1), failed, detail(1, "Fix"), ids=[1], status="Fix")
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_task_fails_when_change_has_no_effect() -> None:
    result = run_task(detail(1), cite("1", status="Fix"), detail(1), ids=[1], status="Fix")
    assert "1" in result["msg"]
    assert result["failed"]


def test_check_mode_predicts_refused_transition() -> None:
    for allowed, message in (
        (rights(("Fix", "Any"), ("Any", "Defer")), "that allows the transition from 'Analyze' to 'Fix'."),
        (rights(("Any", "Any"), permission=False), "that allows the transition from 'Analyze' to 'Fix'."),
        (rights(("Analyze", "Fix")), ""),
        (rights(readonly=True), ""),
        ([act("users", 403, search="admin", text=refusal(403, "No."))], ""),
        (rights(("Any", "Fix")), ""),
    ):
        result = run_task(detail(1), *allowed, ids=[1], status="Fix", check_mode=True)
        assert message in result.get("msg", "")
        assert result["changed"] is not bool(message)


def test_no_refusal_is_predicted_without_access_control() -> None:
    form = {"action": "issue_details", "user": "admin", "project": "mobile-app", "id": "1"}
    request = call("POST", "/review/api", text=detail(1).body.decode(), sent_form=form)
    with conversation(request) as server:
        task = {"project": "mobile-app", "username": "admin", "ids": [1], "status": "Fix", "owner": "nobody"}
        assert run("review_issue", url=server.url, check_mode=True, **task)["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_unknown_owner_is_refused_before_write(check_mode: bool) -> None:
    result = run_task(detail(1), users("bob"), ids=[1], owner="bbo", check_mode=check_mode)
    assert (result["changed"], result["msg"]) == (False, "User 'bbo' does not exist.")


RULES = [
    {"title": "theirs", "query": "file:vendor", "from_status": ["Analyze"], "status": "Ignore"},
    {"query": "code:RLK", "from_owner": ["unowned"], "owner": "alice", "status": "Fix", "comment": "leak"},
]


def run_rules(foreign: Call, leaks: Call, *calls: Call, **more: Any) -> dict[str, Any]:
    return run_task(foreign, leaks, *calls, rules=RULES, **more)


def test_first_matching_rule_applies() -> None:
    vendor, leaks = "grouping:off file:vendor", "grouping:off code:RLK"
    matches = (
        [issue(1), issue(2, "Fix"), issue(3, "Ignore")],
        [issue(1), issue(2, "Fix"), issue(4), issue(5, owner="bob")],
    )
    expected = [
        {"title": "theirs", "count": 3, "changed_ids": [1]},
        {"title": "code:RLK", "count": 2, "changed_ids": [4]},
    ]
    searches = search(*matches[0], query=vendor), search(*matches[1], query=leaks)
    predicted = run_rules(*searches, users("alice"), *ANYTHING, check_mode=True)
    assert predicted["rules"] == expected
    result = run_rules(
        *searches,
        users("alice"),
        cite("1", status="Ignore"),
        cite("4", owner="alice", status="Fix", comment="leak"),
        *(detail(number, status) for number, status in ((1, "Ignore"), (2, "Fix"), (3, "Ignore"))),
        detail(4, "Fix", owner="alice"),
        detail(5, owner="bob"),
    )
    assert result["rules"] == expected
    assert result["issues"]["2"]["status"] == "Fix"
    again = search(issue(1, "Ignore"), query=vendor), search(issue(1, "Ignore"), issue(4, "Fix", "alice"), query=leaks)
    assert not run_rules(*again)["changed"]


LATER = {"title": "later", "query": "code:ABV", "status": "Defer"}


def test_other_rules_continue_when_one_is_refused() -> None:
    searches = search(issue(1), query="grouping:off file:vendor"), search(issue(2), query="grouping:off code:RLK")
    rules = [*RULES[:1], {**RULES[1], "owner": "bbo"}, LATER]
    first_update, owners, done = (
        cite("1", 403, text=refusal(403, "No."), status="Ignore"),
        users("alice"),
        cite("3", status="Defer"),
    )
    read_back = [detail(1), detail(2), detail(3, "Defer")]
    result = run_task(*searches, search(issue(3)), owners, first_update, done, *read_back, rules=rules)
    assert (result["changed"], result["failed"]) == (True, True)
    assert result["msg"].startswith("2 of 3 issues cannot be changed. theirs (issues 1): POST")
    assert "403 No. " in result["msg"]
    assert " Assign a role to 'admin' that allows the transition from 'Analyze' to 'Ignore'. code:RLK" in result["msg"]
    assert result["msg"].endswith("code:RLK (issues 2): User 'bbo' does not exist.")
    assert result["issues"]["3"]["status"] == "Defer"
    allowed = rights(("Any", "Defer"))
    predicted = run_task(*searches, search(issue(3)), owners, *allowed, rules=rules, check_mode=True)
    assert (predicted["changed"], predicted["rules"]) == (True, result["rules"])
    assert predicted["msg"] == (
        "2 of 3 issues cannot be changed. theirs (issues 1): Assign a role to 'admin' that allows the transition from "
        "'Analyze' to 'Ignore'. code:RLK (issues 2): User 'bbo' does not exist."
    )


def test_invalid_query_is_refused_before_first_request() -> None:
    result = run_task(rules=[RULES[0], {"query": "code:RLK.*", "status": "Fix"}])
    assert result["msg"].startswith("Option 'rules[1].query': contains the wildcard '*'")
    assert run_task(query='code:"RLK', status="Fix")["msg"].startswith(
        "Option 'query': contains an unbalanced quotation mark"
    )


def test_grouping_in_rule_is_refused() -> None:
    result = run_task(rules=[RULES[0], {"query": "grouping:on code:RLK", "status": "Fix"}])
    assert result["msg"] == "Option 'rules[1].query': must not contain 'grouping:', which the module adds. Remove it."
    assert run_task(query="grouping:on", status="Fix")["msg"].startswith("Option 'query': must not contain 'grouping:'")


def test_status_in_rule_query_is_refused() -> None:
    result = run_task(rules=[RULES[0], {"query": "code:RLK -Status:Fix", "status": "Fix"}])
    assert result["msg"] == (
        "Option 'rules[1].query': must not contain 'status:', which this task changes. Use 'from_status' instead."
    )


def test_rule_without_change_is_refused() -> None:
    assert "status, owner, comment found in rules" in run_task(rules=[{"query": "code:RLK"}])["msg"]


def test_nothing_changes_when_server_warns_about_query() -> None:
    warned = {"summary": {"total": 1, "warnings": ["Unknown keyword: cod"]}}
    response = act(
        "search", project="mobile-app", query="grouping:off cod:R", summary="true", text=records(issue(1), warned)
    )
    result = run_task(response, query="cod:R", status="Fix")
    assert (
        result["msg"] == "Warning of the server about the query 'grouping:off cod:R': Unknown keyword: cod. "
        "No issue was changed. Correct the query."
    )
    assert not result["changed"]
