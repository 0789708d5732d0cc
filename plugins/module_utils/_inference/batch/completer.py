# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Get the answer to one prompt of a batch from the cache or the server, within the rate limits and the budget."""

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

# Status codes after which the server may have charged for a request
_MAYBE_CHARGED = frozenset((408, 500, 502, 504))


@dataclasses.dataclass(frozen=True)
class RateLimitedPolicy(Policy):
    """A retry policy that waits for the rate limits before each retry.

    :ivar tokens: number of tokens that a request counts
    :ivar add_lost: called for each request without a usable response that may have been charged
    :ivar may_retry: returns whether the budget allows another request
    """

    limiter: RateLimiter | None = None
    tokens: int = 0
    add_lost: t.Callable[[], None] = lambda: None
    may_retry: t.Callable[[], bool] = lambda: True

    def record_failure(self, response: Response | None) -> None:
        """Record a rejected response, or with `None` a lost one."""
        if response is None or response.status in _MAYBE_CHARGED:
            self.add_lost()
        elif response.status == 429 and self.limiter:
            self.limiter.read_rejection(response)

    def wait(self, seconds: float) -> bool:
        """Wait at least `seconds` until the limits allow a retry, and return whether to send it."""
        return self.may_retry() and self.limiter is not None and self.limiter.wait_for_retry(self.tokens, seconds)


class Completer:
    """Completes prompts, each in a task whose parameter `number` is the index of the prompt.

    :arg stop: event that is set when no more requests are sent
    """

    def __init__(self, budget: Budget, limits: ModelLimits, reasons: StopReasons, stop: threading.Event) -> None:
        self._budget = budget
        self._limits = limits
        self._reasons = reasons
        self._stop = stop

    def complete(self, task: Task, request: completions.ChatRequest) -> str | None:
        """Add the completion and its outcome to the result, and return the reason for which it is incomplete.

        :raises ItemSkipped: if no more requests are sent
        :raises ToolchainError: if there is no completion
        """
        if _use_cached(task, request):
            return None
        with completions.lock_request(task, request, self._stop):
            if _use_cached(task, request):
                return None
            self._reasons.check(request.body["model"])
            if exceeded_limit := self._reserve(task, request):
                self._reasons.add_exceeded_limit(exceeded_limit)
                self._reasons.check(request.body["model"])
            try:
                problem = self._request_until_matching(task, request)
            finally:
                self._budget.release(task.params["number"])
            completions.store_in_cache(task, request, task.result["completion"])
            return problem

    def _request_until_matching(self, task: Task, request: completions.ChatRequest) -> str | None:
        problem = self._request(task, request)
        with contextlib.suppress(ItemSkipped):  # keep the last answer
            while self._should_repeat(task, request):
                problem = self._request(task, request)
        return problem

    def _should_repeat(self, task: Task, request: completions.ChatRequest) -> bool:
        """Return whether to send a prompt again, because its answer does not match the schema."""
        has_attempts = task.result["outcome"] == "mismatched" and task.result["attempts"] < task.params["attempts"]
        return has_attempts and not self._stop.is_set() and not self._reserve(task, request)

    def _request(self, task: Task, request: completions.ChatRequest) -> str | None:
        """Send a prompt, and return the reason for which the completion is incomplete."""
        response = self._send(task, request)
        try:
            completion, problem = completions.parse_response(response, request)
        except UnexpectedResponse:
            self._budget.add_lost(request.body)
            raise
        self._budget.add_answer(request.body, completion)
        task.result.update(outcome=_classify(completion), completion=completion)
        return problem

    def _send(self, task: Task, request: completions.ChatRequest) -> Response:
        """Send a prompt when the rate limits of its model allow it."""
        limiter, tokens = self._limits.limiter(request.body["model"]), count_for_limits(request.body)
        limiter.wait(tokens)
        response = None
        try:
            self._reasons.check(request.body["model"])
            task.result["attempts"] += 1
            policy = RateLimitedPolicy(
                **vars(completions.POLICY),
                limiter=limiter,
                tokens=tokens,
                add_lost=lambda: self._budget.add_lost(request.body),
                may_retry=lambda: self._reserve(task, request) is None,
            )
            response = completions.send(request, policy)
        finally:
            limiter.read_response(response)
        return response

    def _reserve(self, task: Task, request: completions.ChatRequest) -> str | None:
        return self._budget.reserve(task.params["number"], request.body)


def _use_cached(task: Task, request: completions.ChatRequest) -> bool:
    """Use the answer in the cache, and return whether there is one."""
    cached = completions.find_cached(task, request)
    if cached:
        task.result.update(outcome="answered", completion=cached)
    return cached is not None


def _classify(completion: Completion) -> str:
    if completion["complete"]:
        return "answered"
    if completion["refusal"]:
        return "refused"
    return "mismatched" if completion["finish_reason"] == "stop" else "truncated"
