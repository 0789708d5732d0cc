# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The builds of a job, as far as they decide which changes are allowed."""

from __future__ import annotations

import dataclasses

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.location import item_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

# Number of builds from which Jenkins does not list all
_MAX_LISTED = 100


@dataclasses.dataclass(frozen=True)
class History:
    """The builds of a job or, for a multibranch Pipeline, its branch jobs.

    :ivar builds: description of the builds that a deletion would remove, or `None` if there are none
    :ivar running: description of a running build, or `None`
    """

    builds: str | None
    running: str | None


def fetch_history(ci: CiService, name: str) -> History:
    """Return the builds of a job. A job that does not exist has none.

    :raises UnexpectedResponse: if the response lists neither builds nor branch jobs
    """
    build = "number,building"
    tree = f"builds[{build}],jobs[name,lastBuild[{build}]]"
    response = ci.view(item_path(name), tree, accept=(200, 404))
    if response.status == 404:
        return History(None, None)
    job = response.record()
    if "jobs" not in job:
        job.records("builds")
    builds, branches = job.maybe_records("builds"), job.maybe_records("jobs")
    running = [f"build #{entry.integer('number')}" for entry in builds if entry.maybe_flag("building")]
    for branch in branches:
        last = branch.maybe_record("lastBuild")
        if last and last.maybe_flag("building"):
            running.append(f"build #{last.integer('number')} of branch '{branch.text('name')}'")
    return History(_describe_builds(builds, branches), running[0] if running else None)


def _describe_builds(builds: list[Record], branches: list[Record]) -> str | None:
    if branches:
        return f"{len(branches):,} branch job{'' if len(branches) == 1 else 's'} with their builds"
    if not builds:
        return None
    count = f"at least {_MAX_LISTED}" if len(builds) >= _MAX_LISTED else str(len(builds))
    return f"{count} build{'' if len(builds) == 1 else 's'}, of which #{builds[0].integer('number')} is the newest"
