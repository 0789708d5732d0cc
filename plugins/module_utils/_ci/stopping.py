# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ending a build: asked to stop, then its steps ended, then killed, with a look at the build after each."""

from __future__ import annotations

import typing as t
from urllib.parse import urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import builds, history, jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import OutcomeUnknown, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

WAYS = ("stop", "term", "kill")
GIVES = ("build", "stopped_by", "cancelled")
_Found = t.TypeVar("_Found")
_FIELDS = ("result", "building", "timestamp", "duration", "full_display_name")
_ITEM = "cancelled,executable[number,url],task[url],why"
# What servers answer to cancelling; what became of the item is looked up
_CANCEL_ANSWERS = (204, 302, 404, 422, 500)


class Stopping:
    """A build that shall end, or an item of the queue of which shall come none."""

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self._waits = False
        self._lost: OutcomeUnknown | None = None
        self._job: str = task.params["job"]
        self._number = 0

    def plan(self) -> dict[str, t.Any] | None:
        """What the task does; `None` when the build has ended, or the item was cancelled.

        :raises ToolchainError: when the server knows no such build or item
        """
        if (item := self._task.params["queue_item"]) is not None:
            return self._plan_for_item(item)
        return self._plan_for_build(self._task.params["build"])

    def carry_out(self) -> dict[str, t.Any]:
        """End it.

        :raises ToolchainError: when it goes on, or whether it does is not known
        """
        if self._waits and self._cancelled():
            return {"cancelled": True}
        return self._end()

    def _plan_for_item(self, number: int) -> dict[str, t.Any] | None:
        item = self._item(number)
        if item is None:
            return self._plan_for_forgotten_item(number)
        task, executable = item.maybe_record("task"), item.maybe_record("executable")
        job = jobs.name_in(executable.text("url") if executable else (task and task.maybe_text("url")) or "")
        self._check_job_of(number, job)
        if executable:
            self._job = job or self._job
            return self._plan_for_build(executable.integer("number"))
        self._waits = not item.maybe_flag("cancelled")
        self._task.result["cancelled"] = not self._waits
        if not self._waits:
            return None
        return {"action": "cancel", "job": job, "number": None, "queue_item": number, "methods": []}

    def _check_job_of(self, number: int, job: str | None) -> None:
        """An item of a job that is not the given one is left alone: one of the two is a mistake."""
        if job and self._job and job.lower() != self._job.lower():
            raise ToolchainError(
                f"Item {number} of the queue is one of '{job}', not of '{self._job}', and was left alone. "
                "Give the right 'job', or none to end what came of the item, whatever its job is."
            )

    def _plan_for_forgotten_item(self, number: int) -> dict[str, t.Any] | None:
        """The server forgets an item five minutes after it left; the build that came of it remembers."""
        if self._job is None:
            raise ToolchainError(
                f"There is no item {number} in the queue (any more): the server forgets them five minutes after they "
                "left, and when it restarts. Give 'job' too, to look for a build that came of it. "
                "Is the path in 'url' right?"
            )
        for build in history.numbered(self._ci, self._job, "number,queueId", everything=False):
            if build.maybe_integer("queueId") == number:
                return self._plan_for_build(build.integer("number"))
        return None

    def _plan_for_build(self, build: str | int) -> dict[str, t.Any] | None:
        found = builds.found(self._ci, self._job, build, _FIELDS)
        self._task.result["build"] = found
        if found is None:
            jobs.check_there(self._ci, self._job)
            if build not in builds.SELECTORS:
                raise builds.missing(self._job, build)
            return None
        if not found["building"]:
            return None
        self._number = found["number"]
        return {"action": "stop", "job": self._job, "number": self._number, "queue_item": None, "methods": self._ways}

    @property
    def _ways(self) -> list[str]:
        """As far as the task may go; without waiting nobody knows whether the next one is needed."""
        ways = WAYS[: WAYS.index(self._task.params["escalate_to"]) + 1]
        return list(ways if self._task.params["wait"] else ways[:1])

    def _item(self, number: int) -> Record | None:
        response = self._ci.view(f"/queue/item/{number}", _ITEM, accept=(200, 404))
        return None if response.status == 404 else response.record()

    def _cancelled(self) -> bool:
        """Whether the item could be cancelled before it became a build."""
        number = self._task.params["queue_item"]
        response = self._asked("/queue/cancelItem", _CANCEL_ANSWERS, query={"id": str(number)})
        if response and response.status == 204:
            return True
        item = self._read_back(lambda: self._item(number))
        if item and (executable := item.maybe_record("executable")):
            self._job = jobs.name_in(executable.text("url")) or self._job
            self._number = executable.integer("number")
            return False
        if item and item.maybe_flag("cancelled"):
            self._task.has_written = True  # by a request whose reply was lost
            return True
        status = response.status if response else "no answer"
        raise ToolchainError(
            f"Item {number} of the queue was not cancelled, POST /queue/cancelItem: {status}. "
            "The account needs the permission Job/Cancel for its job."
        )

    def _end(self) -> dict[str, t.Any]:
        path = builds.path_of(self._job, self._number)
        tried: list[str] = []
        for way in self._ways:
            response = self._asked(f"{path}/{way}", (302, 404))
            if response and _is_unknown(response, way):
                break
            tried.append(way)
            if build := self._read_back(lambda: self._ended(tried)):
                return self._outcome(build, way)
        build = self._read_back(self._look)
        if build["building"]:
            raise ToolchainError(self._goes_on(tried))
        return self._outcome(build, tried[-1] if tried else None)

    def _outcome(self, build: dict[str, t.Any], way: str | None) -> dict[str, t.Any]:
        """The result, from the build as it is read back.

        :raises OutcomeUnknown: if a response was lost and the build, which is not waited for, still runs
        """
        if self._lost and build["building"]:
            raise self._lost
        aborted = build["result"] == "ABORTED"
        self._task.has_written = self._task.has_written or aborted
        return {"build": build, "stopped_by": way if aborted else None, "cancelled": False}

    def _asked(self, path: str, accept: t.Container[int], **options: t.Any) -> Response | None:
        """The answer to a request to end something, which may be sent again; `None` when it was lost."""
        try:
            return self._ci.post(path, policy=IDEMPOTENT, accept=accept, **options)
        except OutcomeUnknown as lost:
            self._lost = lost
            return None

    def _read_back(self, read: t.Callable[[], _Found]) -> _Found:
        """What is read after a request.

        :raises OutcomeUnknown: if that fails, and the response to the request was lost
        """
        try:
            return read()
        except ToolchainError as error:
            if self._lost:
                raise OutcomeUnknown(f"{self._lost.cause} Reading back failed as well: {error}") from None
            raise

    def _ended(self, tried: list[str]) -> dict[str, t.Any] | None:
        """The build once it has ended, or as it is when the task does not wait; `None` when it goes on."""
        if not self._task.params["wait"]:
            return self._look()
        params = self._task.params
        left = f"interrupted while {self} was asked to end ({tried[-1]}). Whether it does is not known."
        try:
            return wait_for(
                self._task,
                lambda: self._look_for_end(tried),
                timeout=params["wait_timeout"],
                delay=params["wait_delay"],
                start_fast=True,
                on_interrupt=lambda: [left],
            )
        except WaitTimeout:
            return None

    def _look_for_end(self, tried: list[str]) -> dict[str, t.Any]:
        build = self._look()
        if build["building"]:
            raise NotReady(f"{self} still runs after {' and '.join(tried)}")
        return build

    def _look(self) -> dict[str, t.Any]:
        build = builds.found(self._ci, self._job, self._number, _FIELDS)
        if build is None:
            raise builds.missing(self._job, self._number)
        return build

    def _goes_on(self, tried: list[str]) -> str:
        params = self._task.params
        unknown = [way for way in self._ways if way not in tried]
        parts = [f"{self} still runs, {params['wait_timeout']:g} s after {' and '.join(tried)}."]
        if unknown:
            parts.append(f"It is no Pipeline build: the server does not know {' and '.join(unknown)} for it.")
        elif params["escalate_to"] != WAYS[-1]:
            parts.append(f"Of a Pipeline build, 'escalate_to: {WAYS[len(tried)]}' goes further.")
        return " ".join(parts)

    def __str__(self) -> str:
        return f"'{self._job}' #{self._number}"


def _is_unknown(response: Response, way: str) -> bool:
    """Whether the build knows no such way: then the server leads to the same path with a slash, where nothing is."""
    leads_to = urlsplit(response.headers.get("Location") or "").path
    return response.status == 404 or leads_to.endswith(f"/{way}/")
