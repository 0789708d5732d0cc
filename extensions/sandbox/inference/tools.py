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


def check_tool_choice(name: str, choice: Any) -> None:
    """The choice by itself."""
    if isinstance(choice, str):
        one_of(CHOICES, name, choice)
    elif not isinstance(choice, dict):
        raise wrong_type(name, choice, f"one of one of {listed(CHOICES, 'or')} or object")
    elif choice.get("type") in ("allowed_tools", "custom"):
        raise not_served(f"the type '{choice['type']}' of the parameter '{name}'", name)
    else:
        function = required(name, choice, "function")
        typed("an object", f"{name}.function", function)
        required(f"{name}.function", function, "name")


def check_choice_of_tools(given: dict[str, Any]) -> None:
    """The choice beside the definitions."""
    for name in ("tool_choice", "parallel_tool_calls"):
        if name in given and "tools" not in given:
            raise invalid(f"Invalid value for '{name}': '{name}' is only allowed when 'tools' are specified.", name)
    choice = given.get("tool_choice")
    if isinstance(choice, dict) and choice["function"]["name"] not in [tool["name"] for tool in functions(given)]:
        # The API names the parameters by which tools went at first.
        raise invalid(
            f"Invalid value for 'function_call': no function named '{choice['function']['name']}' was specified in "
            "the 'functions' parameter.",
            "function_call",
        )


def functions(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The functions that the model may call."""
    return [tool["function"] for tool in request.get("tools", []) if tool["type"] == "function"]


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
