# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: streams."""

from __future__ import annotations

from support.wire.inference import Api, events


def test_stream_has_role_content_and_finish_reason(api: Api) -> None:
    answer = api.chat(stream=True)
    *chunks, done = events(answer)
    assert done == "[DONE]"
    assert len({(chunk["id"], chunk["created"], chunk["object"]) for chunk in chunks}) == 1
    assert chunks[0]["object"] == "chat.completion.chunk"
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": "", "refusal": None}
    assert [chunk["choices"][0]["delta"].get("content") for chunk in chunks[1:-1]] == [
        "You",
        " said",
        ":",
        " Hello",
        "!",
    ]
    assert [chunk["choices"][0]["finish_reason"] for chunk in chunks] == [None] * 6 + ["stop"]
    assert all("usage" not in chunk for chunk in chunks)
    assert answer.headers["x-request-id"].startswith("req_")
    assert "x-ratelimit-remaining-requests" in answer.headers


def test_stream_ends_with_usage_when_requested(api: Api) -> None:
    *chunks, last, done = events(api.chat(stream=True, stream_options={"include_usage": True}))
    assert done == "[DONE]"
    assert all(chunk["usage"] is None for chunk in chunks)
    assert last["choices"] == []
    assert last["usage"] == api.chat().json()["usage"]


def test_stream_ends_with_error_when_scripted(api: Api) -> None:
    api.script({"content": "Half of", "stream_error": "server_error"})
    *chunks, last = events(api.chat(stream=True))
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks) == "Half of"
    assert last["error"]["type"] == "server_error"


def test_stream_contains_tool_calls(api: Api) -> None:
    api.script({"tool_calls": [{"id": "call_x", "function": {"name": "f", "arguments": '{"a":1}'}}]})
    deltas = [chunk["choices"][0]["delta"] for chunk in events(api.chat(stream=True))[:-1]]
    calls = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    assert calls[0] == {"index": 0, "id": "call_x", "type": "function", "function": {"name": "f", "arguments": ""}}
    assert "".join(call["function"]["arguments"] for call in calls) == '{"a":1}'
