# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Wait for a condition with a deadline, telling progress; an interruption is heard before it ends the task."""

from __future__ import annotations

import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

Found = t.TypeVar("Found")

_SOON = 0.05


class NotReady(Exception):
    """Raised by a probe while the condition does not hold; the text says what is missing."""


class WaitTimeout(ToolchainError):
    """The deadline passed before the condition held."""


def wait_for(
    task: Task,
    probe: t.Callable[[], Found],
    *,
    timeout: float,
    delay: float,
    start_fast: bool = False,
    on_interrupt: t.Callable[[], t.Iterable[str]] = lambda: (),
) -> Found:
    """Call `probe` until it returns, and give what it returns. The last call is at the deadline.

    :arg probe: raises `NotYet` while the condition does not hold; its requests end with the deadline
    :arg timeout: seconds to go on for
    :arg delay: seconds between two calls
    :arg soon: begin with less, for what may be done in a moment
    :arg interrupted: called on Ctrl-C, see `Task.when_interrupted`
    :raises WaitedTooLong: with what was missing last
    """
    start = time.monotonic()
    nap = min(_SOON, delay) if start_fast else delay
    with task.enforce_deadline(start + timeout), task.on_interrupt(on_interrupt):
        while True:
            try:
                return probe()
            except NotReady as missing:
                waited = time.monotonic() - start
                if waited >= timeout:
                    raise WaitTimeout(f"Waited {waited:.0f} s, but {missing}.") from None
                task.report_progress(f"waiting, {missing} ({waited:.0f} of at most {timeout:.0f} s)", str(missing))
            time.sleep(min(nap, timeout - waited))
            nap = min(2 * nap, delay)
