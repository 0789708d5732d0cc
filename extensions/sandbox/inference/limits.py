# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rate limits per organization, project and model: requests and tokens a minute, refilled all the time."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import dataclass

from ..world import World
from .errors import ApiError
from .keys import Caller


@dataclass
class Bucket:
    """What is left of one limit."""

    limit: int
    left: float
    at: float

    def refill(self, now: float) -> None:
        """Account for the time that has passed."""
        self.left = min(self.limit, self.left + max(0.0, now - self.at) * self.limit / 60)
        self.at = now

    def take(self, amount: int, *, whole: bool = False) -> bool:
        """Take the amount, tell whether there was enough; if not, take what is left (nothing, for the `whole` only)."""
        enough = self.left >= amount
        if enough or not whole:
            self.left = max(0.0, self.left - amount)
        return enough

    def seconds_until(self, amount: float) -> float:
        """How long until so much is left."""
        return max(0.0, amount - self.left) * 60 / self.limit


class RateLimits:
    """All buckets. They are told in headers always, and enforced where the switch `enforce_rate_limits` is on."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.clear()

    def clear(self) -> None:
        """All buckets are full again."""
        self._buckets: dict[tuple[str, str, str, str, int], Bucket] = {}

    def spend(self, caller: Caller, model: sqlite3.Row, tokens: int) -> dict[str, str]:
        """Take one request and its tokens; returns the headers that tell what is left. A refused request counts too."""
        requests = self._bucket(caller, model, "requests", model["requests_per_minute"])
        budget = self._bucket(caller, model, "tokens", model["tokens_per_minute"])
        enforced = self._world.switch("inference", "enforce_rate_limits")
        if not requests.take(1) and enforced:
            raise _refusal(requests, "requests", 1, caller, model, _headers(requests, budget))
        if not budget.take(tokens, whole=enforced) and enforced:
            raise _refusal(budget, "tokens", tokens, caller, model, _headers(requests, budget))
        return _headers(requests, budget)

    def _bucket(self, caller: Caller, model: sqlite3.Row, what: str, limit: int) -> Bucket:
        now = self._world.clock.now()
        key = (caller.organization, caller.project, model["id"], what, limit)
        bucket = self._buckets.setdefault(key, Bucket(limit, limit, now))
        bucket.refill(now)
        return bucket


def go_duration(seconds: float) -> str:
    """A duration as Go prints it: `120ms`, `8.64s`, `6m0s`."""
    milliseconds = math.ceil(round(seconds * 1000, 6))
    if milliseconds < 1000:
        return f"{milliseconds}ms" if milliseconds else "0s"
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{rest / 1000:.3f}".rstrip("0").rstrip(".") + "s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{hours}h{text}" if hours else text


def _headers(requests: Bucket, tokens: Bucket) -> dict[str, str]:
    return {
        f"x-ratelimit-{measure}-{what}": value
        for what, bucket in (("requests", requests), ("tokens", tokens))
        for measure, value in (
            ("limit", str(bucket.limit)),
            ("remaining", str(int(bucket.left))),
            ("reset", go_duration(bucket.seconds_until(bucket.limit))),
        )
    }


def _refusal(
    bucket: Bucket, what: str, amount: int, caller: Caller, model: sqlite3.Row, headers: dict[str, str]
) -> ApiError:
    wait = bucket.seconds_until(min(amount, bucket.limit))
    return ApiError(
        429,
        f"Rate limit reached for {model['id']} in organization {caller.organization} on {what} per min: "
        f"Limit {bucket.limit}, Used {bucket.limit - int(bucket.left)}, Requested {amount}. "
        f"Please try again in {go_duration(wait)}.",
        type=what,
        code="rate_limit_exceeded",
        headers={**headers, "Retry-After": str(max(1, math.ceil(wait)))},
    )
