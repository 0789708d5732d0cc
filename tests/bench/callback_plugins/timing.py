# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record the end of each task and loop item, and the memory of the worker that runs it."""

from __future__ import annotations

import json
import os
import pathlib
import time

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: timing
type: aggregate
short_description: Write the times of tasks and items to a JSON Lines file
description: Used by the benchmark. The environment variable TIMING_FILE names the file.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "timing"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._events = []
        self._items = 0

    def v2_playbook_on_task_start(self, task, is_conditional):
        self._items = 0
        self._record("start", task.get_name())

    def v2_runner_item_on_ok(self, result):
        self._items += 1
        rss = _worker_rss() if self._items in (10, 1000) else None
        self._record("item", result._task.get_name(), number=self._items, rss_kb=rss)

    def v2_runner_on_ok(self, result):
        self._record("end", result._task.get_name())

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._record("failed", result._task.get_name(), message=str(result._result.get("msg")))

    def v2_playbook_on_stats(self, stats):
        pathlib.Path(os.environ["TIMING_FILE"]).write_text("".join(f"{json.dumps(event)}\n" for event in self._events))

    def _record(self, event, task, **more):
        self._events.append({"event": event, "task": task, "at": time.perf_counter(), **more})


def _worker_rss():
    """Return the kilobytes of the only worker of this process, or `None`."""
    children = pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    for line in pathlib.Path(f"/proc/{children[-1]}/status").read_text().splitlines() if children else ():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return None
