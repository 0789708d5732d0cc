# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rate limits per organization, project and model: continuously refilled buckets of requests and tokens."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import dataclass
from typing import Any

from ..runtime.runtime import Runtime
from .chat.messages import get_text
from .keys import Caller
from .protocol.errors import ApiError

# Limited quantities
MEASURES = ("requests", "tokens")

# Periods: seconds and name in the API
PERIODS = {"minute": (60, "min"), "day": (86_400, "day")}

_CHARACTERS_PER_TOKEN = 4


def estimate_tokens(messages: list[dict[str, Any]], max_tokens: int) -> int:
    """Estimate the tokens of a request, which count towards the limits, from its number of characters."""
    characters = sum(len(get_text(message)) for message in messages)
    return max(max_tokens, math.ceil(characters / _CHARACTERS_PER_TOKEN), 1)


@dataclass
class Bucket:
    """The remaining amount of a limit."""

    measure: str
    period: str
    limit: int
    remaining: float
    updated_at: float

    @property
    def rate(self) -> float:
        """The refill rate per second."""
        return self.limit / PERIODS[self.period][0]

    @property
    def name(self) -> str:
        """The name in error messages, such as `requests per min (RPM)`."""
        unit = PERIODS[self.period][1]
        return f"{self.measure} per {unit} ({self.measure[0].upper()}P{unit[0].upper()})"

    def refill(self, now: float) -> None:
        """Add the amount for the elapsed time."""
        self.remaining = min(self.limit, self.remaining + max(0.0, now - self.updated_at) * self.rate)
        self.updated_at = now

    def consume(self, amount: int, *, whole: bool = False) -> bool:
        """Take an amount and return whether it was available.

        :arg whole: take nothing if less is available; by default, take the rest
        """
        enough = self.remaining >= amount
        if enough or not whole:
            self.remaining = max(0.0, self.remaining - amount)
        return enough

    def seconds_until(self, amount: float) -> float:
        """Return the seconds until an amount is available."""
        return max(0.0, amount - self.remaining) / self.rate if self.limit else 0.0


class RateLimits:
    """All buckets. Headers always report them; the switch `enforce_rate_limits` enforces them."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.clear()

    def clear(self) -> None:
        """Refill all buckets."""
        self._buckets: dict[tuple[str | int, ...], Bucket] = {}

    def spend(self, caller: Caller, model: sqlite3.Row, tokens: int) -> dict[str, str]:
        """Take a request and its tokens, and return the rate limit headers. Refused requests count as well."""
        buckets = self._find_buckets(caller, model)
        enforced = self._runtime.get_switch("inference", "enforce_rate_limits")
        amounts = {"requests": 1, "tokens": tokens}
        for bucket in buckets:
            amount = amounts[bucket.measure]
            if not bucket.consume(amount, whole=enforced and bucket.measure == "tokens") and enforced:
                raise _refusal(buckets, bucket, amount, caller, model)
        return _build_headers(buckets)

    def count_admin_call(self, key: str, label: str) -> None:
        """Refuse an administrative call above the limit of the switch. The error does not say how long to wait."""
        limit = int(self._runtime.get_switch("inference", "admin_calls_per_minute"))
        if not limit:
            return
        now = self._runtime.clock.now()
        bucket = self._buckets.setdefault(
            (key, "", label, "admin", limit), Bucket("requests", "minute", limit, limit, now)
        )
        bucket.refill(now)
        if not bucket.consume(1, whole=True):
            message = "Rate limit reached for administrative requests. Please try again later."
            raise ApiError(429, message, type="requests", code="rate_limit_exceeded")

    def exhaust(self, caller: Caller, model: sqlite3.Row, what: str) -> dict[str, str]:
        """Empty the buckets of `requests` or `tokens`, and return the rate limit headers."""
        buckets = self._find_buckets(caller, model)
        for bucket in buckets:
            if bucket.measure == what:
                bucket.remaining = 0.0
        return _build_headers(buckets)

    def _find_buckets(self, caller: Caller, model: sqlite3.Row) -> list[Bucket]:
        """Return the buckets of the model's limits, requests first."""
        own = {
            row["name"]: row["value"]
            for row in self._runtime.db.execute(
                "SELECT name, value FROM inference_project_limits WHERE project = ? AND id = ?",
                (caller.project, model["id"]),
            )
        }
        kinds = [(what, period, f"{what}_per_{period}") for what in MEASURES for period in PERIODS]
        limits = ((what, period, own.get(column, model[column])) for what, period, column in kinds)
        return [self._bucket(caller, model, what, period, limit) for what, period, limit in limits if limit is not None]

    def _bucket(self, caller: Caller, model: sqlite3.Row, what: str, period: str, limit: int) -> Bucket:
        now = self._runtime.clock.now()
        key = (caller.organization, caller.project, model["id"], what, period, limit)
        bucket = self._buckets.setdefault(key, Bucket(what, period, limit, limit, now))
        bucket.refill(now)
        return bucket


def format_go_duration(seconds: float) -> str:
    """Format a duration like Go: `120ms`, `8.64s`, `6m0s`."""
    milliseconds = math.ceil(round(seconds * 1000, 6))
    if milliseconds < 1000:
        return f"{milliseconds}ms" if milliseconds else "0s"
    minutes, rest = divmod(milliseconds, 60_000)
    hours, minutes = divmod(minutes, 60)
    text = f"{rest / 1000:.3f}".rstrip("0").rstrip(".") + "s"
    if hours or minutes:
        text = f"{minutes}m{text}"
    return f"{hours}h{text}" if hours else text


def _build_headers(buckets: list[Bucket]) -> dict[str, str]:
    """Return headers with the scarcest limit of requests and of tokens."""
    scarcest: dict[str, Bucket] = {}
    for bucket in sorted(buckets, key=lambda bucket: bucket.remaining, reverse=True):
        scarcest[bucket.measure] = bucket
    return {
        f"x-ratelimit-{measure}-{what}": value
        for what, bucket in scarcest.items()
        for measure, value in (
            ("limit", str(bucket.limit)),
            ("remaining", str(int(bucket.remaining))),
            ("reset", format_go_duration(bucket.seconds_until(bucket.limit))),
        )
    }


def _refusal(buckets: list[Bucket], bucket: Bucket, amount: int, caller: Caller, model: sqlite3.Row) -> ApiError:
    place = f"{model['id']} in organization {caller.organization} on {bucket.name}"
    headers = _build_headers(buckets)
    if amount > bucket.limit:
        # Without Retry-After, because waiting does not help
        message = (
            f"Request too large for {place}: Limit {bucket.limit}, Requested {amount}. The input or output tokens must "
            "be reduced in order to run successfully."
        )
    else:
        wait = bucket.seconds_until(amount)
        headers["Retry-After"] = str(max(1, math.ceil(wait)))
        message = (
            f"Rate limit reached for {place}: Limit {bucket.limit}, Used {bucket.limit - int(bucket.remaining)}, "
            f"Requested {amount}. Please try again in {format_go_duration(wait)}."
        )
    return ApiError(429, message, type=bucket.measure, code="rate_limit_exceeded", headers=headers)
