# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation of chat requests. Errors name the parameter."""

from __future__ import annotations

import sqlite3
from typing import Any

from ..protocol.checks import (
    Check,
    check_array,
    check_boolean,
    check_metadata,
    check_string,
    check_type,
    choice_check,
    decimal,
    integer_check,
    join_quoted,
    missing_parameter,
    not_served_error,
    object_,
    unknown_parameter,
    wrong_type,
)
from ..protocol.errors import ApiError, invalid_parameter
from ..protocol.json_bodies import parse_object
from .messages import check_messages, get_text
from .structured_output import check_response_format
from .tools import check_choice_of_tools, check_function_call, check_functions, check_tool_choice, check_tools

EFFORTS = ("low", "medium", "high")


def _stop(name: str, value: Any) -> None:
    if isinstance(value, str):
        return
    if not isinstance(value, list):
        raise wrong_type(name, value, "one of a string or array of strings")
    if len(value) > 4:
        raise invalid_parameter(
            f"Invalid '{name}': array too long. Expected an array with maximum length 4, but got an array with length "
            f"{len(value)} instead.",
            name,
            "array_above_max_length",
        )
    for position, item in enumerate(value):
        check_string(f"{name}[{position}]", item)


def _stream_options(name: str, value: Any) -> None:
    check_type("an object", name, value)
    for key, item in value.items():
        if key not in ("include_usage", "include_obfuscation"):
            raise unknown_parameter(f"{name}.{key}")
        check_boolean(f"{name}.{key}", item)


def _accept_any(_name: str, _value: Any) -> None:
    return


# In the order in which the API checks them
PARAMETERS: dict[str, Check] = {
    "model": check_string,
    "messages": check_messages,
    "functions": check_functions,
    "function_call": check_function_call,
    "tools": check_tools,
    "tool_choice": check_tool_choice,
    "parallel_tool_calls": check_boolean,
    "max_completion_tokens": integer_check(1, None),
    "max_tokens": integer_check(1, None),
    "n": integer_check(1, 128),
    "stop": _stop,
    "temperature": decimal(0, 2),
    "top_p": decimal(0, 1),
    "presence_penalty": decimal(-2, 2),
    "frequency_penalty": decimal(-2, 2),
    "logit_bias": object_,
    "logprobs": check_boolean,
    "top_logprobs": integer_check(0, 20),
    "user": check_string,
    "seed": integer_check(-(2**63), 2**63 - 1),
    "safety_identifier": check_string,
    "prompt_cache_key": check_string,
    "prompt_cache_retention": check_string,
    "prompt_cache_options": object_,
    "moderation": object_,
    "response_format": object_,
    "service_tier": choice_check(("auto", "default", "fast", "flex", "priority")),
    "stream": check_boolean,
    "stream_options": _stream_options,
    "store": check_boolean,
    "metadata": check_metadata,
    "verbosity": choice_check(("low", "medium", "high")),
    "reasoning_effort": _accept_any,
    "modalities": check_array,
    "audio": object_,
    "prediction": object_,
    "web_search_options": object_,
}

# Parameters whose effect the sandbox cannot simulate
UNSERVED = ("audio", "web_search_options")

# The second parameter requires the first
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
    """Return the validated parameters of a chat request without nulls."""
    data = parse_object(body)
    parameters = {name: value for name, value in data.items() if value is not None}
    if not parameters.get("model"):
        raise invalid_parameter("you must provide a model parameter", None)
    if "messages" not in parameters:
        raise missing_parameter("messages")
    strange = [name for name in data if name not in PARAMETERS]
    if strange:
        raise _unrecognized_arguments(strange)
    for name, check in PARAMETERS.items():
        if name in parameters:
            check(name, parameters[name])
    _check_combinations(parameters)
    return parameters


def check_for_model(parameters: dict[str, Any], model: sqlite3.Row) -> None:
    """Check parameters that only some models accept."""
    if not model["chat"]:
        message = "This is not a chat model and thus not supported in the v1/chat/completions endpoint."
        raise ApiError(404, message, param="model")
    if model["reasoning"]:
        _check_for_reasoning(parameters)
    elif "reasoning_effort" in parameters:
        raise _unrecognized_arguments(["reasoning_effort"])
    for name in ("max_completion_tokens", "max_tokens"):
        if parameters.get(name, 0) > model["max_completion_tokens"]:
            raise invalid_parameter(
                f"{name} is too large: {parameters[name]}. This model supports at most "
                f"{model['max_completion_tokens']} "
                f"completion tokens, whereas you provided {parameters[name]}.",
                name,
                "invalid_value",
            )


def check_fits(model: sqlite3.Row, prompt: int, max_tokens: int) -> None:
    """Refuse a prompt that exceeds the context window together with the requested completion."""
    window = model["context_window"]
    if prompt + max_tokens <= window:
        return
    details = f"your messages resulted in {prompt} tokens. Please reduce the length of the messages."
    if max_tokens:
        details = (
            f"you requested {prompt + max_tokens} tokens ({prompt} in the messages, {max_tokens} in the completion). "
            "Please reduce the length of the messages or completion."
        )
    message = f"This model's maximum context length is {window} tokens. However, {details}"
    raise invalid_parameter(message, "messages", "context_length_exceeded")


def _unrecognized_arguments(names: list[str]) -> ApiError:
    plural = "s" if len(names) > 1 else ""
    return invalid_parameter(f"Unrecognized request argument{plural} supplied: {', '.join(names)}", None)


def _check_for_reasoning(parameters: dict[str, Any]) -> None:
    if "max_tokens" in parameters:
        raise _unsupported_parameter("max_tokens", " Use 'max_completion_tokens' instead.")
    for name in REFUSED_BY_REASONING:
        if parameters.get(name):
            raise _unsupported_parameter(name)
    if parameters.get("temperature", 1) != 1:
        raise _unsupported_value("temperature", parameters["temperature"], "Only the default (1) value is supported.")
    effort = parameters.get("reasoning_effort", EFFORTS[0])
    if effort not in EFFORTS:
        raise _unsupported_value("reasoning_effort", effort, f"Supported values are: {join_quoted(EFFORTS, 'and')}.")


def _unsupported_parameter(name: str, advice: str = "") -> ApiError:
    message = f"Unsupported parameter: '{name}' is not supported with this model.{advice}"
    return invalid_parameter(message, name, "unsupported_parameter")


def _unsupported_value(name: str, value: Any, advice: str) -> ApiError:
    text = repr(value) if isinstance(value, str) else value
    message = f"Unsupported value: '{name}' does not support {text} with this model. {advice}"
    return invalid_parameter(message, name, "unsupported_value")


def _check_combinations(parameters: dict[str, Any]) -> None:
    for name in UNSERVED:
        if parameters.get(name):
            raise not_served_error(f"the parameter '{name}'", name)
    if "max_tokens" in parameters and "max_completion_tokens" in parameters:
        message = "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
        raise invalid_parameter(message, "max_tokens", "invalid_parameter_combination")
    for enabling, name in DEPENDENT:
        if name in parameters and not parameters.get(enabling):
            raise invalid_parameter(f"The '{name}' parameter is only allowed when '{enabling}' is enabled.", name)
    check_choice_of_tools(parameters)
    if "response_format" in parameters:
        check_response_format(parameters["response_format"], "".join(map(get_text, parameters["messages"])))
