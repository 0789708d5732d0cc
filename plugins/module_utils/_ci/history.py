# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The builds of a job, newest first, a page at a time."""

from __future__ import annotations

import itertools
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import builds, jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.parameters import as_text
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_PAGE = 100
_EARLIEST = 1


class Wanted(t.NamedTuple):
    """Which builds are wanted; what is `None`, or empty, does not matter.

    :ivar results: one of these, which a build that runs does not have
    :ivar newer_than: started within so many seconds
    :ivar older_than: started longer ago than so many seconds
    :ivar parameters: these values at least, as texts
    """

    results: list[str] | None
    building: bool | None
    newer_than: float | None
    older_than: float | None
    parameters: dict[str, str]

    def fields(self) -> list[str]:
        """The fields of a build that it depends on."""
        needed = {"result": self.results, "building": self.building, "parameters": self.parameters or None}
        return [name for name, condition in needed.items() if condition is not None]

    def takes(self, build: Record, shown: dict[str, t.Any]) -> bool:
        """Whether a build is wanted, by its fields."""
        if self.results is not None and shown["result"] not in self.results:
            return False
        if self.building is not None and shown["building"] != self.building:
            return False
        if self.older_than is not None and _age(build) <= self.older_than:
            return False
        return all(_has(shown["parameters"], name, text) for name, text in self.parameters.items())

    def is_everything(self) -> bool:
        """Whether each build is wanted."""
        return not self.fields() and self.newer_than is None and self.older_than is None


def _has(given: dict[str, t.Any], name: str, text: str) -> bool:
    """Whether a parameter of a build has a value; one that is not told has none."""
    return given.get(name) is not None and as_text(given[name]) == text


def listed(
    ci: CiService,
    job: str,
    fields: t.Sequence[str],
    wanted: Wanted,
    *,
    everything: bool,
    offset: int,
    limit: int | None,
) -> t.Iterator[dict[str, t.Any]]:
    """The wanted builds of a job, newest first.

    :arg fields: what to tell of each
    :arg everything: look at all builds, not only at the newest 100
    :arg offset: newest builds to pass over, wanted or not
    :arg limit: how many to give at most
    :raises ToolchainError: when there is no such job
    """
    asked = list(dict.fromkeys([*fields, *wanted.fields()]))
    members = builds.tree(asked) + ("" if "timestamp" in asked else ",timestamp")
    size = min(limit, _PAGE) if limit and wanted.is_everything() else _PAGE
    found = _chosen(numbered(ci, job, members, everything=everything, offset=offset, size=size), job, asked, wanted)
    for build in itertools.islice(found, limit):
        yield {name: value for name, value in build.items() if name in fields or name in ("job", "number", "url")}


def _chosen(found: t.Iterator[Record], job: str, asked: list[str], wanted: Wanted) -> t.Iterator[dict[str, t.Any]]:
    for build in found:
        if wanted.newer_than is not None and _age(build) > wanted.newer_than:
            return  # those that follow are older still
        shown = builds.shown(build, job, asked)
        if wanted.takes(build, shown):
            yield shown


def numbered(
    ci: CiService,
    job: str,
    members: str,
    *,
    first: int = _EARLIEST,
    everything: bool = True,
    offset: int = 0,
    size: int = _PAGE,
) -> t.Iterator[Record]:
    """The builds of a job, newest first; as many are read as are asked for.

    One that begins meanwhile moves the others on, and none is given twice.

    :arg members: what to ask for, with the `number`
    :arg first: the lowest number that is wanted
    :arg everything: also those that the server gives only when asked for all, which are beyond the newest 100
    :arg size: how many to ask for at once
    :raises ToolchainError: when there is no such job
    """
    least: int | None = None
    for page in _pages(ci, job, members, everything, offset, size):
        for build in page:
            number = build.integer("number")
            if number < first:
                return
            if least is None or number < least:
                least = number
                yield build
        if least is not None and least <= first:
            return


def _pages(ci: CiService, job: str, members: str, everything: bool, offset: int, size: int) -> t.Iterator[list[Record]]:
    start = offset
    if offset == 0 and size == _PAGE:
        # what the server gives by itself needs no range, which the oldest ones do not know
        yield (page := _page(ci, job, f"builds[{members}]"))
        if len(page) < size or not everything:
            return
        start = len(page)
    name = "allBuilds" if everything else "builds"
    while True:
        try:
            page = _page(ci, job, f"{name}[{members}]{{{start},{start + size}}}")
        except ServerRefusal as refusal:
            if refusal.status != 500 or start != offset:
                raise
            yield _page(ci, job, f"builds[{members}]")[offset:]  # of the oldest servers that is all of them
            return
        yield page
        if len(page) < size:
            return
        start += size


def _page(ci: CiService, job: str, tree: str) -> list[Record]:
    response = ci.view(jobs.path_of(job), tree, accept=(200, 404))
    if response.status == 404:
        raise jobs.missing(job)
    return response.record().maybe_records(tree.partition("[")[0])


def _age(build: Record) -> float:
    """Seconds since it started."""
    return time.time() - (build.maybe_integer("timestamp") or 0) / 1000
