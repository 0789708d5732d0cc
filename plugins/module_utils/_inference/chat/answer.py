# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a model answered, and whether that is a whole answer."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import MISSING, Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import schema

Completion = dict[str, t.Any]

_OF_ONE = ("text", "data", "tool_calls", "refusal", "finish_reason", "complete")
FIELDS = (*_OF_ONE, "alternatives", "model", "usage", "request_id")
# What answers lack that were kept before there was such a thing
DEFAULTS: Completion = {"tool_calls": [], "alternatives": []}
_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")


def parse_completion(response: Response, reply: Record, wanted: schema.Schema | None) -> tuple[Completion, str | None]:
    """The completion in a reply, and why it is no whole answer, if it is none.

    :arg wanted: what it must satisfy, if anything
    :raises UnexpectedResponse: when there is none in it
    """
    choices = reply.records("choices")
    if not choices:
        raise response.unexpected_value("choices[0]", "a completion", MISSING)
    answers = [_one(choice) for choice in choices]
    shortfalls = [_shortfall(one, wanted) for one in answers]
    for one, problem in zip(answers, shortfalls):
        one["complete"] = problem is None
    shortfall = next(filter(None, shortfalls), None)
    usage: dict[str, t.Any] = reply.maybe_record("usage") or {}
    return {
        **answers[0],
        "complete": shortfall is None,
        "alternatives": answers[1:],
        "model": reply.maybe_text("model"),
        "usage": {name: _number(usage.get(name)) for name in _USAGE},
        "request_id": response.headers.get("x-request-id"),
    }, shortfall


def _number(value: t.Any) -> int | None:
    """A number of tokens; what is none does not make an answer worthless."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _one(choice: Record) -> Completion:
    message = choice.record("message")
    content = message.get("content")
    return {
        # what is no text has been paid for all the same
        "text": content if content is None or isinstance(content, str) else json.dumps(content),
        "data": None,
        "tool_calls": [_call(call) for call in message.maybe_records("tool_calls")],
        "refusal": message.maybe_text("refusal"),
        "finish_reason": choice.maybe_text("finish_reason"),
        "complete": isinstance(content, str) and bool(content),
    }


def _call(call: Record) -> dict[str, t.Any]:
    function = call.record("function")
    return {
        "id": call.maybe_text("id"),
        "name": function.text("name"),
        "arguments": _data(function.text("arguments")),
    }


def _data(text: str) -> t.Any:
    """A text as an object, or else as it is."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return data if isinstance(data, dict) else text


def _shortfall(one: Completion, wanted: schema.Schema | None) -> str | None:
    """Why it is no whole answer, if it is none; puts a structured one into the completion."""
    if one["refusal"]:
        return f"The model refused: {one['refusal'].rstrip('.')}."
    if one["finish_reason"] == "length":
        return "The answer was cut off at the limit of tokens: raise 'max_tokens'."
    if one["finish_reason"] not in ("stop", "tool_calls"):
        return f"The answer ended early, with the reason '{one['finish_reason']}'."
    if one["tool_calls"]:
        wrong = (call["name"] for call in one["tool_calls"] if not isinstance(call["arguments"], dict))
        return next(
            (f"The model called the tool '{name}' with arguments that are no JSON object." for name in wrong), None
        )
    if not one["complete"]:
        return "The answer has no text in it."
    return None if wanted is None else _parse(one, wanted)


def _parse(one: Completion, wanted: schema.Schema) -> str | None:
    try:
        one["data"] = json.loads(one["text"])
    except (ValueError, RecursionError):
        return "The model did not answer with JSON, though 'response_schema' was sent: it may not support schemas."
    problem = schema.shortfall(one["data"], wanted)
    return f"The model's answer is not as 'response_schema' wants it: {problem}." if problem else None
