# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests within the limits of a model, which refill all the time: by the minute and by the day."""

from __future__ import annotations

import dataclasses
import math
import re
import threading
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.answer import Answer
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import Policy

Limits = dict[str, int]

_MINUTE, _DAY = 60, 86_400
_CHARACTERS_PER_TOKEN = 4
# What the limits of a model are called, what each of them counts, and the seconds it is for
LIMITS = {
    "max_requests_per_1_minute": ("requests", _MINUTE),
    "max_tokens_per_1_minute": ("tokens", _MINUTE),
    "max_requests_per_1_day": ("requests", _DAY),
    "max_tokens_per_1_day": ("tokens", _DAY),
}
_TOLD = ("limit", "remaining", "reset")
# So that the server, which reckons from when it hears of a request, has refilled as much
_MARGIN = 0.001
_NUMBER = re.compile("[0-9]{1,15}")
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|h|m|s)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}


def cost(body: dict[str, t.Any], max_tokens_member: str) -> int:
    """The tokens that a request counts for under the limits, before it is answered: by its letters, as servers do."""
    return max(body.get(max_tokens_member, 0), prompt_tokens(body))


def prompt_tokens(body: dict[str, t.Any]) -> int:
    """What the texts of a request come to, at a guess."""
    return guessed_tokens(text for message in body["messages"] for text in _texts(message["content"]))


def guessed_tokens(texts: t.Iterable[str]) -> int:
    """What texts come to, by their letters."""
    return max(1, math.ceil(sum(map(len, texts)) / _CHARACTERS_PER_TOKEN))


def seconds_needed(limits: Limits, requests: int, tokens: int) -> float:
    """How long so much takes at least, when nothing has been used up yet."""
    amounts = {"requests": requests, "tokens": tokens}
    waits = [
        max(0, amounts[LIMITS[name][0]] - limit) / limit * LIMITS[name][1] for name, limit in limits.items() if limit
    ]
    return max(waits, default=0.0)


@dataclasses.dataclass
class _Bucket:
    """What is left of one limit."""

    limit: int
    period: float
    left: float
    at: float

    def refill(self, now: float) -> None:
        self.left = min(self.limit, self.left + max(0.0, now - self.at) * self.limit / self.period)
        self.at = now

    def seconds_until(self, amount: float) -> float:
        return max(0.0, amount - self.left) * self.period / self.limit


class Pace:
    """Lets requests to one model go when all of its limits have room for them, in the order in which they come.

    The first goes alone, for its answer tells what the limits are, and what others have used up.

    :arg limits: those that are known, by the names of `LIMITS`
    """

    def __init__(self, limits: Limits) -> None:
        now = time.monotonic()
        self._buckets = {
            (LIMITS[name][0], limit): _Bucket(limit, LIMITS[name][1], limit, now) for name, limit in limits.items()
        }
        self._turn = threading.Lock()
        self._state = threading.Lock()
        self._begun = False
        self._heard = threading.Event()

    def wait(self, tokens: int) -> None:
        """Wait until a request may go.

        :arg tokens: what it counts for
        :raises ToolchainError: when no limit has ever room for it
        """
        with self._turn:
            if self._begun:
                self._heard.wait()
            while seconds := self._take(tokens):
                time.sleep(seconds)
            self._begun = True

    def hear(self, answer: Answer | None) -> None:
        """Learn from an answer, if one came."""
        if answer:
            for what in ("requests", "tokens"):
                self._learn(what, *(answer.headers.get(f"x-ratelimit-{part}-{what}") for part in _TOLD))
        self._heard.set()

    def seconds_for(self, requests: int, tokens: int) -> float:
        """Return the seconds that the limits require for so many more requests and tokens."""
        amounts = {"requests": requests, "tokens": tokens}
        with self._state:
            now = time.monotonic()
            for bucket in self._buckets.values():
                bucket.refill(now)
            waits = [bucket.seconds_until(amounts[what]) for (what, limit), bucket in self._buckets.items() if limit]
        return max(waits, default=0.0)

    def repeated(self, answer: Answer, tokens: int) -> None:
        """A request goes once more after this answer; after 429 nothing is left, whatever was thought to be."""
        with self._state:
            for (what, _limit), bucket in self._buckets.items():
                left = min(bucket.left, 0.0) if answer.status == 429 else bucket.left
                bucket.left = left - (tokens if what == "tokens" else 1)

    def _take(self, tokens: int) -> float:
        """Take what a request needs, if it is there; otherwise the seconds until it may be."""
        with self._state:
            now = time.monotonic()
            wanted = []
            for (what, limit), bucket in self._buckets.items():
                amount = tokens if what == "tokens" else 1
                if amount > limit:
                    raise ToolchainError(
                        f"Not asked: it counts for {amount:,} {what}, of which the limit is {limit:,}. Give it a lower "
                        "'max_tokens', or make it shorter."
                    )
                bucket.refill(now)
                wanted.append((bucket, amount))
            seconds = max((bucket.seconds_until(amount) for bucket, amount in wanted), default=0.0)
            if seconds:
                return seconds + _MARGIN
            for bucket, amount in wanted:
                bucket.left -= amount
            return 0.0

    def _learn(self, what: str, limit: str | None, remaining: str | None, reset: str | None) -> None:
        if not (limit and remaining and all(map(_NUMBER.fullmatch, (limit, remaining))) and int(limit)):
            return
        key = (what, int(limit))
        with self._state:
            if bucket := self._buckets.get(key):
                bucket.left = min(bucket.left, int(remaining) + 1)  # of what is left, the server tells whole ones only
            elif period := _period(int(limit), int(remaining), reset or ""):
                self._buckets[key] = _Bucket(int(limit), period, int(remaining), time.monotonic())


@dataclasses.dataclass(frozen=True)
class Paced(Policy):
    """A policy under which the pace hears of what is sent again."""

    pace: Pace | None = None
    tokens: int = 0

    def repeats(self, answer: Answer) -> bool:
        """Whether the request may be sent again after this answer."""
        again = super().repeats(answer)
        if again and self.pace:
            self.pace.repeated(answer, self.tokens)
        return again


def _period(limit: int, remaining: int, reset: str) -> float | None:
    """For how many seconds a limit is, which no header says: a minute, or a day when it refills slower than that."""
    seconds = sum(float(number) * _SECONDS[unit] for number, unit in _DURATION.findall(reset))
    if remaining >= limit or not seconds:
        return None
    return _MINUTE if seconds * limit / (limit - remaining) <= _MINUTE + 1 else _DAY


def _texts(content: str | list[dict[str, t.Any]] | None) -> list[str]:
    return [content] if isinstance(content, str) else [part["text"] for part in content or () if part["type"] == "text"]
