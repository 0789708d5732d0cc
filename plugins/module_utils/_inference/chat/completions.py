# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One chat completion: requested, checked, and kept in the cache if the task has one."""

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

# A completion has no lasting effect, so it is repeated as the official clients do it
POLICY = Policy(frozenset((408, 409, 429, 500, 502, 503, 504)), is_idempotent=True)

_SECONDS_BETWEEN_TRIES = 0.05


@dataclasses.dataclass(frozen=True)
class ChatRequest:
    """A request for a completion.

    :ivar body: the body of the request
    :ivar schema: what the answer must satisfy, if anything
    """

    http: HttpClient
    body: dict[str, t.Any]
    schema: schema.Schema | None

    @property
    def plan(self) -> dict[str, t.Any]:
        """The request without its texts."""
        return {"action": "complete", "model": self.body["model"], "messages": len(self.body["messages"])}

    @property
    def digest(self) -> str:
        """A digest of the request and its address."""
        return hashlib.sha256(json.dumps([self.http.base_url, self.body], sort_keys=True).encode()).hexdigest()


def build_request(inference: InferenceService, params: dict[str, t.Any]) -> ChatRequest:
    """Return the request of the options.

    :raises BadOption: when the server could not take it
    """
    wanted = params["response_schema"]
    if wanted is not None:
        schema.check(wanted, params["strict"])
    return ChatRequest(inference.create_client(API_KEY), build_body(params), wanted)


def find_cached(task: Task, question: ChatRequest) -> Completion | None:
    """Return the answer to the same request from the cache, if the task has one.

    :raises BadOption: when the folder cannot be used
    """
    folder = task.params["cache"]
    return None if folder is None else cache.load_answer(folder, question.digest, FIELDS, DEFAULTS)


@contextlib.contextmanager
def lock_request(task: Task, question: ChatRequest, stop: threading.Event | None = None) -> t.Iterator[None]:
    """Let other threads and processes with the same request wait, if the task has a cache, where they find the answer.

    :arg stop: set when no more requests are sent
    :raises NotTried: when that comes first
    """

    def pause() -> None:
        time.sleep(_SECONDS_BETWEEN_TRIES)
        if stop and stop.is_set():
            raise ItemSkipped

    folder = task.params["cache"]
    with contextlib.nullcontext() if folder is None else cache.lock_entry(folder, question.digest, pause):
        yield


def complete(task: Task, question: ChatRequest) -> dict[str, Completion]:
    """Send a request, and keep a whole answer in the cache, if the task has one.

    :raises ToolchainError: when the answer is refused, cut off or not as the schema wants it
    """
    with lock_request(task, question):
        if kept_meanwhile := find_cached(task, question):
            return {"completion": kept_meanwhile}
        completion, shortfall = (
            _complete_streaming(task, question)
            if task.params.get("stream")
            else parse_response(send(question, POLICY), question)
        )
        task.result["completion"] = completion
        if shortfall and not task.params.get("accept_incomplete"):
            raise ToolchainError(f"{shortfall} The answer is in the result.")
        store_in_cache(task, question, completion)
        return {"completion": completion}


def send(question: ChatRequest, policy: Policy) -> Response:
    """Send a request.

    :arg policy: when it is sent again
    """
    return question.http.write(
        "POST",
        "/chat/completions",
        json=question.body,
        changes_state=False,
        policy=policy,
        timeout_option="response_timeout",
    )


def parse_response(response: Response, question: ChatRequest) -> tuple[Completion, str | None]:
    """Return the completion, and why it is no whole answer, if it is none."""
    return answer.parse_completion(response, response.record(), question.schema)


def _complete_streaming(task: Task, question: ChatRequest) -> tuple[Completion, str | None]:
    """The completion as it comes, with its progress, and why it is no whole answer, if it is none."""
    response = question.http.write(
        "POST",
        "/chat/completions",
        json={**question.body, "stream": True, "stream_options": {"include_usage": True}},
        changes_state=False,
        policy=POLICY,
        timeout_option="response_timeout",
        stream=True,
        live_timeout_option="response_timeout",
    )
    if "event-stream" not in response.headers.get("Content-Type", ""):  # a server that does not stream, or a login page
        return parse_response(response.with_body(b"".join(response.chunks())), question)
    chunks = CompletionStream(response)
    chunks.read(lambda letters: task.report_progress(f"{letters:,} letters of the answer so far", "answer"))
    answered, shortfall = answer.parse_completion(response, chunks.to_record(), question.schema)
    answered["complete"] = answered["complete"] and not chunks.interruption
    return answered, chunks.interruption or shortfall


def store_in_cache(task: Task, question: ChatRequest, completion: Completion) -> None:
    """Put a whole answer into the cache folder, if the task has one."""
    if task.params["cache"] is not None and completion["complete"]:
        cache.store_answer(task, task.params["cache"], question.digest, completion)
