# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: completions."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from support.wire.inference import CALL, HELLO, Api, error, events


def test_completion_has_all_members(api: Api) -> None:
    answer = api.chat(temperature=0, seed=7)
    body = answer.json()
    assert re.fullmatch("chatcmpl-[0-9a-f]{32}", body.pop("id"))
    assert isinstance(body.pop("created"), int)
    assert body == {
        "object": "chat.completion",
        "model": "gpt-4o-2024-08-06",
        "service_tier": "default",
        "system_fingerprint": "fp_5a2db0c0de",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "You said: Hello!",
                    "refusal": None,
                    "annotations": [],
                },
                "logprobs": None,
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 19,
            "completion_tokens": 5,
            "total_tokens": 24,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        },
    }
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["openai-organization"] == "sandbox"


def test_replies_are_equal_when_requests_are_equal(api: Api) -> None:
    assert api.choice(temperature=2, seed=1) == api.choice(temperature=0, seed=2)
    other = api.choice(messages=[{"role": "user", "content": [{"type": "text", "text": "Bye"}]}])
    assert other["message"]["content"] == "You said: Bye"


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_reply_is_truncated_at_token_limit(api: Api, limit: str) -> None:
    choice = api.choice(**{limit: 2})
    assert (choice["message"]["content"], choice["finish_reason"]) == ("You said", "length")
    assert api.choice(**{limit: 5})["finish_reason"] == "stop"
    assert api.chat(**{limit: 2}).json()["usage"]["completion_tokens"] == 2


def test_stop_and_n_are_applied(api: Api) -> None:
    assert api.choice(stop=["Hel", ":"])["message"]["content"] == "You said"
    choices = api.chat(n=3).json()["choices"]
    assert [choice["index"] for choice in choices] == [0, 1, 2]


@pytest.mark.parametrize(
    ("change", "param", "code"),
    [
        ({"model": None}, None, None),
        ({"messages": None}, "messages", "missing_required_parameter"),
        ({"messages": []}, "messages", "empty_array"),
        ({"messages": "hi"}, "messages", "invalid_type"),
        ({"messages": ["hi"]}, "messages[0]", "invalid_type"),
        ({"messages": [{"role": "robot", "content": ""}]}, "messages[0].role", "invalid_value"),
        ({"messages": [{"role": "user"}]}, "messages.[0].content", None),
        ({"messages": [{"role": "assistant", "content": None}]}, "messages.[0].content", None),
        ({"messages": [{"role": "developer"}]}, "messages[0].content", "missing_required_parameter"),
        ({"messages": [{"role": "user", "content": 7}]}, "messages[0].content", "invalid_type"),
        ({"messages": [{"role": "user"}, {"role": "robot", "content": ""}]}, "messages[1].role", "invalid_value"),
        ({"messages": [{"content": "x"}]}, "messages[0].role", "missing_required_parameter"),
        (
            {"messages": [{"role": "user", "content": [{"type": "text"}]}]},
            "messages[0].content[0].text",
            "missing_required_parameter",
        ),
        ({"messages": [{"role": "tool", "content": "x", "tool_call_id": "c"}]}, "messages.[0].role", None),
        ({"messages": [{"role": "assistant", "tool_calls": []}]}, "messages[0].tool_calls", "empty_array"),
        ({"messages": [{"role": "assistant", "tool_calls": [CALL]}]}, "messages.[1].role", None),
        ({"messages": [{"role": "tool", "content": ""}]}, "messages[0].tool_call_id", "missing_required_parameter"),
        (
            {"messages": [{"role": "user", "content": [{"type": "x"}]}]},
            "messages[0].content[0].type",
            "invalid_value",
        ),
        ({"temperature": 3}, "temperature", "decimal_above_max_value"),
        ({"temperature": -1}, "temperature", "decimal_below_min_value"),
        ({"temperature": "1"}, "temperature", "invalid_type"),
        ({"temperature": True}, "temperature", "invalid_type"),
        ({"top_p": 1.5}, "top_p", "decimal_above_max_value"),
        ({"n": 129}, "n", "integer_above_max_value"),
        ({"max_tokens": 0}, "max_tokens", "integer_below_min_value"),
        ({"max_tokens": 1.5}, "max_tokens", "invalid_type"),
        ({"stop": ["a", "b", "c", "d", "e"]}, "stop", "array_above_max_length"),
        ({"stream_options": {"include_usage": True}}, "stream_options", None),
        ({"stream": True, "stream_options": {"usage": True}}, "stream_options.usage", "unknown_parameter"),
        ({"top_logprobs": 2}, "top_logprobs", None),
        ({"metadata": {"a": "b"}}, "metadata", None),
        ({"metadata": {"a": 1}, "store": True}, "metadata.a", "invalid_type"),
        ({"metadata": {str(key): "" for key in range(17)}}, "metadata", "object_above_max_properties"),
        ({"max_tokens": 5, "max_completion_tokens": 5}, "max_tokens", "invalid_parameter_combination"),
        ({"service_tier": "x"}, "service_tier", "invalid_value"),
        ({"verbosity": 1}, "verbosity", "invalid_type"),
        ({"n": "2", "messages": "hi"}, "messages", "invalid_type"),
        ({"temperature": "hot", "n": 0}, "n", "integer_below_min_value"),
        ({"response_format": {}}, "response_format.type", "missing_required_parameter"),
        ({"response_format": {"type": "yaml"}}, "response_format.type", "invalid_value"),
        ({"response_format": {"type": "json_object"}}, "messages", None),
        (
            {"response_format": {"type": "json_schema", "json_schema": {}}},
            "response_format.json_schema.name",
            "missing_required_parameter",
        ),
        ({"model": "o4-mini", "max_tokens": 5}, "max_tokens", "unsupported_parameter"),
        ({"model": "o4-mini", "temperature": 0}, "temperature", "unsupported_value"),
        ({"model": "o4-mini", "stop": "x"}, "stop", "unsupported_parameter"),
        ({"model": "o4-mini", "top_p": 0.5}, "top_p", "unsupported_parameter"),
        ({"model": "o4-mini", "presence_penalty": 0.5}, "presence_penalty", "unsupported_parameter"),
        ({"model": "o4-mini", "logprobs": True}, "logprobs", "unsupported_parameter"),
        ({"model": "o4-mini", "reasoning_effort": "max"}, "reasoning_effort", "unsupported_value"),
        ({"reasoning_effort": "low"}, None, None),
        ({"temprature": 1}, None, None),
        ({"temprature": 1, "messages": None}, "messages", "missing_required_parameter"),
        ({"temprature": 1, "n": "x"}, None, None),
    ],
)
def test_request_is_refused_when_parameter_is_invalid(
    api: Api, change: dict[str, Any], param: str | None, code: str | None
) -> None:
    status, body = error(api.chat(**change))
    assert (status, body["type"], body["param"], body["code"]) == (400, "invalid_request_error", param, code)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"max_tokens": 1, "max_completion_tokens": 1},
            "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        ),
        ({"seed": 1.5}, "Invalid type for 'seed': expected an integer, but got a decimal number instead."),
        ({"messages": "hi"}, "Invalid type for 'messages': expected an array of objects, but got a string instead."),
        (
            {"messages": [{"role": "user", "content": None}]},
            "Invalid value for 'content': expected a string, got null.",
        ),
        (
            {"stop": list("abcde")},
            "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 "
            "instead.",
        ),
        (
            {"service_tier": {}},
            "Invalid type for 'service_tier': expected one of 'auto', 'default', 'fast', 'flex', or 'priority', but "
            "got an object instead.",
        ),
        ({"verbosity": "x"}, "Invalid value: 'x'. Supported values are: 'low', 'medium', and 'high'."),
        (
            {"messages": [{"role": "x", "content": ""}]},
            "Invalid value: 'x'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
            "'developer'.",
        ),
        ({"x": 1}, "Unrecognized request argument supplied: x"),
        ({"x": 1, "y": 1}, "Unrecognized request arguments supplied: x, y"),
        ({"top_logprobs": 1}, "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled."),
        (
            {"model": "o4-mini", "reasoning_effort": "max"},
            "Unsupported value: 'reasoning_effort' does not support 'max' with this model. Supported values are: "
            "'low', 'medium', and 'high'.",
        ),
        (
            {"messages": [{"role": "assistant", "tool_calls": [CALL]}]},
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            "'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
        ),
    ],
)
def test_error_messages_are_those_of_the_api(api: Api, change: dict[str, Any], message: str) -> None:
    assert error(api.chat(**change))[1]["message"] == message


def test_request_is_refused_when_content_type_is_not_json(api: Api) -> None:
    declared = "application/x-www-form-urlencoded"
    status, body = error(api.call("POST", "/v1/chat/completions", data={"model": "gpt-4o"}))
    assert (status, body["param"], body["code"]) == (400, None, "unsupported_content_type")
    assert body["message"].startswith(f"Unsupported content type: '{declared}'. ")
    headers = {"Content-Type": "application/JSON; charset=utf-8"}
    data = json.dumps({"model": "gpt-4o", "messages": HELLO})
    assert api.call("POST", "/v1/chat/completions", data=data, headers=headers).status_code == 200


def test_request_is_refused_when_body_is_not_an_object(api: Api) -> None:
    for data in ("{", "[]", b"\xff", "", '{"temperature": NaN}', "[" * 100_000):
        status, body = error(api.call("POST", "/v1/chat/completions", data=data))
        assert (status, body["param"], body["code"]) == (400, None, None)
        assert body["message"].startswith("We could not parse the JSON body of your request.")


def test_request_is_404_when_model_is_not_a_chat_model(api: Api) -> None:
    assert error(api.chat(model="nope"))[1]["code"] == "model_not_found"
    assert error(api.chat(model="text-embedding-3-small"))[0] == 404


def test_reply_is_truncated_at_the_limit_of_the_model(api: Api, sandbox: Any) -> None:
    sandbox.seed({"inference": {"models": [{"id": "short", "created": 1, "max_completion_tokens": 3}]}})
    choice = api.choice(model="short")
    assert (choice["message"]["content"], choice["finish_reason"]) == ("You said:", "length")
    for name in ("max_tokens", "max_completion_tokens"):
        assert error(api.chat(model="short", **{name: 4})) == (
            400,
            {
                "message": f"{name} is too large: 4. This model supports at most 3 completion tokens, whereas you "
                "provided 4.",
                "type": "invalid_request_error",
                "param": name,
                "code": "invalid_value",
            },
        )
    assert error(api.chat(max_tokens=10**30))[1]["code"] == "invalid_value"


def test_request_is_refused_when_context_window_is_exceeded(api: Api, sandbox: Any) -> None:
    sandbox.seed({"inference": {"models": [{"id": "narrow", "created": 1, "context_window": 23}]}})
    assert api.chat(model="narrow", max_tokens=4).status_code == 200
    status, body = error(api.chat(model="narrow", max_tokens=5))
    assert (status, body["param"], body["code"]) == (400, "messages", "context_length_exceeded")
    assert body["message"] == (
        "This model's maximum context length is 23 tokens. However, you requested 24 tokens (19 in the messages, 5 in "
        "the completion). Please reduce the length of the messages or completion."
    )
    long = [{"role": "user", "content": "word " * 30}]
    assert error(api.chat(model="narrow", messages=long))[1]["message"].endswith(
        "However, your messages resulted in 38 tokens. Please reduce the length of the messages."
    )


def test_request_is_501_when_parameter_is_not_served(api: Api) -> None:
    assert error(api.chat(web_search_options={"search_context_size": "low"}))[0] == 501
    assert error(api.chat(audio={"voice": "alloy"}))[0] == 501


def test_service_tier_is_reported(api: Api) -> None:
    for requested, serving in (("auto", "default"), ("flex", "flex"), ("fast", "priority")):
        assert api.chat(service_tier=requested).json()["service_tier"] == serving


def test_log_probabilities_are_returned(api: Api) -> None:
    [first, *rest] = api.choice(logprobs=True, top_logprobs=2)["logprobs"]["content"]
    entry = {"token": "You", "logprob": 0.0, "bytes": [89, 111, 117]}
    other = {"token": "a", "logprob": -9999.0, "bytes": [97]}
    assert first == {**entry, "top_logprobs": [entry, other]}
    assert len(rest) == 4
    alternatives = api.choice(logprobs=True, top_logprobs=20)["logprobs"]["content"][0]["top_logprobs"]
    assert len({alternative["token"] for alternative in alternatives}) == 20
    assert api.choice(logprobs=True)["logprobs"]["refusal"] is None
    assert api.choice(logprobs=True)["logprobs"]["content"][0]["top_logprobs"] == []
    assert api.choice(logprobs=False)["logprobs"] is None
    chunks = events(api.chat(logprobs=True, stream=True))[:-1]
    logprobs_by_chunk = [chunk["choices"][0]["logprobs"] for chunk in chunks[:-1]]
    assert [[token["token"] for token in logprobs["content"]] for logprobs in logprobs_by_chunk] == [
        [],
        ["You"],
        [" said"],
        [":"],
        [" Hello"],
        ["!"],
    ]
    assert chunks[-1]["choices"][0]["logprobs"] is None


def test_members_have_the_order_of_the_real_api(api: Api) -> None:
    head = ["id", "object", "created", "model"]
    service = ["service_tier", "system_fingerprint"]
    assert list(api.chat().json()) == [*head, "choices", "usage", *service]
    chunk = events(api.chat(stream=True, stream_options={"include_usage": True}))[0]
    assert list(chunk) == [*head, *service, "choices", "usage"]
