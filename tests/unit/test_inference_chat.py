# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import json
import multiprocessing
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import schema
from support.billing_server import billing_server
from support.conversation import Call, call, conversation
from support.inference_server import KEY, QUOTA, error
from support.running import run

FORK = multiprocessing.get_context("fork")

ASK = {"model": "gpt-4o-mini", "prompt": "What is an artifact repository?"}
QUESTION = {"role": "user", "content": "What is an artifact repository?"}
BODY = {"model": "gpt-4o-mini", "messages": [QUESTION]}
USAGE = {"prompt_tokens": 19, "completion_tokens": 10, "total_tokens": 29}
SCHEMA = {
    "type": "object",
    "properties": {"network": {"type": "boolean"}},
    "required": ["network"],
    "additionalProperties": False,
}
TOOL = {"name": "list_builds", "description": "Lists builds", "parameters": {"type": "object"}}
CALLED = {"id": "call_0", "name": "list_builds", "arguments": {"result": "FAILURE £"}}
CALL = {"id": "call_0", "type": "function", "function": {"name": "list_builds", "arguments": '{"result": "FAILURE £"}'}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
PLAN = {"action": "complete", "model": "gpt-4o-mini", "messages": 1}
COMPLETION = {
    "text": "A server that keeps build results.",
    "data": None,
    "tool_calls": [],
    "refusal": None,
    "finish_reason": "stop",
    "complete": True,
    "alternatives": [],
    "model": "gpt-4o-mini-2024-07-18",
    "usage": USAGE,
    "request_id": "req_0f5c2e",
}


def reply(
    text: Any = "A server that keeps build results.",
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    tool_calls: list[dict[str, Any]] | None = None,
    more: Sequence[str] = (),
    request: dict[str, Any] | None = None,
) -> Call:
    """Return a completion with all fields that OpenAI sends."""
    calls = {"tool_calls": tool_calls} if tool_calls else {}
    answer = {
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion",
        "created": 1741569952,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [
            {
                "index": index,
                "message": {"role": "assistant", "content": content, "refusal": refusal, "annotations": [], **calls},
                "logprobs": None,
                "finish_reason": finish_reason,
            }
            for index, content in enumerate([text, *more])
        ],
        "usage": {
            **USAGE,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 0, "audio_tokens": 0},
        },
        "service_tier": "default",
        "system_fingerprint": "fp_44709d6fcb",
    }
    sent = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    headers = {"x-request-id": "req_0f5c2e"}
    return call(
        "POST", "/v1/chat/completions", json=answer, headers=headers, sent_json=request or BODY, sent_headers=sent
    )


def refusal(status: int, body: dict[str, Any], **headers: str) -> Call:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return call("POST", "/v1/chat/completions", status, json=body, headers=named, sent_json=BODY)


def complete(*calls: Call, **parameters: Any) -> dict[str, Any]:
    options = {name: value for name, value in {**ASK, **parameters}.items() if value is not None}
    with conversation(*calls) as server:
        return run("inference_chat", url=f"{server.url}/v1", api_key=KEY, **options)


def test_prompt_is_answered_without_a_change() -> None:
    assert complete(reply()) == {"changed": False, "plan": PLAN, "completion": COMPLETION}


def test_system_message_precedes_the_prompt() -> None:
    messages = [{"role": "system", "content": "One sentence."}, QUESTION]
    result = complete(reply(request={**BODY, "messages": messages}), system="One sentence.")
    assert result["plan"]["messages"] == 2


def test_conversation_is_sent_unchanged() -> None:
    messages = [
        {"role": "developer", "content": "Be brief. £ € \u2028"},
        {"role": "user", "content": "Name a color."},
        {"role": "assistant", "content": "Blue."},
        {"role": "user", "content": "Another one."},
    ]
    answer = reply("Red.", request={"model": "gpt-4o-mini", "messages": messages})
    assert complete(answer, messages=messages, prompt=None)["completion"]["text"] == "Red."


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({"temperature": 0}, {"temperature": 0.0}),
        ({"temperature": 1.5, "seed": 0}, {"temperature": 1.5, "seed": 0}),
        ({"max_tokens": 20}, {"max_completion_tokens": 20}),
        ({"max_tokens": 20, "max_tokens_member": "max_tokens"}, {"max_tokens": 20}),
        ({"reasoning_effort": "low"}, {"reasoning_effort": "low"}),
        ({"extra": {"top_p": 0.5, "metadata": {"team": "a"}}}, {"top_p": 0.5, "metadata": {"team": "a"}}),
    ],
)
def test_only_options_that_are_set_are_sent(options: dict[str, Any], sent: dict[str, Any]) -> None:
    assert complete(reply(request={**BODY, **sent}), **options)["completion"]["complete"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"prompt": None}, "one of the following is required: messages, prompt"),
        ({"messages": [QUESTION]}, "parameters are mutually exclusive: messages|prompt"),
        ({"prompt": None, "messages": [QUESTION], "system": "x"}, "parameters are mutually exclusive: messages|system"),
        ({"prompt": ""}, "Option 'prompt': must not be empty"),
        ({"prompt": None, "messages": []}, "Option 'messages': must not be empty"),
        ({"model": ""}, "Option 'model': must not be empty"),
        ({"temperature": 9}, "Option 'temperature': must be 0 to 2"),
        ({"max_tokens": 0}, "Option 'max_tokens': must be 1 to"),
        ({"response_timeout": 0}, "Option 'response_timeout': must be 0.01 to"),
        ({"response_schema": {"type": "text"}}, "Option 'response_schema': is not a valid JSON schema"),
        ({"prompt": ["a", "b"]}, "Option 'prompt': must be a string, not a list"),
        ({"prompt": {"a": "b"}}, "Option 'prompt': must be a string, not a dictionary"),
        ({"prompt": True}, "Option 'prompt': must be a string, not a boolean"),
        (
            {"prompt": None, "messages": [{"role": "user", "content": [{"text": "Hello"}]}]},
            "Option 'messages[0].content': must be a text or a list of content parts, not a list",
        ),
        (
            {"prompt": None, "messages": [{"role": "user", "parts": [{"image_url": "diagram.png"}]}]},
            "Option 'messages[0].parts[0].image_url': must be a URL that starts with https:, http: or data:",
        ),
        (
            {"prompt": None, "messages": [{"role": "user"}]},
            "one of the following is required: content, parts, tool_calls",
        ),
        (
            {"prompt": None, "messages": [{"role": "user", "parts": [{"detail": "low"}]}]},
            "one of the following is required: text, image_url",
        ),
        (
            {"prompt": None, "messages": [{"role": "tool", "content": "[]"}]},
            "role is tool but all of the following are missing: tool_call_id",
        ),
        (
            {"tools": [{"name": "list builds"}]},
            "Option 'tools[0].name': must be 1 to 64 letters, digits, underscores and",
        ),
        ({"tool_choice": "auto"}, "missing parameter(s) required by 'tool_choice': tools"),
        (
            {"tools": [TOOL], "tool_choice": "other"},
            "Option 'tool_choice': must be auto, none, required or one of list_builds, not 'other'.",
        ),
        ({"n": 129}, "Option 'n': must be 1 to 128"),
        (
            {"extra": {"model": "other"}},
            "Option 'extra.model': cannot be set here, because another option or the module sets it.",
        ),
        (
            {"extra": {"stream": True}},
            "Option 'extra.stream': cannot be set here, because another option or the module sets it.",
        ),
        (
            {"seed": 1, "extra": {"seed": 2}},
            "Option 'extra.seed': cannot be set here, because another option or the module sets it.",
        ),
    ],
)
def test_bad_input_fails_before_any_request(parameters: dict[str, Any], message: str) -> None:
    result = complete(**parameters)
    assert result["failed"]
    assert result["msg"].startswith(message)


def test_message_with_parts_is_sent() -> None:
    address = "https://docs.example.com/pipeline.png"
    data = "data:image/png;base64,AA"
    content = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": address}},
        {"type": "image_url", "image_url": {"url": data, "detail": "low"}},
    ]
    answer = reply(request={"model": "gpt-4o-mini", "messages": [{"role": "user", "content": content}]})
    parts = [{"text": "What is this?"}, {"image_url": address}, {"image_url": data, "detail": "low"}]
    assert complete(answer, prompt=None, messages=[{"role": "user", "parts": parts}])["completion"] == COMPLETION


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (None, {}),
        ("required", {"tool_choice": "required"}),
        ("list_builds", {"tool_choice": {"type": "function", "function": {"name": "list_builds"}}}),
    ],
)
def test_function_call_is_returned(choice: str | None, sent: dict[str, Any]) -> None:
    request = {**BODY, "tools": [{"type": "function", "function": TOOL}], **sent}
    answer = reply(None, tool_calls=[CALL], finish_reason="stop" if sent else "tool_calls", request=request)
    completion = complete(answer, tools=[TOOL], **({"tool_choice": choice} if choice else {}))["completion"]
    assert (completion["text"], completion["tool_calls"], completion["complete"]) == (None, [CALLED], True)


def test_result_of_a_function_is_sent() -> None:
    messages = [
        QUESTION,
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "content": "[17]", "tool_call_id": "call_0"},
    ]
    history = [QUESTION, {"role": "assistant", "tool_calls": [CALLED]}, messages[2]]
    assert (
        complete(reply(request={**BODY, "messages": messages}), messages=history, prompt=None)["completion"]
        == COMPLETION
    )


def test_answer_is_incomplete_when_call_arguments_are_not_an_object() -> None:
    wrong = {**CALL, "function": {"name": "list_builds", "arguments": '{"result'}}
    request = {**BODY, "tools": [{"type": "function", "function": TOOL}]}
    result = complete(reply(None, tool_calls=[wrong], finish_reason="tool_calls", request=request), tools=[TOOL])
    assert result["msg"].startswith("The arguments of the call to 'list_builds' are not a JSON object.")
    assert result["completion"]["tool_calls"][0]["arguments"] == '{"result'


def test_further_answers_are_alternatives() -> None:
    completion = complete(reply(more=["Another.", "A third."], request={**BODY, "n": 3}), n=3)["completion"]
    assert completion["text"] == COMPLETION["text"]
    assert [one["text"] for one in completion["alternatives"]] == ["Another.", "A third."]
    assert completion["alternatives"][0]["complete"]


def test_completion_is_incomplete_when_an_alternative_is() -> None:
    result = complete(reply(more=[""], request={**BODY, "n": 2}), n=2)
    assert result["msg"] == "The answer has no text. The answer is in the result."
    assert (result["completion"]["complete"], result["completion"]["alternatives"][0]["complete"]) == (False, False)


def chunk(delta: dict[str, Any] | None = None, finish_reason: str | None = None, index: int = 0, **more: Any) -> str:
    choices = [{"index": index, "delta": delta or {}, "finish_reason": finish_reason}] if "usage" not in more else []
    event = {"object": "chat.completion.chunk", "model": "gpt-4o-mini-2024-07-18", "choices": choices, **more}
    return f"data: {json.dumps(event)}\n\n"


def stream(*events: str) -> Call:
    return call(
        "POST",
        "/v1/chat/completions",
        text="".join(events),
        headers={"Content-Type": "text/event-stream; charset=utf-8", "x-request-id": "req_0f5c2e"},
        sent_json={**BODY, "stream": True, "stream_options": {"include_usage": True}},
    )


END = "data: [DONE]\n\n"
FIRST = chunk({"role": "assistant", "content": "", "refusal": None})
BROKEN = 'data: {"error": {"message": "The server had an error.", "type": "server_error"}}\n\n'


def test_chunks_of_a_stream_are_combined() -> None:
    pieces = [chunk({"content": piece}) for piece in ("A server that ", "keeps build", " results.")]
    events = [": a comment\n\n", FIRST, *pieces, chunk(None, "stop"), chunk(usage=USAGE), END]
    assert complete(stream(*events), stream=True) == {"changed": False, "plan": PLAN, "completion": COMPLETION}


def test_calls_and_alternatives_of_a_stream_are_combined() -> None:
    function = {"name": "list_builds", "arguments": ""}
    events = [
        chunk({"tool_calls": [{"index": 0, "id": "call_0", "type": "function", "function": function}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"result": '}}]}),
        chunk({"content": "Another."}, index=1),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"FAILURE £"}'}}]}),
        chunk(None, "tool_calls"),
        chunk(None, "stop", 1),
        END,
    ]
    completion = complete(stream(*events), stream=True)["completion"]
    assert (completion["tool_calls"], completion["complete"]) == ([CALLED], True)
    assert completion["alternatives"][0]["text"] == "Another."


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (BROKEN, "/v1/chat/completions: 200, followed by an error: The server had an error."),
        (END, "200: the stream ended before the answer was complete."),
        ("", "200: the stream ended before the answer was complete."),
        ("data: [DONE}\n\n", "200, but the response is not JSON."),
        ('data: {"choices": 7}\n\n', "200, but 'choices' is the number 7 instead of a list."),
    ],
)
@pytest.mark.parametrize("begun", [False, True])
def test_task_fails_when_a_stream_is_interrupted(event: str, message: str, begun: bool) -> None:
    before = [FIRST, chunk({"content": "A server"})] if begun else []
    result = complete(stream(*before, event), stream=True)
    assert message in result["msg"]
    assert ("The stream was interrupted: POST" in result["msg"]) is begun
    if begun:
        text = {"text": "A server", "finish_reason": None, "complete": False}
        assert result["completion"] == {**COMPLETION, **text, "usage": dict.fromkeys(USAGE)}


def test_task_fails_when_a_login_page_is_returned() -> None:
    sent = {**BODY, "stream": True, "stream_options": {"include_usage": True}}
    page = call("POST", "/v1/chat/completions", text="<html>Sign in</html>", sent_json=sent)
    assert "200, but the response is HTML, not JSON" in complete(page, stream=True)["msg"]


def test_response_is_accepted_when_the_server_does_not_stream() -> None:
    answer = reply(request={**BODY, "stream": True, "stream_options": {"include_usage": True}})
    assert complete(answer, stream=True)["completion"] == COMPLETION


def test_check_mode_sends_no_request() -> None:
    assert complete(check_mode=True) == {"changed": False, "plan": PLAN, "completion": None}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"text": "A server that", "finish_reason": "length"},
            "The answer was truncated at the token limit. Increase 'max_tokens'. The answer is in the result.",
        ),
        (
            {"text": None, "refusal": "I can't help with that."},
            "The model refused to answer: I can't help with that. The answer is in the result.",
        ),
        ({"text": None}, "The answer has no text. The answer is in the result."),
        ({"text": ""}, "The answer has no text. The answer is in the result."),
        (
            {"text": "", "finish_reason": "content_filter"},
            "The answer is incomplete: its finish reason is 'content_filter'. The answer is in the result.",
        ),
    ],
    ids=["truncated", "refused", "nothing", "empty", "filtered"],
)
def test_task_fails_with_the_answer_in_the_result_when_it_is_incomplete(
    answer: dict[str, Any], message: str, tmp_path: Path
) -> None:
    result = complete(reply(**answer), cache=str(tmp_path / "cache"))
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"] == message
    assert result["completion"] == {**COMPLETION, **answer, "complete": False}
    assert not (tmp_path / "cache").exists()


def test_incomplete_answer_is_not_cached_when_it_is_accepted(tmp_path: Path) -> None:
    answer = reply("A server that", finish_reason="length")
    result = complete(answer, accept_incomplete=True, cache=str(tmp_path / "cache"))
    assert result == {
        "changed": False,
        "plan": PLAN,
        "completion": {**COMPLETION, "text": "A server that", "finish_reason": "length", "complete": False},
    }
    assert not (tmp_path / "cache").exists()


def test_answer_is_incomplete_when_it_is_not_text() -> None:
    result = complete(reply([{"type": "text", "text": "Hello"}]))
    assert result["failed"]
    assert result["completion"]["text"] == '[{"type": "text", "text": "Hello"}]'
    assert result["completion"]["complete"] is False


def strict_schema(**schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {}, "required": [], "additionalProperties": False, **schema}


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ({"type": "array"}, "strict mode requires 'type: object' at the top level"),
        ({}, "strict mode requires 'type: object' at the top level"),
        ({"type": "object"}, "strict mode does not support the schema: 'additionalProperties' must be false"),
        (
            strict_schema(properties={"a": {"type": "string"}}),
            "strict mode does not support the schema: all properties must be required, but a is not",
        ),
        (strict_schema(oneOf=[{}]), "strict mode does not support the schema: 'oneOf' is not supported"),
        (
            strict_schema(properties={"a": {"type": "object"}}, required=["a"]),
            "strict mode does not support the schema: at 'a', 'additionalProperties' must be false",
        ),
        (
            strict_schema(properties={"a": {"type": "array", "items": {"not": {}}}}, required=["a"]),
            "strict mode does not support the schema: at 'a.items', 'not' is not supported",
        ),
        (
            strict_schema(properties={"a": {"anyOf": [{"type": "null"}, {"if": {}}]}}, required=["a"]),
            "strict mode does not support the schema: at 'a.anyOf[1]', 'if' is not supported",
        ),
        (
            strict_schema(properties={"a": {"$ref": "#/$defs/b"}}, required=["a"]),
            "at 'properties.a', '$ref: #/$defs/b' does not point",
        ),
        (
            strict_schema(properties={"a": {"$ref": "https://x.test/y"}}, required=["a"]),
            "at 'properties.a', '$ref: https:",
        ),
        (
            strict_schema(properties={"a": {"pattern": "("}}, required=["a"]),
            "is not a valid JSON schema: '(' is not a 'regex'",
        ),
        ({"$schema": []}, "is not a valid JSON schema: '$schema' must be a string"),
    ],
)
def test_unsupported_schema_fails_before_any_request(schema: dict[str, Any], message: str) -> None:
    assert complete(response_schema=schema)["msg"].startswith(f"Option 'response_schema': {message}")


def test_any_schema_is_sent_when_strict_is_false() -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    response_format = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": False}}
    answers = [reply(text, request={**BODY, "response_format": response_format}) for text in ("[1, 2]", '["a"]')]
    assert "or set 'strict: false'" in complete(response_schema=schema)["msg"]
    assert complete(answers[0], response_schema=schema, strict=False)["completion"]["data"] == [1, 2]
    assert "is not of type 'integer'" in complete(answers[1], response_schema=schema, strict=False)["msg"]


@pytest.mark.parametrize(("schema", "text"), [({"$ref": "#"}, "1"), ({"type": "number", "multipleOf": 0.01}, "1e999")])
def test_answer_is_in_the_result_when_it_cannot_be_validated(schema: dict[str, Any], text: str) -> None:
    response_format = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": False}}
    result = complete(
        reply(text, request={**BODY, "response_format": response_format}), response_schema=schema, strict=False
    )
    assert "does not match 'response_schema': it cannot be validated (" in result["msg"]
    assert result["completion"]["text"] == text


def test_structured_answer_is_returned_as_data() -> None:
    answer = reply('{"network": true}', request={**BODY, "response_format": FORMAT})
    result = complete(answer, response_schema=SCHEMA)
    assert result["completion"]["data"] == {"network": True}
    assert result["completion"]["text"] == '{"network": true}'


@pytest.mark.parametrize(
    ("text", "data", "message"),
    [
        ("Yes, it is.", None, "The answer is not JSON although 'response_schema' was sent"),
        (None, None, "The answer has no text."),
        ('{"network": "yes"}', {"network": "yes"}, "The answer does not match 'response_schema': 'yes' is"),
        ('{"network": true, "x": 1}', {"network": True, "x": 1}, "The answer does not match 'response_schema'"),
        ("[]", [], "The answer does not match 'response_schema': [] is not of type 'object'."),
    ],
    ids=["text", "nothing", "type", "more", "list"],
)
def test_task_fails_when_the_answer_does_not_match_the_schema(text: str | None, data: Any, message: str) -> None:
    request = {**BODY, "response_format": FORMAT}
    result = complete(reply(text, request=request), response_schema=SCHEMA)
    assert result["failed"]
    assert result["msg"].startswith(message)
    assert (result["completion"]["text"], result["completion"]["data"]) == (text, data)
    accepted = complete(reply(text, request=request), response_schema=SCHEMA, accept_incomplete=True)
    assert accepted["completion"]["complete"] is False


def test_task_fails_before_any_request_when_jsonschema_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "jsonschema", None)
    result = complete(response_schema=SCHEMA)
    assert result["failed"]
    assert "'response_schema' requires the Python package jsonschema, which is not installed for /" in result["msg"]
    assert complete(reply())["completion"] == COMPLETION


def test_equal_request_is_answered_from_the_cache(tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "cache"
    with conversation(reply()) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(cache), **ASK}
        assert run("inference_chat", **task) == {"changed": True, "plan": PLAN, "completion": COMPLETION}
        assert run("inference_chat", **task) == {"changed": False, "plan": None, "completion": COMPLETION}
    (file,) = cache.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert cache.stat().st_mode & 0o777 == 0o700
    assert json.loads(file.read_text()) == COMPLETION
    assert KEY not in file.read_text()


@pytest.mark.parametrize(
    ("parameters", "fields"),
    [
        ({"model": "gpt-4o"}, {"model": "gpt-4o"}),
        ({"temperature": 0}, {"temperature": 0.0}),
        ({"seed": 1}, {"seed": 1}),
        ({"prompt": "Another."}, {"messages": [{"role": "user", "content": "Another."}]}),
    ],
    ids=["model", "temperature", "seed", "prompt"],
)
def test_different_request_is_cached_in_another_file(
    tmp_path: Path, parameters: dict[str, Any], fields: dict[str, Any]
) -> None:
    with conversation(reply(), reply(request={**BODY, **fields})) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        run("inference_chat", **task)
        assert run("inference_chat", **{**task, **parameters})["changed"]
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_cached_answer_of_an_earlier_version_is_used(tmp_path: Path) -> None:
    older = {name: value for name, value in COMPLETION.items() if name not in ("tool_calls", "alternatives")}
    with conversation(reply()) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        run("inference_chat", **task)
        (file,) = (tmp_path / "cache").iterdir()
        file.write_text(json.dumps(older))
        assert run("inference_chat", **task)["completion"] == COMPLETION


def test_request_to_another_server_is_cached_in_another_file(tmp_path: Path) -> None:
    assert complete(reply(), cache=str(tmp_path / "cache"))["changed"]
    with conversation(call("POST", "/other/chat/completions", json={"choices": []})) as server:
        task = {"url": f"{server.url}/other", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        result = run("inference_chat", **task)
    assert result["failed"]


@pytest.mark.parametrize(
    "content",
    [
        "",
        '{"text": "A serv',
        "\x00",
        "null",
        "[]",
        "{}",
        '{"text": "x", "complete": true}',
        "[" * 100_000,
        json.dumps({**COMPLETION, "complete": False}),
    ],
    ids=["empty", "cut-off", "nul", "null", "list", "object", "part", "deep", "incomplete"],
)
def test_cached_file_is_ignored_when_it_is_invalid(tmp_path: Path, content: str) -> None:
    with conversation(reply(), reply()) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        run("inference_chat", **task)
        (file,) = (tmp_path / "cache").iterdir()
        file.write_text(content)
        assert run("inference_chat", **task)["changed"]
        assert run("inference_chat", **task)["completion"] == COMPLETION


def test_check_mode_returns_cached_answers(tmp_path: Path) -> None:
    with conversation(reply()) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        assert run("inference_chat", check_mode=True, **task) == {"changed": True, "plan": PLAN, "completion": None}
        assert not (tmp_path / "cache").exists()
        run("inference_chat", **task)
        cached = run("inference_chat", check_mode=True, **task)
    assert cached == {"changed": False, "plan": None, "completion": COMPLETION}


def test_task_fails_before_any_request_when_the_cache_is_not_a_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = complete(cache=str(tmp_path / "file"))
    assert "Not a directory" in result["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_task_fails_before_any_request_when_the_cache_is_not_writable(tmp_path: Path, check_mode: bool) -> None:
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    result = complete(cache=str(tmp_path / "gone" / "deep"), check_mode=check_mode)
    assert result["msg"] == f"Option 'cache': '{tmp_path / 'gone'}' must be a writable directory."


def test_task_fails_before_any_request_when_a_cached_answer_is_not_a_file(tmp_path: Path) -> None:
    with conversation(reply()) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(tmp_path), **ASK}
        run("inference_chat", **task)
        (file,) = tmp_path.iterdir()
        file.unlink()
        os.mkfifo(file)
        result = run("inference_chat", **task)
    assert result["msg"] == f"Option 'cache': '{file}' is not a regular file."


@pytest.mark.parametrize(
    ("message", "type_", "code"),
    [
        ("Rate limit reached on requests per min (RPM).", "requests", "rate_limit_exceeded"),
        ("Requests are increasing too fast.", "rate_limit_error", "slow_down"),
    ],
)
def test_request_is_retried_after_a_rate_limit(message: str, type_: str, code: str, delays: list[float]) -> None:
    limited = refusal(429, error(message, type_, code), Retry_After="7")
    result = complete(limited, reply())
    assert result["completion"] == COMPLETION
    assert 7.0 <= delays[0] <= 7.1
    assert result["warnings"][0].startswith("1 request(s) were retried")


def test_retry_waits_for_milliseconds_when_the_header_has_them(delays: list[float]) -> None:
    limited = error("Rate limit reached", "requests", "rate_limit_exceeded")
    complete(refusal(429, limited, Retry_After="9", Retry_After_Ms="250"), reply())
    assert 0.25 <= delays[0] <= 0.35


def test_request_is_not_retried_when_the_delay_is_too_long(delays: list[float]) -> None:
    limited = error("Rate limit reached", "requests", "rate_limit_exceeded")
    result = complete(refusal(429, limited, Retry_After="150"))
    assert result["msg"].endswith("The server requests a delay of 150 s before the next attempt.")
    assert delays == []


def test_request_is_not_retried_when_the_quota_is_used_up(delays: list[float]) -> None:
    result = complete(refusal(429, error(QUOTA, "insufficient_quota", "insufficient_quota")))
    assert result["failed"]
    assert not result["changed"]
    assert f"429 {QUOTA} The rate limit or quota of the account is used up." in result["msg"]
    assert delays == []


@pytest.mark.parametrize("status", [408, 409, 500, 502, 503, 504])
def test_request_is_retried_after_a_temporary_error(status: int, delays: list[float]) -> None:
    trouble = refusal(status, error("The server had an error while processing your request.", "server_error"))
    result = complete(trouble, trouble, reply())
    assert result["completion"] == COMPLETION
    assert not result["changed"]
    assert len(delays) == 2
    assert result["warnings"][0].startswith("2 request(s) were retried")


@pytest.mark.parametrize("lost", [{"drop": True}, {"text": '{"id":"chatcmpl-', "headers": {"Content-Length": "900"}}])
def test_request_is_retried_when_its_response_is_lost(lost: dict[str, Any]) -> None:
    assert complete(call("POST", "/v1/chat/completions", **lost), reply())["completion"] == COMPLETION


def test_task_fails_when_the_error_persists() -> None:
    trouble = refusal(500, error("The server had an error while processing your request.", "server_error"))
    result = complete(*[trouble] * 3, retries=2)
    assert "500 The server had an error while processing your request." in result["msg"]
    lost = complete(call("POST", "/v1/chat/completions", drop=True), retries=0)
    assert "Whether the request had its effect is not known." in lost["msg"]


def test_request_is_not_retried_when_the_server_forbids_it(delays: list[float]) -> None:
    result = complete(refusal(503, error("Overloaded.", "server_error"), x_should_retry="false"))
    assert "503 Overloaded." in result["msg"]
    again = refusal(400, error("Odd.", "server_error"), x_should_retry="true")
    assert complete(again, reply())["completion"] == COMPLETION
    assert len(delays) == 1


def test_response_may_take_longer_than_the_connection_timeout() -> None:
    slow = dataclasses.replace(reply(), delay=0.5)
    assert complete(slow, timeout=0.1)["completion"] == COMPLETION


def test_message_names_response_timeout_when_it_is_exceeded() -> None:
    slow = dataclasses.replace(reply(), held=True)
    assert "no response within 'response_timeout'" in complete(slow, response_timeout=0.1, retries=0)["msg"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"json": {"object": "chat.completion", "choices": []}}, "200, but without 'choices[0]'."),
        ({"json": {"error": {"message": "odd"}}}, "200, but without 'choices'. The server says: odd."),
        ({"json": {"choices": [{"message": None}]}}, "200, but 'choices[0].message' is null instead of an object."),
        ({"json": []}, "200, but the response has an unexpected JSON structure"),
        ({"text": "<html>Sign in</html>"}, "200, but the response is HTML, not JSON"),
    ],
    ids=["no-choices", "error", "no-message", "list", "html"],
)
def test_task_fails_when_the_response_has_no_completion(answer: dict[str, Any], message: str) -> None:
    result = complete(call("POST", "/v1/chat/completions", **answer))
    assert result["failed"]
    assert message in result["msg"]


def test_message_names_the_model_when_it_is_not_visible() -> None:
    text = "The model `gpt-9` does not exist or you do not have access to it."
    result = complete(refusal(404, error(text, code="model_not_found")))
    assert f"404 {text} The model may not be visible to this key" in result["msg"]


def test_request_is_sent_once_when_several_tasks_have_it_at_the_same_time(tmp_path: Path) -> None:
    with billing_server() as server:
        options = {"url": server.url, "api_key": KEY, **ASK, "cache": str(tmp_path / "cache")}
        others = [FORK.Process(target=run, args=("inference_chat",), kwargs=options) for _number in range(4)]
        for other in others:
            other.start()
        for other in others:
            other.join()
        assert (server.charged[ASK["prompt"]], run("inference_chat", **options)["plan"]) == (1, None)


def test_interrupted_stream_fails_and_is_not_cached(tmp_path: Path) -> None:
    with billing_server() as server:
        server.faults = {ASK["prompt"]: ["cut"]}
        options = {"url": server.url, "api_key": KEY, **ASK, "cache": str(tmp_path / "cache")}
        result = run("inference_chat", **options, stream=True)
        assert "the response is incomplete" in result["msg"]
        assert run("inference_chat", **options, stream=True)["completion"]["complete"]
        assert server.charged[ASK["prompt"]] == 2
