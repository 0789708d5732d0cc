# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

ITEM = "/artifactory/api/storage/generic-local/app/1.0/app.tgz"
TASK: dict[str, Any] = {"repo": "generic-local", "path": "app/1.0/app.tgz"}
NONE = {"errors": [{"status": 404, "message": "No properties could be found."}]}
INFO = {"repo": "generic-local", "path": "/app/1.0/app.tgz", "size": "1024", "uri": f"http://host{ITEM}"}


@pytest.mark.parametrize("check_mode", [False, True])
def test_properties_of_an_item_are_returned(check_mode: bool) -> None:
    document = {"properties": {"build.name": ["my-build"], "qa": ["passed", "linux"]}, "uri": f"http://host{ITEM}"}
    with conversation(call("GET", f"{ITEM}?properties", json=document)) as server:
        result = run("artifact_properties_info", url=server.url, check_mode=check_mode, **TASK)
    assert result == {"changed": False, "properties": {"build.name": ["my-build"], "qa": ["linux", "passed"]}}


def test_properties_are_empty_when_the_item_has_none() -> None:
    with conversation(call("GET", f"{ITEM}?properties", 404, json=NONE), call("GET", ITEM, json=INFO)) as server:
        assert run("artifact_properties_info", url=server.url, **TASK) == {"changed": False, "properties": {}}


def test_task_fails_when_the_item_does_not_exist() -> None:
    not_found = {"errors": [{"status": 404, "message": "Unable to find item"}]}
    with conversation(
        call("GET", f"{ITEM}?properties", 404, json=NONE), call("GET", ITEM, 404, json=not_found)
    ) as server:
        result = run("artifact_properties_info", url=server.url, **TASK)
    assert result["failed"]
    assert result["msg"] == (
        "Item 'app/1.0/app.tgz' does not exist in repository 'generic-local', or the account has no Read "
        "permission on it."
    )


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("a b/c+d", "/a%20b/c%2Bd"),
        ("ü/100%/#1", "/%C3%BC/100%25/%231"),
        ("x;y=z,w|v\\u?q", "/x%3By%3Dz%2Cw%7Cv%5Cu%3Fq"),
        ("/folder/", "/folder"),
        ("/", ""),
    ],
)
def test_special_characters_in_paths_are_encoded(path: str, target: str) -> None:
    address = f"/artifactory/api/storage/generic-local{target}?properties"
    with conversation(call("GET", address, json={"properties": {"k": ["v"]}, "uri": "…"})) as server:
        result = run("artifact_properties_info", url=server.url, repo="generic-local", path=path)
    assert result["properties"] == {"k": ["v"]}


@pytest.mark.parametrize("path", ["a/../b", "a//b", "."])
def test_path_is_refused_before_any_request_when_it_contains_dots(path: str) -> None:
    with conversation() as server:
        result = run("artifact_properties_info", url=server.url, repo="generic-local", path=path)
    assert "is not a valid part of a path" in result["msg"]


def test_error_names_the_missing_permission() -> None:
    refusal = {"errors": [{"status": 403, "message": "Forbidden"}]}
    with conversation(call("GET", f"{ITEM}?properties", 403, json=refusal)) as server:
        result = run("artifact_properties_info", url=server.url, **TASK)
    assert result["msg"] == (
        f"GET {server.url}{ITEM}: 403 Forbidden. "
        "The account lacks a permission for this, or its credential is wrong or locked."
    )


def test_several_items_are_returned_in_order() -> None:
    def has(path: str) -> Call:
        address = f"/artifactory/api/storage/generic-local/{path}?properties"
        return call("GET", address, json={"properties": {"name": [path]}, "uri": "…"})

    with conversation(has("a"), has("b")) as server:
        items = [{"path": "a"}, {"path": "b"}]
        result = run("artifact_properties_info", url=server.url, repo="generic-local", items=items, workers=1)
    assert not result["changed"]
    assert result["counts"]["ok"] == 2
    assert [one["properties"] for one in result["outcomes"]] == [{"name": ["a"]}, {"name": ["b"]}]
