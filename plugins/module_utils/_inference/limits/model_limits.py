# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rate limiters of all models, with known limits and limits learned from responses."""

from __future__ import annotations

import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits.rate_limiter import (
    LIMITS,
    PERIODS,
    Limits,
    RateLimiter,
    Wait,
    required_seconds,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.rate_limits import (
    LIMIT_OPTIONS,
    UNLIMITED,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import validate_parameters

Params = dict[str, t.Any]

# A row of the result of inference_rate_limit_info, with one more limit
_ROW = ArgumentSpec(
    {
        **LIMIT_OPTIONS,
        "max_tokens_per_1_day": LIMIT_OPTIONS["max_tokens_per_1_minute"],
        "id": dict(type="str"),
        "kind": dict(type="str"),
        "unlimited": dict(type="list", elements="str"),
    }
)


class ModelLimits:
    """The rate limiters by model. Thread-safe.

    :arg params: options `limits` and `limit_period`
    :arg stop: event that is set when no more requests are sent
    :raises BadOption: if a limit is invalid
    """

    def __init__(self, params: Params, stop: threading.Event) -> None:
        self._configured = _parse_limits(params["limits"] or {})
        self._period = PERIODS.get(params["limit_period"])
        self._stop = stop
        self._limiters: dict[str, RateLimiter] = {}
        self._lock = threading.Lock()

    def limiter(self, model: str) -> RateLimiter:
        """Return the rate limiter of a model."""
        with self._lock:
            if model not in self._limiters:
                self._limiters[model] = RateLimiter(self._find_limits(model), self._period, self._stop)
            return self._limiters[model]

    def required_seconds(self, model: str, requests: int, tokens: int) -> float:
        """Return the minimum number of seconds for more requests and tokens of a model."""
        limiter = self._limiters.get(model)
        if limiter:
            return limiter.required_seconds(requests, tokens)
        return required_seconds(self._find_limits(model), requests, tokens)

    def current_wait(self) -> tuple[str, Wait] | None:
        """Return the longest wait in progress with its model."""
        waits = [(model, wait) for model, limiter in self._all_limiters() if (wait := limiter.current_wait)]
        return max(waits, key=lambda wait: wait[1].seconds, default=None)

    def summarize_waits(self) -> list[Params]:
        """Return the total waits of this run by model and limit, for the result."""
        return [
            {"model": model, "limit": limit, "seconds": round(seconds, 1), "until": until}
            for model, limiter in self._all_limiters()
            for limit, (seconds, until) in list(limiter.total_waits.items())
        ]

    def _all_limiters(self) -> list[tuple[str, RateLimiter]]:
        with self._lock:
            return list(self._limiters.items())

    def _find_limits(self, model: str) -> Limits:
        base_model = ":".join(model.split(":")[:2])  # ft:gpt-4o of ft:gpt-4o:acme::abc
        return next((self._configured[name] for name in (model, base_model, "*") if name in self._configured), {})


def _parse_limits(limits: Params) -> dict[str, Limits]:
    rows = {model: validate_parameters(_ROW, f"limits.{model}", row) for model, row in limits.items()}
    return {
        model: {name: row[name] for name in LIMITS if row[name] is not None and row[name] < UNLIMITED}
        for model, row in rows.items()
    }
