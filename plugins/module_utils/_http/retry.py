# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Retry policies and delays."""

from __future__ import annotations

import dataclasses
import math
import random
import time

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response, parse_http_date

_LONGEST_DELAY = 60.0


@dataclasses.dataclass(frozen=True)
class Policy:
    """When a request may be repeated.

    :ivar statuses: retryable statuses, unless the header `x-should-retry` decides
    :ivar is_idempotent: whether it may be repeated although the server may have acted on it: if the response is lost,
        or `x-should-retry` requests it
    :ivar rate_limit_delay: seconds to wait after a 429 without `Retry-After`, doubled with each attempt; by default the
        usual backoff
    """

    statuses: frozenset[int]
    is_idempotent: bool
    rate_limit_delay: float | None = None

    def should_retry(self, response: Response) -> bool:
        """Return whether the request may be repeated after this response."""
        if exceeds_longest_delay(response) or "insufficient_quota" in response.text:
            return False
        hint = response.headers.get("x-should-retry")
        if hint == "false" or (hint == "true" and self.is_idempotent):
            return hint == "true"
        return response.status in self.statuses

    def record_failure(self, response: Response | None) -> None:
        """Record a response that is not accepted, or with `None` if the response was lost."""

    def wait(self, seconds: float) -> bool:
        """Wait at least so many seconds, and return whether to retry."""
        time.sleep(seconds)
        return True


IDEMPOTENT = Policy(frozenset((429, 502, 503, 504)), is_idempotent=True)
WRITE = Policy(frozenset((429,)), is_idempotent=False)


def backoff(attempt: int) -> float:
    """Return the seconds to wait before a retry: exponential, with jitter, at most 8."""
    return 0.5 * 2 ** min(attempt, 4) * random.uniform(0.5, 1.0)


def retry_delay(response: Response, attempt: int, policy: Policy) -> float:
    """Return the seconds to wait before a retry: as the server requests, else a backoff."""
    requested = retry_after(response)
    if requested is not None:
        return requested + random.uniform(0, 0.1)
    if response.status == 429 and policy.rate_limit_delay is not None:
        return min(policy.rate_limit_delay * 2**attempt, _LONGEST_DELAY)
    return backoff(attempt)


def describe_retry_after(response: Response) -> str | None:
    """Return a sentence about the delay that the server requests, or `None`."""
    requested = retry_after(response)
    return f"The server requests a delay of {requested:.0f} s before the next attempt." if requested else None


def exceeds_longest_delay(response: Response) -> bool:
    """Return whether the server requests a longer delay than a task waits before a retry."""
    return (retry_after(response) or 0) > _LONGEST_DELAY


def retry_after(response: Response) -> float | None:
    """Return the delay in seconds that the server requests, or `None`."""
    requested = _seconds(response.headers.get("Retry-After-Ms"), 0.001)
    if requested is not None:
        return requested
    after = response.headers.get("Retry-After")
    date = parse_http_date(after)
    if date is None:
        return _seconds(after, 1.0)
    # both by the clock of the server, which may differ from the local clock
    return max(0.0, date - (time.time() if response.date is None else response.date))


def _seconds(value: str | None, unit: float) -> float | None:
    try:
        seconds = float(value or "") * unit
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None
