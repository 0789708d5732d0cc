# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the body of a chat completion request from options."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

Params = dict[str, t.Any]

_INVALID_CONTENT: dict[type, str] = {
    list: "a list whose elements are not content parts",
    dict: "a dictionary",
    bool: "a boolean",
    float: "a number with a fraction",
}
# Parameters that "extra" must not set, because the options and the module depend on them
_MAX_TOKENS = ("max_tokens", "max_completion_tokens")
_RESERVED = frozenset(("model", "messages", "stream", "stream_options", *_MAX_TOKENS))


def build_body(params: Params) -> Params:
    """Return the body of the request. Parameters in the option `body` override other options.

    :raises BadOption: if the options contradict each other
    """
    raw_body = params.get("body")
    if raw_body is None:
        return {"model": params["model"], "messages": _build_messages(params), **_build_parameters(params)}
    _check_body(raw_body)
    parameters = _build_parameters(params)
    if any(raw_body.get(name) is not None for name in _MAX_TOKENS):
        parameters.pop(params["max_tokens_member"], None)
    return {**parameters, **raw_body, "model": params["model"]}


def _check_body(body: Params) -> None:
    """Check the body of a line for the OpenAI Batch API.

    :raises BadOption: if the module does not support it
    """
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        raise BadOption("body.messages", "must be a list of messages that is not empty")
    for number, message in enumerate(messages):
        _check_content(f"body.messages[{number}].content", message.get("content"))
    if body.get("stream"):
        raise BadOption("body.stream", "must not be true, because batches do not support streaming")
    for name in (*_MAX_TOKENS, "n"):
        value = body.get(name)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise BadOption(f"body.{name}", "must be an integer greater than 0")


def _build_parameters(params: Params) -> Params:
    """Return the parameters of the request except the model and the messages."""
    wire_names = {name: name for name in ("temperature", "seed", "reasoning_effort", "n")}
    wire_names["max_tokens"] = params["max_tokens_member"]
    request = {wire: params[name] for name, wire in wire_names.items() if params.get(name) is not None}
    if params["response_schema"] is not None:
        json_schema = {"name": "answer", "schema": params["response_schema"], "strict": params["strict"]}
        request["response_format"] = {"type": "json_schema", "json_schema": json_schema}
    if params.get("tools"):
        request.update(_build_tools(params["tools"], params["tool_choice"]))
    for name in params["extra"] or ():
        if name in request or name in _RESERVED:
            raise BadOption(f"extra.{name}", "cannot be set here, because another option or the module sets it")
    return {**request, **(params["extra"] or {})}


def _build_messages(params: Params) -> list[Params]:
    if params.get("messages"):
        return [_build_message(f"messages[{number}]", message) for number, message in enumerate(params["messages"])]
    system = [{"role": "system", "content": params["system"]}] if params["system"] else []
    return [*system, {"role": "user", "content": params["prompt"]}]


def _build_message(option: str, message: Params) -> Params:
    content = _check_content(f"{option}.content", message["content"])
    if message["parts"] is not None:
        content = list(map(_build_part, message["parts"]))
    message_body = {"role": message["role"], "content": content}
    if message["tool_calls"] is not None:
        message_body["tool_calls"] = list(map(_build_call, message["tool_calls"]))
    if message["tool_call_id"] is not None:
        message_body["tool_call_id"] = message["tool_call_id"]
    return message_body


def _check_content(option: str, content: t.Any) -> t.Any:
    """Return the content of a message: a text, content parts in the format of the API, or `None`.

    :raises BadOption: if it is something else
    """
    if content is None or isinstance(content, str):
        return content
    if isinstance(content, int) and not isinstance(content, bool):
        return str(content)
    if isinstance(content, list) and content and all(map(_is_part, content)):
        return content
    raise BadOption(option, f"must be a text or a list of content parts, not {_INVALID_CONTENT[type(content)]}")


def _is_part(part: t.Any) -> bool:
    if not isinstance(part, dict) or not isinstance(part.get("type"), str):
        return False
    return part["type"] != "text" or isinstance(part.get("text"), str)


def _build_part(part: Params) -> Params:
    if part["text"] is not None:
        return {"type": "text", "text": part["text"]}
    detail = {} if part["detail"] is None else {"detail": part["detail"]}
    return {"type": "image_url", "image_url": {"url": part["image_url"], **detail}}


def _build_call(call: Params) -> Params:
    function = {"name": call["name"], "arguments": json.dumps(call["arguments"], ensure_ascii=False)}
    return {"id": call["id"], "type": "function", "function": function}


def _build_tools(tools: list[Params], choice: str | None) -> Params:
    functions = [{name: value for name, value in tool.items() if value is not None} for tool in tools]
    parameters: Params = {"tools": [{"type": "function", "function": function} for function in functions]}
    if choice in ("auto", "none", "required"):
        parameters["tool_choice"] = choice
    elif choice is not None:
        names = [tool["name"] for tool in tools]
        if choice not in names:
            raise BadOption("tool_choice", f"must be auto, none, required or one of {', '.join(names)}, not '{choice}'")
        parameters["tool_choice"] = {"type": "function", "function": {"name": choice}}
    return parameters
