# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is worth another try, and how long to wait before it."""

from __future__ import annotations

import dataclasses
import math
import random
import time

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.answer import Answer, parse_http_date

_LONGEST_DELAY = 60.0


@dataclasses.dataclass(frozen=True)
class Policy:
    """When a request may be sent again.

    :ivar statuses: after which answers, unless `x-should-retry` says otherwise
    :ivar acted: also when the server may have acted on it: after a lost reply, or because `x-should-retry` says so
    :ivar slow: seconds to wait after the first 429 that does not say how long, twice as long after the next; by default
        as after other troubles
    """

    statuses: frozenset[int]
    acted: bool
    slow: float | None = None

    def repeats(self, answer: Answer) -> bool:
        """Whether the request may be sent again after this answer, in the time that the server asks for."""
        if has_long_delay(answer) or "insufficient_quota" in answer.text:
            return False
        hint = answer.headers.get("x-should-retry")
        if hint == "false" or (hint == "true" and self.acted):
            return hint == "true"
        return answer.status in self.statuses

    def note_failure(self, answer: Answer | None) -> None:
        """Learn from a try whose answer is not accepted, or, with `None`, whose answer was lost."""

    def wait(self, seconds: float) -> bool:
        """Wait before the next try, at least so many seconds, and return whether there is to be one."""
        time.sleep(seconds)
        return True


REPEATABLE = Policy(frozenset((429, 502, 503, 504)), acted=True)
WRITE = Policy(frozenset((429,)), acted=False)


def backoff(attempt: int) -> float:
    return min(0.5 * 2**attempt, 8.0) * random.uniform(0.5, 1.0)


def delay(answer: Answer, attempt: int, policy: Policy) -> float:
    """Seconds to wait: what the server asks for, else a growing time with jitter."""
    asked = retry_after(answer)
    if asked is not None:
        return asked + random.uniform(0, 0.1)
    if answer.status == 429 and policy.slow is not None:
        return min(policy.slow * 2**attempt, _LONGEST_DELAY)
    return backoff(attempt)


def request_to_wait(answer: Answer) -> str | None:
    """What the server asks for, to be told to the user of a request that is not repeated."""
    asked = retry_after(answer)
    return f"The server asks to wait {asked:.0f} s before the next try." if asked else None


def has_long_delay(answer: Answer) -> bool:
    """Return whether the server asks to wait longer than a task does before it tries again."""
    return (retry_after(answer) or 0) > _LONGEST_DELAY


def retry_after(answer: Answer) -> float | None:
    """Return the seconds that the server asks to wait before the next try, if it does."""
    asked = _seconds(answer.headers.get("Retry-After-Ms"), 0.001)
    if asked is not None:
        return asked
    after = answer.headers.get("Retry-After")
    then = parse_http_date(after)
    if then is None:
        return _seconds(after, 1.0)
    # both by the clock of the server, which can differ from the clock of this machine
    return max(0.0, then - (time.time() if answer.date is None else answer.date))


def _seconds(value: str | None, unit: float) -> float | None:
    try:
        seconds = float(value or "") * unit
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
