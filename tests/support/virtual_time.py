# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual clock, which advances only when a batch of prompts waits."""

from __future__ import annotations

import time

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits import rate_limiter


def virtual_time(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let waits for limits and before retries pass at once, and return the list to which their seconds are added."""
    delays: list[float] = []

    class Time:
        @staticmethod
        def monotonic() -> float:
            return sum(delays)

        @staticmethod
        def sleep(seconds: float) -> None:
            delays.append(seconds)

        time = staticmethod(time.time)

    monkeypatch.setattr(rate_limiter, "time", Time)
    monkeypatch.setattr(rate_limiter, "pause", lambda seconds, _stop: delays.append(seconds))
    monkeypatch.setattr(retry, "time", Time)
    return delays
