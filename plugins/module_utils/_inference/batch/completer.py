# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One prompt of many: its answer from the cache or from the server, within the limits and the budget of the task."""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import ItemSkipped
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import Policy
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.budget import Budget
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.stop_reasons import StopReasons
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import completions
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.answer import Completion
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.tokens import count_for_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits.model_limits import ModelLimits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits.rate_limiter import RateLimiter
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# After these a request may have been paid for
_MAYBE_PAID = frozenset((408, 500, 502, 504))


@dataclasses.dataclass(frozen=True)
class PacedPolicy(Policy):
    """A policy under which each retry waits until the limits have room for it.

    :ivar tokens: what a request counts for under the limits
    :ivar add_lost: called for each request that may have been paid for in vain
    :ivar may_retry: returns whether the task may pay for one more request
    """

    pace: RateLimiter | None = None
    tokens: int = 0
    add_lost: t.Callable[[], None] = lambda: None
    may_retry: t.Callable[[], bool] = lambda: True

    def record_failure(self, response: Response | None) -> None:
        """Learn from a response that is not accepted, or, with `None`, from a lost one."""
        if response is None or response.status in _MAYBE_PAID:
            self.add_lost()
        elif response.status == 429 and self.pace:
            self.pace.read_refusal(response)

    def wait(self, seconds: float) -> bool:
        """Wait until the limits have room for a retry, at least so many seconds, and return whether to send it."""
        return self.may_retry() and self.pace is not None and self.pace.wait_for_retry(self.tokens, seconds)


class Completer:
    """Completes the prompts, each in a task of its own whose `number` is that of the prompt.

    :arg stop: set when no more requests are sent
    """

    def __init__(self, budget: Budget, limits: ModelLimits, reasons: StopReasons, stop: threading.Event) -> None:
        self._budget = budget
        self._limits = limits
        self._reasons = reasons
        self._stop = stop

    def complete(self, task: Task, question: completions.ChatRequest) -> str | None:
        """Put the completion and its outcome into the result, and return why it is incomplete.

        :raises NotTried: when no request is to be sent
        :raises ToolchainError: when there is no completion
        """
        if _use_cached(task, question):
            return None
        with completions.lock_request(task, question, self._stop):
            if _use_cached(task, question):
                return None
            self._reasons.check(question.body["model"])
            if bound := self._reserve(task, question):
                self._reasons.add_bound(bound)
                self._reasons.check(question.body["model"])
            try:
                shortfall = self._request_until_matching(task, question)
            finally:
                self._budget.release(task.params["number"])
            completions.store_in_cache(task, question, task.result["completion"])
            return shortfall

    def _request_until_matching(self, task: Task, question: completions.ChatRequest) -> str | None:
        shortfall = self._request(task, question)
        with contextlib.suppress(ItemSkipped):  # the answer that was paid for stays
            while self._may_request_again(task, question):
                shortfall = self._request(task, question)
        return shortfall

    def _may_request_again(self, task: Task, question: completions.ChatRequest) -> bool:
        """Return whether to send a prompt again, because its answer has the wrong form."""
        is_wrong = task.result["outcome"] == "mismatched" and task.result["attempts"] < task.params["attempts"]
        return is_wrong and not self._stop.is_set() and not self._reserve(task, question)

    def _request(self, task: Task, question: completions.ChatRequest) -> str | None:
        """Send a prompt, and return why the completion is incomplete."""
        response = self._send(task, question)
        try:
            completion, shortfall = completions.parse_response(response, question)
        except UnexpectedResponse:
            self._budget.add_lost(question.body)
            raise
        self._budget.add_answer(question.body, completion)
        task.result.update(outcome=_outcome(completion), completion=completion)
        return shortfall

    def _send(self, task: Task, question: completions.ChatRequest) -> Response:
        """Send a prompt when the limits of its model have room for it."""
        pace, tokens = self._limits.limiter(question.body["model"]), count_for_limits(question.body)
        pace.wait(tokens)
        response = None
        try:
            self._reasons.check(question.body["model"])
            task.result["attempts"] += 1
            policy = PacedPolicy(
                **vars(completions.POLICY),
                pace=pace,
                tokens=tokens,
                add_lost=lambda: self._budget.add_lost(question.body),
                may_retry=lambda: self._reserve(task, question) is None,
            )
            response = completions.send(question, policy)
        finally:
            pace.read_response(response)
        return response

    def _reserve(self, task: Task, question: completions.ChatRequest) -> str | None:
        return self._budget.reserve(task.params["number"], question.body)


def _use_cached(task: Task, question: completions.ChatRequest) -> bool:
    """Take the answer from the cache, and return whether it has one."""
    cached = completions.find_cached(task, question)
    if cached:
        task.result.update(outcome="answered", completion=cached)
    return cached is not None


def _outcome(completion: Completion) -> str:
    if completion["complete"]:
        return "answered"
    if completion["refusal"]:
        return "refused"
    return "mismatched" if completion["finish_reason"] == "stop" else "truncated"
