# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parse the answer of a model and find out whether it is complete."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import MISSING, Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import schema

Completion = dict[str, t.Any]

_CHOICE_FIELDS = ("text", "data", "tool_calls", "refusal", "finish_reason", "complete")
FIELDS = (*_CHOICE_FIELDS, "alternatives", "model", "usage", "request_id")
# Defaults for cached answers of earlier versions
DEFAULTS: Completion = {"tool_calls": [], "alternatives": []}
_USAGE = ("prompt_tokens", "completion_tokens", "total_tokens")


def parse_completion(
    response: Response, record: Record, response_schema: schema.Schema | None
) -> tuple[Completion, str | None]:
    """Return the completion in a response, and the reason for which it is incomplete.

    :arg response_schema: JSON schema of the answer, if any
    :raises UnexpectedResponse: if the response contains no completion
    """
    choices = record.records("choices")
    if not choices:
        raise response.unexpected_value("choices[0]", "a completion", MISSING)
    answers = [_parse_choice(choice) for choice in choices]
    problems = [_find_problem(answer, response_schema) for answer in answers]
    for answer, problem in zip(answers, problems):
        answer["complete"] = problem is None
    first_problem = next(filter(None, problems), None)
    usage: dict[str, t.Any] = record.maybe_record("usage") or {}
    return {
        **answers[0],
        "complete": first_problem is None,
        "alternatives": answers[1:],
        "model": record.maybe_text("model"),
        "usage": {name: _to_count(usage.get(name)) for name in _USAGE},
        "request_id": response.headers.get("x-request-id"),
    }, first_problem


def _to_count(value: t.Any) -> int | None:
    """Return a number of tokens. An invalid number does not invalidate the answer, so it becomes `None`."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _parse_choice(choice: Record) -> Completion:
    message = choice.record("message")
    content = message.get("content")
    return {
        # content that is not text is charged as well, so return it as JSON
        "text": content if content is None or isinstance(content, str) else json.dumps(content),
        "data": None,
        "tool_calls": [_parse_call(call) for call in message.maybe_records("tool_calls")],
        "refusal": message.maybe_text("refusal"),
        "finish_reason": choice.maybe_text("finish_reason"),
        "complete": isinstance(content, str) and bool(content),
    }


def _parse_call(call: Record) -> dict[str, t.Any]:
    function = call.record("function")
    return {
        "id": call.maybe_text("id"),
        "name": function.text("name"),
        "arguments": _parse_object(function.text("arguments")),
    }


def _parse_object(text: str) -> t.Any:
    """Return the object that a text contains, the text itself if it is not a JSON object."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return data if isinstance(data, dict) else text


def _find_problem(answer: Completion, response_schema: schema.Schema | None) -> str | None:
    """Return the reason for which an answer is incomplete. Add the data of a structured answer to it."""
    if answer["refusal"]:
        return f"The model refused to answer: {answer['refusal'].rstrip('.')}."
    if answer["finish_reason"] == "length":
        return "The answer was truncated at the token limit. Increase 'max_tokens'."
    if answer["finish_reason"] not in ("stop", "tool_calls"):
        return f"The answer is incomplete: its finish reason is '{answer['finish_reason']}'."
    if answer["tool_calls"]:
        return _find_invalid_call(answer["tool_calls"])
    if not answer["complete"]:
        return "The answer has no text."
    return None if response_schema is None else _parse_data(answer, response_schema)


def _find_invalid_call(calls: list[dict[str, t.Any]]) -> str | None:
    for call in calls:
        if not isinstance(call["arguments"], dict):
            return f"The arguments of the call to '{call['name']}' are not a JSON object."
    return None


def _parse_data(answer: Completion, response_schema: schema.Schema) -> str | None:
    try:
        answer["data"] = json.loads(answer["text"])
    except (ValueError, RecursionError):
        return "The answer is not JSON although 'response_schema' was sent. The model may not support schemas."
    problem = schema.find_violation(answer["data"], response_schema)
    return f"The answer does not match 'response_schema': {problem}." if problem else None
