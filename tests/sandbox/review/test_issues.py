# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of issues, their details and status changes."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import SandboxError
from support.wire.review import Api

NEXT_OF = {"project": "mobile-app", "query": "grouping:off code:NPD"}


def search(api: Api, query: str = "grouping:off", **fields: str) -> list[dict[str, Any]]:
    return api.records("search", project="mobile-app", query=query, **fields)


def test_issue_record_has_all_fields(api: Api) -> None:
    (issue,) = api.records("search", **NEXT_OF)
    number = issue.pop("id")
    assert issue.pop("url") == (
        f"{api.url.removesuffix('/review/api')}/review/insight-review.html#issuedetails_goto:"
        f"problemid={number},project=mobile-app,searchquery=grouping:off code:NPD"
    )
    assert issue == {
        "status": "Fix",
        "severity": "Error",
        "severityCode": 2,
        "state": "Existing",
        "code": "NPD.FUNC.MUST",
        "title": "Null pointer returned from a function is dereferenced",
        "message": "Pointer 'next' returned from call to function 'find' may be NULL and is dereferenced",
        "file": "src/core/list.c",
        "method": "next_of",
        "owner": "alice",
        "taxonomyName": "C and C++",
        "dateOriginated": 1619436216567,
        "line": 17,
        "issueIds": [],
        "trace": [],
    }


def test_issues_are_grouped_by_default_and_ordered_by_id(api: Api, sandbox: Any) -> None:
    sandbox.seed({"review": {"projects": [GROUPED]}})
    (group, other) = api.records("search", project="grouped", query="")
    one, two, three = api.records("search", project="grouped", query="grouping:off")
    assert group["issueIds"] == [one["id"], two["id"]]
    assert other["issueIds"] == [three["id"]]
    assert not {"line", "trace"} & group.keys()
    assert group["id"] not in (one["id"], two["id"], three["id"])
    assert api.expect_error("issue_details", project="grouped", id=str(group["id"]))[0] == 404
    last = api.records("search", project="grouped", query="grouping:on", summary="true")[-1]
    assert last == {"summary": {"query": "grouping:on", "project": "grouped", "total": 2, "warnings": []}}
    sandbox.switch("review", grouping_by_default=False, version_major="23")
    first = api.records("search", project="grouped", query="")[0]
    assert (first["supportLevel"], first["supportLevelCode"]) == ("Klocwork Supported", 2)


GROUPED = {
    "name": "grouped",
    "creator": "admin",
    "builds": [{"name": "one", "date": 1}],
    "issues": [
        {"code": "A", "file": "a.c", "method": "f", "line": 1},
        {"code": "A", "file": "a.c", "method": "f", "line": 2},
        {"code": "B", "file": "a.c", "method": "f"},
    ],
}


def test_issues_of_later_seeds_join_the_groups_of_earlier_ones(api: Api, sandbox: Any) -> None:
    project = {"name": "p", "creator": "admin", "builds": [{"name": "one", "date": 1}]}

    def seed(*issues: dict[str, Any]) -> None:
        named = [{"project": "p", "code": "C", "method": "f", **issue} for issue in issues]
        sandbox.seed({"review": {"issues": named}})

    def groups() -> dict[str, list[int]]:
        return {issue["file"]: issue["issueIds"] for issue in api.records("search", project="p", query="")}

    sandbox.seed({"review": {"projects": [project, {**project, "name": "q"}]}})
    seed({"id": 5, "file": "a.c"}, {"id": 6, "file": "b.c"}, {"project": "q", "id": 1, "file": "a.c"})
    seed({"id": 7, "file": "b.c"}, {"id": 1, "file": "a.c"}, {"id": 8, "file": "a.c"})
    assert groups() == {"a.c": [1, 5, 8], "b.c": [6, 7]}
    seed({"id": 5, "file": "c.c"}, {"id": 6, "file": "c.c"})
    assert groups() == {"a.c": [1, 8], "b.c": [7], "c.c": [5, 6]}


def test_issue_is_replaced_when_it_is_seeded_again(api: Api, sandbox: Any) -> None:
    entry = {"date": 1000, "account": "alice", "status": "Fix"}
    issue = {"id": 7, "code": "C", "file": "f", "history": [entry]}
    project = {"name": "p", "creator": "admin", "builds": [{"name": "one", "date": 1}], "issues": [issue]}
    sandbox.seed({"review": {"projects": [project]}})
    again = {"project": "p", **issue, "history": [{**entry, "status": "Defer"}]}
    sandbox.seed({"review": {"issues": [again, {**again, "file": "g"}]}})
    assert [issue["file"] for issue in api.records("search", project="p", query="grouping:off")] == ["g"]
    (details,) = api.records("issue_details", project="p", id="7")
    assert [entry["status"] for entry in details["history"]] == ["Defer"]


def test_summary_counts_all_issues_when_a_limit_is_set(api: Api) -> None:
    issue, last = search(api, limit="1", summary="true")
    assert issue["code"] == "ABV.GENERAL"
    assert last["summary"] == {
        "query": "grouping:off",
        "project": "mobile-app",
        "limit": 1,
        "total": 3,
        "warnings": [],
    }
    assert api.expect_error("search", project="mobile-app", limit="x")[0] == 400
    assert api.records("search", project="platform", query="") == []


def test_details_are_strings_and_have_a_history(api: Api, sandbox: Any) -> None:
    number = str(api.records("search", **NEXT_OF)[0]["id"])
    details = {
        "id": number,
        "code": "NPD.FUNC.MUST",
        "name": "Null pointer returned from a function is dereferenced",
        "location": "src/core/list.c",
        "build": "build_3",
        "severity": "Error (2)",
        "owner": "alice",
        "state": "Existing",
        "status": "Fix",
    }
    assert api.records("issue_details", project="mobile-app", id=number) == [details]
    sandbox.clock(frozen=True)
    sandbox.clock(set=1700000000)
    api.write("update_status", project="mobile-app", ids=number, status="not a problem", comment="checked, fine")
    api.write("update_status", project="mobile-app", ids=number, owner="bob")
    changed = api.records("issue_details", project="mobile-app", id=number, include_xsync="true")
    history = [
        {"date": 1700000000000, "userid": "admin", "status": "Not a Problem", "comment": "checked, fine"},
        {"date": 1700000000000, "userid": "admin", "status": "Not a Problem", "comment": ""},
    ]
    assert changed == [{**details, "owner": "bob", "status": "Not a Problem", "history": history, "xsync": ""}]
    assert api.records("search", **NEXT_OF)[0]["comment"] == "checked, fine"


def test_status_is_changed_for_all_issues_or_none(api: Api) -> None:
    ids = [str(issue["id"]) for issue in search(api)]
    write = {"project": "mobile-app", "status": "Fix"}
    assert api.expect_error("update_status", **write, ids=f"{ids[0]},999999") == (404, "Issue not found: 999999")
    assert [issue["status"] for issue in search(api)] == ["Analyze", "Fix", "Analyze"]
    api.write("update_status", **write, ids=",".join(ids))
    assert [issue["status"] for issue in search(api)] == ["Fix"] * 3
    api.write("update_status", project="mobile-app", ids=ids[0], bug_tracker_id="BUG-1")
    assert [str(issue["id"]) for issue in search(api, "grouping:off bugId:BUG-1")] == [ids[0]]


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({}, 400),
        ({"status": "Done"}, 400),
        ({"status": "Fix", "bug_tracker_id": "1"}, 400),
        ({"owner": "nobody"}, 404),
        ({"ids": "x", "status": "Fix"}, 404),
        ({"project": "x", "status": "Fix"}, 404),
    ],
)
def test_invalid_status_changes_are_rejected(api: Api, fields: dict[str, str], status: int) -> None:
    number = str(search(api)[0]["id"])
    assert api.expect_error("update_status", **{"project": "mobile-app", "ids": number, **fields})[0] == status
    assert "history" not in api.records("issue_details", project="mobile-app", id=number)[0]


def role(*transitions: list[str], **fields: Any) -> dict[str, Any]:
    assignments = [{"account": "alice", "project": "mobile-app"}]
    permissions = ["webapi_access", "change_issue_status"]
    described = {"name": "Triage", "permissions": permissions, "transitions": list(transitions), **fields}
    return {"review": {"roles": [{**described, "assignments": assignments}]}}


def test_role_restricts_status_transitions(api: Api, sandbox: Any) -> None:
    number = str(search(api)[0]["id"])
    sandbox.seed(role(["Analyze", "Fix"], ["Any", "Ignore"]))
    api.user = "alice"
    cite = {"project": "mobile-app", "ids": number}
    refused = api.expect_error("update_status", **cite, status="Defer")
    assert refused == (403, "Status transition is not permitted: Analyze to Defer")
    api.write("update_status", **cite, status="Fix")
    assert api.expect_error("update_status", **cite, status="Analyze")[0] == 403
    api.write("update_status", **cite, status="Ignore")
    api.write("update_status", **cite, owner="bob")
    sandbox.seed(role(["Any", "Any"], permissions=["webapi_access"]))
    assert api.expect_error("update_status", **cite, owner="alice")[0] == 403


MODULES = [
    {"name": "core", "paths": ["**/core/*"], "allow_all": False, "allow_groups": ["developers"], "deny_users": ["bob"]},
    {"name": "app", "paths": ["src/app/**"], "allow_all": False},
]


def test_modules_restrict_access_to_issues(api: Api, sandbox: Any) -> None:
    secret = search(api, "grouping:off file:app")[0]["id"]
    sandbox.seed({"review": {"projects": [{"name": "mobile-app", "creator": "admin", "modules": MODULES}]}})
    sandbox.seed(role(["Any", "Any"]))
    assert len(search(api)) == 3
    api.user = "alice"
    assert [issue["file"] for issue in search(api)] == ["src/core/names.c", "src/core/list.c"]
    assert search(api, "grouping:off module:app") == []
    for action in ("issue_details", "update_status"):
        fields = {"project": "mobile-app", "id": str(secret), "ids": str(secret), "status": "Fix"}
        assert api.expect_error(action, **fields) == (404, f"Issue not found: {secret}")


def test_issues_are_deleted_with_the_last_build(api: Api) -> None:
    for build in ("build_1", "build_2", "build_3"):
        assert search(api)
        api.write("delete_build", project="mobile-app", name=build)
    assert search(api) == []


def test_issues_are_generated(api: Api, sandbox: Any) -> None:
    builds = [{"name": "one", "date": 1}, {"name": "two", "date": 2}]
    sandbox.seed(
        {"review": {"projects": [{"name": "p", "creator": "admin", "builds": builds, "generate_issues": 999}]}}
    )
    assert len(api.records("search", project="p", query="grouping:off")) == 999
    assert len(api.records("search", project="p", query="grouping:on")) == 250
    assert len(api.records("search", project="p", query="grouping:off severity:3")) == 100


def test_seed_defines_ids_histories_and_deleted_builds(api: Api, sandbox: Any) -> None:
    history = [
        {"date": 1000, "account": "alice", "status": "Fix"},
        {"date": 2000, "account": "bob", "status": "Defer", "comment": "later"},
    ]
    issues = [
        {"id": 7, "status": "Defer", "found_in": None, "date": 5, "history": history},
        {"found_in": "one"},
        {"id": 1, "found_in": None, "fixed_in": None, "date": 5},
    ]
    project = {"name": "p", "creator": "admin", "builds": [{"name": "one", "date": 1}]}
    named = [{"project": "p", "code": "C", "file": "f", **issue} for issue in issues]
    sandbox.seed({"review": {"projects": [project], "issues": named}})

    def states(query: str) -> dict[int, str]:
        return {issue["id"]: issue["state"] for issue in api.records("search", project="p", query=query)}

    assert states("grouping:off") == {7: "Existing", 8: "New"}
    assert states("grouping:off state:Fixed") == {}
    assert states("grouping:off state:Fixed build:any") == {1: "Fixed"}
    (details,) = api.records("issue_details", project="p", id="7")
    assert details["history"] == [
        {"date": 1000, "userid": "alice", "status": "Fix", "comment": ""},
        {"date": 2000, "userid": "bob", "status": "Defer", "comment": "later"},
    ]
    (other,) = api.records("issue_details", project="mobile-app", id="1")
    assert (other["code"], "history" in other) == ("ABV.GENERAL", False)


@pytest.mark.parametrize(
    ("issue", "complaint"),
    [
        ({"id": "x"}, "id of an issue must be a number from 1 to"),
        ({"id": True}, "id .* not True"),
        ({"id": 0}, "id .* not 0"),
        ({"id": 2**64}, "id .* not 18446744073709551616"),
        ({"severity": "high"}, "severity of an issue must be a number from 1 to 10, not 'high'"),
        ({"severity": 99}, "severity .* not 99"),
    ],
)
def test_seed_is_rejected_when_an_id_or_severity_is_invalid(
    sandbox: Any, issue: dict[str, Any], complaint: str
) -> None:
    described = {"project": "mobile-app", "code": "ABV.GENERAL", "file": "a.c", **issue}
    with pytest.raises(SandboxError, match=complaint):
        sandbox.seed({"review": {"issues": [described]}})


def test_defaults_are_used_when_fields_of_a_seed_are_null(api: Api, sandbox: Any) -> None:
    empty = dict.fromkeys(("id", "severity", "status", "owner", "title", "comment", "line", "date"))
    sandbox.seed({"review": {"issues": [{"project": "mobile-app", "code": "ABV.GENERAL", "file": "empty.c", **empty}]}})
    [issue] = search(api, "grouping:off file:empty.c")
    assert (issue["status"], issue["severityCode"], issue["owner"]) == ("Analyze", 4, "unowned")
