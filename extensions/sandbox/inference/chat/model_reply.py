# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replies of the simulated model, and token counts.

A token is a word or a punctuation mark with the preceding whitespace. A prompt costs the tokens of its messages, 4 per
message, and 3.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from ..protocol.checks import not_served_error
from ..protocol.errors import ApiError, build_failure
from .messages import get_text
from .structured_output import generate_document
from .tools import offered_functions, selected_names

TOKEN = re.compile(r"\s*(?:\w+|[^\w\s])|\s+\Z")


@dataclass
class Reply:
    """A reply of the model."""

    content: str | None
    finish_reason: str
    refusal: str | None = None
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    stream_error: ApiError | None = None
    function_call: dict[str, str] | None = None

    def count_tokens(self) -> int:
        """Return the number of completion tokens."""
        calls = [call["function"] for call in self.tool_calls] + ([self.function_call] if self.function_call else [])
        arguments = [function["arguments"] for function in calls]
        return sum(len(split_tokens(text)) for text in (self.content or "", self.refusal or "", *arguments))


def split_tokens(text: str) -> list[str]:
    """Split a text into tokens. Joined, they are the text again."""
    return TOKEN.findall(text)


def count_prompt_tokens(messages: list[dict[str, Any]]) -> int:
    """Return the number of tokens of a prompt."""
    return sum(len(split_tokens(get_text(message))) + 4 for message in messages) + 3


def create_reply(request: dict[str, Any], scripted: dict[str, Any] | None, max_tokens: int) -> Reply:
    """Return the scripted reply, or else one that depends on the request only, with at most `longest` tokens."""
    if scripted is None:
        return _forced_call(request) or Reply(*_cut(request, _build_content(request), max_tokens))
    if "error" in scripted:
        raise build_failure(scripted["error"], scripted.get("headers"))
    broken = build_failure(scripted["stream_error"]) if "stream_error" in scripted else None
    calls = [
        {"id": f"call_{number}", "type": "function", **call}
        for number, call in enumerate(scripted.get("tool_calls", []))
    ]
    content = scripted.get("content")
    reason = "tool_calls" if calls else "stop"
    if content is not None and "finish_reason" not in scripted and not calls:
        content, reason = _cut(request, content, max_tokens)
    return Reply(content, scripted.get("finish_reason", reason), scripted.get("refusal"), calls, broken)


def _forced_call(request: dict[str, Any]) -> Reply | None:
    """Return a function call if the request forces one."""
    choice, names = request.get("tool_choice"), selected_names(request)
    allowed = choice.get("allowed_tools") if isinstance(choice, dict) else None
    if isinstance(request.get("function_call"), dict):
        return Reply(None, "stop", function_call=_build_call(request["functions"], names, "functions"))
    if (not names and choice != "required") or (allowed and allowed["mode"] == "auto"):
        return None
    call = {"id": "call_0", "type": "function", "function": _build_call(offered_functions(request), names, "tools")}
    return Reply(None, "stop" if names and not allowed else "tool_calls", tool_calls=[call])


def _build_call(offered: list[dict[str, Any]], names: list[str], param: str) -> dict[str, str]:
    """Return a call of the first offered function, or of the first one with one of the names."""
    function = next((function for function in offered if not names or function["name"] in names), None)
    if function is None:
        raise not_served_error("calls of custom tools", "tools")
    arguments = generate_document(function.get("parameters") or {"type": "object"}, param)
    return {"name": function["name"], "arguments": json.dumps(arguments, ensure_ascii=False)}


def _build_content(request: dict[str, Any]) -> str:
    question = next((get_text(m) for m in reversed(request["messages"]) if m["role"] == "user"), "")
    text = f"You said: {question}" if question else "You said nothing."
    response_format = request.get("response_format", {})
    if response_format.get("type") == "json_object":
        return json.dumps({"answer": text}, ensure_ascii=False)
    if response_format.get("type") == "json_schema":
        return json.dumps(generate_document(response_format["json_schema"].get("schema", {})), ensure_ascii=False)
    return text


def _cut(request: dict[str, Any], text: str, max_tokens: int) -> tuple[str, str]:
    """Cut a text at `stop` and at the token limit, and return it with its finish reason."""
    stops = request.get("stop", [])
    for stop in [stops] if isinstance(stops, str) else stops:
        text = text.split(stop, 1)[0] if stop else text
    pieces = split_tokens(text)
    if len(pieces) > max_tokens:
        return "".join(pieces[:max_tokens]), "length"
    return text, "stop"
