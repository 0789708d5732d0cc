# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The messages of a chat request: each by itself, and in their order."""

from __future__ import annotations

from typing import Any

from .checks import objects, one_of, required, string, typed, wrong_type
from .errors import invalid

ROLES = ("system", "assistant", "user", "function", "tool", "developer")
PARTS = ("text", "image_url", "input_audio", "refusal", "audio", "file")

# An assistant's message may have one of these in the place of content.
SUBSTITUTES = ("tool_calls", "function_call", "refusal", "audio")


def check_messages(name: str, messages: Any) -> None:
    """Each message by itself."""
    objects(name, messages)
    for position, message in enumerate(messages):
        _check_message(f"{name}[{position}]", message)


def check_conversation(messages: list[dict[str, Any]]) -> None:
    """What the API looks at last: that messages say something, and that tools answer calls and only calls."""
    for position, message in enumerate(messages):
        stands_in = message["role"] == "assistant" and any(message.get(name) for name in SUBSTITUTES)
        if message.get("content") is None and not stands_in:
            raise invalid("Invalid value for 'content': expected a string, got null.", f"messages.[{position}].content")
    _check_tool_messages(messages)


def text_of(message: dict[str, Any]) -> str:
    """The text of a message, whichever way its content is given."""
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content if part["type"] == "text")


def _check_message(name: str, message: dict[str, Any]) -> None:
    role = required(name, message, "role")
    one_of(ROLES, f"{name}.role", role)
    if role == "tool":
        string(f"{name}.tool_call_id", required(name, message, "tool_call_id"))
    if role == "function":
        string(f"{name}.name", required(name, message, "name"))
    if role == "developer":
        required(name, message, "content")
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
    one_of(PARTS, f"{name}.type", required(name, part, "type"))
    content = required(name, part, part["type"])
    if part["type"] == "text":
        string(f"{name}.text", content)


def _check_tool_calls(name: str, calls: Any) -> None:
    objects(name, calls)
    for position, call in enumerate(calls):
        for member in ("id", "type"):
            string(f"{name}[{position}].{member}", required(f"{name}[{position}]", call, member))


def _check_function_call(name: str, call: Any) -> None:
    typed("an object", name, call)
    for member in ("name", "arguments"):
        string(f"{name}.{member}", required(name, call, member))


def _check_tool_messages(messages: list[dict[str, Any]]) -> None:
    open_calls: list[str] = []
    for position, message in enumerate(messages):
        if message["role"] != "tool":
            _refuse_open(open_calls, position)
            open_calls = [call["id"] for call in message.get("tool_calls") or []]
        elif message["tool_call_id"] in open_calls:
            open_calls.remove(message["tool_call_id"])
        else:
            raise invalid(
                "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                "'tool_calls'.",
                f"messages.[{position}].role",
            )
    _refuse_open(open_calls, len(messages))


def _refuse_open(calls: list[str], position: int) -> None:
    if calls:
        raise invalid(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(calls)}",
            f"messages.[{position}].role",
        )
