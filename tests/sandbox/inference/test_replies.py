# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: scripted replies."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import SandboxError
from support.wire.inference import ADMIN, Api, error


def test_scripted_replies_are_used_in_order(api: Api, sandbox: Any) -> None:
    calls = [{"function": {"name": "weather", "arguments": '{"city": "Kyiv"}'}}]
    api.script(
        {"content": "One two three"},
        {"refusal": "I can't."},
        {"tool_calls": calls},
        {"content": "cut", "finish_reason": "length", "headers": {"x-extra": "1"}},
    )
    assert len(sandbox.call("GET", "inference/replies")["replies"]) == 4
    assert api.choice(max_tokens=2)["message"]["content"] == "One two"
    refused = api.choice()
    assert (refused["message"]["content"], refused["message"]["refusal"]) == (None, "I can't.")
    called = api.choice()
    assert called["finish_reason"] == "tool_calls"
    assert called["message"]["content"] is None
    assert called["message"]["tool_calls"] == [{"id": "call_0", "type": "function", **calls[0]}]
    last = api.chat()
    assert (last.json()["choices"][0]["finish_reason"], last.headers["x-extra"]) == ("length", "1")
    assert api.choice()["message"]["content"] == "You said: Hello!"


def test_reply_is_not_consumed_when_request_is_refused(api: Api, sandbox: Any) -> None:
    api.script({"content": "x"})
    api.chat(temperature=9)
    api.chat(key=ADMIN)
    assert sandbox.call("GET", "inference/replies") == {"replies": [{"content": "x"}]}
    assert sandbox.call("DELETE", "inference/replies") == {"replies": []}


def test_scripted_reply_is_refused_when_it_is_invalid(api: Api) -> None:
    for reply in (
        {},
        {"text": "x"},
        {"content": 1},
        {"error": "oops"},
        {"finish_reason": "tired"},
        {"tool_calls": [{}]},
    ):
        with pytest.raises(SandboxError, match="400"):
            api.script({"content": "good"}, reply)
    assert api.sandbox.call("GET", "inference/replies") == {"replies": []}


@pytest.mark.parametrize(
    ("name", "status", "type_", "code", "retry_after"),
    [
        ("rate_limit_exceeded", 429, "requests", "rate_limit_exceeded", "1"),
        ("slow_down", 429, "rate_limit_error", "slow_down", "1"),
        ("insufficient_quota", 429, "insufficient_quota", "insufficient_quota", None),
        ("spend_limit_reached", 429, "insufficient_quota", "billing_hard_limit_reached", None),
        (
            "unsupported_country_region_territory",
            403,
            "request_forbidden",
            "unsupported_country_region_territory",
            None,
        ),
        ("server_error", 500, "server_error", None, None),
        ("server_is_overloaded", 503, "service_unavailable_error", "server_is_overloaded", "1"),
    ],
)
def test_failure_is_returned_by_name(
    api: Api, sandbox: Any, name: str, status: int, type_: str, code: str, retry_after: str
) -> None:
    api.script({"error": name})
    sandbox.switch("inference", chat_failure="")
    for _unused in range(2):
        answer = api.chat()
        assert (error(answer)[0], error(answer)[1]["type"], error(answer)[1]["code"]) == (status, type_, code)
        assert answer.headers.get("Retry-After") == retry_after
        assert "x-ratelimit-limit-requests" in answer.headers
        sandbox.switch("inference", chat_failure=name)
    sandbox.switch("inference", chat_failure="")
    assert api.chat().status_code == 200


@pytest.mark.parametrize("advice", ["150", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_failure_headers_can_be_replaced(api: Api, sandbox: Any, advice: str) -> None:
    sandbox.switch(
        "inference",
        chat_failure="rate_limit_exceeded",
        chat_failure_headers={"Retry-After": advice, "X-Should-Retry": "true"},
    )
    answer = api.chat()
    assert (answer.headers["retry-after"], answer.headers["x-should-retry"]) == (advice, "true")


def test_failure_can_be_specified_in_full(api: Api) -> None:
    api.script({"error": {"status": 409, "message": "busy"}, "headers": {"x-should-retry": "false"}})
    answer = api.chat()
    assert error(answer) == (
        409,
        {"message": "busy", "type": "invalid_request_error", "param": None, "code": None},
    )
    assert answer.headers["x-should-retry"] == "false"
