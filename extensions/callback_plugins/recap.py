# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write changes, failures, task durations and the recap of a run to the JSON file that RECAP_FILE names."""

from __future__ import annotations

import json
import os
import pathlib
import time
import typing as t

from ansible.plugins.callback import CallbackBase

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _failure

DOCUMENTATION = """
name: recap
type: aggregate
short_description: Write the result of a run to a JSON file
description: Writes changes, failures, task durations and the recap to the path in E(RECAP_FILE).
"""


class CallbackModule(CallbackBase):
    """Callback plugin for rehearsals and the demo."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "recap"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args: t.Any, **kwargs: t.Any) -> None:
        """Start without results."""
        super().__init__(*args, **kwargs)
        self._changes: list[dict[str, str]] = []
        self._tasks_with_items: set[tuple[str, str]] = set()
        self._failures: list[dict[str, str]] = []
        self._seconds: list[float] = []
        self._started = 0.0

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:
        """Start the timer of a task."""
        self._started = time.perf_counter()

    def v2_runner_on_ok(self, result: t.Any) -> None:
        """Record the duration of a module of the collection, and a change."""
        if result._task.action.startswith("buildworks.toolchain."):
            self._seconds.append(time.perf_counter() - self._started)
        self._record_change(result)

    def v2_runner_item_on_ok(self, result: t.Any) -> None:
        """Record a changed item."""
        self._record_item(result)

    def v2_runner_item_on_failed(self, result: t.Any) -> None:
        """Record an item that failed after a change."""
        self._record_item(result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        """Record a failure with its message and outcome, and a change before it."""
        self._record_change(result)
        self._record_failure(result, _failure.classify_failed(result, ignore_errors))

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        """Record an unreachable host."""
        self._record_failure(result, _failure.classify_unreachable(result))

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        """Write the file."""
        hosts = {host: stats.summarize(host) for host in sorted(stats.processed)}
        recap = {"hosts": hosts, "changes": self._changes, "failures": self._failures, "seconds": self._seconds}
        pathlib.Path(os.environ["RECAP_FILE"]).write_text(json.dumps(recap))

    def _record_change(self, result: t.Any) -> None:
        """Record a changed task, unless its changed items are recorded."""
        key = _key(result)
        if result._result.get("changed") and key not in self._tasks_with_items:
            self._changes.append(self._to_entry(result, ""))
        self._tasks_with_items.discard(key)

    def _record_item(self, result: t.Any) -> None:
        if result._result.get("changed"):
            self._tasks_with_items.add(_key(result))
            label = str(result._result.get("_ansible_item_label", "hidden by no_log"))
            self._changes.append(self._to_entry(result, label))

    def _record_failure(self, result: t.Any, outcome: str) -> None:
        self._failures.append({**self._to_entry(result, str(result._result.get("msg", ""))), "outcome": outcome})

    @staticmethod
    def _to_entry(result: t.Any, item: str) -> dict[str, str]:
        return {"host": result._host.get_name(), "task": _task_name(result), "item": item}


def _key(result: t.Any) -> tuple[str, str]:
    return result._host.get_name(), result._task._uuid


def _task_name(result: t.Any) -> str:
    return result._task_fields.get("name") or result._task.action
