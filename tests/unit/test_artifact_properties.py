# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.aql_answer import aql_body
from support.artifact_edition import OPEN_SOURCE, edition
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

ITEM = "/artifactory/api/storage/generic-local/app/1.0/app.tgz"
METADATA = "/artifactory/api/metadata/generic-local/app/1.0/app.tgz?recursiveProperties=0"
REPOSITORY = "/artifactory/api/repositories/generic-local"
TASK = {"repo": "generic-local", "path": "app/1.0/app.tgz", "token": "t0ken-of-mine"}
NONE = {"errors": [{"status": 404, "message": "No properties could be found."}]}


def has(properties: dict[str, list[str]]) -> Call:
    """Return the read of an item with these properties."""
    answer = {"properties": properties, "uri": "http://host/artifactory/api/storage/generic-local/app/1.0/app.tgz"}
    return call("GET", f"{ITEM}?properties", json=answer, sent_headers={"Authorization": "Bearer t0ken-of-mine"})


def has_none() -> tuple[Call, Call]:
    """Return the reads of an item without properties: Artifactory responds as for a missing item."""
    return call("GET", f"{ITEM}?properties", 404, json=NONE), call("GET", ITEM, json={"uri": "…"})


def patch(properties: dict[str, list[str] | None], status: int = 204) -> Call:
    """Return the request that changes all properties."""
    return call("PATCH", METADATA, status, sent_json={"props": properties})


def no_patch(status: int = 405) -> Call:
    """Return the same request for a server that does not support it."""
    return call("PATCH", METADATA, status)


def kind(rclass: str, key: str = "generic-local") -> Call:
    """Return the requests with which check mode predicts whether properties can be set."""
    return call("GET", f"/artifactory/api/repositories/{key}", json={"key": key, "rclass": rclass})


def no_repository() -> tuple[Call, Call]:
    """Return the same requests for a repository that does not exist."""
    missing = call("GET", REPOSITORY, 400, json={"errors": [{"status": 400, "message": "Bad Request"}]})
    return missing, call("GET", "/artifactory/api/repositories", json=[])


def put(properties: str) -> Call:
    return call("PUT", f"{ITEM}?properties={properties}&recursive=0", 204)


def delete(keys: str) -> Call:
    return call("DELETE", f"{ITEM}?properties={keys}&recursive=0", 204)


def test_second_run_sends_one_read_when_nothing_changed() -> None:
    with conversation(has({"qa": ["b", "a"], "other": ["x"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": ["a", "b", "a"]}, **TASK)
    assert result == {"changed": False, "properties": {"qa": ["a", "b"], "other": ["x"]}}


def test_a_change_is_written_and_read_back() -> None:
    with conversation(has({"qa": ["old"]}), patch({"qa": ["new"]}), has({"qa": ["new"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, diff_mode=True, **TASK)
    assert result["changed"]
    assert result["diff"] == {"before": {"qa": ["old"]}, "after": {"qa": ["new"]}}


def test_property_is_returned_when_its_key_is_state() -> None:
    with conversation(has({"state": ["old"]}), patch({"state": ["new"]}), has({"state": ["new"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"state": "new"}, diff_mode=True, **TASK)
    assert result["diff"] == {"before": {"state": ["old"]}, "after": {"state": ["new"]}}


def test_check_mode_only_reads() -> None:
    with conversation(has({"qa": ["old"], "x": ["y"]}), kind("local")) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, check_mode=True, **TASK)
    assert result == {"changed": True, "properties": {"qa": ["new"], "x": ["y"]}}


@pytest.mark.parametrize(
    ("rclass", "where"),
    [("virtual", "a local repository or a cache."), ("remote", "its cache, 'generic-local-cache'.")],
)
def test_check_mode_refuses_repositories_that_keep_no_properties(rclass: str, where: str) -> None:
    with conversation(has({"qa": ["old"]}), kind(rclass)) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, check_mode=True, **TASK)
    assert result["msg"] == f"The repository 'generic-local' is {rclass}: properties can only be set in {where}"
    assert not result["changed"]


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_check_mode_predicts_a_change_when_the_repository_type_is_unknown(status: int) -> None:
    listed = call("GET", "/artifactory/api/repositories", json=[])
    with conversation(has({"qa": ["old"]}), call("GET", REPOSITORY, status), listed) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, check_mode=True, **TASK)
    assert result["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_properties_are_refused_when_the_server_is_the_open_source_edition(check_mode: bool) -> None:
    with conversation(has({"qa": ["old"]}), edition(OPEN_SOURCE)) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, check_mode=check_mode, **TASK)
    assert "Setting the properties of an existing item requires Artifactory Pro" in result["msg"]
    assert not result["changed"]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_check_mode_predicts_a_change_when_the_edition_is_unknown(status: int) -> None:
    hidden = call("GET", "/artifactory/api/system/version", status)
    with conversation(has({"qa": ["old"]}), hidden, kind("local")) as server:
        assert run("artifact_properties", url=server.url, properties={"qa": "new"}, check_mode=True, **TASK)["changed"]


def test_properties_are_set_when_the_item_has_none() -> None:
    with conversation(*has_none(), patch({"qa": ["new"]}), has({"qa": ["new"]})) as server:
        assert run("artifact_properties", url=server.url, properties={"qa": "new"}, **TASK)["changed"]


def test_task_fails_when_the_item_does_not_exist() -> None:
    not_found = call("GET", ITEM, 404, json={"errors": [{"status": 404, "message": "Unable to find item"}]})
    with conversation(call("GET", f"{ITEM}?properties", 404, json=NONE), not_found) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, **TASK)
    assert result["failed"]
    assert "Item 'app/1.0/app.tgz' does not exist" in result["msg"]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a,b", "k%3Da%5C%2Cb"),
        ("a|b", "k%3Da%5C%7Cb"),
        ("a=b", "k%3Da%5C%3Db"),
        ("a;b", "k%3Da%5C%3Bb"),
        ("a\\b", "k%3Da%5C%5Cb"),
        ("100% +#é", "k%3D100%25%20%2B%23%C3%A9"),
        (["a", "b,c"], "k%3Da%2Cb%5C%2Cc"),
        ("", "k%3D"),
        (True, "k%3Dtrue"),
        (15, "k%3D15"),
    ],
)
def test_special_characters_in_values_are_encoded(value: Any, written: str) -> None:
    values = value if isinstance(value, list) else [str(value).lower() if isinstance(value, bool) else str(value)]
    before, after = has({"x": ["y"]}), has({"x": ["y"], "k": values})
    with conversation(before, patch({"k": values}), after, before, no_patch(), put(written), after) as server:
        for _server in ("new", "old"):
            assert run("artifact_properties", url=server.url, properties={"k": value}, **TASK)["changed"]


def test_special_characters_in_paths_are_encoded() -> None:
    target = "/artifactory/api/storage/generic-local/a%20b/c%2Bd%23e%25f%3Bg%C3%A9?properties"
    with conversation(call("GET", target, json={"properties": {"k": ["v"]}, "uri": "…"})) as server:
        result = run(
            "artifact_properties", url=server.url, repo="generic-local", path="a b/c+d#e%f;gé", properties={"k": "v"}
        )
    assert result["changed"] is False


def test_value_is_set_when_it_exceeds_the_url_length() -> None:
    desired = {"k": ["v" * 100_000]}
    with conversation(has({"x": ["y"]}), patch({**desired}), has(desired)) as server:
        assert run("artifact_properties", url=server.url, properties=desired, **TASK)["changed"]


LONG = {f"key{number}": ["v" * 2500] for number in range(3)}
FIRST = "%3B".join(f"key{number}%3D{'v' * 2500}" for number in range(2))
THIRD = f"key2%3D{'v' * 2500}"


@pytest.mark.parametrize("status", [404, 405, 501])
def test_several_requests_are_sent_when_patch_is_not_supported(status: int) -> None:
    with conversation(has({"x": ["y"]}), no_patch(status), put(FIRST), put(THIRD), has(LONG)) as server:
        assert run("artifact_properties", url=server.url, properties=LONG, **TASK)["changed"]


def test_patch_is_tried_once_when_it_is_not_supported() -> None:
    again = put("a%3D1"), has({"a": ["1"]})
    with conversation(has({"x": ["y"]}), no_patch(), *again, has({"x": ["y"]}), *again) as server:
        for _time in range(2):
            assert run("artifact_properties", url=server.url, properties={"a": "1"}, **TASK)["changed"]


def test_property_is_refused_when_it_exceeds_the_url_length() -> None:
    with conversation(has({"x": ["y"]}), no_patch()) as server:
        result = run("artifact_properties", url=server.url, properties={"a": "1", "k": "v" * 6000}, **TASK)
    assert result["failed"]
    assert result["msg"].startswith("The property 'k' is too long for this server: it does not fit into a URL")


def test_result_has_written_properties_when_a_part_failed() -> None:
    full = call("PUT", f"{ITEM}?properties={THIRD}&recursive=0", 507, text="disk full")
    half = {key: LONG[key] for key in ("key0", "key1")}
    with conversation(has({"x": ["y"]}), no_patch(), put(FIRST), full, has({"x": ["y"], **half})) as server:
        result = run("artifact_properties", url=server.url, properties=LONG, diff_mode=True, **TASK)
    assert result["failed"]
    assert "507 disk full" in result["msg"]
    assert result["diff"] == {"before": {}, "after": half}
    assert result["properties"] == {"x": ["y"], **half}


def test_purge_deletes_other_properties() -> None:
    purged, after = {"b": None, "c": None}, has({"a": ["1"]})
    with conversation(has({"a": ["1"], "b": ["2"], "c": ["3"]}), patch(purged), after) as server:
        result = run("artifact_properties", url=server.url, properties={"a": "1"}, purge=True, **TASK)
    assert result == {"changed": True, "properties": {"a": ["1"]}}


def test_properties_are_deleted_by_key_when_patch_is_not_supported() -> None:
    before, after = has({"a": ["1"], "b": ["2"], "c": ["3"]}), has({"a": ["1"]})
    with conversation(before, no_patch(), delete("b%2Cc"), after) as server:
        assert run("artifact_properties", url=server.url, properties={"a": "1"}, purge=True, **TASK)["changed"]


def test_all_properties_are_deleted_only_when_purging() -> None:
    with conversation(has({"a": ["1"]}), patch({"a": None}), *has_none()) as server:
        assert run("artifact_properties", url=server.url, properties={}, purge=True, **TASK)["properties"] == {}


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"properties": None}, "state is present but all of the following are missing: properties."),
        (
            {"keys": ["a"], "state": "absent"},
            "Option 'purge': cannot be combined with 'state: absent'.",
        ),
        (
            {"properties": {"a": "1"}, "repo": "a/b"},
            "Option 'repo': must be a name without '/', other than '.' and '..', not 'a/b'.",
        ),
    ],
)
def test_task_is_refused_when_it_could_delete_everything_by_mistake(options: dict[str, Any], complaint: str) -> None:
    with conversation() as server:
        result = run("artifact_properties", url=server.url, purge=True, **{**TASK, **options})
    assert result["msg"] == complaint


def test_absent_deletes_the_keys() -> None:
    with conversation(has({"a": ["1"], "b": ["2"]}), patch({"a": None}), has({"b": ["2"]})) as server:
        assert run("artifact_properties", url=server.url, keys=["a", "gone"], state="absent", **TASK)["changed"]
    with conversation(has({"b": ["2"]})) as server:
        assert not run("artifact_properties", url=server.url, keys=["a", "gone"], state="absent", **TASK)["changed"]


def test_property_is_deleted_when_its_list_is_empty() -> None:
    with conversation(has({"a": ["1"], "b": ["2"]}), patch({"a": None}), has({"b": ["2"]})) as server:
        assert run("artifact_properties", url=server.url, properties={"a": []}, **TASK)["changed"]


def test_task_fails_when_a_success_has_no_effect() -> None:
    with conversation(has({"a": ["1"]}), patch({"a": ["2"]}), has({"a": ["1"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"a": "2"}, **TASK)
    assert result["failed"]
    assert result["changed"]
    assert "do not have the requested values: a" in result["msg"]


def test_change_is_retried_when_the_response_is_lost() -> None:
    lost, again = call("PATCH", METADATA, drop=True), patch({"a": ["2"]})
    with conversation(has({"a": ["1"]}), lost, again, has({"a": ["2"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"a": "2"}, **TASK)
    assert result["changed"]
    assert "1 request(s) were retried" in result["warnings"][0]


@pytest.mark.parametrize("key", ["1st", "a b", "a=b", "a/b", "", "a,b"])
def test_key_is_refused_before_any_request_when_it_is_invalid(key: str) -> None:
    with conversation() as server:
        result = run("artifact_properties", url=server.url, properties={key: "v"}, **TASK)
    assert result["failed"]
    assert "'properties'" in result["msg"]


@pytest.mark.parametrize("path", ["a/../b", "a//b", "./a"])
def test_path_is_refused_before_any_request_when_it_contains_dots(path: str) -> None:
    with conversation() as server:
        result = run("artifact_properties", url=server.url, repo="generic-local", path=path, properties={"k": "v"})
    assert "is not a valid part of a path" in result["msg"]


def test_error_contains_no_secret() -> None:
    refusal = {"errors": [{"status": 401, "message": "Token failed verification: t0ken-of-mine"}]}
    with conversation(call("GET", f"{ITEM}?properties", 401, json=refusal)) as server:
        result = run("artifact_properties", url=server.url, properties={"k": "v"}, **TASK)
    assert result["msg"].startswith(f"GET {server.url}{ITEM}: 401 Token failed verification: ********")
    assert "check 'token'" in result["msg"]


# Several items


def item(path: str, before: dict[str, list[str]], after: dict[str, list[str]] | None = None) -> list[Call]:
    """Return the reads of an item before and after a write."""
    address = f"/artifactory/api/storage/generic-local/{path}?properties"
    calls = [call("GET", address, json={"properties": before, "uri": "…"})]
    if after is not None:
        metadata = f"/artifactory/api/metadata/generic-local/{path}?recursiveProperties=0"
        calls.append(call("PATCH", metadata, 204, sent_json={"props": after}))
        calls.append(call("GET", address, json={"properties": after, "uri": "…"}))
    return calls


def test_items_inherit_options_of_the_task() -> None:
    first = item("a", {"qa": ["old"]}, {"qa": ["passed"]})
    second = item("b", {"qa": ["failed"]})
    with conversation(*first, *second) as server:
        result = run(
            "artifact_properties",
            url=server.url,
            repo="generic-local",
            properties={"qa": "passed"},
            items=[{"path": "a"}, {"path": "b", "properties": {"qa": "failed"}}],
            workers=1,
            diff_mode=True,
        )
    assert result["changed"]
    assert result["counts"] == {"changed": 1, "ok": 1, "failed": 0, "unknown": 0, "skipped": 0}
    assert [one["properties"] for one in result["outcomes"]] == [{"qa": ["passed"]}, {"qa": ["failed"]}]
    assert [one["item"] for one in result["outcomes"]] == [{"path": "a"}, {"path": "b", "properties": {"qa": "failed"}}]
    assert [diff["before_header"] for diff in result["diff"]] == ["items[0]"]


def test_items_in_check_mode_are_only_read() -> None:
    with conversation(*item("a", {"qa": ["old"]}), kind("local"), *item("b", {"qa": ["old"]})) as server:
        result = run(
            "artifact_properties",
            url=server.url,
            repo="generic-local",
            properties={"qa": "new"},
            items=[{"path": "a"}, {"path": "b"}],
            workers=1,
            check_mode=True,
        )
    assert result["changed"]
    assert [outcome["properties"] for outcome in result["outcomes"]] == [{"qa": ["new"]}] * 2


def test_other_items_are_processed_when_one_fails() -> None:
    not_found = [call("GET", "/artifactory/api/storage/generic-local/gone?properties", 404, json=NONE)]
    not_found.append(call("GET", "/artifactory/api/storage/generic-local/gone", 404, json=NONE))
    with conversation(*not_found, *item("b", {"qa": ["passed"]})) as server:
        result = run(
            "artifact_properties",
            url=server.url,
            repo="generic-local",
            properties={"qa": "passed"},
            items=[{"path": "gone"}, {"path": "b"}],
            workers=1,
        )
    assert result["failed"]
    assert result["msg"].startswith("1 of 2 items failed. The first failure is items[0]: Item 'gone' does not exist")
    assert result["counts"]["ok"] == 1


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([{"path": "a"}, {}], "items[1]: missing required arguments: path"),
        ([{"path": "a", "keys": ["k"]}], "items[0]: parameters are mutually exclusive: properties|keys"),
        ([{"path": "a", "state": "absent"}], "items[0]: state is absent but all of the following are missing: keys"),
        ([{"path": "a"}, {"path": "b", "properties": {"1st": "v"}}], "Option 'items[1].properties': '1st' cannot be"),
        ([{"path": "a"}, {"path": "/a/"}], "items[1]: duplicate of items[0]."),
        ([{"path": "a", "repo": ""}], "Option 'items[0].repo': must not be empty"),
    ],
)
def test_bad_items_fail_before_any_request(items: list[dict[str, Any]], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_properties", url=server.url, repo="generic-local", properties={"k": "v"}, items=items)
    assert result["failed"]
    assert problem in result["msg"]


def test_task_fails_when_neither_items_nor_a_path_are_set() -> None:
    with conversation() as server:
        result = run("artifact_properties", url=server.url, repo="generic-local", properties={"k": "v"})
    assert result["msg"] == "missing required arguments: path."


# A tree

TREE = {"repo": "generic-local", "path": "app/1.0", "recursive": True}
QUERY = (
    b'items.find({"repo":"generic-local"},{"type":"any"},{"$or":[{"$and":[{"path":"app"},{"name":"1.0"}]},'
    b'{"path":"app/1.0"},{"path":{"$match":"app/1.0/*"}}]}).include("repo","path","name","property")'
)


def tree(*items: dict[str, Any]) -> Call:
    """Return the query for a folder and its items with these properties, and an item outside the folder."""
    rows = []
    for number, properties in enumerate([*items, {"qa": ["other"]}]):
        path, name = ("app/1x0", "other") if number == len(items) else ("app/1.0", f"file{number}")
        path, name = ("app", "1.0") if items and number == 0 else (path, name)
        entries = [{"key": key, "value": value} for key, values in properties.items() for value in values]
        rows.append({"repo": "generic-local", "path": path, "name": name, "properties": entries})
    answer = aql_body(rows)
    return call("POST", "/artifactory/api/search/aql", json=answer, sent_body=QUERY)


def patch_tree(props: dict[str, Any]) -> Call:
    target = "/artifactory/api/metadata/generic-local/app/1.0?recursiveProperties=1"
    return call("PATCH", target, 204, sent_json={"props": props})


def test_a_tree_is_read_by_one_query_and_changed_by_one_request() -> None:
    before = tree({}, {"qa": ["b", "a"]}, {"qa": ["a"], "x": ["y"]})
    after = tree({"qa": ["a"]}, {"qa": ["a"]}, {"qa": ["a"], "x": ["y"]})
    with conversation(before, patch_tree({"qa": ["a"]}), after, after) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "a"}, diff_mode=True, **TREE)
        again = run("artifact_properties", url=server.url, properties={"qa": "a"}, **TREE)
    assert result["changed"]
    assert result["tree_items"] == 3
    assert result["diff"] == {"before": {"qa": "differs from item to item"}, "after": {"qa": ["a"]}}
    assert again == {
        "changed": False,
        "tree_items": 3,
        "properties": {"qa": ["a"], "x": "differs from item to item"},
    }


def test_check_mode_only_reads_a_tree() -> None:
    with conversation(tree({}, {"qa": ["a"]}), kind("local")) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "a"}, check_mode=True, **TREE)
    assert result == {"changed": True, "tree_items": 2, "properties": {"qa": ["a"]}}


def test_missing_item_is_accepted_with_predict_missing() -> None:
    miss = {"errors": [{"status": 404, "message": "Unable to find item"}]}
    properties, item = call("GET", f"{ITEM}?properties", 404, json=NONE), call("GET", ITEM, 404, json=miss)
    options = {"properties": {"qa": "a"}, "check_mode": True, "predict_missing": True}
    with conversation(properties, item, *no_repository()) as server:
        assert run("artifact_properties", url=server.url, **options, **TASK)["changed"]
    with conversation(tree(), *no_repository()) as server:
        result = run("artifact_properties", url=server.url, **options, **TREE)
    assert result == {"changed": True, "tree_items": 0, "properties": {"qa": ["a"]}}
    with conversation(properties, item) as server:
        result = run("artifact_properties", url=server.url, **{**options, "check_mode": False}, **TASK)
    assert "does not exist" in result["msg"]


def test_predict_missing_fails_when_another_server_responds() -> None:
    with conversation(call("GET", f"{ITEM}?properties", 404), call("GET", ITEM, 404, text="Not Found")) as server:
        options = {"properties": {"qa": "a"}, "check_mode": True, "predict_missing": True}
        result = run("artifact_properties", url=server.url, **options, **TASK)
    assert "Check the path in 'url'" in result["msg"]


def test_property_is_deleted_when_only_one_item_of_a_tree_has_it() -> None:
    with conversation(tree({}, {"qa": ["a"]}), patch_tree({"qa": None}), tree({}, {})) as server:
        assert run("artifact_properties", url=server.url, keys=["qa", "z"], state="absent", **TREE)["changed"]
    with conversation(tree({}, {})) as server:
        assert not run("artifact_properties", url=server.url, keys=["qa"], state="absent", **TREE)["changed"]


def test_task_fails_when_a_tree_was_changed_in_part() -> None:
    steps = (tree({}, {}), patch_tree({"qa": ["a"]}), tree({"qa": ["a"]}, {}))
    with conversation(*steps) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "a"}, **TREE)
    assert result["failed"]
    assert result["changed"]
    assert "do not have the requested values: qa" in result["msg"]


def test_task_fails_when_a_tree_does_not_exist() -> None:
    with conversation(tree()) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "a"}, **TREE)
    assert "Item 'app/1.0' does not exist" in result["msg"]


def test_path_of_a_tree_is_refused_when_aql_cannot_express_it() -> None:
    with conversation() as server:
        result = run("artifact_properties", url=server.url, properties={"a": 1}, **{**TREE, "path": 'a"b'})
    assert "Option 'path': cannot be used with 'recursive'" in result["msg"]


@pytest.mark.parametrize("row", [{}, {"properties": ["x"]}, {"properties": [{"value": "x"}]}])
def test_task_fails_when_a_row_has_an_unexpected_form(row: dict[str, Any]) -> None:
    full = {"repo": "generic-local", "path": "app", "name": "1.0"} if "properties" in row else {}
    answer = aql_body([{**full, **row}])
    with conversation(call("POST", "/artifactory/api/search/aql", json=answer)) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "a"}, **TREE)
    assert result["failed"]
    assert "report this" in result["msg"]
