# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of the messages of a chat request, one by one and in their order."""

from __future__ import annotations

from typing import Any

from ..protocol.checks import check_choice, check_objects, check_string, check_type, require_member, wrong_type
from ..protocol.errors import invalid_parameter

ROLES = ("system", "assistant", "user", "function", "tool", "developer")
PARTS = ("text", "image_url", "input_audio", "refusal", "audio", "file")

# Members that an assistant message may have instead of content
SUBSTITUTES = ("tool_calls", "function_call", "refusal", "audio")


def check_messages(name: str, messages: Any) -> None:
    """Check each message by itself."""
    check_objects(name, messages)
    for position, message in enumerate(messages):
        _check_message(f"{name}[{position}]", message)


def check_conversation(messages: list[dict[str, Any]]) -> None:
    """Check that messages have content, and that tool messages answer tool calls. The API checks this last."""
    for position, message in enumerate(messages):
        stands_in = message["role"] == "assistant" and any(message.get(name) for name in SUBSTITUTES)
        if message.get("content") is None and not stands_in:
            raise invalid_parameter(
                "Invalid value for 'content': expected a string, got null.", f"messages.[{position}].content"
            )
    _check_tool_messages(messages)


def get_text(message: dict[str, Any]) -> str:
    """Return the text of a message, whether its content is a string or a list of parts."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def _check_message(name: str, message: dict[str, Any]) -> None:
    role = require_member(name, message, "role")
    check_choice(ROLES, f"{name}.role", role)
    if role == "tool":
        check_string(f"{name}.tool_call_id", require_member(name, message, "tool_call_id"))
    if role == "function":
        check_string(f"{name}.name", require_member(name, message, "name"))
    if role == "developer":
        require_member(name, message, "content")
    if message.get("content") is not None or role == "developer":
        _check_content(f"{name}.content", message["content"])
    if message.get("tool_calls") is not None:
        _check_tool_calls(f"{name}.tool_calls", message["tool_calls"])
    if message.get("function_call") is not None:
        _check_function_call(f"{name}.function_call", message["function_call"])


def _check_content(name: str, content: Any) -> None:
    if isinstance(content, str):
        return
    if not isinstance(content, list):
        raise wrong_type(name, content, "one of a string or array of objects")
    for position, part in enumerate(content):
        _check_part(f"{name}[{position}]", part)


def _check_part(name: str, part: Any) -> None:
    if not isinstance(part, dict):
        raise wrong_type(name, part, "an object")
    check_choice(PARTS, f"{name}.type", require_member(name, part, "type"))
    content = require_member(name, part, part["type"])
    if part["type"] == "text":
        check_string(f"{name}.text", content)


def _check_tool_calls(name: str, calls: Any) -> None:
    check_objects(name, calls)
    for position, call in enumerate(calls):
        for member in ("id", "type"):
            check_string(f"{name}[{position}].{member}", require_member(f"{name}[{position}]", call, member))


def _check_function_call(name: str, call: Any) -> None:
    check_type("an object", name, call)
    for member in ("name", "arguments"):
        check_string(f"{name}.{member}", require_member(name, call, member))


def _check_tool_messages(messages: list[dict[str, Any]]) -> None:
    open_calls: list[str] = []
    for position, message in enumerate(messages):
        if message["role"] != "tool":
            _check_all_answered(open_calls, position)
            open_calls = [call["id"] for call in message.get("tool_calls") or []]
        elif message["tool_call_id"] in open_calls:
            open_calls.remove(message["tool_call_id"])
        else:
            raise invalid_parameter(
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                "'tool_calls'.",
                f"messages.[{position}].role",
            )
    _check_all_answered(open_calls, len(messages))


def _check_all_answered(calls: list[str], position: int) -> None:
    if calls:
        raise invalid_parameter(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(calls)}",
            f"messages.[{position}].role",
        )
