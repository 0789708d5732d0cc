# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Staying with one build, from its place in the queue to its end."""

from __future__ import annotations

import collections
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import builds, history, queue, restarts
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.console import Console
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.start import Sent, Start
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.stopping import Stopping
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, wait_for

# Lines of the console that are told at one look
_TOLD_AT_ONCE = 50
# How it is stopped: without force, and soon, for somebody waits
_STOP: dict[str, t.Any] = {"escalate_to": "stop", "wait": True, "wait_timeout": 10.0, "wait_delay": 0.5}
# What a terminal would take for more than text
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Following:
    """One build that a task stays with, through restarts of the server.

    :arg start: the request for it
    :arg sent: what came of the request
    :ivar item: its number in the queue, where items have numbers
    :ivar number: of the build, once it has one
    :ivar lines: the last lines of its console
    """

    def __init__(self, task: Task, ci: CiService, start: Start, sent: Sent) -> None:
        self.number = sent.place.number
        self.lines: collections.deque[str] = collections.deque(maxlen=task.params["console_lines"])
        self._task = task
        self._ci = ci
        self._start = start
        self._sent = sent
        self._job = start.job
        self.item = sent.place.item
        self._console: Console | None = None

    def __str__(self) -> str:
        if self.number is not None:
            return f"'{self._job}' #{self.number}"
        return f"item {self.item} of '{self._job}'" if self.item is not None else f"the build of '{self._job}'"

    def to_its_end(self) -> dict[str, t.Any]:
        """The build once it has ended.

        :raises WaitedTooLong: when it has not in time
        :raises ToolchainError: when it was cancelled in the queue, or is not there any more
        """
        params = self._task.params
        return wait_for(
            self._task,
            self._ended,
            timeout=params["wait_timeout"],
            delay=params["wait_delay"],
            start_fast=True,
            on_interrupt=self._interrupted,
        )

    def now(self) -> dict[str, t.Any] | None:
        """The build as it is, or `None` while it has no number."""
        return None if self.number is None else builds.found(self._ci, self._job, self.number)

    def _ended(self) -> dict[str, t.Any]:
        with restarts.outlasted():
            if self.number is None:
                self.number = self._number()
            self._console = self._console or Console(self._ci, builds.path_of(self._job, self.number), no_retry=True)
            if not self._console.ended:
                self._read(self._console)
            build = builds.found(self._ci, self._job, self.number, no_retry=True) if self._console.ended else None
        if self._console.ended and build is None:
            raise ToolchainError(f"{self} is not there any more: somebody deleted it.")
        if build is None or build["building"]:
            raise NotReady(f"{self} runs")
        return build

    def _number(self) -> int:
        """The number of the build.

        :raises NotYet: while it has none
        """
        if self.item is None:
            place = self._start.look()
            self.item = place.item
            if place.number is None:
                raise NotReady(f"{self} waits in the queue")
            return place.number
        number = queue.build_of(self._ci, self.item, no_retry=True)
        return self._number_by_queue_id() if number is None else number

    def _number_by_queue_id(self) -> int:
        """Once the queue has forgotten the item, the builds alone tell what came of it."""
        for build in history.numbered(self._ci, self._job, "number,queueId", first=self._start.first):
            if build.maybe_integer("queueId") == self.item:
                return build.integer("number")
        raise ToolchainError(
            f"Item {self.item} of the queue is not remembered any more, and no build of '{self._job}' came of it: "
            "it was cancelled, or the build was deleted."
        )

    def _read(self, console: Console) -> None:
        """Tell what was printed since the last look."""
        fresh: collections.deque[str] = collections.deque(maxlen=_TOLD_AT_ONCE)
        number = 0
        try:
            for line in console.lines():
                number += 1
                fresh.append(_CONTROL.sub("", line))
                self.lines.append(fresh[-1])
        except ServerRefusal as refusal:
            if refusal.status == 404:
                raise ToolchainError(f"{self} is not there any more: somebody deleted it.") from None
            raise
        finally:
            if number > len(fresh):
                self._task.display(f"({number - len(fresh)} lines more)")
            for line in fresh:
                self._task.display(line)

    def _interrupted(self) -> t.Iterator[str]:
        """How the build is left."""
        if self._task.params["on_timeout"] == "stop":
            yield f"interrupted, stopping {self}."
            yield self.stopped()
        else:
            yield f"interrupted, {self} goes on."

    def stopped(self) -> str:
        """Stop the build, or cancel its queue item, unless another client wants it too; return how it is left."""
        if self.number is None and self.item is None:
            return f"Stopping {self} is not possible: this server does not tell which item of the queue it is."
        if reason := self._reason_to_keep():
            return f"It was left alone: {reason}."
        which = {"build": str(self.number)} if self.number else {"build": None, "queue_item": self.item}
        params = {"job": self._job, "queue_item": None, **which, **_STOP}
        params["timeout"] = min(self._task.params["timeout"], _STOP["wait_timeout"])
        stopping = Stopping(self._task.create_item_task(params, diff_mode=False), self._ci)
        try:
            if stopping.plan() is None:
                return "It has ended meanwhile."
            done = stopping.carry_out()
        except ToolchainError as error:
            return f"Stopping it failed: {error}"
        return "It was taken out of the queue." if done["cancelled"] else f"It was stopped: {done['build']['result']}."

    def _reason_to_keep(self) -> str | None:
        """Return why the build may be another client's as well, or `None` if it is only the task's own."""
        if self._sent.joined:
            return "it waited in the queue before, and the server merged this request with it"
        if self._sent.lost:
            return "the response to the request was lost, so the build may be another client's"
        path = builds.path_of(self._job, self.number) if self.number else f"/queue/item/{self.item}"
        try:
            causes = queue.count_causes(self._ci, path)
        except ToolchainError as error:
            return f"reading who else requested it failed: {str(error).rstrip('.')}"
        return None if causes == 1 else f"it has {causes} causes, not only this request"
