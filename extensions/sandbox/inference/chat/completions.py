# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""POST /v1/chat/completions: the completion as one object or as a stream of chunks."""

from __future__ import annotations

import json
import sqlite3
import string
import uuid
from collections.abc import AsyncIterator
from typing import Any

from starlette.responses import Response, StreamingResponse

from ...http.routing import Route
from ..admin.usage import record_completion
from ..call import Call
from ..models import model_for_chat
from ..protocol.errors import ApiError, build_failure, normalize_headers
from ..protocol.json_bodies import json_response, require_json
from ..rate_limits import MEASURES, estimate_tokens
from .messages import check_conversation
from .model_reply import Reply, count_prompt_tokens, create_reply, split_tokens
from .stored_completions import store_completion
from .validation import check_fits, check_for_model, parse_chat_request

FINGERPRINT = "fp_5a2db0c0de"

# Alternative tokens, and the log probability that the API returns for very unlikely ones
UNLIKELY_TOKENS = string.ascii_lowercase
UNLIKELY = -9999.0

# Requested service tiers that are served by another one
TIERS = {None: "default", "auto": "default", "fast": "priority"}


async def complete(call: Call) -> Response:
    """Create a chat completion."""
    require_json(call.request)
    request = parse_chat_request(await call.request.body())
    model = model_for_chat(call.runtime, request["model"])
    check_for_model(request, model)
    check_conversation(request["messages"])
    prompt = count_prompt_tokens(request["messages"])
    max_tokens = request.get("max_completion_tokens", request.get("max_tokens", 0))
    check_fits(model, prompt, max_tokens)
    headers = call.limits.spend(call.caller, model, estimate_tokens(request["messages"], max_tokens))
    try:
        scripted = _next_scripted_reply(call)
        answers = [create_reply(request, scripted, max_tokens or model["max_completion_tokens"])] * request.get("n", 1)
    except ApiError as error:
        if error.kind in MEASURES:
            headers = call.limits.exhaust(call.caller, model, error.kind)
        error.headers = {**headers, **error.headers}
        raise
    headers.update(normalize_headers((scripted or {}).get("headers", {})))
    completion = Completion(request, model, int(call.runtime.clock.now()), answers, prompt)
    record_completion(call, model["id"], completion.usage)
    if request.get("store") and not any(answer.stream_error for answer in answers if request.get("stream")):
        store_completion(call, request, completion.to_object())
    if request.get("stream"):
        return StreamingResponse(completion.events(), 200, headers, "text/event-stream; charset=utf-8")
    return json_response(completion.to_object(), headers=headers)


def _next_scripted_reply(call: Call) -> dict[str, Any] | None:
    """Return the next scripted reply, or raise the failure that a switch sets for all requests."""
    name = call.runtime.get_switch("inference", "chat_failure")
    if name:
        raise build_failure(name, call.runtime.get_switch("inference", "chat_failure_headers"))
    return call.replies.pop_first()


class Completion:
    """A completion that can be sent as an object or as a stream."""

    def __init__(
        self, request: dict[str, Any], model: sqlite3.Row, created: int, answers: list[Reply], prompt: int
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

    def to_object(self) -> dict[str, Any]:
        """Return the `chat.completion` object."""
        choices = [
            {
                "index": index,
                "message": _message(reply),
                "logprobs": self._logprobs(reply.content, reply.refusal),
                "finish_reason": reply.finish_reason,
            }
            for index, reply in enumerate(self._answers)
        ]
        return {**self._common_fields("chat.completion"), "choices": choices, "usage": self.usage, **self._service}

    async def events(self) -> AsyncIterator[str]:
        """Yield the server-sent events of the stream."""
        for index, reply in enumerate(self._answers):
            for delta in _deltas(reply):
                logprobs = self._logprobs(delta.get("content"), delta.get("refusal"))
                yield self._event(_choice(index, delta, logprobs=logprobs))
            if reply.stream_error:
                yield _format_event(reply.stream_error.body)
                return
            yield self._event(_choice(index, {}, finish_reason=reply.finish_reason))
        if self._includes_usage:
            yield self._event(usage=self.usage)
        yield "data: [DONE]\n\n"

    @property
    def _includes_usage(self) -> bool:
        return bool(self._request.get("stream_options", {}).get("include_usage"))

    def _common_fields(self, kind: str) -> dict[str, Any]:
        return {"id": self._id, "object": kind, "created": self._created, "model": self._model}

    def _event(self, *choices: dict[str, Any], usage: dict[str, Any] | None = None) -> str:
        details = {"usage": usage} if self._includes_usage else {}
        return _format_event(
            {**self._common_fields("chat.completion.chunk"), **self._service, "choices": choices, **details}
        )

    def _logprobs(self, content: str | None, refusal: str | None) -> dict[str, Any] | None:
        """Return log probabilities. Every token is certain."""
        if not self._request.get("logprobs"):
            return None
        count = self._request.get("top_logprobs", 0)
        return {
            name: None if text is None else [_certain_token(token, count) for token in split_tokens(text)]
            for name, text in (("content", content), ("refusal", refusal))
        }

    @property
    def usage(self) -> dict[str, Any]:
        """The number of tokens of the prompt and the answers."""
        completion = sum(answer.count_tokens() for answer in self._answers)
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


def _message(answer: Reply) -> dict[str, Any]:
    calls = {"tool_calls": answer.tool_calls, "function_call": answer.function_call}
    return {
        "role": "assistant",
        "content": answer.content,
        **{name: call for name, call in calls.items() if call},
        "refusal": answer.refusal,
        "annotations": [],
    }


def _deltas(answer: Reply) -> list[dict[str, Any]]:
    """Return the deltas of a message: the role, then one token each."""
    first = {"role": "assistant", "content": "" if answer.content is not None else None, "refusal": None}
    return [
        first,
        *({"content": token} for token in split_tokens(answer.content or "")),
        *({"refusal": token} for token in split_tokens(answer.refusal or "")),
        *(delta for index, call in enumerate(answer.tool_calls) for delta in _call_deltas(index, call)),
        *({"function_call": piece} for piece in _function_deltas(answer.function_call or {})),
    ]


def _call_deltas(index: int, call: dict[str, Any]) -> list[dict[str, Any]]:
    first, *others = _function_deltas(call["function"])
    head = {"index": index, **call, "function": first}
    return [{"tool_calls": [piece]} for piece in [head, *({"index": index, "function": other} for other in others)]]


def _function_deltas(function: dict[str, str]) -> list[dict[str, str]]:
    """Return the deltas of a call: the name, then one token of the arguments each."""
    arguments = split_tokens(function.get("arguments", ""))
    return [{**function, "arguments": ""}, *({"arguments": token} for token in arguments)] if function else []


def _choice(
    index: int, delta: dict[str, Any], *, logprobs: dict[str, Any] | None = None, finish_reason: str | None = None
) -> dict[str, Any]:
    return {"index": index, "delta": delta, "logprobs": logprobs, "finish_reason": finish_reason}


def _certain_token(token: str, count: int) -> dict[str, Any]:
    """Return a certain token with the `count` most likely ones, of which it is the first."""
    others = [other for other in UNLIKELY_TOKENS if other != token]
    likeliest = [_logprob(token, 0.0), *(_logprob(other, UNLIKELY) for other in others)]
    return {**likeliest[0], "top_logprobs": likeliest[:count]}


def _logprob(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode(errors="replace"))}


def _format_event(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, separators=(',', ':'))}\n\n"


ROUTES = (Route("POST", "/v1/chat/completions", complete, "chat", scope="model.request"),)
