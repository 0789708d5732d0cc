# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rate limits per organization, project and model: requests and tokens a minute and a day, refilled all the time."""

from __future__ import annotations

import math
import sqlite3
from dataclasses import dataclass
from typing import Any

from ..runtime.runtime import Runtime
from .errors import ApiError
from .keys import Caller
from .messages import text_of

# What is limited.
MEASURES = ("requests", "tokens")

# In what time, in seconds, and what the API calls it.
PERIODS = {"minute": (60, "min"), "day": (86_400, "day")}

_CHARACTERS_PER_TOKEN = 4


def estimated_tokens(messages: list[dict[str, Any]], longest: int) -> int:
    """What a request costs under the limits on tokens: before it is answered, nobody counts more than its letters."""
    characters = sum(len(text_of(message)) for message in messages)
    return max(longest, math.ceil(characters / _CHARACTERS_PER_TOKEN), 1)


@dataclass
class Bucket:
    """What is left of one limit, which is for so many seconds."""

    what: str
    period: str
    limit: int
    left: float
    at: float

    @property
    def rate(self) -> float:
        """How much comes back in a second."""
        return self.limit / PERIODS[self.period][0]

    @property
    def name(self) -> str:
        """As the API has it: `requests per min (RPM)`."""
        unit = PERIODS[self.period][1]
        return f"{self.what} per {unit} ({self.what[0].upper()}P{unit[0].upper()})"

    def refill(self, now: float) -> None:
        """Account for the time that has passed."""
        self.left = min(self.limit, self.left + max(0.0, now - self.at) * self.rate)
        self.at = now

    def take(self, amount: int, *, whole: bool = False) -> bool:
        """Take the amount, tell whether there was enough; if not, take what is left (nothing, for the `whole` only)."""
        enough = self.left >= amount
        if enough or not whole:
            self.left = max(0.0, self.left - amount)
        return enough

    def seconds_until(self, amount: float) -> float:
        """How long until so much is left."""
        return max(0.0, amount - self.left) / self.rate if self.limit else 0.0


class RateLimits:
    """All buckets. They are told in headers always, and enforced where the switch `enforce_rate_limits` is on."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self.clear()

    def clear(self) -> None:
        """All buckets are full again."""
        self._buckets: dict[tuple[str | int, ...], Bucket] = {}

    def spend(self, caller: Caller, model: sqlite3.Row, tokens: int) -> dict[str, str]:
        """Take one request and its tokens; returns the headers that tell what is left. A refused request counts too."""
        buckets = self._buckets_of(caller, model)
        enforced = self._runtime.get_switch("inference", "enforce_rate_limits")
        amounts = {"requests": 1, "tokens": tokens}
        for bucket in buckets:
            amount = amounts[bucket.what]
            if not bucket.take(amount, whole=enforced and bucket.what == "tokens") and enforced:
                raise _refusal(buckets, bucket, amount, caller, model)
        return _headers(buckets)

    def count_admin_call(self, key: str, label: str) -> None:
        """Where the switch limits administrative calls, refuse one too many; nothing says how long to wait."""
        limit = int(self._runtime.get_switch("inference", "admin_calls_per_minute"))
        if not limit:
            return
        now = self._runtime.clock.now()
        bucket = self._buckets.setdefault(
            (key, "", label, "admin", limit), Bucket("requests", "minute", limit, limit, now)
        )
        bucket.refill(now)
        if not bucket.take(1, whole=True):
            message = "Rate limit reached for administrative requests. Please try again later."
            raise ApiError(429, message, type="requests", code="rate_limit_exceeded")

    def exhaust(self, caller: Caller, model: sqlite3.Row, what: str) -> dict[str, str]:
        """Leave nothing of the limit on `requests` or `tokens`; returns the headers that tell so."""
        buckets = self._buckets_of(caller, model)
        for bucket in buckets:
            if bucket.what == what:
                bucket.left = 0.0
        return _headers(buckets)

    def _buckets_of(self, caller: Caller, model: sqlite3.Row) -> list[Bucket]:
        """Those of the limits that the model has, requests first."""
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


def _headers(buckets: list[Bucket]) -> dict[str, str]:
    """They tell for requests and for tokens the limit of which the least is left."""
    scarcest: dict[str, Bucket] = {}
    for bucket in sorted(buckets, key=lambda bucket: bucket.left, reverse=True):
        scarcest[bucket.what] = bucket
    return {
        f"x-ratelimit-{measure}-{what}": value
        for what, bucket in scarcest.items()
        for measure, value in (
            ("limit", str(bucket.limit)),
            ("remaining", str(int(bucket.left))),
            ("reset", go_duration(bucket.seconds_until(bucket.limit))),
        )
    }


def _refusal(buckets: list[Bucket], bucket: Bucket, amount: int, caller: Caller, model: sqlite3.Row) -> ApiError:
    place = f"{model['id']} in organization {caller.organization} on {bucket.name}"
    headers = _headers(buckets)
    if amount > bucket.limit:
        # To wait would not help, so there is no Retry-After.
        message = (
            f"Request too large for {place}: Limit {bucket.limit}, Requested {amount}. The input or output tokens must "
            "be reduced in order to run successfully."
        )
    else:
        wait = bucket.seconds_until(amount)
        headers["Retry-After"] = str(max(1, math.ceil(wait)))
        message = (
            f"Rate limit reached for {place}: Limit {bucket.limit}, Used {bucket.limit - int(bucket.left)}, "
            f"Requested {amount}. Please try again in {go_duration(wait)}."
        )
    return ApiError(429, message, type=bucket.what, code="rate_limit_exceeded", headers=headers)
