# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests within the limits of a model, which refill all the time: by the minute and by the day."""

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
# What the limits of a model are called, what each of them counts, and the seconds it is for
LIMITS = {
    "max_requests_per_1_minute": ("requests", _MINUTE),
    "max_tokens_per_1_minute": ("tokens", _MINUTE),
    "max_requests_per_1_day": ("requests", _DAY),
    "max_tokens_per_1_day": ("tokens", _DAY),
}
_WHAT = ("requests", "tokens")
_PARTS = ("limit", "remaining", "reset")
# So many responses in succession must indicate a day before a limit counts as one for a day
_READINGS = 3
# So that the server, which reckons from when it hears of a request, has refilled as much
_MARGIN = 0.001
_NUMBER = re.compile("[0-9]{1,15}")
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# "Rate limit reached for gpt-4o in organization o-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 200."
_NAMED = re.compile(r"\b(request|token)s?\w* per (min|day)|\b([RT])P([MD])\b", re.IGNORECASE)
_NAMED_LIMIT = re.compile(r"\blimit:? *([0-9][0-9,]{0,14})", re.IGNORECASE)
_REQUESTED = re.compile(r"\brequested:? *([0-9][0-9,]{0,14})", re.IGNORECASE)
_TYPE = re.compile(r'"type": *"(requests|tokens)"')
_INITIALS = {"r": "requests", "t": "tokens", "m": _MINUTE, "d": _DAY}


def required_seconds(limits: Limits, requests: int, tokens: int) -> float:
    """How long so much takes at least, when nothing has been used up yet."""
    amounts = {"requests": requests, "tokens": tokens}
    waits = [
        max(0, amounts[LIMITS[name][0]] - limit) / limit * LIMITS[name][1] for name, limit in limits.items() if limit
    ]
    return max(waits, default=0.0)


@dataclasses.dataclass
class _Bucket:
    """What is left of one limit.

    :ivar is_guessed: whether the period is a guess, because no header says it
    :ivar used: what was used at the last readings that indicate a day
    """

    what: str
    limit: int
    period: float
    left: float
    at: float
    is_guessed: bool = False
    used: list[int] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.limit:,} {self.what} per {'minute' if self.period == _MINUTE else 'day'}"

    def too_small(self, amount: int) -> ToolchainError:
        """Return the error for a request that the limit never has room for."""
        is_tokens = self.what == "tokens"
        remedy = "Give it a lower 'max_tokens', or make it shorter" if is_tokens else "Raise the limit"
        return ToolchainError(
            f"Not asked: it counts for {amount:,} {self.what}, of which the limit is {self.limit:,}. {remedy}."
        )

    def refill(self, now: float) -> None:
        self.left = min(self.limit, self.left + max(0.0, now - self.at) * self.limit / self.period)
        self.at = now

    def seconds_until(self, amount: float) -> float:
        return max(0.0, amount - self.left) * self.period / self.limit

    def read(self, remaining: int, reset: str) -> None:
        """Learn from the headers of a response."""
        self.left = min(self.left, remaining + 1)  # of what is left, the server tells whole ones only
        if not self.is_guessed:
            return
        used, seconds = self.limit - remaining, _duration(reset)
        if seconds and self._fits(_MINUTE, used, seconds):
            self.period = _MINUTE
        if seconds and self._fits(_DAY, used, seconds) and not self._fits(_MINUTE, used, seconds):
            self.used = [*self.used, used][-_READINGS:]
        else:
            self.used = []
        if len(self.used) == _READINGS and len(set(self.used)) > 1:
            self.period = _DAY

    def _fits(self, period: float, used: int, reset: tuple[float, float]) -> bool:
        """Return whether a limit for this period refills what was used in the time until it is full again."""
        seconds, precision = reset
        least, most = ((seconds + side * precision) * self.limit / period for side in (-1, 1))
        return least <= used < most + 1  # the whole number of what remains hides less than one that was used


@dataclasses.dataclass(frozen=True)
class Wait:
    """A wait for a limit.

    :ivar limit: the limit in words
    :ivar seconds: how long it lasts from now on
    """

    limit: str
    seconds: float


class RateLimiter:
    """Lets requests to one model go when all of its limits have room for them, in the order in which they come.

    The first goes alone, for its answer tells what the limits are, and what others have used up.

    :arg limits: those that are known, by the names of `LIMITS`
    :arg period: seconds that the limits in headers are for; without it, a minute unless the server indicates a day
    :arg stop: set when nothing more is to be sent
    :ivar waited: seconds by limit, in words, with the moment at which the last wait ended
    """

    def __init__(self, limits: Limits, period: int | None, stop: threading.Event) -> None:
        now = time.monotonic()
        self._buckets = [_Bucket(LIMITS[name][0], limit, LIMITS[name][1], limit, now) for name, limit in limits.items()]
        self._period = period
        self._stop = stop
        self._turn = threading.Lock()
        self._state = threading.Lock()
        self._has_started = False
        self._has_response = threading.Event()
        self._held_until = float("-inf")
        self._held_for = ""
        self._waits: dict[int, tuple[str, float]] = {}
        self._begins: dict[str, float] = {}
        self.total_waits: dict[str, tuple[float, str]] = {}

    def wait(self, tokens: int) -> None:
        """Wait until a request may go.

        :arg tokens: what it counts for
        :raises ToolchainError: when no limit has ever room for it
        :raises NotTried: when nothing more is to be sent
        """
        with self._turn:
            if self._has_started:
                self._has_response.wait()
            if not self._wait_for_room(tokens):
                raise ItemSkipped
            self._has_started = True

    def wait_for_retry(self, tokens: int, seconds: float) -> bool:
        """Wait until a request that failed may go once more, at least so many seconds, and return whether it may."""
        is_held = self._held_until > time.monotonic()
        with self._recorded(self._held_for, seconds) if is_held else contextlib.nullcontext():
            pause(seconds, self._stop)
        try:
            return self._wait_for_room(tokens)
        except ToolchainError:  # the limit that the refusal named is too small for it
            return False

    def read_response(self, response: Response | None) -> None:
        """Learn from an answer, if one came."""
        if response:
            self._read(response)
        self._has_response.set()

    def read_refusal(self, response: Response) -> None:
        """Learn from a 429: the limit that it names has nothing left, and no request goes before `Retry-After`."""
        self._read(response)
        seconds = 0.0 if exceeds_longest_delay(response) else retry_after(response) or 0.0
        with self._state:
            emptied = (
                [] if _is_too_large(response.text) else self._named_limits(response) or self._empty_limits(response)
            )
            for bucket in emptied:
                bucket.left = min(bucket.left, 0.0)
            self._held_until = max(self._held_until, time.monotonic() + seconds)
            self._held_for = " and ".join(map(str, emptied)) or "a limit that the server does not name"

    @property
    def current_wait(self) -> Wait | None:
        """The longest wait of now."""
        now = time.monotonic()
        with self._state:
            limit, until = max(self._waits.values(), key=lambda wait: wait[1], default=("", now))
        return Wait(limit, until - now) if until > now else None

    def required_seconds(self, requests: int, tokens: int) -> float:
        """Return the seconds that the limits require for so many more requests and tokens."""
        amounts = {"requests": requests, "tokens": tokens}
        with self._state:
            now = time.monotonic()
            for bucket in self._buckets:
                bucket.refill(now)
            waits = [bucket.seconds_until(amounts[bucket.what]) for bucket in self._buckets if bucket.limit]
        return max([0.0, self._held_until - now, *waits]) if requests else 0.0

    def _wait_for_room(self, tokens: int) -> bool:
        """Wait until all limits have room, and return `False` when nothing more is to be sent."""
        while not self._stop.is_set():
            wait = self._take(tokens)
            if not wait:
                return True
            with self._recorded(wait.limit, wait.seconds):
                pause(wait.seconds, self._stop)
        return False

    @contextlib.contextmanager
    def _recorded(self, limit: str, seconds: float) -> t.Iterator[None]:
        """Around a wait, so that it can be reported. Waits of several threads for one limit count once."""
        me, begin = threading.get_ident(), time.monotonic()
        with self._state:
            if not any(other == limit for other, _until in self._waits.values()):
                self._begins[limit] = begin
            self._waits[me] = (limit, begin + seconds)
        try:
            yield
        finally:
            with self._state:
                del self._waits[me]
                if not any(other == limit for other, _until in self._waits.values()):
                    before, _until = self.total_waits.get(limit, (0.0, ""))
                    self.total_waits[limit] = (before + time.monotonic() - self._begins.pop(limit), format_time())

    def _take(self, tokens: int) -> Wait | None:
        """Take what a request needs, if it is there; otherwise return the wait until it may be."""
        with self._state:
            now = time.monotonic()
            wanted = []
            for bucket in self._buckets:
                amount = tokens if bucket.what == "tokens" else 1
                if amount > bucket.limit:
                    raise bucket.too_small(amount)
                bucket.refill(now)
                wanted.append((bucket, amount))
            waits = [Wait(str(bucket), bucket.seconds_until(amount)) for bucket, amount in wanted]
            waits.append(Wait(self._held_for, max(0.0, self._held_until - now)))
            longest = max(waits, key=lambda wait: wait.seconds)
            if longest.seconds:
                return dataclasses.replace(longest, seconds=longest.seconds + _MARGIN)
            for bucket, amount in wanted:
                bucket.left -= amount
            return None

    def _read(self, response: Response) -> None:
        for what in _WHAT:
            self._learn(what, *(response.headers.get(f"x-ratelimit-{part}-{what}") for part in _PARTS))

    def _learn(self, what: str, limit: str | None, remaining: str | None, reset: str | None) -> None:
        if not (limit and remaining and all(map(_NUMBER.fullmatch, (limit, remaining))) and int(limit)):
            return
        with self._state:
            known = [bucket for bucket in self._buckets if (bucket.what, bucket.limit) == (what, int(limit))]
            if not known:
                period, left = self._period or _MINUTE, min(int(limit), int(remaining))
                known = [_Bucket(what, int(limit), period, left, time.monotonic(), is_guessed=self._period is None)]
                self._buckets += known
            if len(known) == 1:  # otherwise the response may mean either
                known[0].read(int(remaining), reset or "")

    def _named_limits(self, response: Response) -> list[_Bucket]:
        """Return the limits that the text of a refusal names, which may be new."""
        named = {_kind(*groups) for groups in _NAMED.findall(response.text)}
        if len(named) != 1:
            return []
        ((what, period),) = named
        number = _NAMED_LIMIT.search(response.text)
        limit = _integer(number[1]) if number else 0
        if not limit:
            return [bucket for bucket in self._buckets if (bucket.what, bucket.period) == (what, period)]
        same = [bucket for bucket in self._buckets if (bucket.what, bucket.limit) == (what, limit)]
        for bucket in same:
            if bucket.is_guessed:
                bucket.period, bucket.is_guessed = period, False
        same = [bucket for bucket in same if bucket.period == period]
        if not same:
            same = [_Bucket(what, limit, period, 0.0, time.monotonic())]
            self._buckets += same
        return same

    def _empty_limits(self, response: Response) -> list[_Bucket]:
        """Return the limits that the headers of a refusal report as used up, by default those per minute."""
        spent = {
            what: response.headers.get(f"x-ratelimit-limit-{what}")
            for what in _WHAT
            if response.headers.get(f"x-ratelimit-remaining-{what}") == "0"
        }
        exact = [bucket for bucket in self._buckets if spent.get(bucket.what) == str(bucket.limit)]
        kinds = spent or _TYPE.findall(response.text) or _WHAT
        return exact or [bucket for bucket in self._buckets if bucket.period == _MINUTE and bucket.what in kinds]


def format_time(seconds: float = 0.0) -> str:
    """Return the time after so many seconds, as `2026-11-23T14:03:20Z`."""
    then = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return then.strftime("%Y-%m-%dT%H:%M:%SZ")


def pause(seconds: float, stop: threading.Event) -> None:
    """Wait, but not longer than until `stop` is set."""
    stop.wait(seconds)


def _kind(what: str, period: str, initial: str, unit: str) -> tuple[str, int]:
    """Return what a limit counts, and the seconds that it is for, from its words or its initials."""
    return _INITIALS[(what or initial)[0].lower()], _INITIALS[(period or unit)[0].lower()]  # type: ignore[return-value]


def _is_too_large(text: str) -> bool:
    """Return whether a refusal is about the size of one request, which does not depend on the remaining amount."""
    limit, requested = (pattern.search(text) for pattern in (_NAMED_LIMIT, _REQUESTED))
    return limit is not None and requested is not None and _integer(requested[1]) > _integer(limit[1])


def _integer(digits: str) -> int:
    return int(digits.replace(",", ""))


def _duration(text: str) -> tuple[float, float] | None:
    """Return the seconds that a header has, such as `6m0s`, and how precise they are; `None` if it has no duration."""
    parts = _DURATION.findall(text)
    if not parts:
        return None
    is_precise = "." in text or "ms" in text
    return sum(float(number) * _SECONDS[unit] for number, unit in parts), 0.01 if is_precise else 1.0
