# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of modules that send chat completion requests."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME

Params = dict[str, t.Any]

_TEXT_OR_IMAGE: Params = dict(required_one_of=[("text", "image_url")], mutually_exclusive=[("text", "image_url")])
_PART: Params = dict(
    text=dict(type="str", not_empty=True),
    image_url=dict(type="str", matches=(r"(https?|data):\S+", "a URL that starts with https:, http: or data:")),
    detail=dict(type="str", choices=["auto", "low", "high"]),
)
_FUNCTION: Params = dict(
    type="str", required=True, matches=("[A-Za-z0-9_-]{1,64}", "1 to 64 letters, digits, underscores and hyphens")
)
_CALL: Params = dict(
    id=dict(type="str", required=True, **NAME),
    name=_FUNCTION,
    arguments=dict(type="dict", required=True, unchecked="the arguments are defined by the function"),
)
_MESSAGE: Params = dict(
    role=dict(type="str", choices=["developer", "system", "user", "assistant", "tool"], required=True),
    content=dict(type="raw", unchecked="checked as a text or parts"),
    parts=dict(type="list", elements="dict", not_empty=True, options=_PART, **_TEXT_OR_IMAGE),
    tool_calls=dict(type="list", elements="dict", not_empty=True, options=_CALL),
    tool_call_id=dict(type="str", **NAME),
)
_TOOL: Params = dict(
    name=_FUNCTION,
    description=dict(type="str", not_empty=True),
    parameters=dict(type="dict", unchecked="a JSON schema, validated by the server"),
    strict=dict(type="bool"),
)
# Content of a prompt
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
# Fields of a line for the OpenAI Batch API
BATCH_LINE_OPTIONS: Params = dict(
    custom_id=dict(type="str", unchecked="any text that the user chooses"),
    method=dict(type="str", choices=["POST"]),
    url=dict(type="str", matches=(r"\S*/chat/completions", "the path of chat completions, /v1/chat/completions")),
    body=dict(type="dict", not_empty=True, unchecked="other parameters are validated by the server"),
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
# Options that can be set for each prompt or for all prompts
COMPLETION_OPTIONS: Params = dict(
    system=dict(type="str", unchecked="an empty text counts as not set"),
    temperature=dict(type="float", at_least=0, at_most=2),
    max_tokens=dict(type="int", no_log=False, at_least=1, at_most=100_000_000),
    seed=dict(type="int", at_least=-(2**63), at_most=2**63 - 1),
    response_schema=dict(type="dict", unchecked="checked as a JSON schema"),
    reasoning_effort=dict(type="str", choices=["none", "minimal", "low", "medium", "high", "xhigh", "max"]),
    extra=dict(type="dict", unchecked="other parameters are validated by the server"),
)
# Options that are not supported for batches
TOOL_OPTIONS: Params = dict(
    tools=dict(type="list", elements="dict", not_empty=True, options=_TOOL),
    tool_choice=dict(type="str", **NAME),
    n=dict(type="int", at_least=1, at_most=128),
)
MODEL_OPTION: Params = dict(type="str", **NAME)
# Options that apply to all requests of a task
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
