# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds of a Klocwork project."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, summarize_plan
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.kwadmin import AdminTool
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects.modules import DEFAULT_MODULE
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import NOT_PERMITTED, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_WIRE_NAMES = {"keep": "keepit"}
_FIRST_SERVER_ERROR = 500  # the statuses from here on say nothing about the builds


def list_builds(review: ReviewService, project: str) -> list[Fields]:
    """Return the builds of a project, newest first."""
    records = list(review.records("builds", project=project)) or _verify_empty(review, project)
    return sorted(map(_parse_build, records), key=lambda build: (build["date"] or "", build["id"]), reverse=True)


def _verify_empty(review: ReviewService, project: str) -> list[Record]:
    """Verify that a project has no builds, and return the builds of a second request.

    A lost response looks like an empty list. The server refuses to return the configuration of a project without
    builds.

    :raises ToolchainError: if the project has a build that is not listed
    """
    try:
        configuration = next(iter(review.records("project_configuration", project=project)), None)
    except ServerRefusal as error:
        if error.status in NOT_PERMITTED:
            raise
        if error.status < _FIRST_SERVER_ERROR:
            return []
        configuration = None
    build = configuration.maybe_text("build") if configuration else None
    if not build:
        review.list_nonempty("modules", project=project, always=f"the module '{DEFAULT_MODULE}'")
    records = list(review.records("builds", project=project))
    if build and not records:
        raise ToolchainError(
            f"Cannot list the builds of project '{project}': the body of the response was lost. The list is empty, but "
            f"the server has the configuration of build '{build}'. Run the task again."
        )
    return records


def list_build_names(tool: AdminTool, project: str) -> list[Fields]:
    """Return the builds of a project, newest first. kwadmin reports only their names."""
    names = reversed(tool.read_lines("list-builds", project))
    return [{"id": None, "name": name, "date": None, "keep": None} for name in names]


def to_wire(fields: Fields) -> Fields:
    """Return the fields of a build with the names of the Web API."""
    return {_WIRE_NAMES.get(field, field): value for field, value in fields.items()}


class Builds:
    """The builds of a project, and the checks before one of them is changed."""

    def __init__(self) -> None:
        self._count = 0

    def read(self, review: ReviewService, project: str) -> list[Fields]:
        """Return all builds, newest first."""
        builds = list_builds(review, project)
        self._count = len(builds)
        return builds

    def check_change(self, name: str, before: Fields | None, desired: Fields | None, allow_last: bool) -> None:
        """Refuse to create a build, and to delete the last one without `allow_last`.

        :raises BadOption: if the change is refused
        """
        if before is None:
            raise BadOption("name", f"build '{name}' does not exist. Load it with 'kwadmin load' first")
        if desired is None and self._count == 1 and not allow_last:
            raise BadOption(
                "allow_last", f"must be true to delete '{name}': it is the last build, and all citations would be lost"
            )


class Pruning:
    """Deletes all builds of a project except the newest ones and those that are marked as kept."""

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._task, self._review, self._project = task, review, task.params["project"]
        passing = [build["name"] for build in list_builds(review, self._project) if not build["keep"]]
        self._candidates = passing[task.params["keep_newest"] :]

    def plan(self) -> Fields | None:
        """Return the planned deletions, newest build first, or `None`."""
        return summarize_plan(("delete", {"name": name}) for name in self._candidates)

    def run(self) -> Fields:
        """Delete the builds, oldest first, and verify the result by reading the list.

        :raises ToolchainError: if one of the builds still exists
        """
        errors = [text for name in reversed(self._candidates) for text in self._delete(name)]
        existing = {build["name"] for build in list_builds(self._review, self._project)}
        not_deleted = [name for name in self._candidates if name in existing]
        outcome = {"deleted": [name for name in self._candidates if name not in existing], "not_deleted": not_deleted}
        self._task.has_written = self._task.has_written or bool(outcome["deleted"])
        if not_deleted:
            self._task.result.update(outcome)
            cause = " ".join(errors) or "The server accepted the requests, but still lists the builds."
            total = len(self._candidates)
            raise ToolchainError(
                f"Could not delete {len(not_deleted)} of {total} builds: {', '.join(not_deleted)}. {cause}"
            )
        return outcome

    def _delete(self, name: str) -> list[str]:
        """Delete a build and return the error messages."""
        try:
            self._review.write("delete_build", project=self._project, name=name)
        except (OutcomeUnknown, ServerRefusal) as error:
            return [str(error)]
        return []


def _parse_build(record: Record) -> Fields:
    return {
        "id": record.integer("id"),
        "name": record.text("name"),
        "date": record.maybe_timestamp("date", per_second=1000),
        "keep": bool(record.maybe_flag("keepit")),
    }
