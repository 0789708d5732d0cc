# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inference API on the wire: tools."""

from __future__ import annotations

from typing import Any

import pytest

from contract.sandbox.inference.wire import CALL, HELLO, Api, error


def tool(name: str = "weather", **function: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {"type": "function", "function": {"name": name, "parameters": schema, **function}}


def test_a_tool_is_called_where_the_request_leaves_no_choice(api: Api) -> None:
    assert api.choice(tools=[tool()])["finish_reason"] == "stop"
    assert api.choice(tools=[tool()], tool_choice="none")["message"]["content"] == "You said: Hello!"
    called = api.choice(tools=[tool(), tool("other")], tool_choice="required")
    assert called["finish_reason"] == "tool_calls"
    assert called["message"]["content"] is None
    [call] = called["message"]["tool_calls"]
    assert (call["type"], call["function"]) == ("function", {"name": "weather", "arguments": '{"city": "city"}'})
    named = api.choice(tools=[tool(), tool("other")], tool_choice={"type": "function", "function": {"name": "other"}})
    assert named["finish_reason"] == "stop"
    assert named["message"]["tool_calls"][0]["function"]["name"] == "other"


def test_a_tool_may_answer_a_call(api: Api) -> None:
    messages = [*HELLO, {"role": "assistant", "tool_calls": [CALL]}]
    answered = [*messages, {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}]
    assert api.chat(messages=answered).status_code == 200
    twice = [*answered, {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}]
    assert error(api.chat(messages=twice))[1]["param"] == "messages.[4].role"


@pytest.mark.parametrize(
    ("change", "param", "code"),
    [
        ({"tools": "x"}, "tools", "invalid_type"),
        ({"tools": []}, "tools", "empty_array"),
        ({"tools": [{}]}, "tools[0].type", "missing_required_parameter"),
        ({"tools": [{"type": "x"}]}, "tools[0].type", "invalid_value"),
        ({"tools": [{"type": "function"}]}, "tools[0].function", "missing_required_parameter"),
        (
            {"tools": [{"type": "function", "function": {}}]},
            "tools[0].function.name",
            "missing_required_parameter",
        ),
        ({"tools": [tool("")]}, "tools[0].function.name", "empty_string"),
        ({"tools": [tool("a b")]}, "tools[0].function.name", "invalid_value"),
        (
            {"tools": [tool(parameters={"type": "array"})]},
            "tools[0].function.parameters",
            "invalid_function_parameters",
        ),
        ({"tools": [tool(strict=True)]}, "tools[0].function.parameters", "invalid_function_parameters"),
        ({"tool_choice": "auto"}, "tool_choice", None),
        ({"parallel_tool_calls": False}, "parallel_tool_calls", None),
        ({"tools": [tool()], "tool_choice": "x"}, "tool_choice", "invalid_value"),
        ({"tools": [tool()], "tool_choice": 7}, "tool_choice", "invalid_type"),
        ({"tools": [tool()], "tool_choice": {}}, "tool_choice.function", "missing_required_parameter"),
        (
            {"tools": [tool()], "tool_choice": {"type": "function", "function": {"name": "x"}}},
            "function_call",
            None,
        ),
    ],
)
def test_bad_tools(api: Api, change: dict[str, Any], param: str, code: str | None) -> None:
    status, body = error(api.chat(**change))
    assert (status, body["type"], body["param"], body["code"]) == (400, "invalid_request_error", param, code)
