# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""POST /v1/chat/completions: the reply as one object or as a stream of chunks."""

from __future__ import annotations

import json
import sqlite3
import string
import uuid
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse

from ..http.routing import Route
from .answers import Answer, prompt_tokens, respond, tokens
from .call import Call
from .errors import ApiError, failure, header_fields
from .limits import MEASURES, estimated_tokens
from .messages import check_conversation
from .models import model_for_chat
from .protocol import json_response, require_json
from .stored import keep
from .validation import check_fits, check_for_model, parse_chat_request

FINGERPRINT = "fp_5a2db0c0de"

# What the model might have said instead, and the number by which the API says that it hardly would.
UNLIKELY_TOKENS = string.ascii_lowercase
UNLIKELY = -9999.0

# The tier that serves a request, where it is not the one that was asked for.
TIERS = {None: "default", "auto": "default", "fast": "priority"}


async def complete(call: Call) -> Response:
    """Answer a chat request."""
    require_json(call.request)
    request = parse_chat_request(await call.request.body())
    model = model_for_chat(call.runtime, request["model"])
    check_for_model(request, model)
    check_conversation(request["messages"])
    prompt = prompt_tokens(request["messages"])
    longest = request.get("max_completion_tokens", request.get("max_tokens", 0))
    check_fits(model, prompt, longest)
    headers = call.limits.spend(call.caller, model, estimated_tokens(request["messages"], longest))
    try:
        scripted = _scripted(call)
        answers = [respond(request, scripted, longest or model["max_completion_tokens"])] * request.get("n", 1)
    except ApiError as error:
        if error.kind in MEASURES:
            headers = call.limits.exhaust(call.caller, model, error.kind)
        error.headers = {**headers, **error.headers}
        raise
    headers.update(header_fields((scripted or {}).get("headers", {})))
    completion = Completion(request, model, int(call.runtime.clock.now()), answers, prompt)
    if request.get("store") and not any(answer.stream_error for answer in answers if request.get("stream")):
        keep(call, request, completion.whole())
    if request.get("stream"):
        return StreamingResponse(completion.events(), 200, headers, "text/event-stream; charset=utf-8")
    return json_response(completion.whole(), headers=headers)


def _scripted(call: Call) -> dict[str, Any] | None:
    """The reply that is scripted for this request, unless a switch makes all of them fail."""
    name = call.runtime.get_switch("inference", "chat_failure")
    if name:
        raise failure(name, call.runtime.get_switch("inference", "chat_failure_headers"))
    return call.replies.take()


class Completion:
    """A reply, ready to be written down either way."""

    def __init__(
        self, request: dict[str, Any], model: sqlite3.Row, created: int, answers: list[Answer], prompt: int
    ) -> None:
        self._request = request
        self._answers = answers
        self._prompt = prompt
        self._id = f"chatcmpl-{uuid.uuid4().hex}"
        self._created = created
        self._model = model["snapshot"]
        self._service = {
            "service_tier": TIERS.get(request.get("service_tier"), request.get("service_tier")),
            "system_fingerprint": FINGERPRINT,
        }

    def whole(self) -> dict[str, Any]:
        """The `chat.completion` object."""
        choices = [
            {
                "index": index,
                "message": _message(reply),
                "logprobs": self._logprobs(reply.content, reply.refusal),
                "finish_reason": reply.finish_reason,
            }
            for index, reply in enumerate(self._answers)
        ]
        return {**self._head("chat.completion"), "choices": choices, "usage": self._usage(), **self._service}

    async def events(self) -> AsyncIterator[str]:
        """The server-sent events of the stream."""
        for index, reply in enumerate(self._answers):
            for delta in _deltas(reply):
                logprobs = self._logprobs(delta.get("content"), delta.get("refusal"))
                yield self._event(_choice(index, delta, logprobs=logprobs))
            if reply.stream_error:
                yield _line(reply.stream_error.body)
                return
            yield self._event(_choice(index, {}, finish_reason=reply.finish_reason))
        if self._tells_usage:
            yield self._event(usage=self._usage())
        yield "data: [DONE]\n\n"

    @property
    def _tells_usage(self) -> bool:
        return bool(self._request.get("stream_options", {}).get("include_usage"))

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._model}

    def _event(self, *choices: dict[str, Any], usage: dict[str, Any] | None = None) -> str:
        told = {"usage": usage} if self._tells_usage else {}
        return _line({**self._head("chat.completion.chunk"), **self._service, "choices": choices, **told})

    def _logprobs(self, content: str | None, refusal: str | None) -> dict[str, Any] | None:
        """The model is sure of every token."""
        if not self._request.get("logprobs"):
            return None
        count = self._request.get("top_logprobs", 0)
        return {
            name: None if text is None else [_certain(token, count) for token in tokens(text)]
            for name, text in (("content", content), ("refusal", refusal))
        }

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
    calls = {"tool_calls": answer.tool_calls, "function_call": answer.function_call}
    return {
        "role": "assistant",
        "content": answer.content,
        **{name: call for name, call in calls.items() if call},
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
        *({"function_call": piece} for piece in _pieces(answer.function_call or {})),
    ]


def _call_deltas(index: int, call: dict[str, Any]) -> list[dict[str, Any]]:
    first, *others = _pieces(call["function"])
    head = {"index": index, **call, "function": first}
    return [{"tool_calls": [piece]} for piece in [head, *({"index": index, "function": other} for other in others)]]


def _pieces(function: dict[str, str]) -> list[dict[str, str]]:
    """The pieces of a call: the name, then a token of the arguments a piece."""
    arguments = tokens(function.get("arguments", ""))
    return [{**function, "arguments": ""}, *({"arguments": token} for token in arguments)] if function else []


def _choice(
    index: int, delta: dict[str, Any], *, logprobs: dict[str, Any] | None = None, finish_reason: str | None = None
) -> dict[str, Any]:
    return {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish_reason}


def _certain(token: str, count: int) -> dict[str, Any]:
    """A token of the reply beside the `count` likeliest, of which it is the first."""
    others = [other for other in UNLIKELY_TOKENS if other != token]
    likeliest = [_logprob(token, 0.0), *(_logprob(other, UNLIKELY) for other in others)]
    return {**likeliest[0], "top_logprobs": likeliest[:count]}


def _logprob(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode(errors="replace"))}


def _line(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, separators=(',', ':'))}\n\n"


ROUTES = (Route("POST", "/v1/chat/completions", complete, "chat", scope="model.request"),)
