# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""POST /v1/chat/completions: the reply as one object or as a stream of chunks."""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse

from ..world import World
from .answers import Answer, prompt_tokens, respond, tokens
from .errors import ApiError, failure
from .keys import Caller
from .limits import RateLimits
from .models import find_model
from .protocol import json_response
from .replies import Replies
from .validation import check_for_model, parse_chat_request

FINGERPRINT = "fp_5a2db0c0de"


def complete(world: World, limits: RateLimits, replies: Replies, caller: Caller, body: bytes) -> Response:
    """Answer a chat request."""
    request = parse_chat_request(body)
    model = find_model(world, request["model"])
    check_for_model(request, model)
    prompt = prompt_tokens(request["messages"])
    longest = request.get("max_completion_tokens", request.get("max_tokens", 0))
    headers = limits.spend(caller, model, max(prompt, longest))
    try:
        if world.switch("inference", "chat_failure"):
            raise failure(world.switch("inference", "chat_failure"))
        scripted = replies.take()
        answers = [respond(request, scripted)] * request.get("n", 1)
    except ApiError as error:
        error.headers = {**headers, **error.headers}
        raise
    headers.update((scripted or {}).get("headers", {}))
    completion = Completion(model, int(world.clock.now()), answers, prompt)
    if request.get("stream"):
        usage_too = bool(request.get("stream_options", {}).get("include_usage"))
        return StreamingResponse(completion.events(usage_too), 200, headers, "text/event-stream; charset=utf-8")
    return json_response(completion.whole(), headers=headers)


class Completion:
    """A reply, ready to be written down either way."""

    def __init__(self, model: sqlite3.Row, created: int, answers: list[Answer], prompt: int) -> None:
        self._answers = answers
        self._prompt = prompt
        self._common = {
            "id": f"chatcmpl-{uuid.uuid4().hex}",
            "created": created,
            "model": model["snapshot"],
            "service_tier": "default",
            "system_fingerprint": FINGERPRINT,
        }

    def whole(self) -> dict[str, Any]:
        """The `chat.completion` object."""
        choices = [
            {
                "index": index,
                "message": _message(reply),
                "logprobs": None,
                "finish_reason": reply.finish_reason,
            }
            for index, reply in enumerate(self._answers)
        ]
        return {"object": "chat.completion", **self._common, "choices": choices, "usage": self._usage()}

    async def events(self, usage_too: bool) -> AsyncIterator[str]:
        """The server-sent events of the stream."""
        common = {"object": "chat.completion.chunk", **self._common, **({"usage": None} if usage_too else {})}
        for index, reply in enumerate(self._answers):
            for delta in _deltas(reply):
                yield _event({**common, "choices": [_chunk(index, delta, None)]})
            if reply.stream_error:
                yield _event(reply.stream_error.body)
                return
            yield _event({**common, "choices": [_chunk(index, {}, reply.finish_reason)]})
        if usage_too:
            yield _event({**common, "choices": [], "usage": self._usage()})
        yield "data: [DONE]\n\n"

    def _usage(self) -> dict[str, Any]:
        completion = sum(answer.tokens() for answer in self._answers)
        return {
            "prompt_tokens": self._prompt,
            "completion_tokens": completion,
            "total_tokens": self._prompt + completion,
            "prompt_tokens_details": {"cached_tokens": 0, "audio_tokens": 0},
            "completion_tokens_details": {
                "reasoning_tokens": 0,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        }


def _message(answer: Answer) -> dict[str, Any]:
    calls = {"tool_calls": answer.tool_calls} if answer.tool_calls else {}
    return {
        "role": "assistant",
        "content": answer.content,
        **calls,
        "refusal": answer.refusal,
        "annotations": [],
    }


def _deltas(answer: Answer) -> list[dict[str, Any]]:
    """The pieces of a message: the role, then a token a piece."""
    first = {"role": "assistant", "content": "" if answer.content is not None else None, "refusal": None}
    return [
        first,
        *({"content": token} for token in tokens(answer.content or "")),
        *({"refusal": token} for token in tokens(answer.refusal or "")),
        *(delta for index, call in enumerate(answer.tool_calls) for delta in _call_deltas(index, call)),
    ]


def _call_deltas(index: int, call: dict[str, Any]) -> list[dict[str, Any]]:
    function = call["function"]
    head = {"index": index, **call, "function": {**function, "arguments": ""}}
    pieces = [{"index": index, "function": {"arguments": token}} for token in tokens(function["arguments"])]
    return [{"tool_calls": [piece]} for piece in [head, *pieces]]


def _chunk(index: int, delta: dict[str, Any], finish_reason: str | None) -> dict[str, Any]:
    return {"index": index, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def _event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, separators=(',', ':'))}\n\n"
