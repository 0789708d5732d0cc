# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rate limiter for the requests to one model: token buckets per minute and per day."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import re
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import ItemSkipped
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import exceeds_longest_delay, retry_after

Limits = dict[str, int]

_MINUTE, _DAY = 60, 86_400
PERIODS = {"minute": _MINUTE, "day": _DAY}
# Unit and period in seconds of each limit
LIMITS = {
    "max_requests_per_1_minute": ("requests", _MINUTE),
    "max_tokens_per_1_minute": ("tokens", _MINUTE),
    "max_requests_per_1_day": ("requests", _DAY),
    "max_tokens_per_1_day": ("tokens", _DAY),
}
_UNITS = ("requests", "tokens")
_HEADER_PARTS = ("limit", "remaining", "reset")
# Number of consecutive responses that must indicate a daily limit before the period changes
_REQUIRED_READINGS = 3
# In seconds. The server refills its buckets when it receives a request, which is slightly later
_MARGIN = 0.001
_NUMBER = re.compile("[0-9]{1,15}")
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|h|m|s)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# "Rate limit reached for gpt-4o in organization o-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 200."
_LIMIT_NAME = re.compile(r"\b(request|token)s?\w* per (min|day)|\b([RT])P([MD])\b", re.IGNORECASE)
_LIMIT_VALUE = re.compile(r"\blimit:? *([0-9][0-9,]{0,14})", re.IGNORECASE)
_REQUESTED_VALUE = re.compile(r"\brequested:? *([0-9][0-9,]{0,14})", re.IGNORECASE)
_ERROR_TYPE = re.compile(r'"type": *"(requests|tokens)"')
_INITIALS = {"r": "requests", "t": "tokens", "m": _MINUTE, "d": _DAY}


def required_seconds(limits: Limits, requests: int, tokens: int) -> float:
    """Return the minimum number of seconds for requests and tokens under unused limits."""
    amounts = {"requests": requests, "tokens": tokens}
    waits = [
        max(0, amounts[LIMITS[name][0]] - limit) / limit * LIMITS[name][1] for name, limit in limits.items() if limit
    ]
    return max(waits, default=0.0)


@dataclasses.dataclass
class _Bucket:
    """The available amount of one limit. It refills continuously.

    :ivar unit: `requests` or `tokens`
    :ivar limit: capacity
    :ivar period: seconds in which an empty bucket refills
    :ivar updated: time of the last refill, of `time.monotonic`
    :ivar is_period_guessed: whether the period is a guess, since headers do not contain it
    :ivar daily_readings: used amounts of the last consecutive responses that indicate a daily limit
    """

    unit: str
    limit: int
    period: float
    available: float
    updated: float
    is_period_guessed: bool = False
    daily_readings: list[int] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.limit:,} {self.unit} per {'minute' if self.period == _MINUTE else 'day'}"

    def check_size(self, amount: int) -> None:
        """Check that the limit allows a request of this size.

        :raises ToolchainError: if it does not
        """
        if amount > self.limit:
            remedy = "Decrease 'max_tokens' or shorten the prompt" if self.unit == "tokens" else "Increase the limit"
            raise ToolchainError(
                f"The prompt was not sent: it requires {amount:,} {self.unit}, but the limit is {self.limit:,}. "
                f"{remedy}."
            )

    def refill(self, now: float) -> None:
        """Add the amount that became available since the last refill."""
        self.available = min(self.limit, self.available + max(0.0, now - self.updated) * self.limit / self.period)
        self.updated = now

    def seconds_until(self, amount: float) -> float:
        """Return the number of seconds until an amount is available."""
        return max(0.0, amount - self.available) * self.period / self.limit

    def update(self, remaining: int, reset: str) -> None:
        """Update the available amount and the guessed period from the headers of a response."""
        self.available = min(self.available, remaining + 1)  # the server rounds the remaining amount down
        if not self.is_period_guessed:
            return
        used, seconds = self.limit - remaining, _parse_duration(reset)
        if seconds and self._matches_period(_MINUTE, used, seconds):
            self.period = _MINUTE
        if seconds and self._matches_period(_DAY, used, seconds) and not self._matches_period(_MINUTE, used, seconds):
            self.daily_readings = [*self.daily_readings, used][-_REQUIRED_READINGS:]
        else:
            self.daily_readings = []
        if len(self.daily_readings) == _REQUIRED_READINGS and len(set(self.daily_readings)) > 1:
            self.period = _DAY

    def _matches_period(self, period: float, used: int, reset: tuple[float, float]) -> bool:
        """Return whether a limit with this period refills the used amount until the reset time."""
        seconds, precision = reset
        minimum, maximum = ((seconds + side * precision) * self.limit / period for side in (-1, 1))
        return minimum <= used < maximum + 1  # the rounded remaining amount hides less than one used unit


@dataclasses.dataclass(frozen=True)
class Wait:
    """A wait for a limit.

    :ivar limit: description of the limit, such as `500 requests per minute`
    :ivar seconds: remaining duration
    """

    limit: str
    seconds: float


class RateLimiter:
    """Delays the requests to one model until all of its limits allow them, in the order of their arrival.

    The first request is sent alone, because its response reports the limits and what other clients used.

    :arg limits: known limits, by the names in `LIMITS`
    :arg period: seconds that the limits in headers apply to, `None` to detect it
    :arg stop: event that is set when no more requests are sent
    :ivar total_waits: total seconds and end of the last wait, by description of the limit
    """

    def __init__(self, limits: Limits, period: int | None, stop: threading.Event) -> None:
        now = time.monotonic()
        self._buckets = [_Bucket(LIMITS[name][0], limit, LIMITS[name][1], limit, now) for name, limit in limits.items()]
        self._period = period
        self._stop = stop
        self._queue = threading.Lock()
        self._lock = threading.Lock()
        self._has_started = False
        self._has_response = threading.Event()
        self._blocked_until = float("-inf")
        self._blocking_limit = ""
        self._current_waits: dict[int, tuple[str, float]] = {}
        self._wait_starts: dict[str, float] = {}
        self.total_waits: dict[str, tuple[float, str]] = {}

    def wait(self, tokens: int) -> None:
        """Wait until a request may be sent.

        :arg tokens: number of tokens that the request counts
        :raises ToolchainError: if a limit is too small for the request
        :raises ItemSkipped: if no more requests are sent
        """
        with self._queue:
            if self._has_started:
                self._has_response.wait()
            if not self._wait_for_capacity(tokens):
                raise ItemSkipped
            self._has_started = True

    def wait_for_retry(self, tokens: int, seconds: float) -> bool:
        """Wait at least `seconds` until a failed request may be retried, and return whether it may."""
        is_blocked = self._blocked_until > time.monotonic()
        with self._record_wait(self._blocking_limit, seconds) if is_blocked else contextlib.nullcontext():
            pause(seconds, self._stop)
        try:
            return self._wait_for_capacity(tokens)
        except ToolchainError:  # the limit named by the response is too small
            return False

    def read_response(self, response: Response | None) -> None:
        """Update the limits from a response, and let the next request proceed. `None` is a lost response."""
        if response:
            self._update(response)
        self._has_response.set()

    def read_rejection(self, response: Response) -> None:
        """Empty the limit that a response with status 429 names, and block requests until `Retry-After`."""
        self._update(response)
        seconds = 0.0 if exceeds_longest_delay(response) else retry_after(response) or 0.0
        with self._lock:
            exhausted = (
                []
                if _is_too_large(response.text)
                else self._find_named_limits(response) or self._find_exhausted_limits(response)
            )
            for bucket in exhausted:
                bucket.available = min(bucket.available, 0.0)
            self._blocked_until = max(self._blocked_until, time.monotonic() + seconds)
            self._blocking_limit = " and ".join(map(str, exhausted)) or "an unknown limit"

    @property
    def current_wait(self) -> Wait | None:
        """The longest wait in progress."""
        now = time.monotonic()
        with self._lock:
            limit, until = max(self._current_waits.values(), key=lambda wait: wait[1], default=("", now))
        return Wait(limit, until - now) if until > now else None

    def required_seconds(self, requests: int, tokens: int) -> float:
        """Return the minimum number of seconds for more requests and tokens."""
        amounts = {"requests": requests, "tokens": tokens}
        with self._lock:
            now = time.monotonic()
            for bucket in self._buckets:
                bucket.refill(now)
            waits = [bucket.seconds_until(amounts[bucket.unit]) for bucket in self._buckets if bucket.limit]
        return max([0.0, self._blocked_until - now, *waits]) if requests else 0.0

    def _wait_for_capacity(self, tokens: int) -> bool:
        """Wait until all limits allow a request, and return `False` if no more requests are sent."""
        while not self._stop.is_set():
            wait = self._reserve(tokens)
            if not wait:
                return True
            with self._record_wait(wait.limit, wait.seconds):
                pause(wait.seconds, self._stop)
        return False

    @contextlib.contextmanager
    def _record_wait(self, limit: str, seconds: float) -> t.Iterator[None]:
        """Record a wait. Simultaneous waits of several threads for the same limit count once."""
        thread, start = threading.get_ident(), time.monotonic()
        with self._lock:
            if not any(other == limit for other, _until in self._current_waits.values()):
                self._wait_starts[limit] = start
            self._current_waits[thread] = (limit, start + seconds)
        try:
            yield
        finally:
            with self._lock:
                del self._current_waits[thread]
                if not any(other == limit for other, _until in self._current_waits.values()):
                    before, _until = self.total_waits.get(limit, (0.0, ""))
                    self.total_waits[limit] = (before + time.monotonic() - self._wait_starts.pop(limit), format_time())

    def _reserve(self, tokens: int) -> Wait | None:
        """Reserve the amounts of a request, or return the wait until they are available."""
        with self._lock:
            now = time.monotonic()
            required = []
            for bucket in self._buckets:
                amount = tokens if bucket.unit == "tokens" else 1
                bucket.check_size(amount)
                bucket.refill(now)
                required.append((bucket, amount))
            waits = [Wait(str(bucket), bucket.seconds_until(amount)) for bucket, amount in required]
            waits.append(Wait(self._blocking_limit, max(0.0, self._blocked_until - now)))
            longest = max(waits, key=lambda wait: wait.seconds)
            if longest.seconds:
                return dataclasses.replace(longest, seconds=longest.seconds + _MARGIN)
            for bucket, amount in required:
                bucket.available -= amount
            return None

    def _update(self, response: Response) -> None:
        for unit in _UNITS:
            self._update_limit(unit, *(response.headers.get(f"x-ratelimit-{part}-{unit}") for part in _HEADER_PARTS))

    def _update_limit(self, unit: str, limit: str | None, remaining: str | None, reset: str | None) -> None:
        if not (limit and remaining and all(map(_NUMBER.fullmatch, (limit, remaining))) and int(limit)):
            return
        with self._lock:
            matching = [bucket for bucket in self._buckets if (bucket.unit, bucket.limit) == (unit, int(limit))]
            if not matching:
                period, available = self._period or _MINUTE, min(int(limit), int(remaining))
                matching = [_Bucket(unit, int(limit), period, available, time.monotonic(), self._period is None)]
                self._buckets += matching
            if len(matching) == 1:  # otherwise the header may refer to either of them
                matching[0].update(int(remaining), reset or "")

    def _find_named_limits(self, response: Response) -> list[_Bucket]:
        """Return the limits that the message of a response names. They may be new."""
        named = {_parse_limit_name(*groups) for groups in _LIMIT_NAME.findall(response.text)}
        if len(named) != 1:
            return []
        ((unit, period),) = named
        number = _LIMIT_VALUE.search(response.text)
        limit = _parse_integer(number[1]) if number else 0
        if not limit:
            return [bucket for bucket in self._buckets if (bucket.unit, bucket.period) == (unit, period)]
        matches = [bucket for bucket in self._buckets if (bucket.unit, bucket.limit) == (unit, limit)]
        for bucket in matches:
            if bucket.is_period_guessed:
                bucket.period, bucket.is_period_guessed = period, False
        matches = [bucket for bucket in matches if bucket.period == period]
        if not matches:
            matches = [_Bucket(unit, limit, period, 0.0, time.monotonic())]
            self._buckets += matches
        return matches

    def _find_exhausted_limits(self, response: Response) -> list[_Bucket]:
        """Return the limits that the headers of a response report as used up, by default those per minute."""
        exhausted = {
            unit: response.headers.get(f"x-ratelimit-limit-{unit}")
            for unit in _UNITS
            if response.headers.get(f"x-ratelimit-remaining-{unit}") == "0"
        }
        exact = [bucket for bucket in self._buckets if exhausted.get(bucket.unit) == str(bucket.limit)]
        units = exhausted or _ERROR_TYPE.findall(response.text) or _UNITS
        return exact or [bucket for bucket in self._buckets if bucket.period == _MINUTE and bucket.unit in units]


def format_time(seconds: float = 0.0) -> str:
    """Return the UTC time in `seconds` from now, as `2026-11-23T14:03:20Z`."""
    now = datetime.datetime.now(datetime.timezone.utc)
    return (now + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def pause(seconds: float, stop: threading.Event) -> None:
    """Wait until the time is over or `stop` is set."""
    stop.wait(seconds)


def _parse_limit_name(unit: str, period: str, unit_initial: str, period_initial: str) -> tuple[str, int]:
    """Return the unit and the period in seconds from the name of a limit, such as `tokens per min` or `TPM`."""
    return _INITIALS[(unit or unit_initial)[0].lower()], _INITIALS[(period or period_initial)[0].lower()]  # type: ignore[return-value]


def _is_too_large(text: str) -> bool:
    """Return whether a request was rejected because of its size, regardless of the remaining amount."""
    limit, requested = (pattern.search(text) for pattern in (_LIMIT_VALUE, _REQUESTED_VALUE))
    return limit is not None and requested is not None and _parse_integer(requested[1]) > _parse_integer(limit[1])


def _parse_integer(digits: str) -> int:
    return int(digits.replace(",", ""))


def _parse_duration(text: str) -> tuple[float, float] | None:
    """Return the seconds and their precision in a duration such as `6m0s`, `None` if it is invalid."""
    parts = _DURATION.findall(text)
    if not parts:
        return None
    is_precise = "." in text or "ms" in text
    return sum(float(number) * _UNIT_SECONDS[unit] for number, unit in parts), 0.01 if is_precise else 1.0
