# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The prompts that still require a request, and the estimated time that they take."""

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

# In seconds. Shorter waits are not reported while they last
_LONG_WAIT = 5.0


class PendingRequests:
    """The number of requests and tokens of the prompts without an answer, by model. Thread-safe.

    If the task has a cache, equal prompts share one request.
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

    def add(self, request: completions.ChatRequest) -> bool:
        """Add a prompt, and return whether it requires a request, unlike a cached or duplicate prompt."""
        if self._task.params["cache"] is not None:
            if request.digest in self._shared or completions.find_cached(self._task, request):
                return False
            self._shared.add(request.digest)
        self._count(request, 1)
        return True

    def start(self) -> None:
        """Record the time of the first request."""
        self._start = time.monotonic()

    def remove(self, request: completions.ChatRequest) -> None:
        """Remove a finished prompt."""
        with self._lock:
            if self._task.params["cache"] is not None:
                if request.digest not in self._shared:
                    return
                self._shared.remove(request.digest)
            self._done += 1
            self._count(request, -1)

    def required_seconds(self) -> float:
        """Return the minimum number of seconds for the remaining prompts under the limits of their models."""
        with self._lock:
            amounts = [(model, requests, self._tokens[model]) for model, requests in self._requests.items()]
        return max((self._limits.required_seconds(*amount) for amount in amounts), default=0.0)

    def estimate(self) -> Estimate:
        """Return the estimated time for the remaining prompts, from the rate so far and the limits."""
        seconds = self.required_seconds()
        if self._done:
            rate = (time.monotonic() - self._start) / self._done
            seconds = max(seconds, rate * sum(self._requests.values()))
        remaining = seconds if self._done or seconds else None
        longest = self._limits.current_wait()
        if longest is None or longest[1].seconds < _LONG_WAIT:
            return Estimate(remaining)
        model, wait = longest
        limit = f"the limit of {model}: {wait.limit}"
        return Estimate(remaining, f"waiting until {format_time(wait.seconds)} for {limit}", limit)

    def _count(self, request: completions.ChatRequest, number: int) -> None:
        model = request.body["model"]
        self._requests[model] += number
        self._tokens[model] += number * count_for_limits(request.body)
