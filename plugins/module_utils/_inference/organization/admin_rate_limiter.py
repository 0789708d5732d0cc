# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Administrative calls at the pace that the service takes, over all tasks of a run and all processes here."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import temporary_directory
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# So many calls of a kind may come at once
BURST = 4
# Seconds; a moment that is farther away is from before the clock was set
_LONGEST_DELAY = 3600.0
# Where no file can be kept, each process goes by itself
_PROCESS_SCHEDULES: dict[str, dict[str, float]] = {}


class AdminRateLimiter:
    """Whose turn it is: for each kind of call the moment from which on a whole burst may come again.

    It is kept in a file of this user's in the folder for temporary files, for each task runs in a process of its own.

    :arg whose: the address and the key, which the service counts for
    """

    def __init__(self, task: Task, quota_key: t.Sequence[str]) -> None:
        self._task = task
        self._name = hashlib.sha256(json.dumps(quota_key).encode()).hexdigest()

    def wait(self, call: str) -> None:
        """Take the next turn for a kind of call, and wait for it."""
        if not self._task.params["admin_requests_per_minute"]:
            return
        every = 60.0 / self._task.params["admin_requests_per_minute"]
        with _locked_schedule(self._name) as turns:
            now = time.time()
            whole = max(now, min(turns.get(call, now), now + _LONGEST_DELAY))
            turns.update({call: whole + every})
        wait = whole - now - (BURST - 1) * every
        if wait > 0:
            self._task.display(f"waiting {wait:.0f} s for the next turn of {call}, see 'admin_requests_per_minute'")
            time.sleep(wait)


@contextlib.contextmanager
def _locked_schedule(name: str) -> t.Iterator[dict[str, float]]:
    """The moments by kind of call, which nobody else changes meanwhile; changes are kept."""
    try:
        path = rehearsal.resolve_write(os.path.join(temporary_directory(), name))
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        yield _PROCESS_SCHEDULES.setdefault(name, {})
        return
    with open(handle, "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        turns = _parse_schedule(file.read())
        yield turns
        file.seek(0)
        file.truncate()
        json.dump(turns, file)


def _parse_schedule(text: str) -> dict[str, float]:
    try:
        turns = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(turns, dict):
        return {}
    return {call: moment for call, moment in turns.items() if isinstance(moment, (int, float))}
