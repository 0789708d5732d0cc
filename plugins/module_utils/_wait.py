# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Polling for a condition until a deadline."""

from __future__ import annotations

import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

Value = t.TypeVar("Value")

_FIRST_DELAY = 0.05  # seconds


class NotReady(Exception):
    """Raised by a probe while the condition does not hold. The text describes the current state."""


class WaitTimeout(ToolchainError):
    """The condition did not hold before the deadline."""


def wait_for(
    task: Task,
    probe: t.Callable[[], Value],
    *,
    timeout: float,
    delay: float,
    start_fast: bool = False,
    on_interrupt: t.Callable[[], t.Iterable[str]] = lambda: (),
) -> Value:
    """Call `probe` until it returns a value, and return this value. The last call is at the deadline.

    :arg probe: raises `NotReady` while the condition does not hold; its requests are limited to the deadline
    :arg timeout: seconds until the deadline
    :arg delay: polling interval in seconds
    :arg start_fast: whether to start with a short interval, which doubles up to `delay`
    :arg on_interrupt: called on SIGINT and SIGTERM, see `Task.on_interrupt`
    :raises WaitTimeout: with the last state that the probe described
    """
    start = time.monotonic()
    interval = min(_FIRST_DELAY, delay) if start_fast else delay
    with task.enforce_deadline(start + timeout), task.on_interrupt(on_interrupt):
        while True:
            try:
                return probe()
            except NotReady as missing:
                waited = time.monotonic() - start
                if waited >= timeout:
                    raise WaitTimeout(f"Waited {waited:.0f} s, but {missing}.") from None
                task.report_progress(f"waiting, {missing} ({waited:.0f} of at most {timeout:.0f} s)", str(missing))
            time.sleep(min(interval, timeout - waited))
            interval = min(2 * interval, delay)
