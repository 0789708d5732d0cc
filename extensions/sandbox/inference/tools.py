# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools of a chat request, and the choice between them."""

from __future__ import annotations

import re
from typing import Any

from .checks import listed, not_served, objects, one_of, required, string, typed, wrong_type
from .errors import invalid
from .structured import SchemaOwner, check_object_schema

CHOICES = ("none", "auto", "required")


def check_tools(name: str, tools: Any) -> None:
    """The definitions."""
    objects(name, tools)
    for position, tool in enumerate(tools):
        place = f"{name}[{position}]"
        one_of(("function", "custom"), f"{place}.type", required(place, tool, "type"))
        if tool["type"] == "function":
            _check_function(f"{place}.function", required(place, tool, "function"))


def check_functions(name: str, definitions: Any) -> None:
    """The definitions by which tools went at first."""
    objects(name, definitions)
    for position, function in enumerate(definitions):
        _check_function(f"{name}[{position}]", function)


def check_function_call(name: str, choice: Any) -> None:
    """The choice between them."""
    if isinstance(choice, str):
        one_of(CHOICES[:2], name, choice)
    elif not isinstance(choice, dict):
        raise wrong_type(name, choice, f"one of one of {listed(CHOICES[:2], 'or')} or object")
    else:
        string(f"{name}.name", required(name, choice, "name"))


def check_tool_choice(name: str, choice: Any) -> None:
    """The choice by itself."""
    if isinstance(choice, str):
        one_of(CHOICES, name, choice)
    elif not isinstance(choice, dict):
        raise wrong_type(name, choice, f"one of one of {listed(CHOICES, 'or')} or object")
    elif choice.get("type") == "custom":
        raise not_served(f"the type 'custom' of the parameter '{name}'", name)
    elif choice.get("type") == "allowed_tools":
        _check_allowed(f"{name}.allowed_tools", required(name, choice, "allowed_tools"))
    else:
        function = required(name, choice, "function")
        typed("an object", f"{name}.function", function)
        required(f"{name}.function", function, "name")


def check_choice_of_tools(given: dict[str, Any]) -> None:
    """The choice beside the definitions."""
    for name, of in (("tool_choice", "tools"), ("parallel_tool_calls", "tools"), ("function_call", "functions")):
        if name in given and of not in given:
            raise invalid(f"Invalid value for '{name}': '{name}' is only allowed when '{of}' are specified.", name)
    there = {function["name"] for function in (*functions(given), *given.get("functions", []))}
    for name in chosen(given):
        if name not in there:
            # The API names the parameters by which tools went at first.
            raise invalid(
                f"Invalid value for 'function_call': no function named '{name}' was specified in the 'functions' "
                "parameter.",
                "function_call",
            )


def functions(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The functions that the model may call."""
    return [tool["function"] for tool in request.get("tools", []) if tool["type"] == "function"]


def chosen(request: dict[str, Any]) -> list[str]:
    """The names of the functions that the request chooses, none where it leaves the choice."""
    choice, call = request.get("tool_choice"), request.get("function_call")
    if isinstance(call, dict):
        return [call["name"]]
    if not isinstance(choice, dict):
        return []
    if choice.get("type") == "allowed_tools":
        return [tool["function"]["name"] for tool in choice["allowed_tools"]["tools"]]
    return [choice["function"]["name"]]


def _check_allowed(name: str, allowed: Any) -> None:
    typed("an object", name, allowed)
    one_of(CHOICES[1:], f"{name}.mode", required(name, allowed, "mode"))
    tools = required(name, allowed, "tools")
    objects(f"{name}.tools", tools)
    for position, tool in enumerate(tools):
        place = f"{name}.tools[{position}]"
        one_of(("function",), f"{place}.type", required(place, tool, "type"))
        function = required(place, tool, "function")
        typed("an object", f"{place}.function", function)
        string(f"{place}.function.name", required(f"{place}.function", function, "name"))


def _check_function(name: str, function: Any) -> None:
    typed("an object", name, function)
    called = required(name, function, "name")
    string(f"{name}.name", called)
    if not called:
        raise invalid(
            f"Invalid '{name}.name': empty string. Expected a string with minimum length 1, but got an empty string "
            "instead.",
            f"{name}.name",
            "empty_string",
        )
    if not re.fullmatch("[a-zA-Z0-9_-]{1,64}", called):
        raise invalid(
            f"Invalid '{name}.name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            f"{name}.name",
            "invalid_value",
        )
    schema = function.get("parameters")
    if schema:
        owner = SchemaOwner(f"function '{called}'", f"{name}.parameters", "invalid_function_parameters")
        check_object_schema(owner, schema, strict=bool(function.get("strict")))
