# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The prompts that still need a request, and how long they take."""

from __future__ import annotations

import collections
import threading
import time

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Estimate
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import completions
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.tokens import count_for_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits.model_limits import ModelLimits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits.rate_limiter import format_time
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Shorter waits are part of the pace of a batch, and need no report while they last
_LONG_WAIT = 5.0


class PendingRequests:
    """What the prompts without an answer need of the limits, by model. All threads share it.

    :arg task: with `cache`; equal prompts share one request if it is set
    """

    def __init__(self, task: Task, limits: ModelLimits) -> None:
        self._task = task
        self._limits = limits
        self._requests: collections.Counter[str] = collections.Counter()
        self._tokens: collections.Counter[str] = collections.Counter()
        self._shared: set[str] = set()
        self._done = 0
        self._start = time.monotonic()
        self._lock = threading.Lock()

    def add(self, question: completions.ChatRequest) -> bool:
        """Add a prompt, and return whether it needs a request: neither the cache nor an equal prompt has its answer."""
        if self._task.params["cache"] is not None:
            if question.digest in self._shared or completions.find_cached(self._task, question):
                return False
            self._shared.add(question.digest)
        self._count(question, 1)
        return True

    def start(self) -> None:
        """Note that the first request is sent now."""
        self._start = time.monotonic()

    def remove(self, question: completions.ChatRequest) -> None:
        """Remove a prompt that is done."""
        with self._lock:
            if self._task.params["cache"] is not None:
                if question.digest not in self._shared:
                    return
                self._shared.remove(question.digest)
            self._done += 1
            self._count(question, -1)

    def required_seconds(self) -> float:
        """Return how long the remaining prompts take at least, because of the limits of their models."""
        with self._lock:
            needs = [(model, requests, self._tokens[model]) for model, requests in self._requests.items()]
        return max((self._limits.required_seconds(*need) for need in needs), default=0.0)

    def estimate(self) -> Estimate:
        """Return how long the remaining prompts take: at the rate so far, but not less than the limits require."""
        seconds = self.required_seconds()
        if self._done:
            rate = (time.monotonic() - self._start) / self._done
            seconds = max(seconds, rate * sum(self._requests.values()))
        left = seconds if self._done or seconds else None
        longest = self._limits.current_wait()
        if longest is None or longest[1].seconds < _LONG_WAIT:
            return Estimate(left)
        model, wait = longest
        limit = f"the limit of {model}: {wait.limit}"
        return Estimate(left, f"waiting until {format_time(wait.seconds)} for {limit}", limit)

    def _count(self, question: completions.ChatRequest, number: int) -> None:
        model = question.body["model"]
        self._requests[model] += number
        self._tokens[model] += number * count_for_limits(question.body)
