# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Old runs of a build discarded: foreseen here, and looked for afterwards, for the server tells neither."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import build_files, builds, times
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

_TOLD = 10


def check(params: Fields) -> None:
    """
    :raises BadOption: when the build cannot have that name
    """
    builds.address(params["build"])


def build(params: Fields) -> tuple[str, str | None]:
    """Return what no two of many retentions may have in common."""
    return params["build"], params["project_key"]


class Retention:
    """The discarding of the old runs of one build, as the options of a task say.

    :ivar promoted: runs that are old enough, but stay because they were promoted
    """

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        self.promoted: list[Fields] = []
        self._task = task
        self._artifact = artifact
        self._build: str = task.params["build"]
        self._project: str | None = task.params["project_key"]
        self._since = self._minimum_date()
        self._before: list[Fields] = []
        self._going: list[Fields] = []
        self._left: list[Fields] = []

    def plan(self) -> Fields | None:
        """Return what goes: runs, and with `artifacts` their files.

        :raises ToolchainError: when there is no such build, or its files cannot be told from those of runs that stay
        """
        self._before = self._runs()
        if not self._before:
            raise ToolchainError(f"There is no build '{self._build}', or this account may not see it.")
        for place, run in enumerate(self._before):
            if self._is_old(place, run):
                self._sort_out(run)
        if self._task.params["artifacts"]:
            kept = [run for run in self._before if run not in self._going]
            build_files.check_unshared(self._artifact, self._build, self._project, self._going, kept)
        return summarize_plan(
            [
                *(("discard run", run) for run in self._going),
                *(("delete file", file) for file in self._files(self._going)),
            ]
        )

    def rehearse(self) -> Fields:
        """
        :raises ToolchainError: when the server would refuse it
        """
        self._artifact.check_pro("Build retention")
        return {}

    def carry_out(self) -> Fields:
        """Order it, and see what came of it.

        :raises ToolchainError: when the server refused, or when it accepted and something is still there
        """
        trouble = self._order()
        if not self._task.params["wait"]:
            if trouble:
                raise trouble
            return {}
        left = self._left_after(0.0 if trouble else self._task.params["wait_timeout"])
        gone = [run for run in self._going if run not in left]
        self._task.result["discarded"] = gone
        self._task.has_written = bool(gone)
        if left:
            rest = f"{len(left):,} of {len(self._going):,} runs are still there: {_numbers(left)}."
            if trouble:
                raise ToolchainError(f"{describe_cause(trouble)} {rest}") if gone else trouble
            raise ToolchainError(
                f"The server accepted the order, but {rest} The account may lack the permission Delete on the build."
            )
        if trouble:
            self._task.warn(f"{describe_cause(trouble)} All runs that were to go are gone.")
        build_files.check_gone(self._files(gone))
        return {"discarded": gone}

    def _minimum_date(self) -> str | None:
        given = self._task.params["minimum_date"]
        return times.check(given, "minimum_date") if given else None

    def _runs(self) -> list[Fields]:
        return builds.runs(self._artifact, self._build, self._project)

    def _is_old(self, place: int, run: Fields) -> bool:
        """Whether a run goes unless it was promoted: neither among the newest, nor recent, nor named to be kept."""
        params = self._task.params
        among_newest = params["count"] is not None and place < params["count"]
        recent = self._since is not None and run["started"] >= self._since
        return not (among_newest or recent or run["number"] in (params["keep"] or ()))

    def _sort_out(self, run: Fields) -> None:
        found = builds.find(self._artifact, self._build, **run, project_key=self._project)
        if found and found["statuses"]:
            self.promoted.append({**run, "status": found["statuses"][-1]["status"]})
        elif found:
            self._going.append(run)

    def _files(self, runs: list[Fields]) -> list[Fields]:
        if not self._task.params["artifacts"]:
            return []
        return build_files.of_runs(self._artifact, self._build, [run["number"] for run in runs])

    def _order(self) -> ToolchainError | None:
        """Send the order; gives what went wrong, after which the runs tell what was done."""
        params = self._task.params
        query = {"async": "false" if params["wait"] else "true", **builds.in_project(self._project)}
        try:
            self._artifact.http.write(
                "POST",
                builds.address(self._build, act="retention"),
                query=query,
                json=self._wishes(),
                accept=(200, 204),
                policy=IDEMPOTENT,
                timeout_option=max(("timeout", "wait_timeout"), key=params.__getitem__),
            )
        except (OutcomeUnknown, ServerRefusal) as error:
            return error
        return None

    def _wishes(self) -> Fields:
        wishes: Fields = {"deleteBuildArtifacts": self._task.params["artifacts"], **self._task.select_provided("count")}
        if self._since:
            wishes["minimumBuildDate"] = times.milliseconds(self._since)
        if self._task.params["keep"]:
            wishes["buildNumbersNotToBeDiscarded"] = self._task.params["keep"]
        return wishes

    def _left_after(self, seconds: float) -> list[Fields]:
        """Return the runs that were to go and are still there, after at most so many seconds."""
        left = f"interrupted while the server discards {len(self._going):,} run(s). It goes on with it."
        with contextlib.suppress(WaitTimeout):
            wait_for(
                self._task,
                self._check_gone,
                timeout=seconds,
                delay=self._task.params["wait_delay"],
                on_interrupt=lambda: [left],
            )
        return self._left

    def _check_gone(self) -> None:
        there = self._runs()
        self._left = [run for run in self._going if run in there]
        if self._left:
            raise NotReady(f"{len(self._left):,} of {len(self._going):,} runs are still there")
        surplus = [run for run in self._before if run not in there and run not in self._going]
        if surplus:
            self._task.warn(f"These runs are gone as well, which was not foreseen: {_numbers(surplus)}.")


def _numbers(runs: t.Sequence[Fields]) -> str:
    named = ", ".join(f"'{run['number']}'" for run in runs[:_TOLD])
    return f"{named} and {len(runs) - _TOLD:,} more" if len(runs) > _TOLD else named
