# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a build as described by the options of a task."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.follow import BuildMonitor
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.trigger import BuildTrigger
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import WaitTimeout

RESULT_NAMES = ("build", "queue_item", "matched_by", "console")
_JOIN = "join"


class BuildRun:
    """A build that a task requests, unless a matching build exists.

    :ivar joins: whether the server is predicted to merge the request with an existing queue item
    """

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self._trigger = BuildTrigger(task, ci)
        self.joins = False

    def plan(self) -> dict[str, t.Any] | None:
        """Return the action of the task, or `None` if a matching build exists."""
        condition = self._task.params["skip_if_built"]
        if condition and (build := self._trigger.find_recent(condition["results"], condition["max_age"])):
            self._task.result["build"] = build
            return None
        return {"action": "start", "job": self._trigger.job, "parameters": self._trigger.parameters_result()}

    def predict(self) -> dict[str, t.Any]:
        """Check in check mode that the account may build, and whether the server would merge the request.

        :raises ServerRefusal: if it may not
        """
        self._trigger.check_permission()
        self.joins = self._trigger.find_identical_item() is not None
        if self.joins:
            self._task.result["plan"]["action"] = _JOIN
        return {}

    def apply(self) -> dict[str, t.Any]:
        """Start the build and, if requested, wait for it.

        :raises ToolchainError: if its result is not accepted or it does not finish in time
        """
        message = (
            f"interrupted while a build of '{self._trigger.job}' was requested. If it starts, it continues to run."
        )
        with self._task.on_interrupt(lambda: [message]):
            triggered = self._trigger.send()
        if triggered.is_merged:
            self._task.result["plan"]["action"] = _JOIN
        self._task.result["matched_by"] = "queue_item" if triggered.is_named else "parameters"
        monitor = BuildMonitor(self._task, self._ci, self._trigger, triggered)
        try:
            if self._task.params["wait"]:
                self._wait(monitor)
        finally:
            self._task.result["queue_item"] = monitor.item
            self._task.result["console"] = list(monitor.lines)
        return {}

    def _wait(self, monitor: BuildMonitor) -> None:
        try:
            build = self._task.result["build"] = monitor.wait_until_finished()
        except WaitTimeout as timeout:
            self._handle_timeout(monitor, timeout)
            return
        accept = self._task.params["accept"]
        if build["result"] not in accept:
            lines = "\n".join(monitor.lines)
            raise ToolchainError(
                f"The result of {monitor} is {build['result']}, not {' or '.join(accept)}. See {build['url']}console. "
                f"Last lines of the console:\n{lines}"
            )

    def _handle_timeout(self, monitor: BuildMonitor, timeout: WaitTimeout) -> None:
        on_timeout = self._task.params["on_timeout"]
        message = monitor.stop() if on_timeout == "stop" else "It was not stopped."
        with contextlib.suppress(ToolchainError):
            self._task.result["build"] = monitor.fetch_current()
        if on_timeout != "detach":
            raise ToolchainError(f"{timeout} {message}")
