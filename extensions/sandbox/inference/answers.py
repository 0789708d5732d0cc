# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the sandbox says, and how it counts.

A token is a word or a punctuation mark with the blanks before it. A prompt costs the tokens of its messages, 4 more
for each message, and 3.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from .checks import not_served
from .errors import ApiError, failure
from .messages import text_of
from .structured import document
from .tools import chosen, functions

TOKEN = re.compile(r"\s*(?:\w+|[^\w\s])|\s+\Z")


@dataclass
class Answer:
    """One reply of the model."""

    content: str | None
    finish_reason: str
    refusal: str | None = None
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    stream_error: ApiError | None = None
    function_call: dict[str, str] | None = None

    def tokens(self) -> int:
        """What the reply costs."""
        called = [call["function"] for call in self.tool_calls] + ([self.function_call] if self.function_call else [])
        arguments = [function["arguments"] for function in called]
        return sum(len(tokens(text)) for text in (self.content or "", self.refusal or "", *arguments))


def tokens(text: str) -> list[str]:
    """The tokens of a text, which joined are the text again."""
    return TOKEN.findall(text)


def prompt_tokens(messages: list[dict[str, Any]]) -> int:
    """What a prompt costs."""
    return sum(len(tokens(text_of(message))) + 4 for message in messages) + 3


def respond(request: dict[str, Any], scripted: dict[str, Any] | None, longest: int) -> Answer:
    """The scripted reply, or one that follows from the request alone; a text of at most `longest` tokens."""
    if scripted is None:
        return _forced_call(request) or Answer(*_cut(request, _content(request), longest))
    if "error" in scripted:
        raise failure(scripted["error"], scripted.get("headers"))
    broken = failure(scripted["stream_error"]) if "stream_error" in scripted else None
    calls = [
        {"id": f"call_{number}", "type": "function", **call}
        for number, call in enumerate(scripted.get("tool_calls", []))
    ]
    content = scripted.get("content")
    reason = "tool_calls" if calls else "stop"
    if content is not None and "finish_reason" not in scripted and not calls:
        content, reason = _cut(request, content, longest)
    return Answer(content, scripted.get("finish_reason", reason), scripted.get("refusal"), calls, broken)


def _forced_call(request: dict[str, Any]) -> Answer | None:
    """The call of a function, where the request leaves no choice."""
    choice, names = request.get("tool_choice"), chosen(request)
    allowed = choice.get("allowed_tools") if isinstance(choice, dict) else None
    if isinstance(request.get("function_call"), dict):
        return Answer(None, "stop", function_call=_call(request["functions"], names, "functions"))
    if (not names and choice != "required") or (allowed and allowed["mode"] == "auto"):
        return None
    call = {"id": "call_0", "type": "function", "function": _call(functions(request), names, "tools")}
    return Answer(None, "stop" if names and not allowed else "tool_calls", tool_calls=[call])


def _call(offered: list[dict[str, Any]], names: list[str], param: str) -> dict[str, str]:
    """The call of the first function that is offered, or of the first with one of these names."""
    function = next((function for function in offered if not names or function["name"] in names), None)
    if function is None:
        raise not_served("calls of custom tools", "tools")
    arguments = document(function.get("parameters") or {"type": "object"}, param)
    return {"name": function["name"], "arguments": json.dumps(arguments, ensure_ascii=False)}


def _content(request: dict[str, Any]) -> str:
    said = next((text_of(m) for m in reversed(request["messages"]) if m["role"] == "user"), "")
    text = f"You said: {said}" if said else "You said nothing."
    wanted = request.get("response_format", {})
    if wanted.get("type") == "json_object":
        return json.dumps({"answer": text}, ensure_ascii=False)
    if wanted.get("type") == "json_schema":
        return json.dumps(document(wanted["json_schema"].get("schema", {})), ensure_ascii=False)
    return text


def _cut(request: dict[str, Any], text: str, longest: int) -> tuple[str, str]:
    """The text as far as `stop` and the limit on tokens let it go, and the reason why it ends."""
    stops = request.get("stop", [])
    for stop in [stops] if isinstance(stops, str) else stops:
        text = text.split(stop, 1)[0] if stop else text
    pieces = tokens(text)
    if len(pieces) > longest:
        return "".join(pieces[:longest]), "length"
    return text, "stop"
