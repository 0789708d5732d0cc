# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is asked, of one prompt and of each of many: the options, and the request that they make."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME

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
    arguments=dict(type="dict", required=True, unchecked="what a function takes is between it and the model"),
)
_MESSAGE: Params = dict(
    role=dict(type="str", choices=["developer", "system", "user", "assistant", "tool"], required=True),
    content=dict(type="raw", unchecked="checked as a text or parts"),
    parts=dict(type="list", elements="dict", not_empty=True, options=_PART, **_ONE_KIND),
    tool_calls=dict(type="list", elements="dict", not_empty=True, options=_CALL),
    tool_call_id=dict(type="str", **NAME),
)
_TOOL: Params = dict(
    name=_FUNCTION,
    description=dict(type="str", not_empty=True),
    parameters=dict(type="dict", unchecked="a JSON schema, which the server checks"),
    strict=dict(type="bool"),
)
# What a prompt may have of its own
PROMPT_OPTIONS: Params = dict(
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
# A prompt as OpenAI Batch has it
BATCH_LINE_OPTIONS: Params = dict(
    custom_id=dict(type="str", unchecked="a name of the user's own"),
    method=dict(type="str", choices=["POST"]),
    url=dict(type="str", matches=(r"\S*/chat/completions", "the path of chat completions, /v1/chat/completions")),
    body=dict(type="dict", not_empty=True, unchecked="what the options do not know, the server checks"),
)
BATCH_LINE_RULES: Params = dict(
    required_one_of=[("messages", "prompt", "body")],
    mutually_exclusive=[
        ("messages", "prompt", "body"),
        ("messages", "system"),
        ("body", "system"),
        ("id", "custom_id"),
    ],
    required_by=dict(method=["body"], url=["body"]),
)
# What a prompt may have, or all of them together
COMPLETION_OPTIONS: Params = dict(
    system=dict(type="str", unchecked="empty counts as not given"),
    temperature=dict(type="float", at_least=0, at_most=2),
    max_tokens=dict(type="int", no_log=False, at_least=1, at_most=100_000_000),
    seed=dict(type="int", at_least=-(2**63), at_most=2**63 - 1),
    response_schema=dict(type="dict", unchecked="checked as a JSON schema"),
    reasoning_effort=dict(type="str", choices=["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
    extra=dict(type="dict", unchecked="what the options do not know, the server checks"),
)
# What one prompt alone may have
TOOL_OPTIONS: Params = dict(
    tools=dict(type="list", elements="dict", not_empty=True, options=_TOOL),
    tool_choice=dict(type="str", **NAME),
    n=dict(type="int", at_least=1, at_most=128),
)
MODEL_OPTION: Params = dict(type="str", **NAME)
# How it is asked
REQUEST_OPTIONS: Params = dict(
    max_tokens_member=dict(
        type="str",
        choices=["max_completion_tokens", "max_tokens"],
        default="max_completion_tokens",
        no_log=False,
    ),
    strict=dict(type="bool", default=True),
    accept_incomplete=dict(type="bool", default=False),
    cache=dict(type="path", not_empty=True),
    response_timeout=dict(type="float", default=600.0, at_least=0.01, at_most=86400),
)

_NO_CONTENT: dict[type, str] = {
    list: "a list, unless of parts that each have a 'type' and what belongs to it",
    dict: "a dictionary",
    bool: "a boolean",
    float: "a number with a fraction",
}
# Of these, the members that an answer is paid and read by, none may be set behind the back of its option
_LONGEST = ("max_tokens", "max_completion_tokens")
_NOT_EXTRA = frozenset(("model", "messages", "stream", "stream_options", *_LONGEST))


def build_body(params: Params) -> Params:
    """The request that asks it.

    :raises BadOption: when the options contradict each other
    """
    given = params.get("body")
    if given is None:
        return {"model": params["model"], "messages": _messages(params), **_members(params)}
    _check_body(given)
    members = _members(params)
    if any(given.get(name) is not None for name in _LONGEST):
        members.pop(params["max_tokens_member"], None)
    return {**members, **given, "model": params["model"]}


def _check_body(given: Params) -> None:
    """
    :raises BadOption: when the body of a line of OpenAI Batch cannot be asked
    """
    messages = given.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(one, dict) for one in messages):
        raise BadOption("body.messages", "takes a list of messages, which must not be empty")
    for number, message in enumerate(messages):
        _content(f"body.messages[{number}].content", message.get("content"))
    if given.get("stream"):
        raise BadOption("body.stream", "must not be true, because answers are not streamed")
    for name in (*_LONGEST, "n"):
        value = given.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise BadOption(f"body.{name}", "takes a whole number, 1 or more")


def _members(params: Params) -> Params:
    """The members of the request beside the model and the messages."""
    wire_names = {name: name for name in ("temperature", "seed", "reasoning_effort", "n")}
    wire_names["max_tokens"] = params["max_tokens_member"]
    request = {wire: params[name] for name, wire in wire_names.items() if params.get(name) is not None}
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
        return [_message(f"messages[{number}]", message) for number, message in enumerate(params["messages"])]
    system = [{"role": "system", "content": params["system"]}] if params["system"] else []
    return [*system, {"role": "user", "content": params["prompt"]}]


def _message(place: str, message: Params) -> Params:
    content = _content(f"{place}.content", message["content"])
    if message["parts"] is not None:
        content = list(map(_part, message["parts"]))
    message_body = {"role": message["role"], "content": content}
    if message["tool_calls"] is not None:
        message_body["tool_calls"] = list(map(_call, message["tool_calls"]))
    if message["tool_call_id"] is not None:
        message_body["tool_call_id"] = message["tool_call_id"]
    return message_body


def _content(place: str, content: t.Any) -> t.Any:
    """A text, or the parts of a message in the server's form.

    :raises BadOption: when it is something else
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, int) and not isinstance(content, bool):
        return str(content)
    if isinstance(content, list) and content and all(map(_is_part, content)):
        return content
    raise BadOption(place, f"takes a text, not {_NO_CONTENT[type(content)]}")


def _is_part(part: t.Any) -> bool:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return False
    return part["type"] != "text" or isinstance(part.get("text"), str)


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
