# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from sandbox.artifact.aql import parser as language
from support.aql_answer import aql_body
from support.conversation import Call, call, conversation
from support.running import run

KEY = ("repo", "path", "name")
SORTED = '.sort({"$asc":["repo","path","name"]})'
REPO = '{"repo":"r"}'


def query_request(text: str, *rows: dict[str, Any], status: int = 200, **answer: Any) -> Call:
    """Return a request with the rows of its response."""
    if status == 200 and not answer:
        answer["json"] = aql_body(rows)
    headers = {"Content-Type": "text/plain; charset=utf-8"}
    return call("POST", "/artifactory/api/search/aql", status, sent_body=text.encode(), sent_headers=headers, **answer)


def item(name: str, **more: Any) -> dict[str, Any]:
    return {"repo": "r", "path": "a", "name": name, **more}


def compare_key(name: str, more: str = "$gt", own: str = "$gt") -> str:
    """Return the conditions for items before or after an item."""
    return (
        f'{{"repo":{{"{more}e":"r"}}}},{{"$or":[{{"repo":{{"{more}":"r"}}}},'
        f'{{"$and":[{{"path":{{"{more}e":"a"}}}},'
        f'{{"$or":[{{"path":{{"{more}":"a"}}}},{{"name":{{"{own}":"{name}"}}}}]}}]}}]}}'
    )


@pytest.mark.parametrize("check_mode", [False, True])
def test_items_are_read_in_one_page(check_mode: bool) -> None:
    row = item("x", size=7, created="2024-05-01T13:11:12.345+03:00")
    with conversation(query_request(f"items.find({REPO}){SORTED}.limit(5000)", row)) as server:
        result = run("artifact_query_info", url=server.url, find={"repo": "r"}, check_mode=check_mode)
    assert result == {
        "changed": False,
        "rows": [item("x", size=7, created="2024-05-01T10:11:12.345Z")],
        "count": 1,
        "query": f"items.find({REPO})",
    }


def test_page_begins_after_the_last_item_of_the_previous_one() -> None:
    with conversation(
        query_request(f"items.find({REPO}){SORTED}.offset(1).limit(2)", item("b"), item("c")),
        query_request(f"items.find({REPO},{compare_key('c')}){SORTED}.limit(2)", item("d"), item("e")),
        query_request(f"items.find({REPO},{compare_key('e')}){SORTED}.limit(1)", item("f")),
    ) as server:
        result = run("artifact_query_info", url=server.url, find={"repo": "r"}, page_size=2, offset=1, limit=5)
    assert [row["name"] for row in result["rows"]] == ["b", "c", "d", "e", "f"]


def test_pages_are_not_compared_with_the_total_of_a_page() -> None:
    with conversation(
        query_request(f"items.find({REPO}){SORTED}.limit(2)", item("a"), item("b")),
        query_request(f"items.find({REPO},{compare_key('b')}){SORTED}.limit(2)"),
    ) as server:
        assert run("artifact_query_info", url=server.url, find={"repo": "r"}, page_size=2)["count"] == 2


def test_page_begins_earlier_when_aql_cannot_express_the_last_name() -> None:
    with conversation(
        query_request(f"items.find({REPO}){SORTED}.limit(2)", item(" a"), item('"')),
        query_request(f"items.find({REPO}){SORTED}.limit(4)", item(" a"), item('"'), item("b"), item(" c")),
        query_request(f"items.find({REPO},{compare_key('b')}){SORTED}.limit(3)", item(" c"), item("d")),
    ) as server:
        result = run("artifact_query_info", url=server.url, find={"repo": "r"}, page_size=2)
    assert [row["name"] for row in result["rows"]] == [" a", '"', "b", " c", "d"]


def test_fields_of_other_domains_are_read_page_by_page() -> None:
    """Artifactory does not sort or count such rows as items."""
    include = '.include("repo","path","name")'
    until = compare_key("b", more="$lt", own="$lte")
    wide = '.include("size","repo","path","name","property")'
    with conversation(
        query_request(f"items.find({REPO}){include}{SORTED}.limit(2)", item("a"), item("b")),
        query_request(
            f"items.find({REPO},{until}){wide}",
            item("b", size=1),
            item("a", size=2, properties=[{"key": "k", "value": "v"}, {"key": "e"}]),
        ),
        query_request(f"items.find({REPO},{compare_key('b')}){include}{SORTED}.limit(2)"),
    ) as server:
        result = run(
            "artifact_query_info", url=server.url, find={"repo": "r"}, include=["size", "property"], page_size=2
        )
    assert result["rows"] == [
        item("a", size=2, properties=[{"key": "k", "value": "v"}, {"key": "e"}]),
        item("b", size=1),
    ]


def test_all_rows_are_requested_at_once_when_the_page_size_is_zero() -> None:
    with conversation(query_request(f'items.find({REPO}).include("*","stat")', item("a"), item("b"))) as server:
        options = {"include": ["name", "stat", "*"], "page_size": 0, "limit": 1}
        assert run("artifact_query_info", url=server.url, find={"repo": "r"}, **options)["count"] == 1


def test_sort_is_extended_to_be_stable() -> None:
    text = 'items.find().include("repo","path","name","size").sort({"$desc":["size","repo","path","name"]})'
    with conversation(
        query_request(f"{text}.limit(2)", item("a"), item("b")),
        query_request(f"{text}.offset(2).limit(2)"),
    ) as server:
        options = {"include": [*KEY, "size"], "sort": ["size"], "descending": True, "page_size": 2}
        assert run("artifact_query_info", url=server.url, find={}, **options)["count"] == 2


def test_rows_of_builds_lose_their_prefix() -> None:
    """Artifactory merges equal rows, so that a short page is not the last one."""
    include = ("name", "number", "started", "url", "created", "created_by", "modified", "modified_by")
    fields = ",".join(f'"{field}"' for field in include)
    text = f'builds.find({{"name":"app"}}).include({fields}).sort({{"$asc":[{fields}]}})'
    row = {
        "build.name": "app",
        "build.number": "7",
        "build.started": "2024-05-01T10:11:12.345+0000",
        "build.promotions": [{"build.promotion.status": "ok", "build.promotion.created": "2024-05-01T12:00:00+02:00"}],
    }
    with conversation(query_request(f"{text}.limit(10)", row), query_request(f"{text}.offset(10).limit(10)")) as server:
        result = run("artifact_query_info", url=server.url, domain="builds", find={"name": "app"}, page_size=10)
    assert result["rows"] == [
        {
            "name": "app",
            "number": "7",
            "started": "2024-05-01T10:11:12.345Z",
            "promotions": [{"status": "ok", "created": "2024-05-01T10:00:00.000Z"}],
        }
    ]


def test_required_fields_are_added_when_the_server_demands_them() -> None:
    def text(*fields: str) -> str:
        names = ",".join(f'"{field}"' for field in fields)
        return f'builds.find().include({names}).sort({{"$asc":[{names}]}}).limit(3)'

    message = "For permissions reasons AQL demands the following fields: name, number and repo."
    with conversation(
        query_request(
            text("started", "name", "number"), status=400, json={"errors": [{"status": 400, "message": message}]}
        ),
        query_request(text("started", "name", "number", "repo"), {"build.name": "app"}),
    ) as server:
        options = {"domain": "builds", "include": ["started"], "limit": 3, "page_size": 3}
        assert run("artifact_query_info", url=server.url, find={}, **options)["rows"] == [{"name": "app"}]


@pytest.mark.parametrize("where", ["range", "top"])
def test_task_fails_when_the_result_is_truncated(where: str, tmp_path: Path) -> None:
    notification = {"notification": "AQL query reached the search hard limit, results are trimmed."}
    answer = {"results": [item("a")], "range": {"total": 1, **(notification if where == "range" else {})}}
    target = tmp_path / "rows"
    with conversation(
        query_request(
            f"items.find({REPO}){SORTED}.limit(5000)", json={**answer, **(notification if where == "top" else {})}
        )
    ) as server:
        result = run("artifact_query_info", url=server.url, find={"repo": "r"}, to_file=str(target))
    assert result["msg"] == (
        "The server truncated the result after 1 rows: AQL query reached the search hard limit, results are trimmed. "
        "Narrow 'find', for example by 'repo' or 'path', or reduce 'page_size'."
    )
    assert not target.exists()


@pytest.mark.parametrize("body", [{"results": []}, {"results": [], "range": None}, {"results": [item("a")]}])
def test_the_query_fails_when_the_response_has_no_range(body: dict[str, Any]) -> None:
    with conversation(query_request(f"items.find({REPO}){SORTED}.limit(5000)", json=body)) as server:
        result = run("artifact_query_info", url=server.url, find={"repo": "r"})
    assert re.search("200, but (without 'range'|'range' is null)", result["msg"])


def test_query_text_is_sent_unchanged() -> None:
    """A JSON parser would drop one of the two keys."""
    text = 'items.find({"@os":"linux","@os":"windows"}).include("name")'
    with conversation(query_request(text, {"name": "x"})) as server:
        result = run("artifact_query_info", url=server.url, query=f"  {text}\n")
    assert result == {"changed": False, "rows": [{"name": "x"}], "count": 1, "query": text}


def test_list_of_conditions_may_repeat_a_key() -> None:
    text = 'items.find({"@os":"linux"},{"@os":"windows"})'
    with conversation(query_request(f"{text}{SORTED}.limit(5000)")) as server:
        result = run("artifact_query_info", url=server.url, find=[{"@os": "linux"}, {"@os": "windows"}])
    assert (result["query"], result["count"]) == (text, 0)


def test_result_is_written_to_a_file_when_requested(tmp_path: Path) -> None:
    target = tmp_path / "rows"
    with conversation(query_request(f"items.find(){SORTED}.limit(5000)", item("a"), item("b"))) as server:
        result = run("artifact_query_info", url=server.url, find={}, to_file=str(target))
    assert result == {"changed": False, "count": 2, "query": "items.find()"}
    assert [json.loads(line) for line in target.read_text().splitlines()] == [item("a"), item("b")]


def test_error_contains_the_servers_message() -> None:
    message = (
        "Failed to parse query: items.find(x), it looks like there is syntax error near the following sub-query: x)"
    )
    with conversation(
        query_request("items.find(x)", status=400, json={"errors": [{"status": 400, "message": message}]})
    ) as server:
        assert f"400 {message}" in run("artifact_query_info", url=server.url, query="items.find(x)")["msg"]


@pytest.mark.parametrize(
    ("find", "text"),
    [
        ({}, ""),
        ([], ""),
        ({"size": {"$gt": 1, "$lt": 5}}, '{"size":{"$gt":"1"}},{"size":{"$lt":"5"}}'),
        ({"stat.downloaded": None, "name": "a"}, '{"stat.downloaded":null},{"name":"a"}'),
        ({"$or": [{"a": "1", "b": "2"}, {"c": "3"}]}, '{"$or":[{"$and":[{"a":"1"},{"b":"2"}]},{"c":"3"}]}'),
        ({"$and": [{"a": "1", "b": "2"}]}, '{"a":"1"},{"b":"2"}'),
        ({"$msp": [{"@a": "1", "@b": "2"}]}, '{"$msp":[{"@a":"1"},{"@b":"2"}]}'),
        ({"type": "any"}, '{"type":"any"},{"repo":{"$ne":"auto-trashcan"}}'),
        ({"type": "any", "repo": "r"}, '{"type":"any"},{"repo":"r"}'),
        ({"created": {"$before": "1D2mo"}}, '{"created":{"$before":"1D2mo"}}'),
        ({"created": {"$gt": "2024-05-01"}}, '{"created":{"$gt":"2024-05-01"}}'),
    ],
)
def test_conditions_are_written_in_aql(find: Any, text: str) -> None:
    assert str(aql.prepare(aql.Query("items", find))) == f"items.find({text})"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"find": {"a": 'x"y'}}, "Option 'find.a': cannot contain quotation marks, line breaks"),
        ({"find": {"$or": [{"a": {"$ne": "x\ny"}}]}}, "Option 'find.$or[0].a.$ne': cannot contain quotation marks"),
        ({"find": {'a"': "x"}}, "Option 'find.a\"': cannot contain quotation marks"),
        ({"find": {"a": "x\u2028y"}}, "Option 'find.a': cannot contain quotation marks, line breaks"),
        ({"find": {"a": " x"}}, "Option 'find.a': cannot begin with a space"),
        ({"find": {"a": True}}, "Option 'find.a': must be a string, an integer or null"),
        ({"find": {"@version": 1.10}}, "Option 'find.@version': must be a string, an integer or null"),
        ({"find": {"a": ["x"]}}, "Option 'find.a': must be a single value. Use '$or'"),
        ({"find": {"a": {}}}, "Option 'find.a': must be a value, or a dictionary with one of $eq, "),
        ({"find": {"a": {"$Eq": "x"}}}, "Option 'find.a': '$Eq' is not supported. Supported are $eq, "),
        ({"find": {"$nor": []}}, "Option 'find.$nor': '$nor' is not supported. Supported are $and, "),
        ({"find": {"$or": {"a": "x"}}}, "Option 'find.$or': must be a list"),
        ({"find": {"$or": [{"a": "x"}, {}]}}, "Option 'find.$or': must not be empty"),
        ({"find": {"size": {"$gt": None}}}, "Option 'find.size.$gt': cannot be null"),
        ({"find": {"@k": None}}, "Option 'find.@k': cannot be null"),
        ({"find": {"created": {"$before": "3m"}}}, "Option 'find.created.$before': must be an age such as 4w"),
        ({"find": {"created": {"$last": "1mo2d"}}}, "Option 'find.created.$last': must be an age such as 4w"),
        ({"find": '{"@os":"a","@os":"b"}'}, "Option 'find': must be a dictionary of conditions"),
        ({"find": [["a"]]}, "Option 'find[0][0]': must be a dictionary of conditions"),
        ({"find": {}, "include": ['na"me']}, "Option 'include[0]': cannot contain quotation marks"),
        ({"find": {}, "sort": ['na"me']}, "Option 'sort[0]': cannot contain quotation marks"),
        (
            {"find": {}, "include": ["stat"], "sort": ["name"]},
            "Option 'sort': cannot be combined with fields of other domains",
        ),
        (
            {"find": {}, "include": ["@k"], "offset": 1},
            "Option 'offset': cannot be combined with fields of other domains",
        ),
        ({"find": {}, "limit": 0}, "Option 'limit': must be 1 to"),
        ({"query": ""}, "Option 'query': must not be empty"),
        ({"query": "x", "find": {}}, "mutually exclusive"),
        ({}, "one of the following is required: find, query"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert message in run("artifact_query_info", url=server.url, **options)["msg"]


@given(field=st.text(min_size=1), value=st.text(), operator=st.sampled_from([None, "$ne", "$match"]))
@settings(deadline=None)
def test_values_cannot_change_the_query(field: str, value: str, operator: str | None) -> None:
    find = {f"@{field}": value if operator is None else {operator: value}}
    try:
        text = str(aql.Query("items", find, include=("name",), limit=3))
    except BadOption:
        return
    read = language.parse(text)
    (condition,) = read.criteria.members
    assert isinstance(condition, language.Condition)
    assert condition.value == value
    assert (len(read.includes), read.limit, read.offset) == (1, 3, 0)


FIELDS = st.sampled_from(["repo", "path", "name", "created_by"])
CONDITIONS = st.recursive(
    st.dictionaries(FIELDS, st.sampled_from(["a", "b"]), min_size=1),
    lambda inner: st.builds(
        lambda name, arms: {name: arms},
        st.sampled_from(["$and", "$or"]),
        st.lists(inner, min_size=1, max_size=3),
    ),
    max_leaves=6,
)


@given(find=CONDITIONS, item=st.fixed_dictionaries(dict.fromkeys((*KEY, "created_by"), st.sampled_from(["a", "b"]))))
@settings(deadline=None)
def test_server_parses_the_conditions_as_intended(find: dict[str, Any], item: dict[str, str]) -> None:
    try:
        read = language.parse(str(aql.Query("items", find)))
    except BadOption as error:
        assert "nested too deep" in error.problem
        return
    assert holds(read.criteria, item) == matches_all(find, item)


def matches_all(find: dict[str, Any], item: dict[str, str]) -> bool:
    """Return whether all conditions in each dictionary are met."""
    joins = {"$and": all, "$or": any}
    return all(
        joins[name](matches_all(arm, item) for arm in value) if name in joins else item[name] == value
        for name, value in find.items()
    )


def holds(read: language.Group | language.Condition, item: dict[str, str]) -> bool:
    """Return whether the conditions are met as the server evaluates them."""
    if isinstance(read, language.Condition):
        return item[str(read.path.field)] == read.value
    return (any if read.kind == "or" else all)(holds(member, item) for member in read.members)


@pytest.mark.parametrize("row", [{"repo": "r", "path": "a"}, {"repo": "r", "path": "a", "name": 7}])
def test_task_fails_when_an_item_has_no_name(row: dict[str, Any]) -> None:
    with conversation(query_request(f"items.find({REPO}){SORTED}.limit(5000)", row)) as server:
        result = run("artifact_query_info", url=server.url, find={"repo": "r"})
    assert "results[0]" in result["msg"]
    assert "please report this response" in result["msg"]


def test_items_are_queried_by_repository() -> None:
    kinds = {"a": "LOCAL", "b": "REMOTE", "c": "VIRTUAL"}
    listed = [{"key": key, "type": kind} for key, kind in kinds.items()]
    bodies = [f'items.find({{"repo":"{key}"}},{{"name":"x"}})' for key in ("a", "b-cache")]
    with conversation(
        call("GET", "/artifactory/api/repositories", json=listed),
        *(query_request(body, {"repo": "a", "path": ".", "name": "x"}) for body in bodies),
    ) as server:
        result = run("artifact_query_info", url=server.url, find={"name": "x"}, by_repository=True)
    assert result["count"] == 2


@pytest.mark.parametrize("option", [{"sort": ["name"]}, {"offset": 1}, {"limit": 1}, {"domain": "builds"}])
def test_query_by_repository_has_neither_order_nor_other_domains(option: dict[str, Any]) -> None:
    result = run("artifact_query_info", url="http://127.0.0.1:1", find={"name": "x"}, by_repository=True, **option)
    assert result["msg"].startswith(f"Option '{next(iter(option))}': ")


def test_error_suggests_options_when_the_open_source_edition_refuses_to_sort() -> None:
    words = "Sorting is not supported by AQL in the open source version"
    refused = call("POST", "/artifactory/api/search/aql", 400, json={"errors": [{"status": 400, "message": words}]})
    with conversation(refused) as server:
        result = run("artifact_query_info", url=server.url, find={"repo": "r"})
    advice = "Set 'page_size: 0' and omit 'sort', or set 'by_repository: true'."
    assert result["msg"].endswith(f"requires Artifactory Pro. {advice}")


# Queries that only read, in forms that Artifactory accepts
READING = (
    "items.find()",
    'items.find({"repo":"r"})',
    'items . find ( {"repo" : "r" , "size":{"$gt":10}} )\n.include("name", "@k")\t.sort({"$asc":["name"]}).offset(1)',
    'items.find({"@os":"linux","@os":"windows"}).include("repo","path","name").limit(5).distinct(false).transitive()',
    'build.promotions.find({"created":{"$last":"1d"}})',
    'build . promotions.find({"repo":null})',
    'items.find({"name":").delete("})',
    'items.find({"name":"items.delete({})"})',
    'items.find({"name":"a\\\\b é { [ ( \' #"},{"$or":[{"depth":1.5e3},{"depth":-1}]})',
)
# Queries that act, or whose meaning is uncertain
ACTING = (
    'items.delete({"repo":"r"}).dryRun("false")',
    'items.delete({"repo":"r"})',
    'items . delete ( {"repo":"r"})',
    'items\n.\ndelete({"repo":"r"})',
    'properties.update({"item.repo":"r"}).keys("k").newValue("v").dryRun("false")',
    'properties.find({"item.repo":"r"}).keys("k").newValue("v")',
    'items.find({"repo":"r"}).delete()',
    'items.find({"repo":"r"}).dryRun("false")',
    'items.find({"name":"("}).delete({"name":")"})',
    'items.find({"repo":"r"}).include("name").delete()',
    'items.find({"repo":"r"}).find({"repo":"r"})',
    'items.find({"repo":"r"});items.delete({"repo":"r"})',
    'items.find({"repo":"r"}) items.delete({"repo":"r"})',
    'items.find(items.delete({"repo":"r"}))',
    'items.delete.find({"repo":"r"})',
    'items.\\u0064elete({"repo":"r"})',
    'items./**/delete({"repo":"r"})',
    'items.find({"repo":"r"})/* */.delete()',
    'items.find({"repo":"r"}) // x\n.delete()',
    'items.find({"name":"a\\"}).delete({"name":"b"})',
    "items.find({'name':\")\"}).delete({\"name\":'b'})",
    'items.find({"name":"a\0b"})',
    'items.find({"repo":"r"}',
    'items.find({"repo":"r})',
    'items.Find({"repo":"r"})',
    'items.find\u00a0({"repo":"r"})',
    'Items.find({"repo":"r"})',
    "items",
    "items.limit(5)",
    "find({})",
    '.find({"repo":"r"})',
    "delete",
    "DELETE FROM nodes",
)


@pytest.mark.parametrize("query", READING)
def test_query_in_aql_is_sent_without_changes_when_it_only_reads(query: str) -> None:
    with conversation(query_request(query)) as server:
        assert run("artifact_query_info", url=server.url, query=query)["count"] == 0


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("query", ACTING)
def test_query_in_aql_is_refused_without_a_request_when_it_may_act(query: str, check_mode: bool) -> None:
    with conversation() as server:
        result = run("artifact_query_info", url=server.url, query=query, check_mode=check_mode)
    assert not result["changed"]
    assert result["msg"].startswith(
        "Option 'query': must be a query of the form '<domain>.find(...)', followed only by include, sort, offset, "
        "limit, distinct and transitive, because other queries can change or delete data."
    )


def test_refusal_of_a_query_names_the_part_that_may_act() -> None:
    messages = {
        query: run("artifact_query_info", url="http://server.test", query=query)["msg"].partition("data. ")[2]
        for query in (ACTING[0], ACTING[6], ACTING[11], ACTING[14], ACTING[22], "items")
    }
    assert list(messages.values()) == [
        "The action 'delete' is not allowed.",
        "The method 'delete' is not allowed.",
        "The part ';items.delete({\"repo\":\"r\"})' after 'find' is not allowed.",
        "The domain 'items.delete' is unknown.",
        "A string, bracket or parenthesis is not closed, or is not valid in AQL.",
        "It does not begin with a domain and 'find'.",
    ]


def test_query_of_a_long_text_is_judged_in_time() -> None:
    with conversation() as server:
        result = run("artifact_query_info", url=server.url, query='items.find({"a":"b"}' + '{"a":"b"},' * 200_000)
    assert "is not closed" in result["msg"]


def test_control_characters_of_a_server_cannot_reach_the_terminal() -> None:
    message = "a\x1b]0;title\x07\x1b[2J\x9b1m\rb\tc\nd\ud800"
    answer = query_request("items.find()", status=400, json={"errors": [{"status": 400, "message": message}]})
    with conversation(answer) as server:
        result = run("artifact_query_info", url=server.url, query="items.find()")
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", result["msg"])
    assert "a\\x1b]0;title\\x07" in result["msg"]
