# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Follow a build from the queue to its end."""

from __future__ import annotations

import collections
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import builds, history, queue
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.cancel import BuildCancellation
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.console import Console
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.trigger import (
    BuildTrigger,
    TriggeredBuild,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts.tolerance import tolerate_restart
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, wait_for

# Console lines to show for one poll
_MAX_LINES_PER_POLL = 50
# Options for stopping the build at a timeout or an interruption, when only little time is left
_STOP_OPTIONS: dict[str, t.Any] = {"escalate_to": "stop", "wait": True, "wait_timeout": 10.0, "wait_delay": 0.5}
# Control characters and sequences that terminals interpret
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class BuildMonitor:
    """Waits for one build, also while the server restarts.

    :arg trigger: the request for the build
    :arg triggered: the result of the request
    :ivar item: ID of the queue item, if the server has item IDs
    :ivar number: build number, after the build has started
    :ivar lines: the last lines of the console output
    """

    def __init__(self, task: Task, ci: CiService, trigger: BuildTrigger, triggered: TriggeredBuild) -> None:
        self.item, self.number = triggered.location
        self.lines: collections.deque[str] = collections.deque(maxlen=task.params["console_lines"])
        self._task = task
        self._ci = ci
        self._trigger = trigger
        self._triggered = triggered
        self._job = trigger.job
        self._console: Console | None = None

    def __str__(self) -> str:
        if self.number is not None:
            return f"'{self._job}' #{self.number}"
        return f"queue item {self.item} of '{self._job}'" if self.item is not None else f"the build of '{self._job}'"

    def wait_until_finished(self) -> dict[str, t.Any]:
        """Return the build after it has finished.

        :raises WaitTimeout: if it has not finished in time
        :raises ToolchainError: if it was canceled in the queue or deleted
        """
        params = self._task.params
        return wait_for(
            self._task,
            self._fetch_finished,
            timeout=params["wait_timeout"],
            delay=params["wait_delay"],
            start_fast=True,
            on_interrupt=self._handle_interrupt,
        )

    def fetch_current(self) -> dict[str, t.Any] | None:
        """Return the build in its current state, or `None` if it has not started."""
        return None if self.number is None else builds.fetch_build(self._ci, self._job, self.number)

    def _fetch_finished(self) -> dict[str, t.Any]:
        with tolerate_restart():
            if self.number is None:
                self.number = self._fetch_number()
            path = builds.build_path(self._job, self.number)
            self._console = self._console or Console(self._ci, path, no_retry=True)
            if not self._console.is_complete:
                self._show_new_lines(self._console)
            if not self._console.is_complete:
                raise NotReady(f"{self} is running")
            build = builds.fetch_build(self._ci, self._job, self.number, no_retry=True)
        if build is None:
            raise self._deletion_error()
        if build["building"]:
            raise NotReady(f"{self} is running")
        return build

    def _deletion_error(self) -> ToolchainError:
        return ToolchainError(f"Waiting for {self} failed: the build was deleted.")

    def _fetch_number(self) -> int:
        """Return the build number.

        :raises NotReady: while the build is in the queue
        """
        if self.item is None:
            location = self._trigger.find_build()
            self.item = location.item
            if location.number is None:
                raise NotReady(f"{self} is in the queue")
            return location.number
        number = queue.fetch_build_number(self._ci, self.item, no_retry=True)
        return self._find_number_by_queue_id() if number is None else number

    def _find_number_by_queue_id(self) -> int:
        """Return the build number if the server has forgotten the queue item."""
        first = self._trigger.first_number
        for build in history.iterate_builds(self._ci, self._job, "number,queueId", first=first):
            if build.maybe_integer("queueId") == self.item:
                return build.integer("number")
        raise ToolchainError(
            f"Cannot find the build of queue item {self.item}: the server has forgotten the item, and '{self._job}' "
            "has no build for it. The item was canceled, or the build was deleted."
        )

    def _show_new_lines(self, console: Console) -> None:
        """Show the console lines since the last poll."""
        new_lines: collections.deque[str] = collections.deque(maxlen=_MAX_LINES_PER_POLL)
        count = 0
        try:
            for line in console.read_lines():
                count += 1
                new_lines.append(_CONTROL.sub("", line))
                self.lines.append(new_lines[-1])
        except ServerRefusal as refusal:
            if refusal.status == 404:
                raise self._deletion_error() from None
            raise
        finally:
            if count > len(new_lines):
                self._task.display(f"({count - len(new_lines)} more lines)")
            for line in new_lines:
                self._task.display(line)

    def _handle_interrupt(self) -> t.Iterator[str]:
        """Stop the build if requested; yield messages about its state."""
        if self._task.params["on_timeout"] == "stop":
            yield f"interrupted, stopping {self}."
            yield self.stop()
        else:
            yield f"interrupted, {self} continues to run."

    def stop(self) -> str:
        """Stop the build or cancel its queue item, unless another client requested it, too; return a message."""
        if self.number is None and self.item is None:
            return f"Stopping {self} is not possible: the server does not report its queue item."
        if reason := self._reason_to_keep():
            return f"It was not stopped: {reason}."
        selector = {"build": str(self.number)} if self.number else {"build": None, "queue_item": self.item}
        params = {"job": self._job, "queue_item": None, **selector, **_STOP_OPTIONS}
        params["timeout"] = min(self._task.params["timeout"], _STOP_OPTIONS["wait_timeout"])
        cancellation = BuildCancellation(self._task.create_item_task(params, diff_mode=False), self._ci)
        try:
            if cancellation.plan() is None:
                return "It has finished in the meantime."
            result = cancellation.apply()
        except ToolchainError as error:
            return f"Stopping it failed: {error}"
        return (
            "Its queue item was canceled." if result["cancelled"] else f"It was stopped: {result['build']['result']}."
        )

    def _reason_to_keep(self) -> str | None:
        """Return why the build may be another client's as well, or `None` if only this task requested it."""
        if self._triggered.is_merged:
            return "it was already in the queue, and the server merged this request with it"
        if self._triggered.is_lost:
            return "the response to the request was lost, so the build may be another client's"
        path = builds.build_path(self._job, self.number) if self.number else f"/queue/item/{self.item}"
        try:
            causes = queue.count_causes(self._ci, path)
        except ToolchainError as error:
            return f"reading its causes failed: {str(error).rstrip('.')}"
        return None if causes == 1 else f"it has {causes} causes, not only this request"
