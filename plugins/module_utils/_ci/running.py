# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What runs on a CI server now."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_BUILD = "currentExecutable[fullDisplayName,number,url]"
# The members of `/computer` that `builds` reads
RUNNING = f"busyExecutors,computer[executors[{_BUILD}],oneOffExecutors[{_BUILD}]]"


class Builds(t.NamedTuple):
    """What runs: the builds that the account may see, and the number of the others. False when nothing runs."""

    seen: list[dict[str, t.Any]]
    unseen: int

    def __bool__(self) -> bool:
        return bool(self.seen or self.unseen)

    def __str__(self) -> str:
        names = self.names(3)
        if not self.unseen:
            return f"{len(self.seen)} build(s) still run: {names}"
        hidden = f"{self.unseen} build(s) that this account may not see"
        return f"{len(self.seen)} build(s) still run: {names}; and {hidden}" if names else f"{hidden} still run"

    def names(self, most: int) -> str:
        """The names of the first of those that the account may see."""
        return ", ".join(build["name"] for build in self.seen[:most])


def builds(computers: Record) -> Builds:
    """What runs, from the members `RUNNING` of `/computer`."""
    executors = _current(computers, "executors")
    seen = [
        {
            "name": build.maybe_text("fullDisplayName") or url,
            "job": jobs.name_in(url),
            "number": build.integer("number"),
            "url": url,
        }
        for build in executors + _current(computers, "oneOffExecutors")
        if (url := build.maybe_text("url"))
    ]
    return Builds(seen, max(0, (computers.maybe_integer("busyExecutors") or 0) - len(executors)))


def _current(computers: Record, kind: str) -> list[Record]:
    """What the executors of a kind run, as far as the account may see it."""
    executors = [one for computer in computers.maybe_records("computer") for one in computer.maybe_records(kind)]
    return [build for executor in executors if (build := executor.maybe_record("currentExecutable"))]
