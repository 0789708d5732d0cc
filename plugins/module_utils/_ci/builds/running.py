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
# The members of a computer that `read_node_builds` needs
NODE_TREE = f"executors[{_BUILD},idle],oneOffExecutors[{_BUILD},idle]"
_KINDS = ("executors", "oneOffExecutors")


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
    executors, one_off = (_list_executors(computers, kind) for kind in _KINDS)
    hidden_count = (computers.maybe_integer("busyExecutors") or 0) - len(_read_executables(executors))
    return RunningBuilds(_describe_builds([*executors, *one_off]), max(0, hidden_count))


def read_node_builds(computer: Record) -> RunningBuilds:
    """Return the builds that are running on a node, from the members `NODE_TREE` of its computer."""
    executors = [executor for kind in _KINDS for executor in computer.maybe_records(kind)]
    busy = [executor for executor in executors if executor.maybe_flag("idle") is False]
    return RunningBuilds(_describe_builds(executors), max(0, len(busy) - len(_read_executables(executors))))


def _list_executors(computers: Record, kind: str) -> list[Record]:
    return [executor for computer in computers.maybe_records("computer") for executor in computer.maybe_records(kind)]


def _read_executables(executors: list[Record]) -> list[Record]:
    """Return the builds on executors, as far as the account can read them."""
    return [build for executor in executors if (build := executor.maybe_record("currentExecutable"))]


def _describe_builds(executors: list[Record]) -> list[dict[str, t.Any]]:
    return [
        {
            "name": build.maybe_text("fullDisplayName") or url,
            "job": jobs.parse_job_url(url),
            "number": build.integer("number"),
            "url": url,
        }
        for build in _read_executables(executors)
        if (url := build.maybe_text("url"))
    ]
