# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a chat request must look like; anything else is a 400 that names the parameter."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from functools import partial
from typing import Any

from .errors import ApiError, invalid
from .structured import check_response_format

ROLES = ("system", "assistant", "user", "function", "tool", "developer")
PARTS = ("text", "image_url", "input_audio", "refusal", "file")

BAD_JSON = (
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library "
    "correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)"
)

Check = Callable[[str, Any], None]


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = {bool: "a boolean", int: "an integer", float: "a decimal", str: "a string", list: "an array"}
    return kinds.get(type(value), "an object")


def _wrong_type(name: str, value: Any, expected: str) -> ApiError:
    return invalid(
        f"Invalid type for '{name}': expected {expected}, but got {_kind(value)} instead.", name, "invalid_type"
    )


def _typed(expected: str, name: str, value: Any) -> None:
    if _kind(value) != expected:
        raise _wrong_type(name, value, expected)


def _number(low: float | None, high: float | None, name: str, value: Any, *, integer: bool = False) -> None:
    kind = "integer" if integer else "decimal"
    if isinstance(value, bool) or not isinstance(value, int if integer else (int, float)):
        raise _wrong_type(name, value, f"{'an' if integer else 'a'} {kind}")
    if low is not None and value < low:
        message = f"Invalid '{name}': {kind} below minimum value. Expected a value >= {low}, but got {value} instead."
        raise invalid(message, name, f"{kind}_below_min_value")
    if high is not None and value > high:
        message = f"Invalid '{name}': {kind} above maximum value. Expected a value <= {high}, but got {value} instead."
        raise invalid(message, name, f"{kind}_above_max_value")


def _stop(name: str, value: Any) -> None:
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise _wrong_type(name, value, "one of a string or an array of strings")
    if len(value) > 4:
        message = f"Invalid '{name}': array too long. Expected an array with maximum length 4, but got {len(value)}."
        raise invalid(message, name, "array_above_max_length")
    for position, item in enumerate(value):
        _typed("a string", f"{name}[{position}]", item)


def _anything(name: str, value: Any) -> None:
    return


_decimal = partial(partial, _number)
_integer = partial(partial, _number, integer=True)
_boolean, _string, _array, _object = (
    partial(_typed, expected) for expected in ("a boolean", "a string", "an array", "an object")
)

PARAMETERS: dict[str, Check] = {
    "audio": _object,
    "frequency_penalty": _decimal(-2, 2),
    "function_call": _anything,
    "functions": _array,
    "logit_bias": _object,
    "logprobs": _boolean,
    "max_completion_tokens": _integer(1, None),
    "max_tokens": _integer(1, None),
    "messages": _array,
    "metadata": _object,
    "modalities": _array,
    "model": _string,
    "n": _integer(1, 128),
    "parallel_tool_calls": _boolean,
    "prediction": _object,
    "presence_penalty": _decimal(-2, 2),
    "prompt_cache_key": _string,
    "reasoning_effort": _string,
    "response_format": _object,
    "safety_identifier": _string,
    "seed": _integer(None, None),
    "service_tier": _string,
    "stop": _stop,
    "store": _boolean,
    "stream": _boolean,
    "stream_options": _object,
    "temperature": _decimal(0, 2),
    "tool_choice": _anything,
    "tools": _array,
    "top_logprobs": _integer(0, 20),
    "top_p": _decimal(0, 1),
    "user": _string,
    "verbosity": _string,
    "web_search_options": _object,
}

# Their effect on the answer is more than the sandbox can make up.
UNSERVED = ("audio", "logprobs", "web_search_options")


def parse_chat_request(body: bytes) -> dict[str, Any]:
    """The parameters of a chat request, checked; those that are null are left out."""
    try:
        data = json.loads(body)
    except ValueError as error:
        raise invalid(BAD_JSON, None) from error
    if not isinstance(data, dict):
        raise invalid(BAD_JSON, None)
    for name in data:
        if name not in PARAMETERS:
            raise invalid(f"Unrecognized request argument supplied: {name}", None)
    given = {name: value for name, value in data.items() if value is not None}
    if not given.get("model"):
        raise invalid("you must provide a model parameter", None)
    if "messages" not in given:
        raise invalid("Missing required parameter: 'messages'.", "messages", "missing_required_parameter")
    for name, value in given.items():
        PARAMETERS[name](name, value)
    _check_messages(given["messages"])
    _check_combinations(given)
    return given


def check_for_model(given: dict[str, Any], model: sqlite3.Row) -> None:
    """What only some models take."""
    if not model["chat"]:
        message = "This is not a chat model and thus not supported in the v1/chat/completions endpoint."
        raise ApiError(404, message, param="model")
    if not model["reasoning"]:
        return
    if "max_tokens" in given:
        raise invalid(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            "max_tokens",
            "unsupported_parameter",
        )
    if given.get("temperature", 1) != 1:
        raise invalid(
            f"Unsupported value: 'temperature' does not support {given['temperature']} with this model. "
            "Only the default (1) value is supported.",
            "temperature",
            "unsupported_value",
        )


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, whichever way its content is given."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def _check_messages(messages: list[Any]) -> None:
    if not messages:
        raise invalid(
            "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
            "messages",
            "empty_array",
        )
    for position, message in enumerate(messages):
        _check_message(f"messages[{position}]", message)


def _check_message(name: str, message: Any) -> None:
    _typed("an object", name, message)
    if "role" not in message:
        raise invalid(f"Missing required parameter: '{name}.role'.", f"{name}.role", "missing_required_parameter")
    _one_of(ROLES, f"{name}.role", message["role"])
    if message["role"] == "tool" and not message.get("tool_call_id"):
        missing = f"{name}.tool_call_id"
        raise invalid(f"Missing required parameter: '{missing}'.", missing, "missing_required_parameter")
    content = message.get("content")
    if content is None and message["role"] == "assistant":
        return
    if not isinstance(content, (str, list)):
        raise _wrong_type(f"{name}.content", content, "one of a string or array of objects")
    if isinstance(content, list):
        for position, part in enumerate(content):
            _check_part(f"{name}.content[{position}]", part)


def _check_part(name: str, part: Any) -> None:
    _typed("an object", name, part)
    _one_of(PARTS, f"{name}.type", part.get("type"))
    if part["type"] == "text":
        _typed("a string", f"{name}.text", part.get("text"))


def _one_of(choices: tuple[str, ...], name: str, value: Any) -> None:
    if value not in choices:
        supported = ", ".join(f"'{choice}'" for choice in choices[:-1]) + f", and '{choices[-1]}'"
        raise invalid(f"Invalid value: '{value}'. Supported values are: {supported}.", name, "invalid_value")


def _check_combinations(given: dict[str, Any]) -> None:
    for name in UNSERVED:
        if given.get(name):
            message = f"The sandbox does not serve the parameter '{name}' yet."
            raise ApiError(501, message, type="not_implemented", param=name, code="not_implemented")
    if "stream_options" in given and not given.get("stream"):
        message = "The 'stream_options' parameter is only allowed when 'stream' is enabled."
        raise invalid(message, "stream_options")
    if "response_format" in given:
        check_response_format(given["response_format"], "".join(map(text_of, given["messages"])))
