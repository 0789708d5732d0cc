# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stop a running build, with increasing force, or cancel a queue item; verify the effect after each request."""

from __future__ import annotations

import typing as t
from urllib.parse import urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import builds, history
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import OutcomeUnknown, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import read_back
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

METHODS = ("stop", "term", "kill")
RESULT_NAMES = ("build", "stopped_by", "cancelled")
_FIELDS = ("result", "building", "timestamp", "duration", "full_display_name")
_ITEM = "cancelled,executable[number,url],task[url],why"
# Statuses of the response to a cancel request. Only 204 proves the effect; otherwise, the item is read back
_CANCEL_STATUSES = (204, 302, 404, 422, 500)


class BuildCancellation:
    """A build to stop, or a queue item to cancel."""

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self._is_queued = False
        self._lost: OutcomeUnknown | None = None
        self._job: str = task.params["job"]
        self._number = 0

    def __str__(self) -> str:
        return f"'{self._job}' #{self._number}"

    def plan(self) -> dict[str, t.Any] | None:
        """Return the action, or `None` if the build has ended or the queue item was canceled.

        :raises ToolchainError: if the build or the queue item does not exist
        """
        if (item := self._task.params["queue_item"]) is not None:
            return self._plan_for_item(item)
        return self._plan_for_build(self._task.params["build"])

    def apply(self) -> dict[str, t.Any]:
        """Stop the build or cancel the queue item.

        :raises ToolchainError: if the build is still running, or its state is unknown
        """
        if self._is_queued and self._cancel_item():
            return {"cancelled": True}
        return self._stop_build()

    def _plan_for_item(self, number: int) -> dict[str, t.Any] | None:
        item = self._fetch_item(number)
        if item is None:
            return self._plan_for_forgotten_item(number)
        task, executable = item.maybe_record("task"), item.maybe_record("executable")
        job = jobs.parse_job_url(executable.text("url") if executable else (task and task.maybe_text("url")) or "")
        self._check_job(number, job)
        if executable:
            self._job = job or self._job
            return self._plan_for_build(executable.integer("number"))
        self._is_queued = not item.maybe_flag("cancelled")
        self._task.result["cancelled"] = not self._is_queued
        if not self._is_queued:
            return None
        return {"action": "cancel", "job": job, "number": None, "queue_item": number, "methods": []}

    def _check_job(self, number: int, job: str | None) -> None:
        """Check that the queue item belongs to the job of the task."""
        if job and self._job and job.lower() != self._job.lower():
            raise ToolchainError(
                f"Queue item {number} was not canceled: it belongs to '{job}', not to '{self._job}'. "
                "Correct 'job', or omit it to cancel the item for any job."
            )

    def _plan_for_forgotten_item(self, number: int) -> dict[str, t.Any] | None:
        """Plan for the build of an item that Jenkins has forgotten, five minutes after it left the queue."""
        if self._job is None:
            raise ToolchainError(
                f"Queue item {number} does not exist: Jenkins forgets queue items five minutes after they have left "
                "the queue and on restart. Set 'job' to find the build by its queue ID, and check the path in 'url'."
            )
        for build in history.iterate_builds(self._ci, self._job, "number,queueId", all_builds=False):
            if build.maybe_integer("queueId") == number:
                return self._plan_for_build(build.integer("number"))
        return None

    def _plan_for_build(self, selector: str | int) -> dict[str, t.Any] | None:
        build = builds.fetch_build(self._ci, self._job, selector, _FIELDS)
        self._task.result["build"] = build
        if build is None:
            jobs.verify_job_exists(self._ci, self._job)
            if selector not in builds.SELECTORS:
                raise builds.build_not_found(self._job, selector)
            return None
        if not build["building"]:
            return None
        self._number = build["number"]
        return {
            "action": "stop",
            "job": self._job,
            "number": self._number,
            "queue_item": None,
            "methods": self._methods,
        }

    @property
    def _methods(self) -> list[str]:
        """The methods to try; without waiting, only the first, because its effect is unknown."""
        methods = METHODS[: METHODS.index(self._task.params["escalate_to"]) + 1]
        return list(methods if self._task.params["wait"] else methods[:1])

    def _fetch_item(self, number: int) -> Record | None:
        response = self._ci.view(f"/queue/item/{number}", _ITEM, accept=(200, 404))
        return None if response.status == 404 else response.record()

    def _cancel_item(self) -> bool:
        """Cancel the queue item; return whether it was canceled before its build started."""
        number = self._task.params["queue_item"]
        response = self._request("/queue/cancelItem", _CANCEL_STATUSES, query={"id": str(number)})
        if response and response.status == 204:
            return True
        item = read_back(lambda: self._fetch_item(number), self._lost)
        if item and (executable := item.maybe_record("executable")):
            self._job = jobs.parse_job_url(executable.text("url")) or self._job
            self._number = executable.integer("number")
            return False
        if item and item.maybe_flag("cancelled"):
            self._task.has_written = True  # also if the response was lost
            return True
        status = response.status if response else "no response"
        raise ToolchainError(
            f"Queue item {number} was not canceled: POST /queue/cancelItem: {status}. "
            "The account needs the Job/Cancel permission on its job."
        )

    def _stop_build(self) -> dict[str, t.Any]:
        path = builds.build_path(self._job, self._number)
        tried: list[str] = []
        for method in self._methods:
            response = self._request(f"{path}/{method}", (302, 404))
            if response and _is_unsupported(response, method):
                break
            tried.append(method)
            if build := read_back(lambda: self._wait_until_ended(tried), self._lost):
                return self._to_result(build, method)
        build = read_back(self._fetch_build, self._lost)
        if build["building"]:
            raise ToolchainError(self._still_running(tried))
        return self._to_result(build, tried[-1] if tried else None)

    def _to_result(self, build: dict[str, t.Any], method: str | None) -> dict[str, t.Any]:
        """Return the result of the task for the build that was read back.

        :raises OutcomeUnknown: if a response was lost and the build, which the task does not wait for, is running
        """
        if self._lost and build["building"]:
            raise self._lost
        is_aborted = build["result"] == "ABORTED"
        self._task.has_written = self._task.has_written or is_aborted
        return {"build": build, "stopped_by": method if is_aborted else None, "cancelled": False}

    def _request(self, path: str, accept: t.Container[int], **options: t.Any) -> Response | None:
        """Send a request, which may be repeated; return `None` if the response was lost."""
        try:
            return self._ci.post(path, policy=IDEMPOTENT, accept=accept, **options)
        except OutcomeUnknown as lost:
            self._lost = lost
            return None

    def _wait_until_ended(self, tried: list[str]) -> dict[str, t.Any] | None:
        """Return the build after it has ended, or `None` on timeout. Without waiting, return its current state."""
        if not self._task.params["wait"]:
            return self._fetch_build()
        params = self._task.params
        message = f"interrupted after {self} was requested to end ({tried[-1]}). Its state is unknown."
        try:
            return wait_for(
                self._task,
                lambda: self._fetch_ended(tried),
                timeout=params["wait_timeout"],
                delay=params["wait_delay"],
                start_fast=True,
                on_interrupt=lambda: [message],
            )
        except WaitTimeout:
            return None

    def _fetch_ended(self, tried: list[str]) -> dict[str, t.Any]:
        build = self._fetch_build()
        if build["building"]:
            raise NotReady(f"{self} is still running after {' and '.join(tried)}")
        return build

    def _fetch_build(self) -> dict[str, t.Any]:
        build = builds.fetch_build(self._ci, self._job, self._number, _FIELDS)
        if build is None:
            raise builds.build_not_found(self._job, self._number)
        return build

    def _still_running(self, tried: list[str]) -> str:
        """Return the message for a build that did not end."""
        params = self._task.params
        unsupported = [method for method in self._methods if method not in tried]
        parts = [f"{self} is still running {params['wait_timeout']:g} s after {' and '.join(tried)}."]
        if unsupported:
            parts.append(f"It is not a Pipeline build, so Jenkins does not support {' and '.join(unsupported)} for it.")
        elif params["escalate_to"] != METHODS[-1]:
            parts.append(f"For a Pipeline build, try 'escalate_to: {METHODS[len(tried)]}'.")
        return " ".join(parts)


def _is_unsupported(response: Response, method: str) -> bool:
    """Return whether the build does not support the method: Jenkins then redirects to its path with a slash."""
    target = urlsplit(response.headers.get("Location") or "").path
    return response.status == 404 or target.endswith(f"/{method}/")
