# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One build from the request for it to its end, as a task's options say."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.following import Following
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.start import Start
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import WaitTimeout

RESULTS = ("SUCCESS", "UNSTABLE", "FAILURE", "NOT_BUILT", "ABORTED")
GIVES = ("build", "queue_item", "matched_by", "console")
_JOIN = "join"


class Run:
    """A build that a task asks for, unless there is one already that will do."""

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self._start = Start(task, ci)
        self.joins = False

    def plan(self) -> dict[str, t.Any] | None:
        """What the task does: start a build, or in check mode join one that waits; `None` when there is no need."""
        skip = self._task.params["skip_if_built"]
        if skip and (build := self._start.recent(skip["results"], skip["max_age"])):
            self._task.result["build"] = build
            return None
        self.joins = self._task.check_mode and self._start.foreseen() is not None
        return {"action": _JOIN if self.joins else "start", "job": self._start.job, "parameters": self._start.shown()}

    def rehearse(self) -> dict[str, t.Any]:
        """Check in check mode whether the account may build.

        :raises ServerRefusal: if it may not
        """
        self._start.check_permission()
        return {}

    def carry_out(self) -> dict[str, t.Any]:
        """Start the build and stay with it, if that is wanted.

        :raises ToolchainError: when it ends otherwise than it should, or not in time
        """
        unknown = f"interrupted while a build of '{self._start.job}' was asked for. If it comes, it goes on."
        with self._task.on_interrupt(lambda: [unknown]):
            sent = self._start.send()
        if sent.joined:
            self._task.result["plan"]["action"] = _JOIN
        self._task.result["matched_by"] = "queue_item" if sent.named else "parameters"
        following = Following(self._task, self._ci, self._start, sent)
        try:
            if self._task.params["wait"]:
                self._stay(following)
        finally:
            self._task.result["queue_item"] = following.item
            self._task.result["console"] = list(following.lines)
        return {}

    def _stay(self, following: Following) -> None:
        try:
            build = self._task.result["build"] = following.to_its_end()
        except WaitTimeout as late:
            self._give_up(following, late)
            return
        accept = self._task.params["accept"]
        if build["result"] not in accept:
            lines = "\n".join(following.lines)
            raise ToolchainError(
                f"{following} ended with {build['result']}, not with {' or '.join(accept)}: see {build['url']}console, "
                f"which ends with:\n{lines}"
            )

    def _give_up(self, following: Following, late: WaitTimeout) -> None:
        """The time is over."""
        how = self._task.params["on_timeout"]
        left = following.stopped() if how == "stop" else "It was not stopped."
        with contextlib.suppress(ToolchainError):
            self._task.result["build"] = following.now()
        if how != "detach":
            raise ToolchainError(f"{late} {left}")
