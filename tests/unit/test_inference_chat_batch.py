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


def answered(prompt: str, text: str | None = "Yes.", finish_reason: str = "stop", **more: Any) -> Call:
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


def refused(prompt: str, status: int, answer: dict[str, Any], **headers: str) -> Call:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return call("POST", "/v1/chat/completions", status, json=answer, headers=named, sent_json=body(prompt))


def batch(folder: Path, *calls: Call, port: int | None = None, **parameters: Any) -> dict[str, Any]:
    given = {"prompts": PROMPTS, "model": MODEL, "to_file": str(folder / "answers"), "workers": 1, **parameters}
    with conversation(*calls) as server:
        given = {name: value for name, value in given.items() if value is not None}
        return run("inference_chat_batch", **{"url": f"{server.url}/v1", "api_key": KEY, **given})


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "answers").read_text().splitlines()]


def address_in(folder: Path, *calls: Call, then: Any, **parameters: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Two runs against one server, between which something happens."""
    given = {"prompts": PROMPTS, "model": MODEL, "to_file": str(folder / "answers"), "workers": 1, "api_key": KEY}
    with conversation(*calls) as server:
        given["url"] = f"{server.url}/v1"
        first = run("inference_chat_batch", **{**given, **parameters})
        return first, run("inference_chat_batch", **{**given, **then()})


def test_each_prompt_is_answered_in_its_order(tmp_path: Path) -> None:
    result = batch(tmp_path, answered("First?"), answered("Second?", "No."), answered("Third?"))
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


def test_a_second_run_asks_nothing(tmp_path: Path) -> None:
    calls = [answered("First?"), answered("Second?"), answered("Third?")]
    first, second = address_in(tmp_path, *calls, then=dict)
    assert first["changed"]
    assert (second["changed"], second["plan"], second["reused"], second["remaining"]) == (False, None, 3, 0)
    assert second["summary"]["answered"] == 3


def test_what_was_cut_off_is_gone_on_with(tmp_path: Path) -> None:
    def cut_off() -> dict[str, Any]:
        data = (tmp_path / "answers").read_bytes().splitlines(keepends=True)
        (tmp_path / "answers").write_bytes(data[2] + data[0] + data[1][:20])
        return {}

    calls = [answered("First?"), answered("Second?"), answered("Third?"), answered("Second?", "Again.")]
    _first, second = address_in(tmp_path, *calls, then=cut_off)
    assert (second["reused"], second["counts"]["changed"], second["counts"]["ok"]) == (2, 1, 2)
    assert [(line["index"], line["text"]) for line in lines(tmp_path)] == [(0, "Yes."), (1, "Again."), (2, "Yes.")]


def test_a_prompt_that_changed_is_asked_again(tmp_path: Path) -> None:
    changed = [PROMPTS[0], {"prompt": "Other?"}, PROMPTS[2]]
    calls = [answered("First?"), answered("Second?"), answered("Third?"), answered("Other?", "Other.")]
    _first, second = address_in(tmp_path, *calls, then=lambda: {"prompts": changed})
    assert second["reused"] == 2
    assert [(line["index"], line["text"]) for line in lines(tmp_path)] == [
        (0, "Yes."),
        (1, "Other."),
        (2, "Yes."),
        (None, "Yes."),
    ]


def test_what_failed_is_asked_again_and_what_was_refused_is_not(tmp_path: Path) -> None:
    wrong = refused("Third?", 400, error("Bad"))
    calls = [answered("First?", None, refusal="No."), answered("Second?", "Y", "length"), wrong, answered("Third?")]
    first, second = address_in(tmp_path, *calls, then=dict)
    assert first["failed"]
    assert first["changed"]
    assert first["msg"] == "3 of 3 items failed. The first failure is prompts[0]: The model refused to answer: No."
    assert first["summary"] == {"answered": 0, "refused": 1, "truncated": 1, "mismatched": 0, "failed": 1}
    assert not second.get("failed")
    assert second["summary"] == {"answered": 1, "refused": 1, "truncated": 1, "mismatched": 0, "failed": 0}
    assert [line["outcome"] for line in lines(tmp_path)] == ["refused", "truncated", "answered"]


def test_an_answer_of_another_form_is_asked_for_again(tmp_path: Path) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    calls = [
        answered("First?", '{"yes": 1}', response_format=wanted),
        answered("First?", '{"yes": true}', response_format=wanted),
    ]
    result = batch(tmp_path, *calls, prompts=PROMPTS[:1], response_schema=SCHEMA, attempts=3)
    assert result["summary"]["answered"] == 1
    assert result["usage"]["total_tokens"] == 30
    assert (lines(tmp_path)[0]["attempts"], lines(tmp_path)[0]["data"]) == (2, {"yes": True})


def test_an_answer_that_never_has_the_right_form(tmp_path: Path) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    calls = [answered("First?", "Yes", response_format=wanted)] * 2
    result = batch(tmp_path, *calls, prompts=PROMPTS[:1], response_schema=SCHEMA, attempts=2)
    assert result["failed"]
    assert result["summary"]["mismatched"] == 1
    kept = batch(tmp_path / "other", prompts=PROMPTS[:1], response_schema=SCHEMA, accept_incomplete=True)
    assert "its directory must exist and be writable" in kept["msg"]


def test_check_mode_tells_what_it_would_take(tmp_path: Path) -> None:
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


def test_an_answer_whose_tokens_are_not_told_is_one(tmp_path: Path) -> None:
    usage = {"prompt_tokens": "10", "completion_tokens": None, "total_tokens": True}
    result = batch(tmp_path, answered("First?", usage=usage), prompts=PROMPTS[:1])
    assert result["summary"]["answered"] == 1
    assert lines(tmp_path)[0]["usage"] == dict.fromkeys(usage)


def test_a_bound_holds_when_the_tokens_are_not_told(tmp_path: Path) -> None:
    calls = [answered("First?", "x" * 400, usage=None), answered("Second?", usage={"prompt_tokens": 0})]
    result = batch(tmp_path, *calls, max_tokens_total=104, on_error="report")
    assert result["usage"] == {"prompt_tokens": 2, "completion_tokens": 101, "total_tokens": 103}
    assert (result["remaining"], result["stop_reason"]) == (1, "they may exceed 'max_tokens_total'")


def test_what_the_cache_has_costs_nothing(tmp_path: Path) -> None:
    given = {"cache": str(tmp_path / "cache"), "prompts": PROMPTS[:2]}

    def begin_anew(**more: Any) -> dict[str, Any]:
        (tmp_path / "answers").unlink(missing_ok=True)
        return {**given, **more}

    foreseen = {"check_mode": True, "prompts": PROMPTS, "limits": {"*": {"max_requests_per_1_minute": 1}}}
    calls = [answered("First?"), answered("Second?")]
    _first, planned = address_in(tmp_path, *calls, then=lambda: begin_anew(**foreseen), **given)
    assert planned["plan"]["requests"] == 1, planned
    assert (planned["plan"]["tokens_at_least"], planned["plan"]["seconds_at_least"]) == (2, 0)
    for file in (tmp_path / "cache").iterdir():
        file.unlink()
    (tmp_path / "answers").unlink(missing_ok=True)
    _first, again = address_in(tmp_path, *calls, then=lambda: begin_anew(max_tokens_total=1), **given)
    assert (again["stop_reason"], again["remaining"], again["usage"]["total_tokens"]) == (None, 0, 0)


def test_a_folder_for_answers_that_cannot_be_used_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    result = batch(tmp_path, cache=str(tmp_path / "cache"))
    assert result["msg"].startswith("Option 'cache': ")
    assert not (tmp_path / "answers").exists()


def test_a_bound_on_tokens(tmp_path: Path) -> None:
    calls = [answered("First?", max_completion_tokens=10), answered("Second?", max_completion_tokens=10)]
    result = batch(tmp_path, *calls, max_tokens=10, max_tokens_total=30)
    assert result["msg"] == "1 of 3 prompts were not sent: they may exceed 'max_tokens_total'. Run the task again."
    assert (result["remaining"], result["usage"]["total_tokens"]) == (1, 30)


def test_a_bound_on_tokens_is_one_on_further_attempts_too(tmp_path: Path) -> None:
    wanted = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True}}
    calls = [answered("First?", "Yes", response_format=wanted, max_completion_tokens=10)] * 2
    given = {"prompts": PROMPTS[:1], "response_schema": SCHEMA, "max_tokens": 10, "attempts": 5}
    result = batch(tmp_path, *calls, **given, max_tokens_total=35, accept_incomplete=True)
    assert not result.get("failed"), result
    assert (result["summary"]["mismatched"], result["remaining"], result["usage"]["total_tokens"]) == (1, 0, 30)
    assert lines(tmp_path)[0]["attempts"] == 2


def test_a_bound_on_tokens_is_one_on_all_answers_of_a_request(tmp_path: Path) -> None:
    result = batch(tmp_path, max_tokens=10, extra={"n": 4}, max_tokens_total=40)
    assert "3 of 3 prompts were not sent" in result["msg"]


def test_what_is_not_begun_after_failures_takes_nothing_of_a_bound(tmp_path: Path) -> None:
    quota = refused("First?", 429, error(QUOTA, "insufficient_quota", "insufficient_quota"))
    result = batch(tmp_path, quota, max_failures=1, max_tokens_total=3)
    assert "1 of 3 items failed, 2 were skipped" in result["msg"]
    assert (result["failure_reasons"][0]["reason"], result["counts"]["skipped"]) == (result["stop_reason"], 2)


def test_a_bound_on_money(tmp_path: Path) -> None:
    prices = [{"model": MODEL, "input": 100_000, "output": 200_000}]  # so that an answer costs 2
    result = batch(tmp_path, answered("First?"), prices=prices, max_cost=2.1, on_error="report")
    assert (result["cost"], result["remaining"], result["stop_reason"]) == (2.0, 2, "they may exceed 'max_cost'")


def test_after_many_failures_no_more_are_begun(tmp_path: Path) -> None:
    quota = refused("First?", 429, error(QUOTA, "insufficient_quota", "insufficient_quota"))
    result = batch(tmp_path, quota, max_failures=1)
    assert result["failed"]
    assert (result["summary"]["failed"], result["remaining"], result["counts"]["skipped"]) == (1, 2, 2)


def test_prompts_of_a_file(tmp_path: Path) -> None:
    source = tmp_path / "prompts"
    source.write_text('{"prompt": "First?", "id": "a"}\n{"model": "gpt-4o-mini", "prompt": "Second?", "seed": 7}')
    calls = [answered("First?"), answered("Second?", seed=7)]
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


def test_lines_of_openai_batch_are_sent_as_they_are(tmp_path: Path) -> None:
    source = tmp_path / "prompts"
    source.write_text(json.dumps(BATCH_LINE) + "\n\n \n")
    sent = {**BATCH_LINE["body"], "temperature": 0.0, "seed": 3}
    call_ = dataclasses.replace(answered("First?"), sent={"json": sent})
    given = {"prompts": None, "model": "other", "temperature": 0, "seed": 3, "max_tokens": 9, "max_tokens_total": 65}
    result = batch(tmp_path, call_, prompts_file=str(source), **given)
    assert result["summary"]["answered"] == 1, result
    assert [(line["id"], line["text"]) for line in lines(tmp_path)] == [("17", "Yes.")]


@pytest.mark.parametrize("model", [{}, {"model": None}])
def test_a_line_of_openai_batch_has_the_model_of_the_task_when_it_has_none(
    model: dict[str, Any], tmp_path: Path
) -> None:
    line = {"custom_id": "a", "body": {**model, "messages": [{"role": "user", "content": "First?"}]}}
    result = batch(tmp_path, answered("First?"), prompts=[line])
    assert (result["summary"]["answered"], lines(tmp_path)[0]["id"]) == (1, "a"), result


def test_the_content_of_a_message_may_be_a_list_of_parts(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "First?"}]
    call_ = dataclasses.replace(answered("First?"), sent={"json": body(parts)})
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
def test_a_line_of_openai_batch_is_refused_when_it_cannot_be_asked(
    line: dict[str, Any], message: str, tmp_path: Path
) -> None:
    source = tmp_path / "prompts"
    source.write_text(json.dumps({**BATCH_LINE, **line}))
    result = batch(tmp_path, prompts=None, prompts_file=str(source))
    assert message in result["msg"]


def test_an_answer_of_an_earlier_version_is_found_at_another_place(tmp_path: Path) -> None:
    with conversation() as server:
        request = json.dumps([f"{server.url}/v1", body("First?")], sort_keys=True)
        old = {"index": 7, "id": "old", "request": hashlib.sha256(request.encode()).hexdigest(), "outcome": "refused"}
        (tmp_path / "answers").write_text(json.dumps({**old, "reason": "No.", "attempts": 1, "text": "Kept."}) + "\n")
        given = {"url": f"{server.url}/v1", "api_key": KEY, "model": MODEL, "to_file": str(tmp_path / "answers")}
        result = run("inference_chat_batch", prompts=PROMPTS[:1], **given)
    assert (result["reused"], result["summary"]["refused"], result["plan"]["requests"]) == (1, 1, 0), result
    assert [(line["index"], line["id"], line["text"]) for line in lines(tmp_path)] == [(0, "one", "Kept.")]


def test_a_failure_is_named_by_the_line_of_the_file(tmp_path: Path) -> None:
    source = tmp_path / "prompts"
    source.write_text('{"prompt": "First?"}\n{"prompt": "Second?"}\n')
    calls = [answered("First?"), refused("Second?", 400, error("Bad"))]
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
def test_lines_that_are_no_prompts(tmp_path: Path, text: str, message: str) -> None:
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
        ({"prompts": None, "prompts_file": "/nowhere"}, "'prompts_file': '/nowhere' cannot be read: there is none"),
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
def test_bad_input_is_refused_before_the_first_request(
    tmp_path: Path, parameters: dict[str, Any], message: str
) -> None:
    result = batch(tmp_path, **parameters)
    assert result["failed"]
    assert message in result["msg"]


def test_a_line_that_the_disk_has_no_room_for_is_not_there(tmp_path: Path) -> None:
    assert not batch(tmp_path, answered("First?"), prompts=PROMPTS[:1]).get("failed")
    whole = (tmp_path / "answers").read_bytes()
    (tmp_path / "answers").unlink()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(whole) * 3 // 2, hard))
    try:
        result = batch(tmp_path, answered("First?"), answered("Second?"), prompts=PROMPTS[:2])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot be written: File too large" in result["msg"]
    assert len(lines(tmp_path)) == result["summary"]["answered"] == 1
    assert [(line["index"], line["text"]) for line in result["unwritten_lines"]] == [(1, "Yes.")]


@pytest.mark.parametrize(
    "content",
    ["important\n", "important", '{"key": 1}', "\0", '{"index": 0}\n', "[1]\n", '{"index": -1, "request": "a"}\n'],
)
def test_a_file_with_something_else_is_left_as_it_is(tmp_path: Path, content: str) -> None:
    (tmp_path / "answers").write_text(content)
    assert "is not a file of answers" in batch(tmp_path)["msg"]
    assert (tmp_path / "answers").read_text() == content


def told(limit: int, remaining: int, reset: str) -> dict[str, str]:
    return {
        "x-ratelimit-limit-requests": str(limit),
        "x-ratelimit-remaining-requests": str(remaining),
        "x-ratelimit-reset-requests": reset,
    }


def test_a_limit_is_learned_from_the_headers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    naps = virtual_time(monkeypatch)
    told_of = [told(2, 1, "30s"), told(2, 0, "1m0s"), told(2, 0, "1m0s")]
    calls = [answered(prompt["prompt"], headers=headers) for prompt, headers in zip(PROMPTS, told_of, strict=True)]
    assert batch(tmp_path, *calls)["summary"]["answered"] == 3
    assert [round(nap) for nap in naps] == [30]


@pytest.mark.parametrize(
    "headers",
    [
        told(10, 9, "1.2.3s"),
        *({**told(10, 9, "1s"), "x-ratelimit-limit-requests": odd} for odd in ("\xb2", "9" * 5000)),
    ],
)
def test_odd_headers_tell_nothing(tmp_path: Path, headers: dict[str, str]) -> None:
    calls = [answered("First?", headers=headers), answered("Second?"), answered("Third?")]
    assert batch(tmp_path, *calls)["summary"]["answered"] == 3


SIX = [{"prompt": f"Prompt {number}"} for number in range(6)]


def naps_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, headers: list[dict[str, str]], **parameters: Any
) -> list[float]:
    """The seconds that six prompts wait when the answers to the first have these headers."""
    naps = virtual_time(monkeypatch)
    headers = [*headers, *[{}] * (6 - len(headers))]
    calls = [answered(prompt["prompt"], headers=one) for prompt, one in zip(SIX, headers, strict=True)]
    assert batch(tmp_path, *calls, prompts=SIX, **parameters)["summary"]["answered"] == 6
    return [round(nap, 1) for nap in naps]


DAILY = [told(200, 2, "23h45m36s"), told(200, 1, "23h52m48s"), told(200, 0, "24h0m0s")]


def test_a_limit_is_daily_when_three_responses_indicate_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert naps_of(tmp_path, monkeypatch, DAILY) == [432, 432, 432]


@pytest.mark.parametrize("readings", [DAILY[2:], DAILY[1:], DAILY[2:] * 3, [DAILY[0], told(200, 1, "59s"), *DAILY[1:]]])
def test_a_limit_is_for_a_minute_when_fewer_responses_indicate_a_day(
    readings: list[dict[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not [nap for nap in naps_of(tmp_path, monkeypatch, readings) if nap > 0.3]


@pytest.mark.parametrize(
    ("limit", "remaining", "reset"),
    [(150_000, 149_984, "6m0s"), (30_000, 29_990, "1s"), (100, 99, "45s"), (60, 59, "1s")],
)
def test_a_limit_is_for_a_minute_when_responses_repeat_themselves(
    limit: int, remaining: int, reset: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pace = rate_limiter.RateLimiter({}, None, threading.Event())
    for number in range(5):
        for left in (remaining, remaining - number):
            pace._update_limit("requests", str(limit), str(left), reset)
    assert [bucket.period for bucket in pace._buckets] == [60]


@pytest.mark.parametrize(("period", "nap"), [("minute", []), ("day", [432, 432, 432, 432, 432]), (None, [])])
def test_the_period_of_limits_when_the_task_names_it(
    period: str | None, nap: list[float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = [told(200, 0, "6m0s")]
    naps = naps_of(tmp_path, monkeypatch, readings, limit_period=period)
    assert [seconds for seconds in naps if seconds > 0.3] == nap


def test_a_refusal_slows_down_and_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    naps = virtual_time(monkeypatch)
    busy = refused("First?", 429, error("Rate limit reached", "requests", "rate_limit_exceeded"), Retry_After="6")
    calls = [busy, answered("First?"), answered("Second?"), answered("Third?")]
    result = batch(tmp_path, *calls, limits={MODEL: {"max_requests_per_1_minute": 10}})
    assert result["summary"]["answered"] == 3
    assert result["warnings"] == ["1 request(s) had to be repeated: POST " + result["warnings"][0].split("POST ")[1]]
    assert [round(nap) for nap in naps] == [6, 6, 6]


def test_a_request_that_is_too_large_leaves_the_limit_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    naps = virtual_time(monkeypatch)
    message = "Request too large for gpt-4o-mini on tokens per min (TPM): Limit 30, Requested 31."
    calls = [refused("First?", 429, error(message, "tokens", "rate_limit_exceeded")), *[answered("Second?")] * 2]
    result = batch(tmp_path, *calls, prompts=[PROMPTS[0], PROMPTS[1], PROMPTS[1]], retries=0, on_error="report")
    assert (result["summary"]["answered"], naps) == (2, [])


def test_what_no_limit_has_room_for_is_not_asked(tmp_path: Path) -> None:
    result = batch(tmp_path, prompts=PROMPTS[:1], max_tokens=50, limits={"*": {"max_tokens_per_1_minute": 40}})
    assert "The prompt was not sent: it requires 50 tokens, but the limit is 40." in result["msg"]
    assert result["summary"]["failed"] == 1


def test_one_that_no_limit_has_room_for_does_not_hold_up_the_others(tmp_path: Path) -> None:
    prompts = [{"prompt": "x" * 400}, *PROMPTS[:2]]
    limits = {MODEL: {"max_tokens_per_1_minute": 40}}
    result = batch(tmp_path, answered("First?"), answered("Second?"), prompts=prompts, limits=limits)
    assert (result["summary"]["failed"], result["summary"]["answered"]) == (1, 2)


@pytest.mark.parametrize(
    ("model", "asked"),
    [(MODEL, True), ("other", False), ("ft:gpt-4o:acme::abc", False), ("ft:gpt-4:acme::abc", False)],
)
def test_the_limits_of_a_project_as_they_are_told(tmp_path: Path, model: str, asked: bool) -> None:
    """A model without any has those of all others; one that was tuned may have those of what it was tuned from."""
    row = {"id": "rl-1", "kind": "model", "max_images_per_1_minute": None, "unlimited": ["max_requests_per_1_minute"]}
    known = {
        MODEL: {**row, "max_requests_per_1_minute": 2**31 - 1, "max_requests_per_1_day": None},
        "ft:gpt-4o": {**row, "max_tokens_per_1_minute": 0},
        "*": {**row, "max_requests_per_1_day": 0},
    }
    calls = [answered("First?")] if asked else []
    result = batch(tmp_path, *calls, prompts=PROMPTS[:1], model=model, limits=known, on_error="report")
    assert result["summary"]["answered"] == asked
    if not asked:
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
def test_progress_names_the_limit_and_the_time_left_when_the_batch_waits(
    limits: dict[str, int], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps, told, is_told = virtual_time(monkeypatch), [], threading.Event()

    def progress(_task: Task, text: str, _state: str) -> None:
        told.append(re.sub(" until [^ ]*", " until then", text))
        is_told.set()

    def pause(seconds: float, _stop: threading.Event) -> None:
        for _report in ("one that may have begun before", "one of now"):
            is_told.clear()
            assert is_told.wait(60)
        naps.append(seconds)

    monkeypatch.setattr(rate_limiter, "pause", pause)
    monkeypatch.setattr(_bulk, "_POLLING_INTERVAL", 0.001)
    monkeypatch.setattr(Task, "report_progress", progress)
    calls = [answered(prompt["prompt"]) for prompt in PROMPTS]
    batch(tmp_path, *calls, limits={MODEL: limits})
    waiting = f"waiting until then for the limit of {MODEL}: {name}"
    assert f"1 of 3 done, {waiting}, 120 s left" in told
    assert f"2 of 3 done, {waiting}, 60 s left" in told


def test_an_answer_from_the_cache_takes_no_attempt(tmp_path: Path) -> None:
    cached = {"prompts": PROMPTS[:1], "cache": str(tmp_path / "cache")}

    def without_answers() -> dict[str, Any]:
        (tmp_path / "answers").unlink()
        return cached

    address_in(tmp_path, answered("First?"), then=without_answers, **cached)
    assert [(line["outcome"], line["attempts"], line["text"]) for line in lines(tmp_path)] == [("answered", 0, "Yes.")]
