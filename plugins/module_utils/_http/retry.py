# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is worth another try, and how long to wait before it."""

from __future__ import annotations

import dataclasses
import math
import random
import time

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response, parse_http_date

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
    is_idempotent: bool
    rate_limit_delay: float | None = None

    def should_retry(self, response: Response) -> bool:
        """Whether the request may be sent again after this answer, in the time that the server asks for."""
        if exceeds_longest_delay(response) or "insufficient_quota" in response.text:
            return False
        hint = response.headers.get("x-should-retry")
        if hint == "false" or (hint == "true" and self.is_idempotent):
            return hint == "true"
        return response.status in self.statuses

    def record_failure(self, response: Response | None) -> None:
        """Learn from a try whose answer is not accepted, or, with `None`, whose answer was lost."""

    def wait(self, seconds: float) -> bool:
        """Wait before the next try, at least so many seconds, and return whether there is to be one."""
        time.sleep(seconds)
        return True


IDEMPOTENT = Policy(frozenset((429, 502, 503, 504)), is_idempotent=True)
WRITE = Policy(frozenset((429,)), is_idempotent=False)


def backoff(attempt: int) -> float:
    return min(0.5 * 2**attempt, 8.0) * random.uniform(0.5, 1.0)


def retry_delay(response: Response, attempt: int, policy: Policy) -> float:
    """Seconds to wait: what the server asks for, else a growing time with jitter."""
    asked = retry_after(response)
    if asked is not None:
        return asked + random.uniform(0, 0.1)
    if response.status == 429 and policy.rate_limit_delay is not None:
        return min(policy.rate_limit_delay * 2**attempt, _LONGEST_DELAY)
    return backoff(attempt)


def describe_retry_after(response: Response) -> str | None:
    """What the server asks for, to be told to the user of a request that is not repeated."""
    asked = retry_after(response)
    return f"The server asks to wait {asked:.0f} s before the next try." if asked else None


def exceeds_longest_delay(response: Response) -> bool:
    """Return whether the server asks to wait longer than a task does before it tries again."""
    return (retry_after(response) or 0) > _LONGEST_DELAY


def retry_after(response: Response) -> float | None:
    """Return the seconds that the server asks to wait before the next try, if it does."""
    asked = _seconds(response.headers.get("Retry-After-Ms"), 0.001)
    if asked is not None:
        return asked
    after = response.headers.get("Retry-After")
    then = parse_http_date(after)
    if then is None:
        return _seconds(after, 1.0)
    # both by the clock of the server, which can differ from the clock of this machine
    return max(0.0, then - (time.time() if response.date is None else response.date))


def _seconds(value: str | None, unit: float) -> float | None:
    try:
        seconds = float(value or "") * unit
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
