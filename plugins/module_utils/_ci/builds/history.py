# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The build history of a job, newest first, read page by page."""

from __future__ import annotations

import itertools
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.parameters import to_string
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_PAGE_SIZE = 100
_FIRST_NUMBER = 1


class BuildFilter(t.NamedTuple):
    """Conditions on builds. `None` and empty dictionaries are ignored.

    :ivar results: accepted results; running builds have no result
    :ivar newer_than: maximum time since the start, in seconds
    :ivar older_than: minimum time since the start, in seconds
    :ivar parameters: values that the build must have, as strings
    """

    results: list[str] | None
    building: bool | None
    newer_than: float | None
    older_than: float | None
    parameters: dict[str, str]

    def required_fields(self) -> list[str]:
        """Return the fields of a build that the conditions refer to."""
        conditions = {"result": self.results, "building": self.building, "parameters": self.parameters or None}
        return [name for name, condition in conditions.items() if condition is not None]

    def matches(self, build: Record, fields: dict[str, t.Any]) -> bool:
        """Return whether a build meets the conditions, except for `newer_than`.

        :arg fields: result for the build, with the required fields
        """
        if self.results is not None and fields["result"] not in self.results:
            return False
        if self.building is not None and fields["building"] != self.building:
            return False
        if self.older_than is not None and _age(build) <= self.older_than:
            return False
        return all(_has_value(fields["parameters"], name, text) for name, text in self.parameters.items())

    def is_empty(self) -> bool:
        """Return whether there are no conditions."""
        return not self.required_fields() and self.newer_than is None and self.older_than is None


def _has_value(parameters: dict[str, t.Any], name: str, text: str) -> bool:
    """Return whether a parameter has a value; hidden values never match."""
    return parameters.get(name) is not None and to_string(parameters[name]) == text


def list_builds(
    ci: CiService,
    job: str,
    fields: t.Sequence[str],
    conditions: BuildFilter,
    *,
    all_builds: bool,
    offset: int,
    limit: int | None,
) -> t.Iterator[dict[str, t.Any]]:
    """Yield the builds of a job that meet the conditions, newest first.

    :arg fields: fields of the results
    :arg all_builds: consider more than the newest 100 builds
    :arg offset: number of newest builds to skip before the conditions are applied
    :arg limit: maximum number of results
    :raises ToolchainError: if the job does not exist
    """
    requested = list(dict.fromkeys([*fields, *conditions.required_fields()]))
    members = builds.build_tree(requested) + ("" if "timestamp" in requested else ",timestamp")
    size = min(limit, _PAGE_SIZE) if limit and conditions.is_empty() else _PAGE_SIZE
    records = iterate_builds(ci, job, members, all_builds=all_builds, offset=offset, size=size)
    for build in itertools.islice(_select(records, job, requested, conditions), limit):
        yield {name: value for name, value in build.items() if name in fields or name in ("job", "number", "url")}


def _select(
    records: t.Iterator[Record], job: str, requested: list[str], conditions: BuildFilter
) -> t.Iterator[dict[str, t.Any]]:
    for build in records:
        if conditions.newer_than is not None and _age(build) > conditions.newer_than:
            return  # all following builds are older
        fields = builds.to_result(build, job, requested)
        if conditions.matches(build, fields):
            yield fields


def iterate_builds(
    ci: CiService,
    job: str,
    members: str,
    *,
    first: int = _FIRST_NUMBER,
    all_builds: bool = True,
    offset: int = 0,
    size: int = _PAGE_SIZE,
) -> t.Iterator[Record]:
    """Yield the builds of a job, newest first; request further pages only as needed.

    A build that starts between two requests shifts the pages. No build is yielded twice.

    :arg members: members to request, including `number`
    :arg first: lowest build number to yield
    :arg all_builds: request more than the newest 100 builds
    :arg size: page size
    :raises ToolchainError: if the job does not exist
    """
    lowest: int | None = None
    for page in _fetch_pages(ci, job, members, all_builds, offset, size):
        for build in page:
            number = build.integer("number")
            if number < first:
                return
            if lowest is None or number < lowest:
                lowest = number
                yield build
        if lowest is not None and lowest <= first:
            return


def _fetch_pages(
    ci: CiService, job: str, members: str, all_builds: bool, offset: int, size: int
) -> t.Iterator[list[Record]]:
    start = offset
    if offset == 0 and size == _PAGE_SIZE:
        # `builds` is limited to 100 by default; without a range, the request also works on very old servers
        yield (page := _fetch_page(ci, job, f"builds[{members}]"))
        if len(page) < size or not all_builds:
            return
        start = len(page)
    name = "allBuilds" if all_builds else "builds"
    while True:
        try:
            page = _fetch_page(ci, job, f"{name}[{members}]{{{start},{start + size}}}")
        except ServerRefusal as refusal:
            if refusal.status != 500 or start != offset:
                raise
            yield _fetch_page(ci, job, f"builds[{members}]")[offset:]  # very old servers return all builds
            return
        yield page
        if len(page) < size:
            return
        start += size


def _fetch_page(ci: CiService, job: str, tree: str) -> list[Record]:
    response = ci.view(jobs.job_path(job), tree, accept=(200, 404))
    if response.status == 404:
        raise jobs.job_not_found(job)
    return response.record().maybe_records(tree.partition("[")[0])


def _age(build: Record) -> float:
    """Return the seconds since the start of a build."""
    return time.time() - (build.maybe_integer("timestamp") or 0) / 1000
