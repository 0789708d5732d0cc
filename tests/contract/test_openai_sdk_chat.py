# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Both clients of the official OpenAI SDK use all features of inference_chat with the sandbox, also streaming."""

from __future__ import annotations

from typing import Any

import openai
import pytest

HELLO = {"role": "user", "content": "Hello!"}
IMAGE = {"type": "image_url", "image_url": {"url": "https://docs.example.com/pipeline.png", "detail": "low"}}
FUNCTION = {
    "name": "list_builds",
    "parameters": {"type": "object", "properties": {"job": {"type": "string"}}, "required": ["job"]},
}
TOOLS = [{"type": "function", "function": FUNCTION}]
CHUNKS = {"stream": True, "stream_options": {"include_usage": True}}


@pytest.fixture
def complete(connect: Any) -> Any:
    completions = connect().chat.completions

    def create(*messages: dict[str, Any], model: str = "gpt-4o-mini", **options: Any) -> Any:
        return completions.create(model=model, messages=list(messages) or [HELLO], **options)

    return create


def test_text(complete: Any) -> None:
    assert complete().choices[0].message.content == "You said: Hello!"
    chunks = list(complete(**CHUNKS))
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == "You said: Hello!"
    assert chunks[-1].usage == complete().usage


def test_tool_calls_and_results(complete: Any) -> None:
    [call] = complete(tools=TOOLS, tool_choice="required").choices[0].message.tool_calls
    assert (call.function.name, call.function.arguments) == ("list_builds", '{"job": "job"}')
    chunks = list(complete(tools=TOOLS, tool_choice="required", **CHUNKS))
    pieces = [piece for chunk in chunks[:-1] for piece in chunk.choices[0].delta.tool_calls or ()]
    assert pieces[0].function.name == "list_builds"
    assert "".join(piece.function.arguments for piece in pieces) == call.function.arguments
    assert [chunk.choices[0].finish_reason for chunk in chunks[:-1] if chunk.choices[0].finish_reason] == ["tool_calls"]
    called = {"role": "assistant", "tool_calls": [call.model_dump()]}
    result = {"role": "tool", "tool_call_id": call.id, "content": "[17]"}
    assert complete(HELLO, called, result, tools=TOOLS).choices[0].finish_reason == "stop"


def test_several_answers(complete: Any) -> None:
    assert [choice.index for choice in complete(n=3).choices] == [0, 1, 2]
    streamed = {chunk.choices[0].index for chunk in complete(n=3, **CHUNKS) if chunk.choices}
    assert streamed == {0, 1, 2}


def test_images_and_effort(complete: Any) -> None:
    image = {"role": "user", "content": [{"type": "text", "text": "What is this?"}, IMAGE]}
    assert complete(image).choices[0].message.content == "You said: What is this?"
    assert complete(model="o4-mini", reasoning_effort="high").choices[0].finish_reason == "stop"
    with pytest.raises(openai.BadRequestError, match="reasoning_effort"):
        complete(reasoning_effort="high")
    assert complete(service_tier="default", top_p=0.5).service_tier == "default"


def test_error_in_the_middle_of_a_stream_is_raised(complete: Any, sandbox: Any) -> None:
    sandbox.call("POST", "inference/replies", {"content": "Half", "stream_error": "server_error"})
    with pytest.raises(openai.APIError, match="The server had an error"):
        list(complete(**CHUNKS))
