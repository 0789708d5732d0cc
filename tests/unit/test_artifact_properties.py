# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from unit.conversation import Call, call, conversation
from unit.running import run

ITEM = "/artifactory/api/storage/generic-local/app/1.0/app.tgz"
TASK = {"repo": "generic-local", "path": "app/1.0/app.tgz", "token": "t0ken-of-mine"}
NONE = {"errors": [{"status": 404, "message": "No properties could be found."}]}


def has(properties: dict[str, list[str]]) -> Call:
    """The item has these properties."""
    answer = {"properties": properties, "uri": "http://host/artifactory/api/storage/generic-local/app/1.0/app.tgz"}
    return call("GET", f"{ITEM}?properties", json=answer, sent_headers={"Authorization": "Bearer t0ken-of-mine"})


def has_none() -> tuple[Call, Call]:
    """The item has no properties, which the server tells in the same way as that there is no item."""
    return call("GET", f"{ITEM}?properties", 404, json=NONE), call("GET", ITEM, json={"uri": "…"})


def put(properties: str) -> Call:
    return call("PUT", f"{ITEM}?properties={properties}&recursive=0", 204)


def delete(keys: str) -> Call:
    return call("DELETE", f"{ITEM}?properties={keys}&recursive=0", 204)


def test_a_second_run_reads_once() -> None:
    with conversation(has({"qa": ["b", "a"], "other": ["x"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": ["a", "b", "a"]}, **TASK)
    assert result == {"changed": False, "properties": {"qa": ["a", "b"], "other": ["x"]}}


def test_a_change_is_written_and_read_back() -> None:
    with conversation(has({"qa": ["old"]}), put("qa%3Dnew"), has({"qa": ["new"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, diff_mode=True, **TASK)
    assert result["changed"]
    assert result["diff"] == {
        "before": {"state": "present", "qa": ["old"]},
        "after": {"state": "present", "qa": ["new"]},
    }


def test_check_mode_only_reads() -> None:
    with conversation(has({"qa": ["old"], "x": ["y"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, check_mode=True, **TASK)
    assert result == {"changed": True, "properties": {"qa": ["new"], "x": ["y"]}}


def test_an_item_without_properties_gets_some() -> None:
    with conversation(*has_none(), put("qa%3Dnew"), has({"qa": ["new"]})) as server:
        assert run("artifact_properties", url=server.url, properties={"qa": "new"}, **TASK)["changed"]


def test_a_missing_item_is_an_error() -> None:
    missing = call("GET", ITEM, 404, json={"errors": [{"status": 404, "message": "Unable to find item"}]})
    with conversation(call("GET", f"{ITEM}?properties", 404, json=NONE), missing) as server:
        result = run("artifact_properties", url=server.url, properties={"qa": "new"}, **TASK)
    assert result["failed"]
    assert "no item 'app/1.0/app.tgz'" in result["msg"]


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
        (1.5, "k%3D1.5"),
    ],
)
def test_values_arrive_unharmed(value: Any, written: str) -> None:
    values = value if isinstance(value, list) else [str(value).lower() if isinstance(value, bool) else str(value)]
    with conversation(has({"x": ["y"]}), put(written), has({"x": ["y"], "k": values})) as server:
        assert run("artifact_properties", url=server.url, properties={"k": value}, **TASK)["changed"]


def test_odd_paths_are_encoded() -> None:
    target = "/artifactory/api/storage/generic-local/a%20b/c%2Bd%23e%25f%3Bg%C3%A9?properties"
    with conversation(call("GET", target, json={"properties": {"k": ["v"]}, "uri": "…"})) as server:
        result = run(
            "artifact_properties", url=server.url, repo="generic-local", path="a b/c+d#e%f;gé", properties={"k": "v"}
        )
    assert result["changed"] is False


def test_a_long_set_goes_in_several_requests() -> None:
    wanted = {f"key{number}": ["v" * 2500] for number in range(3)}
    first = "%3B".join(f"key{number}%3D{'v' * 2500}" for number in range(2))
    third = f"key2%3D{'v' * 2500}"
    with conversation(has({"x": ["y"]}), put(first), put(third), has(wanted)) as server:
        assert run("artifact_properties", url=server.url, properties=wanted, **TASK)["changed"]


def test_purge_removes_the_others() -> None:
    with conversation(has({"a": ["1"], "b": ["2"], "c": ["3"]}), delete("b%2Cc"), has({"a": ["1"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"a": "1"}, purge=True, **TASK)
    assert result == {"changed": True, "properties": {"a": ["1"]}}


def test_absent_removes_the_named_keys() -> None:
    with conversation(has({"a": ["1"], "b": ["2"]}), delete("a"), has({"b": ["2"]})) as server:
        assert run("artifact_properties", url=server.url, keys=["a", "gone"], state="absent", **TASK)["changed"]
    with conversation(has({"b": ["2"]})) as server:
        assert not run("artifact_properties", url=server.url, keys=["a", "gone"], state="absent", **TASK)["changed"]


def test_an_empty_list_removes_the_property() -> None:
    with conversation(has({"a": ["1"], "b": ["2"]}), delete("a"), has({"b": ["2"]})) as server:
        assert run("artifact_properties", url=server.url, properties={"a": []}, **TASK)["changed"]


def test_success_without_effect_is_a_failure() -> None:
    with conversation(has({"a": ["1"]}), put("a%3D2"), has({"a": ["1"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"a": "2"}, **TASK)
    assert result["failed"]
    assert result["changed"]
    assert "not as asked for: a" in result["msg"]


def test_a_lost_reply_is_sent_again_because_setting_is_idempotent() -> None:
    lost = call("PUT", f"{ITEM}?properties=a%3D2&recursive=0", drop=True)
    with conversation(has({"a": ["1"]}), lost, put("a%3D2"), has({"a": ["2"]})) as server:
        result = run("artifact_properties", url=server.url, properties={"a": "2"}, **TASK)
    assert result["changed"]
    assert "1 request(s) had to be repeated" in result["warnings"][0]


@pytest.mark.parametrize("key", ["1st", "a b", "a=b", "a/b", "", "a,b"])
def test_a_key_that_the_server_would_refuse_fails_before_any_request(key: str) -> None:
    with conversation() as server:
        result = run("artifact_properties", url=server.url, properties={key: "v"}, **TASK)
    assert result["failed"]
    assert "'properties'" in result["msg"]


@pytest.mark.parametrize("path", ["a/../b", "a//b", "./a"])
def test_a_path_with_dots_fails_before_any_request(path: str) -> None:
    with conversation() as server:
        result = run("artifact_properties", url=server.url, repo="generic-local", path=path, properties={"k": "v"})
    assert "cannot be a part of a path" in result["msg"]


def test_no_secret_in_an_error() -> None:
    refusal = {"errors": [{"status": 401, "message": "Token failed verification: t0ken-of-mine"}]}
    with conversation(call("GET", f"{ITEM}?properties", 401, json=refusal)) as server:
        result = run("artifact_properties", url=server.url, properties={"k": "v"}, **TASK)
    assert result["msg"].startswith(f"GET {server.url}{ITEM}: 401 Token failed verification: ********")
    assert "check 'token'" in result["msg"]
