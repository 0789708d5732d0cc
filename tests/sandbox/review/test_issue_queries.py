# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of queries. The issues are named a to h, after the first letters of their messages."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.review import Api

EVERYWHERE = "build:any state:New,Existing,Fixed"
ISSUES = [
    {
        "message": "a: Array 'x' may use index 10",
        "code": "ABV.GENERAL",
        "title": "Buffer Overflow - Array Index Out of Bounds",
        "file": "src/core/buffer.c",
        "method": "copy",
        "severity": 1,
        "owner": "alice",
        "category": "Buffer Overflow",
        "found_in": "rel_1",
    },
    {
        "message": "b: Pointer 'next' is dereferenced",
        "code": "NPD.FUNC.MUST",
        "file": "src/core/list.c",
        "method": "next",
        "severity": 2,
        "status": "Fix",
        "owner": "bob",
        "category": "Null Pointer",
        "found_in": "rel_1",
    },
    {
        "message": "c: Pointer 'peer' may be dereferenced",
        "code": "NPD.FUNC.MIGHT",
        "file": "src/net/socket.c",
        "method": "open",
        "severity": 3,
        "status": "Fix in Next Release",
        "category": "Null Pointer",
        "found_in": "rel_2",
    },
    {
        "message": "d: 'count' is not initialised",
        "code": "UNINIT.STACK.MUST",
        "file": "src/net/http.cpp",
        "method": "parse",
        "severity": 4,
        "status": "Not a Problem",
        "owner": "alice",
        "bug_id": "77",
        "comment": "does no harm, really",
        "found_in": "rel_12",
    },
    {
        "message": "e: a file is not closed",
        "code": "RLK.MAIN",
        "file": "vendor/zlib/inflate.c",
        "method": "main",
        "severity": 5,
        "status": "Ignore",
        "found_in": "rel_12",
    },
    {
        "message": "f: Define not at the global level",
        "code": "MISRA.DEFINE.NOTGLOBAL",
        "file": "src/my app/main.c",
        "method": "main.c",
        "severity": 4,
        "status": "Defer",
        "taxonomy": "MISRA C++ 2008",
        "reference": "16-0-2 (C++ 2008 req.)",
        "found_in": "rel_2",
    },
    {
        "message": "g: tainted",
        "code": "SV.TAINTED.INJECTION",
        "file": "src/core/buffer.c",
        "method": "read",
        "severity": 10,
        "found_in": "rel_1",
        "fixed_in": "rel_12",
    },
    {
        "message": "h: gone",
        "code": "ABV.GENERAL",
        "file": "src/old.c",
        "method": "old",
        "severity": 1,
        "found_in": "rel_1",
        "fixed_in": "rel_2",
    },
]
SEED = {
    "name": "queries",
    "creator": "admin",
    "builds": [{"name": "rel_1", "date": 1}, {"name": "rel_2", "date": 2}, {"name": "rel_12", "date": 3}],
    "modules": [
        {"name": "third party", "paths": ["vendor/**"]},
        {"name": "net", "paths": ["**/net/*.c", "**/net/*.cpp"]},
        {"name": "network tools", "paths": ["tools/*"]},
    ],
    "issues": ISSUES,
}

# Queries and the issues that they return; {rel_1} is the ID of that build
TABLE = """
    => abcdef
    state:New => de
    state:Existing => abcf
    state:Fixed => g
    state:New,Existing => abcdef
    state:new => de
    STATE:NEW => de
    state:'New' => de
    state:"Fixed" => g
    state:+New => de
    state:New state:Fixed => deg
    state:New,Fixed => deg
    state:New,Existing,Fixed => abcdefg
    -state:New => abcfg
    -state:New,Existing => g
    -state:Fixed => abcdef
    severity:1 => a
    severity:2 => b
    severity:4 => df
    severity:10 =>
    severity:10 state:Fixed => g
    severity:1-4 => abcdf
    severity:1-2 => ab
    severity:5-10 => e
    severity:2-2 => b
    severity:1,2,3,4 => abcdf
    severity:1,3-4 => acdf
    severity:1 severity:5 => ae
    severity:Critical => a
    severity:critical => a
    severity:Error => b
    severity:Warning,Review => cdf
    severity:"Severity 5" => e
    severity:'severity 5' => e
    severity:Critical,2 => ab
    -severity:1 => bcdef
    -severity:1-4 => e
    severity:1-4 -severity:2 => acdf
    severity:+1 => a
    status:Analyze => a
    status:analyze => a
    status:+Analyze => a
    status:Fix => bc
    status:+Fix => b
    status:+fix => b
    status:+Analyze,+Fix => ab
    status:Analyze,Fix => abc
    status:Analyze status:Fix => abc
    status:"Fix in Next Release" => c
    status:+"Fix in Next Release" => c
    status:'not a problem' => d
    status:"Not a Problem" => d
    status:"Not a Problem",Ignore => de
    status:Defer => f
    status:Filter =>
    -status:Fix => adef
    -status:+Fix => acdef
    -status:Analyze,Ignore => bcdf
    status:Release => c
    status:Analyze status:Fix state:New =>
    status:Analyze,Fix state:Existing => abc
    status:Analyze state:Fixed => g
    code:ABV => a
    code:ABV.GENERAL => a
    code:abv.general => a
    code:+ABV =>
    code:+ABV.GENERAL => a
    code:NPD => bc
    code:NPD.FUNC.MUST => b
    code:MUST => bd
    code:NPD,RLK => bce
    code:NPD code:RLK => bce
    -code:NPD => adef
    -code:NPD -code:RLK => adf
    code:NPD -code:MUST => c
    file:buffer => a
    file:buffer.c => a
    file:BUFFER => a
    file:+buffer.c =>
    file:+src/core/buffer.c => a
    file:src/core => ab
    file:src/core,src/net => abcd
    file:"my app" => f
    file:'my app' => f
    file:+"src/my app/main.c" => f
    file:.c => abcdef
    file:.cpp => d
    -file:vendor => abcdf
    -file:"my app" => abcde
    -file:src => e
    file:src -file:core => cdf
    file:% =>
    file:_ =>
    file:* =>
    owner:alice => ad
    owner:ALICE => ad
    owner:+alice => ad
    owner:ali => ad
    owner:+ali =>
    owner:unowned => cef
    owner:alice,bob => abd
    -owner:unowned => abd
    -owner:alice => bcef
    owner:alice status:Analyze => a
    category:"buffer overflow" => a
    category:"Null Pointer" => bc
    category:"Null Pointer","Buffer Overflow" => abc
    category:null => bc
    -category:"Null Pointer" => adef
    reference:16-0-2 => f
    reference:+16-0-2 =>
    reference:"C++ 2008" => f
    bugId:77 => d
    bugid:77 => d
    bugId:7 =>
    -bugId:77 => abcef
    module:net => cd
    module:+net => cd
    module:"third party" => e
    module:+"third party" => e
    module:third => e
    module:network =>
    module:nothing =>
    module:*default* => abf
    -module:"third party" => abcdf
    -module:net => abef
    module:net,third => cde
    module:net severity:3 => c
    Pointer => bc
    pointer => bc
    'is not' => de
    "global level" => f
    harm => d
    77 => d
    alice => ad
    socket => c
    UNINIT => d
    parse => d
    -Pointer => adef
    -Pointer -alice => ef
    Pointer peer => c
    Pointer,peer =>
    status:Fix next => b
    status:Analyze Fix =>
    status:Analyze Array => a
    nothing-at-all =>
    taxonomy:MISRA => f
    taxonomy:"C and C++" => abcde
    title:overflow => a
    message:tainted state:Fixed => g
    method:main => ef
    method:+main => e
    build:any => abcdef
    build:any state:Fixed => gh
    build:any state:New => de
    build:rel_1 => abcdef
    build:'rel_1' => abcdef
    build:'el_2' => abcfg
    build:+rel_1 => abgh
    build:+'rel_1' => abgh
    build:+"rel_2" => abcfg
    build:+REL_2 => abcfg
    build:+rel_2 state:New => cf
    build:+rel_2 state:Existing => abg
    build:+rel_2 state:Fixed => h
    build:+rel_1 state:New => abgh
    build:+rel_1 state:Existing =>
    build:+rel_12 => abcdef
    build:{rel_1} => abgh
    build:{rel_2} state:Fixed => h
    build:{rel_12} => abcdef
    diff:+rel_1,+rel_2 => cfh
    diff:rel_1,rel_2 => deg
    diff:+rel_2,+rel_12 => deg
    diff:+rel_12,+rel_2 => deg
    diff:+rel_1,+rel_12 state:New => cdef
    diff:+rel_1,+rel_12 state:Fixed => gh
    diff:+rel_1,+rel_12 state:Existing => ab
    severity:1-4 status:+Analyze,+Fix -module:"third party" owner:alice => a
    grouping:off => abcdef
    grouping:off state:New => de
    GROUPING:OFF severity:1 => a
"""


@pytest.fixture
def queries(api: Api, sandbox: Any) -> Api:
    sandbox.seed({"review": {"projects": [SEED]}})
    sandbox.switch("review", grouping_by_default=False)
    return api


def letters(api: Api, query: str, **fields: str) -> str:
    return "".join(issue["message"][0] for issue in api.records("search", project="queries", query=query, **fields))


def rows(table: str) -> list[tuple[str, str]]:
    parts = (line.split("=>") for line in table.splitlines() if line.strip())
    return [(query.strip(), expected.strip().replace(" ", "")) for query, expected in parts]


def test_query_returns_the_expected_issues(queries: Api) -> None:
    ids = {build["name"]: build["id"] for build in queries.records("builds", project="queries")}
    wrong = {}
    for query, expected in rows(TABLE):
        actual = letters(queries, query.format(**ids) if "{" in query else query)
        if actual != "".join(sorted(expected)):
            wrong[query] = f"{actual} in place of {expected}"
    assert wrong == {}
    assert len(rows(TABLE)) >= 150


NEWER = """
    build:rel_1 => abgh
    build:'rel_1' => abgh
    build:+rel_1 => abgh
    build:last => abcdef
    build:LAST state:New => de
    build:{rel_2} => abcfg
    build:+'rel_2' => abcfg
"""


def test_build_name_is_matched_exactly_when_the_server_is_newer(queries: Api, sandbox: Any) -> None:
    ids = {build["name"]: build["id"] for build in queries.records("builds", project="queries")}
    sandbox.switch("review", version_major="24")
    assert {query: letters(queries, query.format(**ids)) for query, _expected in rows(NEWER)} == dict(rows(NEWER))
    assert queries.expect_error("search", project="queries", query="build:rel") == (404, "Build not found: rel")
    assert queries.expect_error("search", project="queries", query="build:4711") == (404, "Build not found: 4711")


def test_search_is_rejected_when_it_names_several_builds(queries: Api) -> None:
    refused = (400, "A search requires one build, or two builds as diff:one,other")
    for query in ("build:rel_1 build:rel_2", "build:rel_1,rel_2", "diff:rel_1", "-build:rel_1"):
        assert queries.expect_error("search", project="queries", query=query) == refused
    assert queries.expect_error("search", project="queries", query="build:+rel") == (404, "Build not found: rel")


WARNINGS = {
    "colour:red": "Unknown keyword: colour",
    "-colour:red": "Unknown keyword: colour",
    "grouping:maybe": "Invalid value for keyword grouping: maybe",
    "file:": "Keyword without a value: file",
}
WARNINGS_WITHOUT_ISSUES = {
    "state:Old": "Invalid value for keyword state: Old",
    "status:Done": "Invalid value for keyword status: Done",
    "severity:high": "Invalid value for keyword severity: high",
    "severity:4-1": "Invalid value for keyword severity: 4-1",
    "id:x": "Invalid value for keyword id: x",
}


def test_summary_contains_warnings_when_terms_are_unknown(queries: Api, sandbox: Any) -> None:
    for query, warning in {**WARNINGS, **WARNINGS_WITHOUT_ISSUES}.items():
        *issues, last = queries.records("search", project="queries", query=query, summary="true")
        assert last["summary"]["warnings"] == [warning]
        assert len(issues) == last["summary"]["total"] == (6 if query in WARNINGS else 0)
    sandbox.switch("review", extended_keywords=False)
    last = queries.records("search", project="queries", query="taxonomy:x", summary="true")[-1]
    assert last["summary"]["warnings"] == ["Unknown keyword: taxonomy"]


def test_view_restricts_a_query(queries: Api) -> None:
    queries.write("create_view", project="queries", name="mine", query="owner:alice state:New,Existing,Fixed")
    assert letters(queries, "", view="mine") == "ad"
    assert letters(queries, "severity:1", view="mine") == "a"
    assert letters(queries, "owner:bob", view="mine") == ""
    assert queries.expect_error("search", project="queries", view="x") == (404, "View not found: x")
    queries.user = "alice"
    assert queries.expect_error("search", project="queries", view="mine")[0] == 404


def test_issue_is_found_by_id(queries: Api) -> None:
    ids = [str(issue["id"]) for issue in queries.records("search", project="queries", query="")]
    assert letters(queries, f"id:{ids[1]}") == "b"
    assert letters(queries, f"id:{','.join(ids[:3])}") == "abc"
    assert letters(queries, f"id:{ids[1]},{10**30}") == "b"
    assert letters(queries, f"-id:{ids[0]}") == "bcdef"
