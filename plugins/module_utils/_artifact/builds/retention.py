# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Discard old runs of a build. Artifactory reports no details, so the plan is computed here and verified afterwards."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import build_files, build_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
    describe_cause,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, summarize_plan
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_MAX_NAMED = 10


def check(params: Fields) -> None:
    """Validate the name of the build.

    :raises BadOption: if it is invalid
    """
    build_info.address(params["build"])


def build_key(params: Fields) -> tuple[str, str | None]:
    """Return the identity of the build, which must be unique among the items."""
    return params["build"], params["project_key"]


class Retention:
    """The retention of one build.

    :ivar promoted: runs that are old enough, but are kept because they were promoted
    """

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        self.promoted: list[Fields] = []
        self._task = task
        self._artifact = artifact
        self._build: str = task.params["build"]
        self._project: str | None = task.params["project_key"]
        self._since = self._get_minimum_date()
        self._initial_runs: list[Fields] = []
        self._planned: list[Fields] = []
        self._remaining: list[Fields] = []

    def plan(self) -> Fields | None:
        """Return the runs to discard and, with `artifacts`, their files.

        :raises ToolchainError: if the build does not exist, or if its files cannot be distinguished from those of runs
            to keep
        """
        self._initial_runs = self._list_runs()
        if not self._initial_runs:
            raise ToolchainError(f"Build '{self._build}' does not exist, or the account has no Read permission on it.")
        for place, run in enumerate(self._initial_runs):
            if self._is_old(place, run):
                self._classify(run)
        if self._task.params["artifacts"]:
            retained = [run for run in self._initial_runs if run not in self._planned]
            build_files.check_unshared(self._artifact, self._build, self._project, self._planned, retained)
        return summarize_plan(
            [
                *(("discard run", run) for run in self._planned),
                *(("delete file", file) for file in self._find_files(self._planned)),
            ]
        )

    def check(self) -> None:
        """Verify that the server has build retention. The open-source edition can accept the request and ignore it.

        :raises ToolchainError: if it does not
        """
        editions.check(self._artifact, features.BUILD_RETENTION)
        build_info.check_project(self._artifact, self._project)

    def discard(self) -> Fields:
        """Request the retention and verify that the runs no longer exist.

        :raises ToolchainError: if the server refused the request, or if runs or files still exist
        """
        error = self._send_request()
        if not self._task.params["wait"]:
            if error:
                raise error
            return {}
        remaining = self._wait_until_discarded(0.0 if error else self._task.params["wait_timeout"])
        discarded = [run for run in self._planned if run not in remaining]
        self._task.result["discarded"] = discarded
        self._task.has_written = bool(discarded)
        if remaining:
            rest = f"{len(remaining):,} of {len(self._planned):,} runs still exist: {_format_numbers(remaining)}."
            if error:
                raise ToolchainError(f"{describe_cause(error)} {rest}") if discarded else error
            raise ToolchainError(
                f"The server accepted the request, but {rest} Check that the account has the Delete permission "
                "on the build."
            )
        if error:
            self._task.warn(f"{describe_cause(error)} Reading back shows that all runs were discarded.")
        build_files.check_deleted(self._find_files(discarded))
        return {"discarded": discarded}

    def _get_minimum_date(self) -> str | None:
        date = self._task.params["minimum_date"]
        return times.check_time(date, "minimum_date") if date else None

    def _list_runs(self) -> list[Fields]:
        return build_info.list_runs(self._artifact, self._build, self._project)

    def _is_old(self, place: int, run: Fields) -> bool:
        """Return whether a run can be discarded unless it was promoted: not among the newest, not recent, and not in
        `keep`.
        """
        params = self._task.params
        among_newest = params["count"] is not None and place < params["count"]
        recent = self._since is not None and run["started"] >= self._since
        return not (among_newest or recent or run["number"] in (params["keep"] or ()))

    def _classify(self, run: Fields) -> None:
        details = build_info.find_run(self._artifact, self._build, **run, project_key=self._project)
        if details and details["statuses"]:
            self.promoted.append({**run, "status": details["statuses"][-1]["status"]})
        elif details:
            self._planned.append(run)

    def _find_files(self, runs: list[Fields]) -> list[Fields]:
        if not self._task.params["artifacts"]:
            return []
        return build_files.find_files_of_runs(self._artifact, self._build, [run["number"] for run in runs])

    def _send_request(self) -> ToolchainError | None:
        """Send the request and return its error, if any. After an error, the list of runs shows what was done."""
        params = self._task.params
        query = {"async": "false" if params["wait"] else "true", **build_info.project_query(self._project)}
        try:
            self._artifact.http.write(
                "POST",
                build_info.address(self._build, action="retention"),
                query=query,
                json=self._build_request(),
                accept=(200, 204),
                policy=IDEMPOTENT,
                timeout_option=max(("timeout", "wait_timeout"), key=params.__getitem__),
            )
        except (OutcomeUnknown, ServerRefusal) as error:
            return error
        return None

    def _build_request(self) -> Fields:
        request: Fields = {
            "deleteBuildArtifacts": self._task.params["artifacts"],
            **self._task.select_provided("count"),
        }
        if self._since:
            request["minimumBuildDate"] = times.to_milliseconds(self._since)
        if self._task.params["keep"]:
            request["buildNumbersNotToBeDiscarded"] = self._task.params["keep"]
        return request

    def _wait_until_discarded(self, seconds: float) -> list[Fields]:
        """Return the runs to discard that still exist after at most this time."""
        message = f"interrupted while the server discards {len(self._planned):,} run(s). The server continues."
        with contextlib.suppress(WaitTimeout):
            wait_for(
                self._task,
                self._check_discarded,
                timeout=seconds,
                delay=self._task.params["wait_delay"],
                on_interrupt=lambda: [message],
            )
        return self._remaining

    def _check_discarded(self) -> None:
        current = self._list_runs()
        self._remaining = [run for run in self._planned if run in current]
        if self._remaining:
            raise NotReady(f"{len(self._remaining):,} of {len(self._planned):,} runs still exist")
        unplanned = [run for run in self._initial_runs if run not in current and run not in self._planned]
        if unplanned:
            self._task.warn(
                f"These runs were also discarded, although they were not planned: {_format_numbers(unplanned)}."
            )


def _format_numbers(runs: t.Sequence[Fields]) -> str:
    named = ", ".join(f"'{run['number']}'" for run in runs[:_MAX_NAMED])
    return f"{named} and {len(runs) - _MAX_NAMED:,} more" if len(runs) > _MAX_NAMED else named
