# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is asked, of one prompt and of each of many: the options, and the request that they make."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME

Params = dict[str, t.Any]

_ONE_KIND: Params = dict(required_one_of=[("text", "image_url")], mutually_exclusive=[("text", "image_url")])
_PART: Params = dict(
    text=dict(type="str", not_empty=True),
    image_url=dict(type="str", matches=(r"(https?|data):\S+", "an address that begins with https:, http: or data:")),
    detail=dict(type="str", choices=["auto", "low", "high"]),
)
_FUNCTION: Params = dict(
    type="str", required=True, matches=("[A-Za-z0-9_-]{1,64}", "1 to 64 letters of a to z, digits, _ and -")
)
_CALL: Params = dict(
    id=dict(type="str", required=True, **NAME),
    name=_FUNCTION,
    arguments=dict(type="dict", required=True, free="what a function takes is between it and the model"),
)
_MESSAGE: Params = dict(
    role=dict(type="str", choices=["developer", "system", "user", "assistant", "tool"], required=True),
    content=dict(type="str", free="a message may be any text"),
    parts=dict(type="list", elements="dict", not_empty=True, options=_PART, **_ONE_KIND),
    tool_calls=dict(type="list", elements="dict", not_empty=True, options=_CALL),
    tool_call_id=dict(type="str", **NAME),
)
_TOOL: Params = dict(
    name=_FUNCTION,
    description=dict(type="str", not_empty=True),
    parameters=dict(type="dict", free="a JSON schema, which the server checks"),
    strict=dict(type="bool"),
)
# What a prompt may have of its own
PROMPT: Params = dict(
    messages=dict(
        type="list",
        elements="dict",
        not_empty=True,
        options=_MESSAGE,
        mutually_exclusive=[("content", "parts")],
        required_one_of=[("content", "parts", "tool_calls")],
        required_if=[("role", "tool", ("tool_call_id",))],
    ),
    prompt=dict(type="str", not_empty=True),
)
PROMPT_RULES: Params = dict(
    required_one_of=[("messages", "prompt")],
    mutually_exclusive=[("messages", "prompt"), ("messages", "system")],
)
# What a prompt may have, or all of them together
OF_ANSWER: Params = dict(
    system=dict(type="str", free="empty counts as not given"),
    temperature=dict(type="float", at_least=0, at_most=2),
    max_tokens=dict(type="int", no_log=False, at_least=1, at_most=100_000_000),
    seed=dict(type="int", at_least=-(2**63), at_most=2**63 - 1),
    response_schema=dict(type="dict", free="checked as a JSON schema"),
    reasoning_effort=dict(type="str", choices=["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
    extra=dict(type="dict", free="what the options do not know, the server checks"),
)
# What one prompt alone may have
TOOLS: Params = dict(
    tools=dict(type="list", elements="dict", not_empty=True, options=_TOOL),
    tool_choice=dict(type="str", **NAME),
    n=dict(type="int", at_least=1, at_most=128),
)
MODEL: Params = dict(type="str", **NAME)
# How it is asked
ASKING: Params = dict(
    max_tokens_member=dict(
        type="str",
        choices=["max_completion_tokens", "max_tokens"],
        default="max_completion_tokens",
        no_log=False,
    ),
    strict=dict(type="bool", default=True),
    accept_incomplete=dict(type="bool", default=False),
    cache=dict(type="path", not_empty=True),
    answer_timeout=dict(type="float", default=600.0, at_least=0.01, at_most=86400),
)

# Of these, the members that an answer is paid and read by, none may be set behind the back of its option
_NOT_EXTRA = frozenset(("model", "messages", "max_tokens", "max_completion_tokens", "stream", "stream_options"))


def body(params: Params) -> Params:
    """The request that asks it.

    :raises BadOption: when the options contradict each other
    """
    wire_names = {name: name for name in ("temperature", "seed", "reasoning_effort", "n")}
    wire_names["max_tokens"] = params["max_tokens_member"]
    request = {"model": params["model"], "messages": _messages(params)}
    request.update({wire: params[name] for name, wire in wire_names.items() if params.get(name) is not None})
    if params["response_schema"] is not None:
        wanted = {"name": "answer", "schema": params["response_schema"], "strict": params["strict"]}
        request["response_format"] = {"type": "json_schema", "json_schema": wanted}
    if params.get("tools"):
        request.update(_tools(params["tools"], params["tool_choice"]))
    for name in params["extra"] or ():
        if name in request or name in _NOT_EXTRA:
            raise BadOption(f"extra.{name}", "has an option of its own")
    return {**request, **(params["extra"] or {})}


def _messages(params: Params) -> list[Params]:
    if params.get("messages"):
        return list(map(_message, params["messages"]))
    system = [{"role": "system", "content": params["system"]}] if params["system"] else []
    return [*system, {"role": "user", "content": params["prompt"]}]


def _message(message: Params) -> Params:
    content = message["content"] if message["parts"] is None else list(map(_part, message["parts"]))
    told = {"role": message["role"], "content": content}
    if message["tool_calls"] is not None:
        told["tool_calls"] = list(map(_call, message["tool_calls"]))
    if message["tool_call_id"] is not None:
        told["tool_call_id"] = message["tool_call_id"]
    return told


def _part(part: Params) -> Params:
    if part["text"] is not None:
        return {"type": "text", "text": part["text"]}
    detail = {} if part["detail"] is None else {"detail": part["detail"]}
    return {"type": "image_url", "image_url": {"url": part["image_url"], **detail}}


def _call(call: Params) -> Params:
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)}
    return {"id": call["id"], "type": "function", "function": function}


def _tools(tools: list[Params], choice: str | None) -> Params:
    functions = [{name: value for name, value in tool.items() if value is not None} for tool in tools]
    members: Params = {"tools": [{"type": "function", "function": function} for function in functions]}
    if choice in ("auto", "none", "required"):
        members["tool_choice"] = choice
    elif choice is not None:
        names = [tool["name"] for tool in tools]
        if choice not in names:
            raise BadOption("tool_choice", f"takes auto, none, required, or one of {', '.join(names)}, not '{choice}'")
        members["tool_choice"] = {"type": "function", "function": {"name": choice}}
    return members
