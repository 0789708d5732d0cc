# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One chat completion: asked for, checked, and kept if the user wants to pay for it only once."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import NotTried
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.answer import Answer
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import Http
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import Policy
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import completion, kept, schema
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chunks import Chunks
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.completion import (
    ADDED,
    MEMBERS,
    Completion,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.question import body
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import API_KEY, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# A completion has no lasting effect, so it is repeated as the official clients do it
POLICY = Policy(frozenset((408, 409, 429, 500, 502, 503, 504)), acted=True)

_SECONDS_BETWEEN_TRIES = 0.05


@dataclasses.dataclass(frozen=True)
class Question:
    """What will be asked, and of whom.

    :ivar body: the request
    :ivar schema: what the answer must satisfy, if anything
    """

    http: Http
    body: dict[str, t.Any]
    schema: schema.Schema | None

    @property
    def plan(self) -> dict[str, t.Any]:
        """What will be asked, without the texts."""
        return {"action": "complete", "model": self.body["model"], "messages": len(self.body["messages"])}

    @property
    def name(self) -> str:
        """The same for the same request to the same address, and for no other."""
        return hashlib.sha256(json.dumps([self.http.base_url, self.body], sort_keys=True).encode()).hexdigest()


def question(inference: InferenceService, params: dict[str, t.Any]) -> Question:
    """What the options ask for.

    :raises BadOption: when the server could not take it
    """
    wanted = params["response_schema"]
    if wanted is not None:
        schema.check(wanted, params["strict"])
    return Question(inference.http(API_KEY), body(params), wanted)


def find_kept(task: Task, asked: Question) -> Completion | None:
    """The answer to the same question, from the cache folder, if the task has one.

    :raises BadOption: when the folder cannot be used
    """
    folder = task.params["cache"]
    return None if folder is None else kept.find(folder, asked.name, MEMBERS, ADDED)


@contextlib.contextmanager
def once(task: Task, asked: Question, stop: threading.Event | None = None) -> t.Iterator[None]:
    """While no other thread or process asks the same, if the task has a cache folder, from which they have the answer.

    :arg stop: set when nothing more is to be asked
    :raises NotTried: when that comes first
    """

    def pause() -> None:
        time.sleep(_SECONDS_BETWEEN_TRIES)
        if stop and stop.is_set():
            raise NotTried

    folder = task.params["cache"]
    with contextlib.nullcontext() if folder is None else kept.alone(folder, asked.name, pause):
        yield


def complete(task: Task, asked: Question) -> dict[str, Completion]:
    """Ask, and keep a whole answer in the cache folder, if the task has one.

    :raises ToolchainError: when the answer is refused, cut off or not as the schema wants it
    """
    with once(task, asked):
        if kept_meanwhile := find_kept(task, asked):
            return {"completion": kept_meanwhile}
        completion, shortfall = (
            _streamed(task, asked) if task.params.get("stream") else understood(send(asked, POLICY), asked)
        )
        task.result["completion"] = completion
        if shortfall and not task.params.get("accept_incomplete"):
            raise ToolchainError(f"{shortfall} The answer is in the result.")
        keep(task, asked, completion)
        return {"completion": completion}


def send(asked: Question, policy: Policy) -> Answer:
    """Ask.

    :arg policy: when the request is sent again
    """
    return asked.http.write(
        "POST", "/chat/completions", json=asked.body, lasting=False, policy=policy, patience="answer_timeout"
    )


def understood(answer: Answer, asked: Question) -> tuple[Completion, str | None]:
    """The completion, and why it is no whole answer, if it is none."""
    return completion.understood(answer, answer.record(), asked.schema)


def _streamed(task: Task, asked: Question) -> tuple[Completion, str | None]:
    """The completion as it comes, with its progress, and why it is no whole answer, if it is none."""
    answer = asked.http.write(
        "POST",
        "/chat/completions",
        json={**asked.body, "stream": True, "stream_options": {"include_usage": True}},
        lasting=False,
        policy=POLICY,
        patience="answer_timeout",
        stream=True,
        live="answer_timeout",
    )
    if "event-stream" not in answer.headers.get("Content-Type", ""):  # a server that does not stream, or a login page
        return understood(answer.part(b"".join(answer.chunks())), asked)
    chunks = Chunks(answer)
    chunks.read(lambda letters: task.progress(f"{letters:,} letters of the answer so far", "answer"))
    answered, shortfall = completion.understood(answer, chunks.reply(), asked.schema)
    answered["complete"] = answered["complete"] and not chunks.broken
    return answered, chunks.broken or shortfall


def keep(task: Task, asked: Question, completion: Completion) -> None:
    """Put a whole answer into the cache folder, if the task has one."""
    if task.params["cache"] is not None and completion["complete"]:
        kept.keep(task, task.params["cache"], asked.name, completion)
