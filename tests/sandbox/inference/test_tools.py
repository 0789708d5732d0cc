# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: tools."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.inference import CALL, HELLO, Api, error, events


def tool(name: str = "weather", **function: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    return {"type": "function", "function": {"name": name, "parameters": schema, **function}}


def test_tool_is_called_when_request_forces_it(api: Api) -> None:
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


def test_tool_message_can_answer_a_call(api: Api) -> None:
    messages = [*HELLO, {"role": "assistant", "tool_calls": [CALL]}]
    answered = [*messages, {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}]
    assert api.chat(messages=answered).status_code == 200
    twice = [*answered, {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}]
    assert error(api.chat(messages=twice))[1]["param"] == "messages.[4].role"


def test_function_is_called_with_deprecated_parameters(api: Api) -> None:
    functions = [tool()["function"], tool("other")["function"]]
    assert api.choice(functions=functions, function_call="auto")["message"]["content"] == "You said: Hello!"
    options = {"functions": functions, "function_call": {"name": "other"}}
    called = api.choice(**options)
    assert (called["finish_reason"], called["message"]["content"]) == ("stop", None)
    assert called["message"]["function_call"] == {"name": "other", "arguments": '{"city": "city"}'}
    deltas = [event["choices"][0]["delta"] for event in events(api.chat(stream=True, **options))[:-1]]
    pieces = [delta["function_call"] for delta in deltas if "function_call" in delta]
    assert pieces[0] == {"name": "other", "arguments": ""}
    assert "".join(piece["arguments"] for piece in pieces) == '{"city": "city"}'
    answered = [*HELLO, called["message"], {"role": "function", "name": "other", "content": "sunny"}]
    assert api.chat(messages=answered, functions=functions).status_code == 200


def test_tool_choice_can_be_limited_to_some_tools(api: Api) -> None:
    def limit_choice(mode: str, name: str = "other") -> dict[str, Any]:
        tools = [{"type": "function", "function": {"name": name}}]
        return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}}

    tools = [tool(), tool("other")]
    assert api.choice(tools=tools, tool_choice=limit_choice("auto"))["message"]["content"] == "You said: Hello!"
    called = api.choice(tools=tools, tool_choice=limit_choice("required"))
    assert called["finish_reason"] == "tool_calls"
    assert called["message"]["tool_calls"][0]["function"]["name"] == "other"
    assert error(api.chat(tools=tools, tool_choice=limit_choice("required", "third")))[1]["param"] == "function_call"
    assert (
        error(api.chat(tools=tools, tool_choice=limit_choice("none")))[1]["param"] == "tool_choice.allowed_tools.mode"
    )


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
        ({"functions": []}, "functions", "empty_array"),
        ({"functions": [{}]}, "functions[0].name", "missing_required_parameter"),
        ({"function_call": "auto"}, "function_call", None),
        ({"functions": [{"name": "f"}], "function_call": "required"}, "function_call", "invalid_value"),
        ({"functions": [{"name": "f"}], "function_call": 1}, "function_call", "invalid_type"),
        ({"functions": [{"name": "f"}], "function_call": {}}, "function_call.name", "missing_required_parameter"),
        ({"functions": [{"name": "f"}], "function_call": {"name": "g"}}, "function_call", None),
        ({"messages": [{"role": "function", "content": "x"}]}, "messages[0].name", "missing_required_parameter"),
        (
            {"messages": [{"role": "assistant", "function_call": {"name": "f"}}]},
            "messages[0].function_call.arguments",
            "missing_required_parameter",
        ),
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
def test_request_is_refused_when_tools_are_invalid(
    api: Api, change: dict[str, Any], param: str, code: str | None
) -> None:
    status, body = error(api.chat(**change))
    assert (status, body["type"], body["param"], body["code"]) == (400, "invalid_request_error", param, code)
