# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes what a run changed, what failed, how long its tasks took, and its recap, as JSON into the file RECAP_FILE."""

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
short_description: Writes what a run changed, what failed, how long its tasks took, and its recap, as JSON
description: The file is the one that the environment variable E(RECAP_FILE) names.
"""


class CallbackModule(CallbackBase):
    """Listens to a run of ansible-playbook."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "recap"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(*args, **kwargs)
        self._changes: list[dict[str, str]] = []
        self._with_changed_items: set[tuple[str, str]] = set()
        self._failures: list[dict[str, str]] = []
        self._seconds: list[float] = []
        self._started = 0.0

    def v2_playbook_on_task_start(self, task: t.Any, is_conditional: bool) -> None:
        """Start the watch."""
        self._started = time.perf_counter()

    def v2_runner_on_ok(self, result: t.Any) -> None:
        """Note how long a module of the collection took, and a changed task."""
        if result._task.action.startswith("buildworks.toolchain."):
            self._seconds.append(time.perf_counter() - self._started)
        self._note(result)

    def v2_runner_item_on_ok(self, result: t.Any) -> None:
        """Note a changed item."""
        self._note_item(result)

    def v2_runner_item_on_failed(self, result: t.Any) -> None:
        """Note an item that failed after a change."""
        self._note_item(result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        """Note a failure with its message, what becomes of it, and a change before it."""
        self._note(result)
        self._note_failure(result, _failure.of_failed(result, ignore_errors))

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        """The same of a host that cannot be reached."""
        self._note_failure(result, _failure.of_unreachable(result))

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        """Write it all down at the end."""
        hosts = {host: stats.summarize(host) for host in sorted(stats.processed)}
        recap = {"hosts": hosts, "changes": self._changes, "failures": self._failures, "seconds": self._seconds}
        pathlib.Path(os.environ["RECAP_FILE"]).write_text(json.dumps(recap))

    def _note(self, result: t.Any) -> None:
        """Note a changed task, unless its changed items are noted."""
        key = _key(result)
        if result._result.get("changed") and key not in self._with_changed_items:
            self._changes.append(self._told(result, ""))
        self._with_changed_items.discard(key)

    def _note_item(self, result: t.Any) -> None:
        if result._result.get("changed"):
            self._with_changed_items.add(_key(result))
            label = str(result._result.get("_ansible_item_label", "hidden by no_log"))
            self._changes.append(self._told(result, label))

    def _note_failure(self, result: t.Any, outcome: str) -> None:
        self._failures.append({**self._told(result, str(result._result.get("msg", ""))), "outcome": outcome})

    @staticmethod
    def _told(result: t.Any, item: str) -> dict[str, str]:
        return {"host": result._host.get_name(), "task": _name_of(result), "item": item}


def _key(result: t.Any) -> tuple[str, str]:
    return result._host.get_name(), result._task._uuid


def _name_of(result: t.Any) -> str:
    return result._task_fields.get("name") or result._task.action
