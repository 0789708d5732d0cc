# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Send chat completion requests, and use the cache of the task if it has one."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import ItemSkipped
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import Policy
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import answer, cache, schema
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.answer import (
    DEFAULTS,
    FIELDS,
    Completion,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.request_body import build_body
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.stream import CompletionStream
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import API_KEY, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# A completion changes no state. The official clients retry after the same status codes
POLICY = Policy(frozenset((408, 409, 429, 500, 502, 503, 504)), is_idempotent=True)

_LOCK_POLL_SECONDS = 0.05


@dataclasses.dataclass(frozen=True)
class ChatRequest:
    """A chat completion request.

    :ivar body: the body of the request
    :ivar schema: JSON schema of the answer, `None` for an unstructured answer
    """

    http: HttpClient
    body: dict[str, t.Any]
    schema: schema.Schema | None

    @property
    def plan(self) -> dict[str, t.Any]:
        """The request without its texts, for the result."""
        return {"action": "complete", "model": self.body["model"], "messages": len(self.body["messages"])}

    @property
    def digest(self) -> str:
        """A digest of the base URL and the body, which identifies the request."""
        return hashlib.sha256(json.dumps([self.http.base_url, self.body], sort_keys=True).encode()).hexdigest()


def build_request(inference: InferenceService, params: dict[str, t.Any]) -> ChatRequest:
    """Return the request that the options describe.

    :raises BadOption: if an option is invalid
    """
    response_schema = params["response_schema"]
    if response_schema is not None:
        schema.check(response_schema, params["strict"])
    return ChatRequest(inference.create_client(API_KEY), build_body(params), response_schema)


def find_cached(task: Task, request: ChatRequest) -> Completion | None:
    """Return the answer to the request from the cache, `None` if it has none.

    :raises BadOption: if the cache directory cannot be used
    """
    directory = task.params["cache"]
    return None if directory is None else cache.load_answer(directory, request.digest, FIELDS, DEFAULTS)


@contextlib.contextmanager
def lock_request(task: Task, request: ChatRequest, stop: threading.Event | None = None) -> t.Iterator[None]:
    """Lock the request in the cache, so that other threads and processes with the same request wait for its answer.

    :arg stop: event that is set when no more requests are sent
    :raises ItemSkipped: if it is set while waiting for the lock
    """

    def pause() -> None:
        time.sleep(_LOCK_POLL_SECONDS)
        if stop and stop.is_set():
            raise ItemSkipped

    directory = task.params["cache"]
    with contextlib.nullcontext() if directory is None else cache.lock_entry(directory, request.digest, pause):
        yield


def complete(task: Task, request: ChatRequest) -> dict[str, Completion]:
    """Send a request, and store a complete answer in the cache.

    :raises ToolchainError: if the answer is refused, truncated or does not match the schema
    """
    with lock_request(task, request):
        if cached := find_cached(task, request):
            return {"completion": cached}
        completion, problem = (
            _complete_streaming(task, request)
            if task.params.get("stream")
            else parse_response(send(request, POLICY), request)
        )
        task.result["completion"] = completion
        if problem and not task.params.get("accept_incomplete"):
            raise ToolchainError(f"{problem} The answer is in the result.")
        store_in_cache(task, request, completion)
        return {"completion": completion}


def send(request: ChatRequest, policy: Policy) -> Response:
    """Send a request with a retry policy."""
    return request.http.write(
        "POST",
        "/chat/completions",
        json=request.body,
        changes_state=False,
        policy=policy,
        timeout_option="response_timeout",
    )


def parse_response(response: Response, request: ChatRequest) -> tuple[Completion, str | None]:
    """Return the completion, and the reason for which it is incomplete."""
    return answer.parse_completion(response, response.record(), request.schema)


def _complete_streaming(task: Task, request: ChatRequest) -> tuple[Completion, str | None]:
    """Stream the completion with progress, and return it with the reason for which it is incomplete."""
    response = request.http.write(
        "POST",
        "/chat/completions",
        json={**request.body, "stream": True, "stream_options": {"include_usage": True}},
        changes_state=False,
        policy=POLICY,
        timeout_option="response_timeout",
        stream=True,
        live_timeout_option="response_timeout",
    )
    # a server without streaming, or a login page
    if "event-stream" not in response.headers.get("Content-Type", ""):
        return parse_response(response.with_body(b"".join(response.chunks())), request)
    stream = CompletionStream(response)
    stream.read(lambda characters: task.report_progress(f"{characters:,} characters of the answer received", "answer"))
    completion, problem = answer.parse_completion(response, stream.to_record(), request.schema)
    completion["complete"] = completion["complete"] and not stream.interruption
    return completion, stream.interruption or problem


def store_in_cache(task: Task, request: ChatRequest, completion: Completion) -> None:
    """Store a complete answer in the cache."""
    if task.params["cache"] is not None and completion["complete"]:
        cache.store_answer(task, task.params["cache"], request.digest, completion)
