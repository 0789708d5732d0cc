# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A rate limiter for administrative requests, shared by all processes of a user on this machine."""

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

# Number of requests of a kind that are sent without a delay
BURST = 4
# In seconds. A stored time that is later than this results from a change of the clock
_LONGEST_DELAY = 3600.0
# Used if the file cannot be created: each process limits only its own requests
_PROCESS_SCHEDULES: dict[str, dict[str, float]] = {}


class AdminRateLimiter:
    """Delays requests so that each kind stays within `admin_requests_per_minute`.

    The schedule maps each kind of request to the time at which a full burst is available again. It is stored in a file
    in the directory for temporary files, because each task runs in its own process.

    :arg quota_key: the base URL and the key, which share a quota on the server
    """

    def __init__(self, task: Task, quota_key: t.Sequence[str]) -> None:
        self._task = task
        self._name = hashlib.sha256(json.dumps(quota_key).encode()).hexdigest()

    def wait(self, kind: str) -> None:
        """Reserve the next time slot for a kind of request, and wait for it."""
        if not self._task.params["admin_requests_per_minute"]:
            return
        interval = 60.0 / self._task.params["admin_requests_per_minute"]
        with _locked_schedule(self._name) as schedule:
            now = time.time()
            full_burst = max(now, min(schedule.get(kind, now), now + _LONGEST_DELAY))
            schedule[kind] = full_burst + interval
        wait = full_burst - now - (BURST - 1) * interval
        if wait > 0:
            self._task.display(f"waiting {wait:.0f} s before {kind} (admin_requests_per_minute)")
            time.sleep(wait)


@contextlib.contextmanager
def _locked_schedule(name: str) -> t.Iterator[dict[str, float]]:
    """Yield the schedule, locked against other processes, and store its changes."""
    try:
        path = rehearsal.resolve_write(os.path.join(temporary_directory(), name))
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        yield _PROCESS_SCHEDULES.setdefault(name, {})
        return
    with open(handle, "r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        schedule = _parse_schedule(file.read())
        yield schedule
        file.seek(0)
        file.truncate()
        json.dump(schedule, file)


def _parse_schedule(text: str) -> dict[str, float]:
    try:
        schedule = json.loads(text)
    except ValueError:
        return {}
    if not isinstance(schedule, dict):
        return {}
    return {kind: timestamp for kind, timestamp in schedule.items() if isinstance(timestamp, (int, float))}
