# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import chat
from unit.conversation import Call, call, conversation
from unit.inference_server import KEY, QUOTA, error
from unit.running import run

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
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
PLAN = {"action": "complete", "model": "gpt-4o-mini", "messages": 1}
COMPLETION = {
    "text": "A server that keeps build results.",
    "data": None,
    "refusal": None,
    "finish_reason": "stop",
    "complete": True,
    "model": "gpt-4o-mini-2024-07-18",
    "usage": USAGE,
    "request_id": "req_0f5c2e",
}


def reply(
    text: str | None = "A server that keeps build results.",
    *,
    finish_reason: str = "stop",
    refusal: str | None = None,
    asked: dict[str, Any] | None = None,
) -> Call:
    """A completion, with all the members that the real server sends."""
    answer = {
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": "chat.completion",
        "created": 1741569952,
        "model": "gpt-4o-mini-2024-07-18",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": refusal, "annotations": []},
                "logprobs": None,
                "finish_reason": finish_reason,
            }
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
        "POST", "/v1/chat/completions", json=answer, headers=headers, sent_json=asked or BODY, sent_headers=sent
    )


def refusal(status: int, body: dict[str, Any], **headers: str) -> Call:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return call("POST", "/v1/chat/completions", status, json=body, headers=named, sent_json=BODY)


def ask(*calls: Call, **parameters: Any) -> dict[str, Any]:
    given = {name: value for name, value in {**ASK, **parameters}.items() if value is not None}
    with conversation(*calls) as server:
        return run("inference_chat", url=f"{server.url}/v1", api_key=KEY, **given)


def test_a_question_is_answered_and_changes_nothing() -> None:
    assert ask(reply()) == {"changed": False, "plan": PLAN, "completion": COMPLETION}


def test_a_system_message_goes_first() -> None:
    messages = [{"role": "system", "content": "One sentence."}, QUESTION]
    result = ask(reply(asked={**BODY, "messages": messages}), system="One sentence.")
    assert result["plan"]["messages"] == 2


def test_a_conversation_is_sent_as_it_is() -> None:
    messages = [
        {"role": "developer", "content": "Be brief. £ € \u2028"},
        {"role": "user", "content": "Name a color."},
        {"role": "assistant", "content": "Blue."},
        {"role": "user", "content": "Another one."},
    ]
    answer = reply("Red.", asked={"model": "gpt-4o-mini", "messages": messages})
    assert ask(answer, messages=messages, prompt=None)["completion"]["text"] == "Red."


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ({"temperature": 0}, {"temperature": 0.0}),
        ({"temperature": 1.5, "seed": 0}, {"temperature": 1.5, "seed": 0}),
        ({"max_tokens": 20}, {"max_completion_tokens": 20}),
    ],
)
def test_only_what_is_given_is_sent(given: dict[str, Any], sent: dict[str, Any]) -> None:
    assert ask(reply(asked={**BODY, **sent}), **given)["completion"]["complete"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"prompt": None}, "one of the following is required: messages, prompt"),
        ({"messages": [QUESTION]}, "parameters are mutually exclusive: messages|prompt"),
        ({"prompt": None, "messages": [QUESTION], "system": "x"}, "parameters are mutually exclusive: messages|system"),
        ({"prompt": ""}, "Option 'prompt': takes something to say"),
        ({"prompt": None, "messages": []}, "Option 'messages': takes something to say"),
        ({"response_schema": {"type": "text"}}, "Option 'response_schema': is no JSON schema"),
    ],
    ids=["nothing", "both", "system", "empty-prompt", "no-messages", "bad-schema"],
)
def test_bad_input_fails_before_any_request(parameters: dict[str, Any], message: str) -> None:
    result = ask(**parameters)
    assert result["failed"]
    assert result["msg"].startswith(message)


def test_check_mode_costs_nothing() -> None:
    assert ask(check_mode=True) == {"changed": False, "plan": PLAN}


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"text": "A server that", "finish_reason": "length"},
            "The answer was cut off at the limit of tokens: raise 'max_tokens'. The answer is in the result.",
        ),
        (
            {"text": None, "refusal": "I can't help with that."},
            "The model refused: I can't help with that. The answer is in the result.",
        ),
        (
            {"text": "", "finish_reason": "content_filter"},
            "The answer ended early, with the reason 'content_filter'. The answer is in the result.",
        ),
    ],
    ids=["truncated", "refused", "filtered"],
)
def test_an_answer_that_is_not_whole_is_a_failure_and_kept_in_the_result(
    answer: dict[str, Any], message: str, tmp_path: Path
) -> None:
    result = ask(reply(**answer), cache=str(tmp_path / "cache"))
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"] == message
    assert result["completion"] == {**COMPLETION, **answer, "complete": False}
    assert not (tmp_path / "cache").exists()


def test_an_answer_that_is_not_whole_is_accepted_if_asked_but_not_stored(tmp_path: Path) -> None:
    answer = reply("A server that", finish_reason="length")
    result = ask(answer, accept_incomplete=True, cache=str(tmp_path / "cache"))
    assert result == {
        "changed": False,
        "plan": PLAN,
        "completion": {**COMPLETION, "text": "A server that", "finish_reason": "length", "complete": False},
    }
    assert not (tmp_path / "cache").exists()


def test_a_structured_answer_is_data() -> None:
    answer = reply('{"network": true}', asked={**BODY, "response_format": FORMAT})
    result = ask(answer, response_schema=SCHEMA)
    assert result["completion"]["data"] == {"network": True}
    assert result["completion"]["text"] == '{"network": true}'


@pytest.mark.parametrize(
    ("text", "data", "message"),
    [
        ("Yes, it is.", None, "The model did not answer with JSON, though 'response_schema' was sent"),
        (None, None, "The model did not answer with JSON"),
        ('{"network": "yes"}', {"network": "yes"}, "The model's answer is not as 'response_schema' wants it: 'yes' is"),
        ('{"network": true, "x": 1}', {"network": True, "x": 1}, "The model's answer is not as 'response_schema'"),
        ("[]", [], "The model's answer is not as 'response_schema' wants it: [] is not of type 'object'."),
    ],
    ids=["text", "nothing", "type", "more", "list"],
)
def test_an_answer_that_is_not_as_the_schema_wants_it_is_a_failure(text: str | None, data: Any, message: str) -> None:
    asked = {**BODY, "response_format": FORMAT}
    result = ask(reply(text, asked=asked), response_schema=SCHEMA)
    assert result["failed"]
    assert result["msg"].startswith(message)
    assert (result["completion"]["text"], result["completion"]["data"]) == (text, data)
    accepted = ask(reply(text, asked=asked), response_schema=SCHEMA, accept_incomplete=True)
    assert accepted["completion"]["complete"] is False


def test_a_schema_needs_its_package_before_any_request(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chat, "jsonschema", None)
    result = ask(response_schema=SCHEMA)
    assert result["failed"]
    assert "'response_schema' needs the Python package 'jsonschema', which is missing for /" in result["msg"]
    assert ask(reply())["completion"] == COMPLETION


def test_the_same_request_is_paid_for_once(tmp_path: Path) -> None:
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
    ("parameters", "asked"),
    [
        ({"model": "gpt-4o"}, {"model": "gpt-4o"}),
        ({"temperature": 0}, {"temperature": 0.0}),
        ({"seed": 1}, {"seed": 1}),
        ({"prompt": "Another."}, {"messages": [{"role": "user", "content": "Another."}]}),
    ],
    ids=["model", "temperature", "seed", "prompt"],
)
def test_another_request_is_another_file(tmp_path: Path, parameters: dict[str, Any], asked: dict[str, Any]) -> None:
    with conversation(reply(), reply(asked={**BODY, **asked})) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        run("inference_chat", **task)
        assert run("inference_chat", **{**task, **parameters})["changed"]
    assert len(list((tmp_path / "cache").iterdir())) == 2


def test_another_server_is_another_file(tmp_path: Path) -> None:
    assert ask(reply(), cache=str(tmp_path / "cache"))["changed"]
    with conversation(call("POST", "/other/chat/completions", json={"choices": []})) as server:
        task = {"url": f"{server.url}/other", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        result = run("inference_chat", **task)
    assert result["failed"]


@pytest.mark.parametrize("content", ["", '{"text": "A serv', "\x00", "null"])
def test_a_file_that_is_damaged_is_replaced(tmp_path: Path, content: str) -> None:
    with conversation(reply(), reply()) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        run("inference_chat", **task)
        (file,) = (tmp_path / "cache").iterdir()
        file.write_text(content)
        assert run("inference_chat", **task)["changed"]
        assert run("inference_chat", **task)["completion"] == COMPLETION


def test_check_mode_knows_the_cache(tmp_path: Path) -> None:
    with conversation(reply()) as server:
        task = {"url": f"{server.url}/v1", "api_key": KEY, "cache": str(tmp_path / "cache"), **ASK}
        assert run("inference_chat", check_mode=True, **task) == {"changed": True, "plan": PLAN}
        assert not (tmp_path / "cache").exists()
        run("inference_chat", **task)
        kept = run("inference_chat", check_mode=True, **task)
    assert kept == {"changed": False, "plan": None, "completion": COMPLETION}


def test_a_cache_that_is_no_folder_fails_before_any_request(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = ask(cache=str(tmp_path / "file"))
    assert result["msg"] == "Option 'cache': cannot be read: Not a directory"


@pytest.mark.parametrize(
    ("message", "type_", "code"),
    [
        ("Rate limit reached on requests per min (RPM).", "requests", "rate_limit_exceeded"),
        ("Requests are increasing too fast.", "rate_limit_error", "slow_down"),
    ],
)
def test_a_rate_limit_is_waited_for(message: str, type_: str, code: str, naps: list[float]) -> None:
    limited = refusal(429, error(message, type_, code), Retry_After="7")
    result = ask(limited, reply())
    assert result["completion"] == COMPLETION
    assert 7.0 <= naps[0] <= 7.1
    assert result["warnings"][0].startswith("1 request(s) had to be repeated")


def test_a_rate_limit_is_waited_for_by_milliseconds_and_not_for_ever(naps: list[float]) -> None:
    limited = error("Rate limit reached", "requests", "rate_limit_exceeded")
    ask(refusal(429, limited, Retry_After="9", Retry_After_Ms="250"), refusal(429, limited, Retry_After="900"), reply())
    assert 0.25 <= naps[0] <= 0.35
    assert 60.0 <= naps[1] <= 60.1


def test_a_quota_that_is_used_up_is_not_waited_for(naps: list[float]) -> None:
    result = ask(refusal(429, error(QUOTA, "insufficient_quota", "insufficient_quota")))
    assert result["failed"]
    assert not result["changed"]
    assert f"429 {QUOTA} The account's rate limit or quota is used up." in result["msg"]
    assert naps == []


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_what_may_have_been_paid_for_is_not_sent_again(status: int) -> None:
    result = ask(refusal(status, error("The server had an error while processing your request.", "server_error")))
    assert result["failed"]
    assert f"{status} The server had an error while processing your request." in result["msg"]


def test_a_lost_reply_is_not_asked_for_again() -> None:
    result = ask(call("POST", "/v1/chat/completions", drop=True))
    assert result["failed"]
    assert "Whether the request had its effect is not known." in result["msg"]


def test_an_answer_that_is_cut_off_is_not_asked_for_again() -> None:
    cut_off = call("POST", "/v1/chat/completions", text='{"id":"chatcmpl-', headers={"Content-Length": "900"})
    result = ask(cut_off)
    assert result["failed"]
    assert "Whether the request had its effect is not known." in result["msg"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ({"json": {"object": "chat.completion", "choices": []}}, "its answer has no completion in it"),
        ({"json": {"error": {"message": "odd"}}}, "its answer has no completion in it"),
        ({"json": []}, "200, but with JSON of another form than expected"),
        ({"text": "<html>Sign in</html>"}, "200, but with HTML instead of JSON"),
    ],
    ids=["no-choices", "error", "list", "html"],
)
def test_success_without_a_completion_is_a_failure(answer: dict[str, Any], message: str) -> None:
    result = ask(call("POST", "/v1/chat/completions", **answer))
    assert result["failed"]
    assert message in result["msg"]


def test_a_model_that_is_not_visible_is_told() -> None:
    text = "The model `gpt-9` does not exist or you do not have access to it."
    result = ask(refusal(404, error(text, code="model_not_found")))
    assert f"404 {text} The model may not be visible to this key" in result["msg"]
