# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds of a project in the review service."""

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
_FIRST_SERVER_ERROR = 500  # says nothing about the builds


def list_builds(review: ReviewService, project: str) -> list[Fields]:
    """The builds of a project, the newest first."""
    records = list(review.records("builds", project=project)) or _verify_empty(review, project)
    return sorted(map(_parse_build, records), key=lambda build: (build["date"] or "", build["id"]), reverse=True)


def _verify_empty(review: ReviewService, project: str) -> list[Record]:
    """Return the builds of a project for which the server listed none.

    A lost response looks like an empty list. But the server refuses the configuration of a project without builds.

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
    found = list(review.records("builds", project=project))
    if build and not found:
        raise ToolchainError(
            f"The server lists no builds of the project '{project}', but has the configuration of its build '{build}': "
            "the body of the response was lost. Run the task again."
        )
    return found


def list_build_names(tool: AdminTool, project: str) -> list[Fields]:
    """The builds of a project by their names, the newest first; the tool tells nothing else of them."""
    names = reversed(tool.read_lines("list-builds", project))
    return [{"id": None, "name": name, "date": None, "keep": None} for name in names]


def to_wire(fields: Fields) -> Fields:
    """The fields of a build as the server takes them."""
    return {_WIRE_NAMES.get(field, field): value for field, value in fields.items()}


class Builds:
    """The builds of a project, and whether one of them may go."""

    def __init__(self) -> None:
        self._count = 0

    def read(self, review: ReviewService, project: str) -> list[Fields]:
        """All of them, the newest first."""
        found = list_builds(review, project)
        self._count = len(found)
        return found

    def check_change(self, name: str, before: Fields | None, wanted: Fields | None, allow_last: bool) -> None:
        """
        :raises BadOption: when there is no such build, or the last one is to be deleted unasked
        """
        if before is None:
            raise BadOption("name", f"there is no build '{name}': builds come to be there by 'kwadmin load'")
        if wanted is None and self._count == 1 and not allow_last:
            raise BadOption("allow_last", f"must be true to delete '{name}': with the last build all citing is lost")


class Pruning:
    """Deletes all builds but the newest ones, and those that are to be kept."""

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._task, self._review, self._project = task, review, task.params["project"]
        passing = [build["name"] for build in list_builds(review, self._project) if not build["keep"]]
        self._candidates = passing[task.params["keep_newest"] :]

    def plan(self) -> Fields | None:
        """What would be deleted, the newest first; `None` for nothing."""
        return summarize_plan(("delete", {"name": name}) for name in self._candidates)

    def run(self) -> Fields:
        """Delete them, the oldest first, and see which of them are gone.

        :raises ToolchainError: when one of them is still there, with all that was said of it
        """
        said = [text for name in reversed(self._candidates) for text in self._delete(name)]
        there = {build["name"] for build in list_builds(self._review, self._project)}
        left = [name for name in self._candidates if name in there]
        outcome = {"deleted": [name for name in self._candidates if name not in there], "not_deleted": left}
        self._task.has_written = self._task.has_written or bool(outcome["deleted"])
        if left:
            self._task.result.update(outcome)
            why = " ".join(said) or "The server accepted the deletions all the same."
            raise ToolchainError(
                f"{len(left)} of {len(self._candidates)} builds are still there: {', '.join(left)}. {why}"
            )
        return outcome

    def _delete(self, name: str) -> list[str]:
        """What went wrong, if anything did."""
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
