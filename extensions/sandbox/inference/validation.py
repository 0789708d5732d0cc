# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a chat request must look like; anything else is a 400 that names the parameter."""

from __future__ import annotations

import sqlite3
from typing import Any

from .checks import (
    Check,
    array,
    boolean,
    choice,
    decimal,
    integer,
    listed,
    metadata,
    missing,
    not_served,
    object_,
    string,
    typed,
    unknown,
    wrong_type,
)
from .errors import ApiError, invalid
from .messages import check_messages, text_of
from .protocol import parse_object
from .structured import check_response_format
from .tools import check_choice_of_tools, check_function_call, check_functions, check_tool_choice, check_tools

EFFORTS = ("low", "medium", "high")


def _stop(name: str, value: Any) -> None:
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise wrong_type(name, value, "one of a string or array of strings")
    if len(value) > 4:
        raise invalid(
            f"Invalid '{name}': array too long. Expected an array with maximum length 4, but got an array with length "
            f"{len(value)} instead.",
            name,
            "array_above_max_length",
        )
    for position, item in enumerate(value):
        string(f"{name}[{position}]", item)


def _stream_options(name: str, value: Any) -> None:
    typed("an object", name, value)
    for key, item in value.items():
        if key not in ("include_usage", "include_obfuscation"):
            raise unknown(f"{name}.{key}")
        boolean(f"{name}.{key}", item)


def _anything(name: str, value: Any) -> None:
    return


# In the order in which the API looks at them.
PARAMETERS: dict[str, Check] = {
    "model": string,
    "messages": check_messages,
    "functions": check_functions,
    "function_call": check_function_call,
    "tools": check_tools,
    "tool_choice": check_tool_choice,
    "parallel_tool_calls": boolean,
    "max_completion_tokens": integer(1, None),
    "max_tokens": integer(1, None),
    "n": integer(1, 128),
    "stop": _stop,
    "temperature": decimal(0, 2),
    "top_p": decimal(0, 1),
    "presence_penalty": decimal(-2, 2),
    "frequency_penalty": decimal(-2, 2),
    "logit_bias": object_,
    "logprobs": boolean,
    "top_logprobs": integer(0, 20),
    "user": string,
    "seed": integer(-(2**63), 2**63 - 1),
    "safety_identifier": string,
    "prompt_cache_key": string,
    "prompt_cache_retention": string,
    "prompt_cache_options": object_,
    "moderation": object_,
    "response_format": object_,
    "service_tier": choice(("auto", "default", "fast", "flex", "priority")),
    "stream": boolean,
    "stream_options": _stream_options,
    "store": boolean,
    "metadata": metadata,
    "verbosity": choice(("low", "medium", "high")),
    "reasoning_effort": _anything,
    "modalities": array,
    "audio": object_,
    "prediction": object_,
    "web_search_options": object_,
}

# Their effect on the answer is more than the sandbox can make up.
UNSERVED = ("audio", "web_search_options")

# The second has an effect only beside the first.
DEPENDENT = (("stream", "stream_options"), ("logprobs", "top_logprobs"), ("store", "metadata"))

REFUSED_BY_REASONING = (
    "stop",
    "logit_bias",
    "prediction",
    "top_p",
    "presence_penalty",
    "frequency_penalty",
    "logprobs",
)


def parse_chat_request(body: bytes) -> dict[str, Any]:
    """The parameters of a chat request, checked; those that are null are left out."""
    data = parse_object(body)
    given = {name: value for name, value in data.items() if value is not None}
    if not given.get("model"):
        raise invalid("you must provide a model parameter", None)
    if "messages" not in given:
        raise missing("messages")
    strange = [name for name in data if name not in PARAMETERS]
    if strange:
        raise _unrecognized(strange)
    for name, check in PARAMETERS.items():
        if name in given:
            check(name, given[name])
    _check_combinations(given)
    return given


def check_for_model(given: dict[str, Any], model: sqlite3.Row) -> None:
    """What only some models take."""
    if not model["chat"]:
        message = "This is not a chat model and thus not supported in the v1/chat/completions endpoint."
        raise ApiError(404, message, param="model")
    if model["reasoning"]:
        _check_for_reasoning(given)
    elif "reasoning_effort" in given:
        raise _unrecognized(["reasoning_effort"])
    for name in ("max_completion_tokens", "max_tokens"):
        if given.get(name, 0) > model["max_completion_tokens"]:
            raise invalid(
                f"{name} is too large: {given[name]}. This model supports at most {model['max_completion_tokens']} "
                f"completion tokens, whereas you provided {given[name]}.",
                name,
                "invalid_value",
            )


def check_fits(model: sqlite3.Row, prompt: int, longest: int) -> None:
    """Refuse a prompt that, with the longest completion that was asked for, is more than the model looks at."""
    window = model["context_window"]
    if prompt + longest <= window:
        return
    asked = f"your messages resulted in {prompt} tokens. Please reduce the length of the messages."
    if longest:
        asked = (
            f"you requested {prompt + longest} tokens ({prompt} in the messages, {longest} in the completion). "
            "Please reduce the length of the messages or completion."
        )
    message = f"This model's maximum context length is {window} tokens. However, {asked}"
    raise invalid(message, "messages", "context_length_exceeded")


def _unrecognized(names: list[str]) -> ApiError:
    plural = "s" if len(names) > 1 else ""
    return invalid(f"Unrecognized request argument{plural} supplied: {', '.join(names)}", None)


def _check_for_reasoning(given: dict[str, Any]) -> None:
    if "max_tokens" in given:
        raise _unsupported("max_tokens", " Use 'max_completion_tokens' instead.")
    for name in REFUSED_BY_REASONING:
        if given.get(name):
            raise _unsupported(name)
    if given.get("temperature", 1) != 1:
        raise _unsupported_value("temperature", given["temperature"], "Only the default (1) value is supported.")
    effort = given.get("reasoning_effort", EFFORTS[0])
    if effort not in EFFORTS:
        raise _unsupported_value("reasoning_effort", effort, f"Supported values are: {listed(EFFORTS, 'and')}.")


def _unsupported(name: str, advice: str = "") -> ApiError:
    message = f"Unsupported parameter: '{name}' is not supported with this model.{advice}"
    return invalid(message, name, "unsupported_parameter")


def _unsupported_value(name: str, value: Any, advice: str) -> ApiError:
    shown = repr(value) if isinstance(value, str) else value
    message = f"Unsupported value: '{name}' does not support {shown} with this model. {advice}"
    return invalid(message, name, "unsupported_value")


def _check_combinations(given: dict[str, Any]) -> None:
    for name in UNSERVED:
        if given.get(name):
            raise not_served(f"the parameter '{name}'", name)
    if "max_tokens" in given and "max_completion_tokens" in given:
        message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        raise invalid(message, "max_tokens", "invalid_parameter_combination")
    for enabling, name in DEPENDENT:
        if name in given and not given.get(enabling):
            raise invalid(f"The '{name}' parameter is only allowed when '{enabling}' is enabled.", name)
    check_choice_of_tools(given)
    if "response_format" in given:
        check_response_format(given["response_format"], "".join(map(text_of, given["messages"])))
