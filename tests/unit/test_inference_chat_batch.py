# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import resource
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _bulk
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits import rate_limiter
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from support.conversation import Call, call, conversation
from support.inference_server import KEY, QUOTA, error
from support.running import run
from support.virtual_time import virtual_time

MODEL = "gpt-4o-mini"
PROMPTS = [{"id": "one", "prompt": "First?"}, {"prompt": "Second?"}, {"prompt": "Third?"}]
SCHEMA = {
    "type": "object",
    "properties": {"yes": {"type": "boolean"}},
    "required": ["yes"],
    "additionalProperties": False,
}


def body(prompt: Any, **more: Any) -> dict[str, Any]:
    return {"model": MODEL, "messages": [{"role": "user", "content": prompt}], **more}


def respond(prompt: str, text: str | None = "Yes.", finish_reason: str = "stop", **more: Any) -> Call:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, "refusal": more.pop("refusal", None)},
        "logprobs": None,
        "finish_reason": finish_reason,
    }
    reply = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL,
        "choices": [choice],
        "usage": more.pop("usage", {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}),
    }
    headers = {"x-request-id": "req_1", **more.pop("headers", {})}
    return call("POST", "/v1/chat/completions", json=reply, headers=headers, sent_json=body(prompt, **more))


def reject(prompt: str, status: int, answer: dict[str, Any], **headers: str) -> Call:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return call("POST", "/v1/chat/completions", status, json=answer, headers=named, sent_json=body(prompt))


def batch(folder: Path, *calls: Call, port: int | None = None, **parameters: Any) -> dict[str, Any]:
    options = {"prompts": PROMPTS, "model": MODEL, "to_file": str(folder / "answers"), "workers": 1, **parameters}
    with conversation(*calls) as server:
        options = {name: value for name, value in options.items() if value is not None}
        return run("inference_chat_batch", **{"url": f"{server.url}/v1", "api_key": KEY, **options})


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "answers").read_text().splitlines()]


def run_twice(folder: Path, *calls: Call, then: Any, **parameters: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run the module twice with one server, and call `then` between the runs."""
    options = {"prompts": PROMPTS, "model": MODEL, "to_file": str(folder / "answers"), "workers": 1, "api_key": KEY}
    with conversation(*calls) as server:
        options["url"] = f"{server.url}/v1"
        first = run("inference_chat_batch", **{**options, **parameters})
        return first, run("inference_chat_batch", **{**options, **then()})


def test_answers_are_in_the_order_of_the_prompts(tmp_path: Path) -> None:
    result = batch(tmp_path, respond("First?"), respond("Second?", "No."), respond("Third?"))
    assert result["changed"]
    assert result["summary"] == {"answered": 3, "refused": 0, "truncated": 0, "mismatched": 0, "failed": 0}
    assert result["usage"] == {"prompt_tokens": 30, "completion_tokens": 15, "total_tokens": 45}
    assert (result["reused"], result["remaining"], result["cost"], result["stop_reason"]) == (0, 0, None, None)
    assert [(line["index"], line["id"], line["text"]) for line in lines(tmp_path)] == [
        (0, "one", "Yes."),
        (1, None, "No."),
        (2, None, "Yes."),
    ]
    assert stat.S_IMODE((tmp_path / "answers").stat().st_mode) == 0o600


def test_second_run_sends_nothing(tmp_path: Path) -> None:
    calls = [respond("First?"), respond("Second?"), respond("Third?")]
    first, second = run_twice(tmp_path, *calls, then=dict)
    assert first["changed"]
    assert (second["changed"], second["plan"], second["reused"], second["remaining"]) == (False, None, 3, 0)
    assert second["summary"]["answered"] == 3


def test_next_run_continues_when_the_last_line_is_incomplete(tmp_path: Path) -> None:
    def truncate_last_line() -> dict[str, Any]:
        data = (tmp_path / "answers").read_bytes().splitlines(keepends=True)
        (tmp_path / "answers").write_bytes(data[2] + data[0] + data[1][:20])
        return {}

    calls = [respond("First?"), respond("Second?"), respond("Third?"), respond("Second?", "Again.")]
    _first, second = run_twice(tmp_path, *calls, then=truncate_last_line)
    assert (second["reused"], second["counts"]["changed"], second["counts"]["ok"]) == (2, 1, 2)
    assert [(line["index"], line["text"]) for line in lines(tmp_path)] == [(0, "Yes."), (1, "Again."), (2, "Yes.")]


def test_prompt_is_sent_again_when_it_changes(tmp_path: Path) -> None:
    changed = [PROMPTS[0], {"prompt": "Other?"}, PROMPTS[2]]
    calls = [respond("First?"), respond("Second?"), respond("Third?"), respond("Other?", "Other.")]
    _first, second = run_twice(tmp_path, *calls, then=lambda: {"prompts": changed})
    assert second["reused"] == 2
    assert [(line["index"], line["text"]) for line in lines(tmp_path)] == [
        (0, "Yes."),
        (1, "Other."),
        (2, "Yes."),
        (None, "Yes."),
    ]


def test_failed_prompts_are_sent_again_and_refused_ones_are_not(tmp_path: Path) -> None:
    wrong = reject("Third?", 400, error("Bad"))
    calls = [respond("First?", None, refusal="No."), respond("Second?", "Y", "length"), wrong, respond("Third?")]
    first, second = run_twice(tmp_path, *calls, then=dict)
    assert first["failed"]
    assert first["changed"]
    assert first["msg"] == "3 of 3 items failed. The first failure is prompts[0]: The model refused to answer: No."
    assert first["summary"] == {"answered": 0, "refused": 1, "truncated": 1, "mismatched": 0, "failed": 1}
    assert not second.get("failed")
    assert second["summary"] == {"answered": 1, "refused": 1, "truncated": 1, "mismatched": 0, "failed": 0}
    assert [line["outcome"] for line in lines(tmp_path)] == ["refused", "truncated", "answered"]


def test_prompt_is_sent_again_when_the_answer_does_not_match_the_schema(tmp_path: Path) -> None:
    response_format = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    calls = [
        respond("First?", '{"yes": 1}', response_format=response_format),
        respond("First?", '{"yes": true}', response_format=response_format),
    ]
    result = batch(tmp_path, *calls, prompts=PROMPTS[:1], response_schema=SCHEMA, attempts=3)
    assert result["summary"]["answered"] == 1
    assert result["usage"]["total_tokens"] == 30
    assert (lines(tmp_path)[0]["attempts"], lines(tmp_path)[0]["data"]) == (2, {"yes": True})


def test_prompt_is_mismatched_when_all_attempts_are(tmp_path: Path) -> None:
    response_format = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    calls = [respond("First?", "Yes", response_format=response_format)] * 2
    result = batch(tmp_path, *calls, prompts=PROMPTS[:1], response_schema=SCHEMA, attempts=2)
    assert result["failed"]
    assert result["summary"]["mismatched"] == 1
    accepted = batch(tmp_path / "other", prompts=PROMPTS[:1], response_schema=SCHEMA, accept_incomplete=True)
    assert "its directory must exist and be writable" in accepted["msg"]


def test_check_mode_estimates_the_usage(tmp_path: Path) -> None:
    result = batch(
        tmp_path,
        check_mode=True,
        max_tokens=20,
        prices=[{"model": MODEL, "input": 1_000_000, "output": 0}],
        limits={"*": {"max_requests_per_1_minute": 1, "max_tokens_per_1_minute": 20}},
    )
    assert result["changed"], result
    assert result["plan"] == {
        "action": "complete",
        "requests": 3,
        "reused": 0,
        "tokens_at_least": 6,
        "cost_at_least": 6.0,
        "seconds_at_least": 120.0,
    }
    assert result["remaining"] == 3
    assert not (tmp_path / "answers").exists()


def test_answer_is_accepted_when_the_response_has_no_usage(tmp_path: Path) -> None:
    usage = {"prompt_tokens": "10", "completion_tokens": None, "total_tokens": True}
    result = batch(tmp_path, respond("First?", usage=usage), prompts=PROMPTS[:1])
    assert result["summary"]["answered"] == 1
    assert lines(tmp_path)[0]["usage"] == dict.fromkeys(usage)


def test_token_limit_holds_when_the_response_has_no_usage(tmp_path: Path) -> None:
    calls = [respond("First?", "x" * 400, usage=None), respond("Second?", usage={"prompt_tokens": 0})]
    result = batch(tmp_path, *calls, max_tokens_total=104, on_error="report")
    assert result["usage"] == {"prompt_tokens": 2, "completion_tokens": 101, "total_tokens": 103}
    assert (result["remaining"], result["stop_reason"]) == (1, "they may exceed 'max_tokens_total'")


def test_cached_answers_require_no_request(tmp_path: Path) -> None:
    options = {"cache": str(tmp_path / "cache"), "prompts": PROMPTS[:2]}

    def begin_anew(**more: Any) -> dict[str, Any]:
        (tmp_path / "answers").unlink(missing_ok=True)
        return {**options, **more}

    predicted_options = {"check_mode": True, "prompts": PROMPTS, "limits": {"*": {"max_requests_per_1_minute": 1}}}
    calls = [respond("First?"), respond("Second?")]
    _first, planned = run_twice(tmp_path, *calls, then=lambda: begin_anew(**predicted_options), **options)
    assert planned["plan"]["requests"] == 1, planned
    assert (planned["plan"]["tokens_at_least"], planned["plan"]["seconds_at_least"]) == (2, 0)
    for file in (tmp_path / "cache").iterdir():
        file.unlink()
    (tmp_path / "answers").unlink(missing_ok=True)
    _first, again = run_twice(tmp_path, *calls, then=lambda: begin_anew(max_tokens_total=1), **options)
    assert (again["stop_reason"], again["remaining"], again["usage"]["total_tokens"]) == (None, 0, 0)


def test_task_fails_before_any_request_when_the_cache_is_not_writable(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    result = batch(tmp_path, cache=str(tmp_path / "cache"))
    assert result["msg"].startswith("Option 'cache': ")
    assert not (tmp_path / "answers").exists()


def test_no_prompt_is_sent_when_it_may_exceed_the_token_limit(tmp_path: Path) -> None:
    calls = [respond("First?", max_completion_tokens=10), respond("Second?", max_completion_tokens=10)]
    result = batch(tmp_path, *calls, max_tokens=10, max_tokens_total=30)
    assert result["msg"] == "1 of 3 prompts were not sent: they may exceed 'max_tokens_total'. Run the task again."
    assert (result["remaining"], result["usage"]["total_tokens"]) == (1, 30)


def test_token_limit_applies_to_further_attempts(tmp_path: Path) -> None:
    response_format = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    calls = [respond("First?", "Yes", response_format=response_format, max_completion_tokens=10)] * 2
    options = {"prompts": PROMPTS[:1], "response_schema": SCHEMA, "max_tokens": 10, "attempts": 5}
    result = batch(tmp_path, *calls, **options, max_tokens_total=35, accept_incomplete=True)
    assert not result.get("failed"), result
    assert (result["summary"]["mismatched"], result["remaining"], result["usage"]["total_tokens"]) == (1, 0, 30)
    assert lines(tmp_path)[0]["attempts"] == 2


def test_token_limit_applies_to_all_answers_of_a_request(tmp_path: Path) -> None:
    result = batch(tmp_path, max_tokens=10, extra={"n": 4}, max_tokens_total=40)
    assert "3 of 3 prompts were not sent" in result["msg"]


def test_skipped_prompts_do_not_use_the_budget(tmp_path: Path) -> None:
    quota = reject("First?", 429, error(QUOTA, "insufficient_quota", "insufficient_quota"))
    result = batch(tmp_path, quota, max_failures=1, max_tokens_total=3)
    assert "1 of 3 items failed, 2 were skipped" in result["msg"]
    assert (result["failure_reasons"][0]["reason"], result["counts"]["skipped"]) == (result["stop_reason"], 2)


def test_no_prompt_is_sent_when_it_may_exceed_the_cost_limit(tmp_path: Path) -> None:
    prices = [{"model": MODEL, "input": 100_000, "output": 200_000}]  # an answer costs 2
    result = batch(tmp_path, respond("First?"), prices=prices, max_cost=2.1, on_error="report")
    assert (result["cost"], result["remaining"], result["stop_reason"]) == (2.0, 2, "they may exceed 'max_cost'")


def test_no_prompt_is_sent_after_max_failures(tmp_path: Path) -> None:
    quota = reject("First?", 429, error(QUOTA, "insufficient_quota", "insufficient_quota"))
    result = batch(tmp_path, quota, max_failures=1)
    assert result["failed"]
    assert (result["summary"]["failed"], result["remaining"], result["counts"]["skipped"]) == (1, 2, 2)


def test_prompts_are_read_from_a_file(tmp_path: Path) -> None:
    source = tmp_path / "prompts"
    source.write_text('{"prompt": "First?", "id": "a"}\n{"model": "gpt-4o-mini", "prompt": "Second?", "seed": 7}')
    calls = [respond("First?"), respond("Second?", seed=7)]
    result = batch(tmp_path, *calls, prompts=None, prompts_file=str(source))
    assert result["summary"]["answered"] == 2
    assert lines(tmp_path)[0]["id"] == "a"


BATCH_LINE = {
    "custom_id": 17,
    "method": "POST",
    "url": "/v1/chat/completions",
    "body": {
        "model": MODEL,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [{"type": "text", "text": "First?"}, {"type": "input_audio", "input_audio": {}}],
            },
        ],
        "max_tokens": 50,
        "top_p": 0.5,
    },
}


def test_openai_batch_lines_are_sent_unchanged(tmp_path: Path) -> None:
    source = tmp_path / "prompts"
    source.write_text(json.dumps(BATCH_LINE) + "\n\n \n")
    sent = {**BATCH_LINE["body"], "temperature": 0.0, "seed": 3}
    call_ = dataclasses.replace(respond("First?"), sent={"json": sent})
    options = {"prompts": None, "model": "other", "temperature": 0, "seed": 3, "max_tokens": 9, "max_tokens_total": 65}
    result = batch(tmp_path, call_, prompts_file=str(source), **options)
    assert result["summary"]["answered"] == 1, result
    assert [(line["id"], line["text"]) for line in lines(tmp_path)] == [("17", "Yes.")]


@pytest.mark.parametrize("model", [{}, {"model": None}])
def test_openai_batch_line_gets_the_model_of_the_task_when_it_has_none(model: dict[str, Any], tmp_path: Path) -> None:
    line = {"custom_id": "a", "body": {**model, "messages": [{"role": "user", "content": "First?"}]}}
    result = batch(tmp_path, respond("First?"), prompts=[line])
    assert (result["summary"]["answered"], lines(tmp_path)[0]["id"]) == (1, "a"), result


def test_message_content_may_be_a_list_of_parts(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "First?"}]
    call_ = dataclasses.replace(respond("First?"), sent={"json": body(parts)})
    result = batch(tmp_path, call_, prompts=[{"id": 4, "messages": [{"role": "user", "content": parts}]}])
    assert (result["summary"]["answered"], lines(tmp_path)[0]["id"]) == (1, "4"), result


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"url": "/v1/embeddings"}, "'url': must be the path of chat completions"),
        ({"method": "GET"}, "value of method must be one of: POST"),
        ({"body": {}}, "'body': must not be empty"),
        ({"body": None}, "missing parameter(s) required by 'method': body"),
        ({"body": {"input": "x"}}, "'body.messages': must be a list of messages"),
        ({"body": {"messages": ["x"]}}, "'body.messages': must be a list of messages"),
        (
            {"body": {"messages": [{"content": 1.5}]}},
            "'body.messages[0].content': must be a text or a list of content parts, not a number",
        ),
        ({"body": {**BATCH_LINE["body"], "stream": True}}, "'body.stream': must not be true"),
        ({"body": {**BATCH_LINE["body"], "max_tokens": "9"}}, "'body.max_tokens': must be an integer greater than 0"),
        ({"body": {**BATCH_LINE["body"], "n": 0}}, "'body.n': must be an integer greater than 0"),
        ({"body": {**BATCH_LINE["body"], "model": 5}}, "body.model': must be the ID of a model"),
        ({"custom_id": 1.5}, "'custom_id': must be a string, not a number with a fraction"),
        ({"id": "b"}, "parameters are mutually exclusive: id|custom_id"),
        ({"prompt": "x"}, "parameters are mutually exclusive: messages|prompt|body"),
    ],
)
def test_task_fails_when_an_openai_batch_line_is_unsupported(
    line: dict[str, Any], message: str, tmp_path: Path
) -> None:
    source = tmp_path / "prompts"
    source.write_text(json.dumps({**BATCH_LINE, **line}))
    result = batch(tmp_path, prompts=None, prompts_file=str(source))
    assert message in result["msg"]


def run_after_earlier_version(tmp_path: Path, answer: dict[str, Any], times: int = 1) -> list[dict[str, Any]]:
    """Run the first prompt without requests, with the answer of an earlier version in the file of answers."""
    with conversation() as server:
        request = json.dumps([f"{server.url}/v1", body("First?")], sort_keys=True)
        line = {**answer, "request": hashlib.sha256(request.encode()).hexdigest(), "attempts": 1, "text": "Kept."}
        (tmp_path / "answers").write_text(json.dumps(line) + "\n")
        options = {"url": f"{server.url}/v1", "api_key": KEY, "model": MODEL, "to_file": str(tmp_path / "answers")}
        return [run("inference_chat_batch", prompts=PROMPTS[:1], **options) for _run in range(times)]


def test_answer_of_an_earlier_version_is_reused_at_another_index(tmp_path: Path) -> None:
    answer = {"index": 7, "id": "old", "outcome": "refused", "reason": "No."}
    (result,) = run_after_earlier_version(tmp_path, answer)
    assert (result["reused"], result["summary"]["refused"], result["plan"]["requests"]) == (1, 1, 0), result
    assert [(line["index"], line["id"], line["text"]) for line in lines(tmp_path)] == [(0, "one", "Kept.")]


def test_truncated_answer_of_an_earlier_version_is_not_sent_again(tmp_path: Path) -> None:
    answer = {"index": 0, "id": "one", "outcome": "cut_off", "reason": "Long."}
    first, second = run_after_earlier_version(tmp_path, answer, times=2)
    assert (first["reused"], first["summary"]["truncated"], first["plan"]["requests"]) == (1, 1, 0), first
    assert (second["reused"], second["summary"]["truncated"], second["plan"]) == (1, 1, None), second
    assert [(line["index"], line["outcome"], line["text"]) for line in lines(tmp_path)] == [(0, "truncated", "Kept.")]


def test_message_names_the_line_when_a_prompt_fails(tmp_path: Path) -> None:
    source = tmp_path / "prompts"
    source.write_text('{"prompt": "First?"}\n{"prompt": "Second?"}\n')
    calls = [respond("First?"), reject("Second?", 400, error("Bad"))]
    result = batch(tmp_path, *calls, prompts=None, prompts_file=str(source))
    assert "1 of 2 items failed. The first failure is prompts_file, line 2: POST" in result["msg"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "line 2': is not a JSON object"),
        ("[]", "line 2': must be a dictionary"),
        ("\n{}", "line 2': is empty. Only lines at the end"),
        ("{}", "line 2': one of the following is required: messages, prompt"),
        ('{"prompt": ""}', "'prompt': must not be empty"),
        ('{"prompt": ["x"]}', "'prompt': must be a string, not a list"),
        ('{"prompt": "x", "other": 1}', "other"),
        ('{"prompt": "x", "temperature": 9}', "'temperature': must be 0 to 2"),
    ],
)
def test_task_fails_when_a_line_is_not_a_prompt(tmp_path: Path, text: str, message: str) -> None:
    source = tmp_path / "prompts"
    source.write_text(f'{{"prompt": "First?"}}\n{text}\n')
    result = batch(tmp_path, prompts=None, prompts_file=str(source))
    assert result["failed"]
    assert "prompts_file, line 2" in result["msg"]
    assert message.replace("line 2: ", "").replace("line 2': ", "") in result["msg"]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"model": None}, "Option 'prompts[0]': has no 'model'. Set it for the prompt or for the task"),
        ({"prompts_file": "/nowhere"}, "mutually exclusive"),
        ({"prompts": None, "prompts_file": "/nowhere"}, "'prompts_file': '/nowhere' cannot be read: it does not exist"),
        ({"max_cost": 1}, "prices"),
        ({"limit_period": ""}, "value of limit_period must be one of: minute, day"),
        ({"max_cost": 1, "prices": []}, "'prices': must not be empty"),
        (
            {"prices": [{"model": MODEL, "input": 1, "output": 1}] * 2},
            "'prices[1].model': 'gpt-4o-mini' is listed twice",
        ),
        ({"prices": [{"model": "x", "input": 1, "output": 1}]}, "'prices': has no price for the model 'gpt-4o-mini'"),
        (
            {"limits": {"x": {"max_requests_per_1_minute": -1}}},
            "'max_requests_per_1_minute': must be 0 to 2,147,483,647",
        ),
        ({"limits": {"x": {"requests": 1}}}, "'limits.x': requests. Supported parameters include"),
        ({"limits": {"x": 5}}, "'limits.x': must be a dictionary"),
        ({"prompts": [{"prompt": "x", "messages": [{"role": "user", "content": "x"}]}]}, "mutually exclusive"),
    ],
)
def test_invalid_options_fail_before_any_request(tmp_path: Path, parameters: dict[str, Any], message: str) -> None:
    result = batch(tmp_path, **parameters)
    assert result["failed"]
    assert message in result["msg"]


def test_no_incomplete_line_is_written_when_the_disk_is_full(tmp_path: Path) -> None:
    assert not batch(tmp_path, respond("First?"), prompts=PROMPTS[:1]).get("failed")
    whole = (tmp_path / "answers").read_bytes()
    (tmp_path / "answers").unlink()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) * 3 // 2, hard))
    try:
        result = batch(tmp_path, respond("First?"), respond("Second?"), prompts=PROMPTS[:2])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot be written: File too large" in result["msg"]
    assert len(lines(tmp_path)) == result["summary"]["answered"] == 1
    assert [(line["index"], line["text"]) for line in result["unwritten_lines"]] == [(1, "Yes.")]


@pytest.mark.parametrize(
    "content",
    ["important\n", "important", '{"key": 1}', "\0", '{"index": 0}\n', "[1]\n", '{"index": -1, "request": "a"}\n'],
)
def test_file_is_not_changed_when_it_has_other_content(tmp_path: Path, content: str) -> None:
    (tmp_path / "answers").write_text(content)
    assert "is not a file of answers" in batch(tmp_path)["msg"]
    assert (tmp_path / "answers").read_text() == content


def limit_headers(limit: int, remaining: int, reset: str) -> dict[str, str]:
    return {
        "x-ratelimit-limit-requests": str(limit),
        "x-ratelimit-remaining-requests": str(remaining),
        "x-ratelimit-reset-requests": reset,
    }


def test_limit_is_learned_from_response_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delays = virtual_time(monkeypatch)
    response_headers = [limit_headers(2, 1, "30s"), limit_headers(2, 0, "1m0s"), limit_headers(2, 0, "1m0s")]
    calls = [
        respond(prompt["prompt"], headers=headers) for prompt, headers in zip(PROMPTS, response_headers, strict=True)
    ]
    assert batch(tmp_path, *calls)["summary"]["answered"] == 3
    assert [round(delay) for delay in delays] == [30]


@pytest.mark.parametrize(
    "headers",
    [
        limit_headers(10, 9, "1.2.3s"),
        *({**limit_headers(10, 9, "1s"), "x-ratelimit-limit-requests": invalid} for invalid in ("\xb2", "9" * 5000)),
    ],
)
def test_invalid_headers_are_ignored(tmp_path: Path, headers: dict[str, str]) -> None:
    calls = [respond("First?", headers=headers), respond("Second?"), respond("Third?")]
    assert batch(tmp_path, *calls)["summary"]["answered"] == 3


SIX = [{"prompt": f"Prompt {number}"} for number in range(6)]


def measure_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, headers: list[dict[str, str]], **parameters: Any
) -> list[float]:
    """Return the waits of six prompts if the first responses have these headers."""
    delays = virtual_time(monkeypatch)
    headers = [*headers, *[{}] * (6 - len(headers))]
    calls = [respond(prompt["prompt"], headers=one) for prompt, one in zip(SIX, headers, strict=True)]
    assert batch(tmp_path, *calls, prompts=SIX, **parameters)["summary"]["answered"] == 6
    return [round(delay, 1) for delay in delays]


DAILY = [limit_headers(200, 2, "23h45m36s"), limit_headers(200, 1, "23h52m48s"), limit_headers(200, 0, "24h0m0s")]


def test_limit_is_daily_when_three_responses_indicate_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert measure_waits(tmp_path, monkeypatch, DAILY) == [432, 432, 432]


@pytest.mark.parametrize(
    "readings", [DAILY[2:], DAILY[1:], DAILY[2:] * 3, [DAILY[0], limit_headers(200, 1, "59s"), *DAILY[1:]]]
)
def test_limit_is_per_minute_when_fewer_responses_indicate_a_day(
    readings: list[dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not [delay for delay in measure_waits(tmp_path, monkeypatch, readings) if delay > 0.3]


@pytest.mark.parametrize(
    ("limit", "remaining", "reset"),
    [(150_000, 149_984, "6m0s"), (30_000, 29_990, "1s"), (100, 99, "45s"), (60, 59, "1s")],
)
def test_limit_is_per_minute_when_responses_are_equal(
    limit: int, remaining: int, reset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limiter = rate_limiter.RateLimiter({}, None, threading.Event())
    for number in range(5):
        for left in (remaining, remaining - number):
            limiter._update_limit("requests", str(limit), str(left), reset)
    assert [bucket.period for bucket in limiter._buckets] == [60]


@pytest.mark.parametrize(("period", "delay"), [("minute", []), ("day", [432, 432, 432, 432, 432]), (None, [])])
def test_limit_period_of_the_task_applies(
    period: str | None, delay: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = [limit_headers(200, 0, "6m0s")]
    delays = measure_waits(tmp_path, monkeypatch, readings, limit_period=period)
    assert [seconds for seconds in delays if seconds > 0.3] == delay


def test_requests_are_delayed_after_a_rejection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delays = virtual_time(monkeypatch)
    busy = reject("First?", 429, error("Rate limit reached", "requests", "rate_limit_exceeded"), Retry_After="6")
    calls = [busy, respond("First?"), respond("Second?"), respond("Third?")]
    result = batch(tmp_path, *calls, limits={MODEL: {"max_requests_per_1_minute": 10}})
    assert result["summary"]["answered"] == 3
    assert result["warnings"] == ["1 request(s) were retried: POST " + result["warnings"][0].split("POST ")[1]]
    assert [round(delay) for delay in delays] == [6, 6, 6]


def test_limit_is_not_emptied_when_a_request_is_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    delays = virtual_time(monkeypatch)
    message = "Request too large for gpt-4o-mini on tokens per min (TPM): Limit 30, Requested 31."
    calls = [reject("First?", 429, error(message, "tokens", "rate_limit_exceeded")), *[respond("Second?")] * 2]
    result = batch(tmp_path, *calls, prompts=[PROMPTS[0], PROMPTS[1], PROMPTS[1]], retries=0, on_error="report")
    assert (result["summary"]["answered"], delays) == (2, [])


def test_prompt_is_not_sent_when_it_exceeds_a_limit(tmp_path: Path) -> None:
    result = batch(tmp_path, prompts=PROMPTS[:1], max_tokens=50, limits={"*": {"max_tokens_per_1_minute": 40}})
    assert "The prompt was not sent: it requires 50 tokens, but the limit is 40." in result["msg"]
    assert result["summary"]["failed"] == 1


def test_other_prompts_are_sent_when_one_exceeds_a_limit(tmp_path: Path) -> None:
    prompts = [{"prompt": "x" * 400}, *PROMPTS[:2]]
    limits = {MODEL: {"max_tokens_per_1_minute": 40}}
    result = batch(tmp_path, respond("First?"), respond("Second?"), prompts=prompts, limits=limits)
    assert (result["summary"]["failed"], result["summary"]["answered"]) == (1, 2)


@pytest.mark.parametrize(
    ("model", "is_sent"),
    [(MODEL, True), ("other", False), ("ft:gpt-4o:acme::abc", False), ("ft:gpt-4:acme::abc", False)],
)
def test_limits_apply_to_models_base_models_and_others(tmp_path: Path, model: str, is_sent: bool) -> None:
    row = {"id": "rl-1", "kind": "model", "max_images_per_1_minute": None, "unlimited": ["max_requests_per_1_minute"]}
    limits = {
        MODEL: {**row, "max_requests_per_1_minute": 2**31 - 1, "max_requests_per_1_day": None},
        "ft:gpt-4o": {**row, "max_tokens_per_1_minute": 0},
        "*": {**row, "max_requests_per_1_day": 0},
    }
    calls = [respond("First?")] if is_sent else []
    result = batch(tmp_path, *calls, prompts=PROMPTS[:1], model=model, limits=limits, on_error="report")
    assert result["summary"]["answered"] == is_sent
    if not is_sent:
        refusal = (
            "tokens, but the limit is 0. Decrease 'max_tokens' or shorten the prompt."
            if "gpt-4o:" in model
            else "requests, but the limit is 0. Increase the limit."
        )
        assert result["failures"][0]["reason"].endswith(refusal)


@pytest.mark.parametrize(
    ("limits", "name"),
    [
        ({"max_requests_per_1_minute": 1}, "1 requests per minute"),
        ({"max_tokens_per_1_minute": 2}, "2 tokens per minute"),
    ],
)
def test_progress_shows_the_limit_and_remaining_time_during_a_wait(
    limits: dict[str, int], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays, displayed, is_displayed = virtual_time(monkeypatch), [], threading.Event()

    def progress(_task: Task, text: str, _state: str) -> None:
        displayed.append(re.sub(" until [^ ]*", " until then", text))
        is_displayed.set()

    def pause(seconds: float, _stop: threading.Event) -> None:
        for _report in ("one that may have begun before", "one of now"):
            is_displayed.clear()
            assert is_displayed.wait(60)
        delays.append(seconds)

    monkeypatch.setattr(rate_limiter, "pause", pause)
    monkeypatch.setattr(_bulk, "_POLLING_INTERVAL", 0.001)
    monkeypatch.setattr(Task, "report_progress", progress)
    calls = [respond(prompt["prompt"]) for prompt in PROMPTS]
    batch(tmp_path, *calls, limits={MODEL: limits})
    waiting = f"waiting until then for the limit of {MODEL}: {name}"
    assert f"1 of 3 done, {waiting}, 120 s left" in displayed
    assert f"2 of 3 done, {waiting}, 60 s left" in displayed


def test_cached_answer_counts_no_attempt(tmp_path: Path) -> None:
    cached = {"prompts": PROMPTS[:1], "cache": str(tmp_path / "cache")}

    def delete_answers() -> dict[str, Any]:
        (tmp_path / "answers").unlink()
        return cached

    run_twice(tmp_path, respond("First?"), then=delete_answers, **cached)
    assert [(line["outcome"], line["attempts"], line["text"]) for line in lines(tmp_path)] == [("answered", 0, "Yes.")]
