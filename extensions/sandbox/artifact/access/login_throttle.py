# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Throttling of failed logins: repeated failures block an account for a growing time."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import NamedTuple, TypeVar

from ...runtime.clock import Clock

FAILURES_WITHOUT_BLOCK = 2
BLOCK_STEP = 0.5  # seconds added by each additional failure
MAX_BLOCK = 5.0  # seconds
CREDENTIALS_TTL = 300.0  # seconds for which accepted credentials are cached after their last use
MAX_ENTRIES = 10_000  # maximum cached accounts, and maximum cached credentials

Entry = TypeVar("Entry")


class Failures(NamedTuple):
    """The number of failed logins of an account since its last success, and the time of the latest failure."""

    number: int
    latest: float


class LoginThrottle:
    """Failed and successful logins by user name; the users need not exist."""

    def __init__(self, clock: Clock) -> None:
        """Create the throttle."""
        self._clock = clock
        self.clear()

    def clear(self) -> None:
        """Forget all logins."""
        self._failures = OrderedDict[str, Failures]()
        self._accepted = OrderedDict[str, float]()

    def blocked_seconds(self, name: str, credentials: str, counts: bool = True) -> int:
        """Return for how many seconds a login is blocked; 0 if it may proceed.

        Credentials that were accepted recently bypass the block, because the server has them cached. If the version
        counts it, an attempt during a block is a failure even with the right password.
        """
        failures = self._failures.get(name)
        if failures is None or failures.number <= FAILURES_WITHOUT_BLOCK or self._is_cached(credentials):
            return 0
        block = min((failures.number - FAILURES_WITHOUT_BLOCK) * BLOCK_STEP, MAX_BLOCK)
        remaining = block - self._elapsed(failures.latest)
        if remaining <= 0:
            return 0
        if counts:
            self.record_failure(name)
        return max(int(remaining), 1)

    def count_failures(self, name: str) -> int:
        """Return the number of failed logins of an account since its last success."""
        return self._failures[name].number if name in self._failures else 0

    def record_failure(self, name: str) -> None:
        """Record a failed login."""
        failures = Failures(self.count_failures(name) + 1, self._clock.now())
        _store_entry(self._failures, name, failures)

    def record_success(self, name: str, credentials: str) -> None:
        """Cache the credentials; if they were not cached, reset the failures of the account."""
        if not self._is_cached(credentials):
            self._failures.pop(name, None)
        _store_entry(self._accepted, _hash_credentials(credentials), self._clock.now())

    def _is_cached(self, credentials: str) -> bool:
        latest = self._accepted.get(_hash_credentials(credentials))
        return latest is not None and self._elapsed(latest) <= CREDENTIALS_TTL

    def _elapsed(self, time: float) -> float:
        """Return the seconds since `time`, or until `time` if the clock was set back."""
        return abs(self._clock.now() - time)


def _store_entry(entries: OrderedDict[str, Entry], key: str, entry: Entry) -> None:
    entries[key] = entry
    entries.move_to_end(key)
    if len(entries) > MAX_ENTRIES:
        entries.popitem(last=False)


def _hash_credentials(credentials: str) -> str:
    return hashlib.sha256(credentials.encode()).hexdigest()
