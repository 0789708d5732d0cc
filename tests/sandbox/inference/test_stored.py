# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: stored completions."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.inference import ADMIN, HELLO, Api, error, events

STORED = "/v1/chat/completions"
USER = "sk-sandbox00000000000000000000000000000003"
RESTRICTED = "sk-proj-restricted00000000000000000000000006"


def store(api: Api, **request: Any) -> dict[str, Any]:
    answer: dict[str, Any] = api.chat(store=True, **request).json()
    return answer


def list_ids(api: Api, query: str = "") -> list[str]:
    return [completion["id"] for completion in api.get(f"{STORED}{query}").json()["data"]]


def test_completion_is_stored_only_when_requested(api: Api) -> None:
    api.chat()
    api.chat(store=False)
    assert api.get(STORED).json() == {
        "object": "list",
        "data": [],
        "first_id": None,
        "last_id": None,
        "has_more": False,
    }
    completion = store(api, metadata={"team": "a"})
    assert api.get(f"{STORED}/{completion['id']}").json() == {**completion, "metadata": {"team": "a"}}
    assert list_ids(api) == [completion["id"]]


def test_stream_is_stored_unless_it_failed(api: Api) -> None:
    api.script({"content": "Half", "stream_error": "server_error"}, {"content": "Whole"})
    broken, whole = (events(api.chat(store=True, stream=True)) for _unused in range(2))
    assert (list_ids(api), broken[0]["id"] != whole[0]["id"]) == ([whole[0]["id"]], True)
    completion = api.get(f"{STORED}/{whole[0]['id']}").json()
    assert completion["choices"][0]["message"]["content"] == "Whole"


def test_stored_completions_are_paginated_and_filtered(api: Api) -> None:
    ids = [store(api, metadata={"number": str(number)})["id"] for number in range(3)]
    other = store(api, model="gpt-4o-mini")["id"]
    assert list_ids(api) == [*ids, other]
    assert list_ids(api, "?order=desc") == [other, *reversed(ids)]
    first = api.get(f"{STORED}?limit=2").json()
    assert (first["has_more"], first["last_id"]) == (True, ids[1])
    assert list_ids(api, f"?limit=2&after={ids[1]}") == [ids[2], other]
    assert list_ids(api, "?model=gpt-4o-mini") == list_ids(api, "?model=gpt-4o-mini-2024-07-18") == [other]
    assert list_ids(api, "?metadata[number]=1") == list_ids(api, "?metadata%5Bnumber%5D=1") == [ids[1]]
    assert list_ids(api, "?metadata[number]=1&metadata[team]=a") == []
    assert error(api.get(f"{STORED}?after=x"))[0] == error(api.get(f"{STORED}?limit=0"))[0] == 400


def test_metadata_is_replaced(api: Api) -> None:
    path = f"{STORED}/{store(api, metadata={'a': '1'})['id']}"
    assert api.call("POST", path, json={"metadata": {"b": "2"}}).json()["metadata"] == {"b": "2"}
    assert api.call("POST", path, json={"metadata": None}).json()["metadata"] == {}
    for body, param in (
        ({}, "metadata"),
        ({"metadata": []}, "metadata"),
        ({"metadata": {"a": 1}}, "metadata.a"),
        ({"metadata": {"a": "x" * 513}}, "metadata.a"),
        ({"metadata": {str(number): "" for number in range(17)}}, "metadata"),
    ):
        status, refusal = error(api.call("POST", path, json=body))
        assert (status, refusal["param"]) == (400, param)


def test_messages_are_listed(api: Api) -> None:
    parts = [{"type": "text", "text": "And this?"}]
    completion = store(api, messages=[*HELLO, {"role": "user", "content": parts, "name": "ann"}])
    messages = api.get(f"{STORED}/{completion['id']}/messages").json()["data"]
    assert [message["id"] for message in messages] == [f"{completion['id']}-{number}" for number in range(3)]
    assert [message["content"] for message in messages] == ["You are a helpful assistant.", "Hello!", None]
    assert [message["content_parts"] for message in messages] == [None, None, parts]
    assert [message["name"] for message in messages] == [None, None, "ann"]
    page = api.get(f"{STORED}/{completion['id']}/messages?limit=1&order=desc").json()
    assert ([message["name"] for message in page["data"]], page["has_more"]) == (["ann"], True)


def test_completion_is_404_when_it_was_deleted(api: Api) -> None:
    path = f"{STORED}/{store(api)['id']}"
    assert api.call("DELETE", path).json()["deleted"] is True
    for method, below in (("GET", ""), ("POST", ""), ("DELETE", ""), ("GET", "/messages")):
        assert error(api.call(method, path + below, json={"metadata": {}}))[0] == 404
    assert list_ids(api) == []


@pytest.mark.parametrize(("key", "status"), [(None, 401), (ADMIN, 401), (RESTRICTED, 401), (USER, 404)])
def test_completion_is_not_visible_to_other_projects(api: Api, key: str | None, status: int) -> None:
    path = f"{STORED}/{store(api)['id']}"
    assert error(api.get(path, key))[0] == status
    project = {"OpenAI-Project": "proj_sandbox"}
    assert key != USER or api.get(path, USER, **project).status_code == 200
