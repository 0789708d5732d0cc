# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The jobs in folders, and the builds of a job, as far as they decide which changes are allowed."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import names
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.location import item_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job import types
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import required
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

# Number of builds from which Jenkins does not list all
_MAX_LISTED = 100


@dataclasses.dataclass(frozen=True)
class Entry:
    """An item in a folder.

    :ivar is_buildable: `None` if Jenkins does not say
    """

    is_folder: bool
    is_buildable: bool | None


@dataclasses.dataclass(frozen=True)
class Folder:
    """A folder with its items by name. A multibranch Pipeline is a folder of branch jobs, and a job itself."""

    is_multibranch: bool
    items: dict[str, Entry]


@dataclasses.dataclass(frozen=True)
class History:
    """The builds of a job or, for a multibranch Pipeline, its branch jobs.

    :ivar builds: description of the builds that a deletion would remove, or `None` if there are none
    :ivar running: description of a running build
    """

    builds: str | None
    running: str | None


class Controller:
    """The state of a Jenkins controller that the items of a task share, as it was before the task changed it."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def list_folder(self, ci: CiService, folder: str) -> Folder | None:
        """Return a folder, or `None` if it does not exist or is not a folder.

        :arg folder: full name, empty for the root
        """
        return self._values.get(f"folder {folder}", lambda: list_folder(ci, folder))

    def check_plugins(self, ci: CiService, plugins: t.Iterable[str], purpose: str) -> None:
        """
        :raises ToolchainError: if a plugin is not installed or not active
        """
        for plugin in plugins:
            required.check_required(self._values.get("plugins", lambda: required.list_plugins(ci)), plugin, purpose)

    def list_jobs(self, ci: CiService, items: t.Iterable[dict[str, t.Any]]) -> set[str]:
        """Return the jobs in the folders of these items, except the jobs that an item renames."""
        folders = {names.split(item["name"])[0] for item in items}
        found: set[str] = set()
        for name in sorted(folders):
            folder = self.list_folder(ci, name)
            if folder and not folder.is_multibranch:
                found |= {names.join(name, last) for last, entry in folder.items.items() if not entry.is_folder}
        return found - {item.get("previous_name") for item in items}


def list_folder(ci: CiService, folder: str) -> Folder | None:
    """Return a folder, or `None` if it does not exist or is not a folder."""
    response = ci.view(item_path(folder), "jobs[name,buildable,jobs[name]{0,1}]", accept=(200, 404))
    if response.status == 404 or "jobs" not in response.record():
        return None
    record = response.record()
    items = {item.text("name"): _read_entry(item) for item in record.records("jobs")}
    return Folder(record.get("_class") == types.MULTIBRANCH, items)


def fetch_history(ci: CiService, name: str) -> History:
    """Return the builds of an existing job. A job that does not exist has none."""
    build = "number,building"
    tree = f"builds[{build}],jobs[name,lastBuild[{build}]]"
    response = ci.view(item_path(name), tree, accept=(200, 404))
    if response.status == 404:
        return History(None, None)
    job = response.record()
    builds, branches = job.maybe_records("builds"), job.maybe_records("jobs")
    running = [f"Build #{entry.integer('number')}" for entry in builds if entry.maybe_flag("building")]
    for branch in branches:
        last = branch.maybe_record("lastBuild")
        if last and last.maybe_flag("building"):
            running.append(f"Build #{last.integer('number')} of branch '{branch.text('name')}'")
    return History(_describe_builds(builds, branches), running[0] if running else None)


def is_on_hold(ci: CiService, name: str, is_disabled: bool) -> bool:
    """Return whether Jenkins does not build a job, although it is enabled, until its configuration is saved."""
    response = ci.view(item_path(name), "buildable", accept=(200, 404))
    return response.status == 200 and not is_disabled and response.record().maybe_flag("buildable") is False


def _read_entry(item: Record) -> Entry:
    is_folder = "jobs" in item and item.get("_class") != types.MULTIBRANCH
    return Entry(is_folder, item.maybe_flag("buildable"))


def _describe_builds(builds: list[Record], branches: list[Record]) -> str | None:
    if branches:
        return f"{len(branches):,} branch job{'' if len(branches) == 1 else 's'} with their builds"
    if not builds:
        return None
    count = f"at least {_MAX_LISTED}" if len(builds) >= _MAX_LISTED else str(len(builds))
    return f"{count} build{'' if len(builds) == 1 else 's'}, of which #{builds[0].integer('number')} is the newest"
