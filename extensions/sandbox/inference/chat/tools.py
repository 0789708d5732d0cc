# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools of a chat request, and the tool choice."""

from __future__ import annotations

import re
from typing import Any

from ..protocol.checks import (
    check_choice,
    check_objects,
    check_string,
    check_type,
    join_quoted,
    not_served_error,
    require_member,
    wrong_type,
)
from ..protocol.errors import invalid_parameter
from .structured_output import SchemaOwner, check_object_schema

CHOICES = ("none", "auto", "required")


def check_tools(name: str, tools: Any) -> None:
    """Check the definitions of tools."""
    check_objects(name, tools)
    for position, tool in enumerate(tools):
        place = f"{name}[{position}]"
        check_choice(("function", "custom"), f"{place}.type", require_member(place, tool, "type"))
        if tool["type"] == "function":
            _check_function(f"{place}.function", require_member(place, tool, "function"))


def check_functions(name: str, definitions: Any) -> None:
    """Check the deprecated definitions of functions."""
    check_objects(name, definitions)
    for position, function in enumerate(definitions):
        _check_function(f"{name}[{position}]", function)


def check_function_call(name: str, choice: Any) -> None:
    """Check the deprecated function choice."""
    if isinstance(choice, str):
        check_choice(CHOICES[:2], name, choice)
    elif not isinstance(choice, dict):
        raise wrong_type(name, choice, f"one of one of {join_quoted(CHOICES[:2], 'or')} or object")
    else:
        check_string(f"{name}.name", require_member(name, choice, "name"))


def check_tool_choice(name: str, choice: Any) -> None:
    """Check the tool choice by itself."""
    if isinstance(choice, str):
        check_choice(CHOICES, name, choice)
    elif not isinstance(choice, dict):
        raise wrong_type(name, choice, f"one of one of {join_quoted(CHOICES, 'or')} or object")
    elif choice.get("type") == "custom":
        raise not_served_error(f"the type 'custom' of the parameter '{name}'", name)
    elif choice.get("type") == "allowed_tools":
        _check_allowed(f"{name}.allowed_tools", require_member(name, choice, "allowed_tools"))
    else:
        function = require_member(name, choice, "function")
        check_type("an object", f"{name}.function", function)
        require_member(f"{name}.function", function, "name")


def check_choice_of_tools(request: dict[str, Any]) -> None:
    """Check that the tool choice fits the definitions."""
    for name, of in (("tool_choice", "tools"), ("parallel_tool_calls", "tools"), ("function_call", "functions")):
        if name in request and of not in request:
            raise invalid_parameter(
                f"Invalid value for '{name}': '{name}' is only allowed when '{of}' are specified.", name
            )
    names = {function["name"] for function in (*offered_functions(request), *request.get("functions", []))}
    for name in selected_names(request):
        if name not in names:
            # The error of the API names the deprecated parameters.
            raise invalid_parameter(
                f"Invalid value for 'function_call': no function named '{name}' was specified in the 'functions' "
                "parameter.",
                "function_call",
            )


def offered_functions(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the functions that the model may call."""
    return [tool["function"] for tool in request.get("tools", []) if tool["type"] == "function"]


def selected_names(request: dict[str, Any]) -> list[str]:
    """Return the names of the functions that the request chooses, or an empty list if the model may choose."""
    choice, call = request.get("tool_choice"), request.get("function_call")
    if isinstance(call, dict):
        return [call["name"]]
    if not isinstance(choice, dict):
        return []
    if choice.get("type") == "allowed_tools":
        return [tool["function"]["name"] for tool in choice["allowed_tools"]["tools"]]
    return [choice["function"]["name"]]


def _check_allowed(name: str, allowed: Any) -> None:
    check_type("an object", name, allowed)
    check_choice(CHOICES[1:], f"{name}.mode", require_member(name, allowed, "mode"))
    tools = require_member(name, allowed, "tools")
    check_objects(f"{name}.tools", tools)
    for position, tool in enumerate(tools):
        place = f"{name}.tools[{position}]"
        check_choice(("function",), f"{place}.type", require_member(place, tool, "type"))
        function = require_member(place, tool, "function")
        check_type("an object", f"{place}.function", function)
        check_string(f"{place}.function.name", require_member(f"{place}.function", function, "name"))


def _check_function(name: str, function: Any) -> None:
    check_type("an object", name, function)
    function_name = require_member(name, function, "name")
    check_string(f"{name}.name", function_name)
    if not function_name:
        raise invalid_parameter(
            f"Invalid '{name}.name': empty string. Expected a string with minimum length 1, but got an empty string "
            "instead.",
            f"{name}.name",
            "empty_string",
        )
    if not re.fullmatch("[a-zA-Z0-9_-]{1,64}", function_name):
        raise invalid_parameter(
            f"Invalid '{name}.name': string does not match pattern. Expected a string that matches the pattern "
            "'^[a-zA-Z0-9_-]+$'.",
            f"{name}.name",
            "invalid_value",
        )
    schema = function.get("parameters")
    if schema:
        owner = SchemaOwner(f"function '{function_name}'", f"{name}.parameters", "invalid_function_parameters")
        check_object_schema(owner, schema, strict=bool(function.get("strict")))
