# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The builds that are running on a server."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_BUILD = "currentExecutable[fullDisplayName,number,url]"
# The members of `/computer` that `read_running_builds` needs
TREE = f"busyExecutors,computer[executors[{_BUILD}],oneOffExecutors[{_BUILD}]]"


class RunningBuilds(t.NamedTuple):
    """The running builds; false if no build is running.

    :ivar visible: results for the builds that the account can read
    :ivar hidden_count: number of the other builds
    """

    visible: list[dict[str, t.Any]]
    hidden_count: int

    def __bool__(self) -> bool:
        return bool(self.visible or self.hidden_count)

    def __str__(self) -> str:
        names = self.names(3)
        if not self.hidden_count:
            return f"{len(self.visible)} build(s) are still running: {names}"
        if not names:
            return f"{self.describe_hidden()} are still running"
        return f"{len(self.visible)} build(s) are still running: {names}; and {self.describe_hidden()}"

    def names(self, count: int) -> str:
        """Return the names of the first visible builds."""
        return ", ".join(build["name"] for build in self.visible[:count])

    def describe_hidden(self) -> str:
        """Return the number of hidden builds as text."""
        return f"{self.hidden_count} build(s) that the account cannot read"


def read_running_builds(computers: Record) -> RunningBuilds:
    """Return the running builds from the members `TREE` of `/computer`."""
    executables = _read_executables(computers, "executors")
    visible = [
        {
            "name": build.maybe_text("fullDisplayName") or url,
            "job": jobs.parse_job_url(url),
            "number": build.integer("number"),
            "url": url,
        }
        for build in executables + _read_executables(computers, "oneOffExecutors")
        if (url := build.maybe_text("url"))
    ]
    return RunningBuilds(visible, max(0, (computers.maybe_integer("busyExecutors") or 0) - len(executables)))


def _read_executables(computers: Record, kind: str) -> list[Record]:
    """Return the builds on executors of a kind, as far as the account can read them."""
    executors = [
        executor for computer in computers.maybe_records("computer") for executor in computer.maybe_records(kind)
    ]
    return [build for executor in executors if (build := executor.maybe_record("currentExecutable"))]
