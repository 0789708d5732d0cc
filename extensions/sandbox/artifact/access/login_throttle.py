# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Failed logins: an account that fails several times in a row is blocked for a growing number of seconds."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import NamedTuple, TypeVar

from ...runtime.clock import Clock

ALLOWED = 2  # failures without a block
STEP = 0.5  # seconds that each further failure adds
LONGEST_BLOCK = 5.0  # seconds
REMEMBERED = 300.0  # seconds since their last use for which credentials that were right count as known
LARGEST_NUMBER = 10_000  # accounts and credentials that are remembered

Entry = TypeVar("Entry")


class Failures(NamedTuple):
    """The failed logins of an account since its last success, and the time of the latest."""

    number: int
    latest: float


class Logins:
    """The logins of all accounts, existing or not; names are those that callers give."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.clear()

    def clear(self) -> None:
        """Forget all logins."""
        self._failures = OrderedDict[str, Failures]()
        self._known = OrderedDict[str, float]()

    def blocked_seconds(self, name: str, credentials: str) -> int:
        """Return for how many seconds a login is refused; 0 if it may be tried.

        Credentials that were right a moment ago pass, because the server does not check them again. An attempt
        during the block counts as a failure, even with the right password.
        """
        failed = self._failures.get(name)
        if failed is None or failed.number <= ALLOWED or self._is_known(credentials):
            return 0
        block = min((failed.number - ALLOWED) * STEP, LONGEST_BLOCK)
        remaining = block - self._since(failed.latest)
        if remaining <= 0:
            return 0
        self.note_failure(name)
        return max(int(remaining), 1)

    def note_failure(self, name: str) -> None:
        """Count a failed login."""
        before = self._failures[name].number if name in self._failures else 0
        _keep(self._failures, name, Failures(before + 1, self._clock.now()))

    def note_success(self, name: str, credentials: str) -> None:
        """Forget the failures of an account that logged in with credentials that were not known."""
        if not self._is_known(credentials):
            self._failures.pop(name, None)
        _keep(self._known, _digest(credentials), self._clock.now())

    def _is_known(self, credentials: str) -> bool:
        latest = self._known.get(_digest(credentials))
        return latest is not None and self._since(latest) <= REMEMBERED

    def _since(self, time: float) -> float:
        """Return the seconds since a time, or until it if the clock was set back."""
        return abs(self._clock.now() - time)


def _keep(entries: OrderedDict[str, Entry], key: str, entry: Entry) -> None:
    entries[key] = entry
    entries.move_to_end(key)
    if len(entries) > LARGEST_NUMBER:
        entries.popitem(last=False)


def _digest(credentials: str) -> str:
    return hashlib.sha256(credentials.encode()).hexdigest()
