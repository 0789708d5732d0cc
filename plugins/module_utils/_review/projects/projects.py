# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Projects of the review service."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.kwadmin import AdminTool, check_arguments
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import builds, modules
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.resource_name import ResourceName
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.write_only import WriteOnlyFields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

WRITE_ONLY = ("auto_delete_builds", "auto_delete_threshold")
# The major version from which on a server creates projects
_CREATE_SINCE = 23
# Members of a configuration that may be of digits alone, and count nothing
_TEXT_MEMBERS = ("build", "version")
_MAX_DIGITS = 18
# The statuses that servers may refuse an unknown project with
_UNKNOWN_PROJECT = (400, 404)


def list_projects(review: ReviewService, streams: bool | None = None) -> list[Fields]:
    """The projects that the account may see, by name; with `streams` those of projects, too."""
    records = review.records("projects", include_streams=streams or None)
    return sorted(map(_parse_project, records), key=lambda project: project["name"])


def project_ids(review: ReviewService) -> dict[str, str]:
    """Name to id of the projects that the account may see."""
    return {project["name"]: project["id"] for project in list_projects(review)}


def is_missing(review: ReviewService, name: str) -> bool:
    """Return whether there is no project of this name that the account may see.

    :raises ToolchainError: if the server neither lists projects nor says that there is no such project
    """
    if found := project_ids(review):
        return name not in found
    _check_unknown(review, name)
    return True


def _check_unknown(review: ReviewService, name: str) -> None:
    """Verify that the server refuses to list the modules of a project, because it does not know the project.

    An account may see no project at all. A lost response looks the same, but each project has a module.

    :raises ToolchainError: if a response was lost
    """
    try:
        review.list_nonempty("modules", project=name, always=f"the module '{modules.DEFAULT_MODULE}'")
    except ServerRefusal as error:
        if error.status in _UNKNOWN_PROJECT:
            return
        raise
    raise ToolchainError(
        f"The server lists no projects, but it lists the modules of the project '{name}': the body of a response was "
        "lost. Run the task again."
    )


def read_configuration(review: ReviewService, project: str, build: str | None) -> Fields:
    """What was analysed in a build, the latest one unless told: figures as numbers, and all as the server says it.

    :raises ToolchainError: when the server tells anything but one record
    """
    records = list(review.records("project_configuration", project=project, build=build))
    if len(records) != 1:
        raise ToolchainError(f"The server tells {len(records)} configurations of the project '{project}', not one.")
    (record,) = records
    return {
        "build": record.maybe_text("build"),
        "version": record.maybe_text("version"),
        "taxonomies": sort_unique(filter(None, (record.maybe_text("taxonomies") or "").split(", "))),
        "figures": {
            name: int(value) for name, value in record.items() if name not in _TEXT_MEMBERS and _is_number(value)
        },
        "raw": dict(record),
    }


def list_taxonomies(review: ReviewService, project: str) -> list[Fields]:
    """The taxonomies of a project, by name."""
    found = review.records("taxonomies", project=project)
    told = [{"name": record.text("name"), "custom": bool(record.maybe_flag("is_custom"))} for record in found]
    return sorted(told, key=lambda taxonomy: str(taxonomy["name"]))


class Projects:
    """The projects of a server: by its Web API, and where the task has it used, by its administration tool."""

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._review, self._task = review, task
        self._removes = task.params["state"] == "absent"
        self._tool = AdminTool(task) if task.params["use_admin_tool"] else None
        self._needs_properties = any(task.params[name] is not None for name in WRITE_ONLY)
        self._create_with: t.Callable[[str], t.Any] = self._create

    def find(self, naming: ResourceName) -> Fields | None:
        """The project, with those properties that only the tool tells, where they are of interest."""
        existing = list_projects(self._review)
        found = naming.find(existing)
        if self._removes and not existing:
            _check_unknown(self._review, naming.desired)
        if found and self._tool and self._needs_properties:
            return {**found, **_read_properties(self._tool, found["name"])}
        return found

    def check_change(self, name: str, before: Fields | None) -> None:
        """
        :raises BadOption: if a project with builds would be deleted without permission
        :raises ToolchainError: when a project is to be created, and nothing is at hand that can
        """
        if self._removes and not self._task.params["allow_delete"]:
            self._check_deletion(name)
        if before is not None:
            return
        told = server.read_version(self._review)
        if server.major_version(told) >= _CREATE_SINCE:
            return
        if self._tool is None:
            raise ToolchainError(
                f"There is no project '{name}', or this account may not see it, and this server ({told['text']}) "
                "creates none by its Web API, which servers do from 2023 on. Projects come to be there by "
                "'kwadmin create-project', which 'use_admin_tool: true' runs, by an import (review_project_import), "
                "or by a load."
            )
        check_arguments(name)
        self._create_with = self._create_with_tool

    def _check_deletion(self, name: str) -> None:
        streams = [
            one["name"] for one in list_projects(self._review, streams=True) if one["name"].startswith(f"{name}/")
        ]
        for project in (name, *streams):
            if count := len(builds.list_builds(self._review, project)):
                raise BadOption(
                    "allow_delete",
                    f"must be true to delete '{name}': '{project}' has {count} build(s), which are deleted with all "
                    "issues and their history",
                )

    def create(self, unreadable: WriteOnlyFields, fields: Fields) -> None:
        """Make a project, and set then what its creation does not take."""
        name, rest = fields["name"], {field: value for field, value in fields.items() if field != "name"}
        self._create_with(name)
        if rest:
            unreadable.send(lambda sent: self._review.write("update_project", name=name, **sent), rest)

    def _create(self, name: str) -> None:
        self._review.write("create_project", name=name)

    def _create_with_tool(self, name: str) -> None:
        if self._tool:
            self._tool.write("create-project", name)


def to_result(project: Fields) -> Fields:
    """The project as the user sees it, with all its fields; those that the server does not tell are none."""
    return {"id": None, "creator": None, "description": "", "tags": [], **dict.fromkeys(WRITE_ONLY), **project}


def _read_properties(tool: AdminTool, project: str) -> Fields:
    """Whether and when builds are deleted, as far as the tool tells it: a threshold, which is null for never.

    How the tool writes properties is not published; name and value may have a sign between them or not.
    """
    for line in tool.read_lines("get-project-properties", project):
        found = re.fullmatch(r"\s*auto_delete_threshold\s*[=:\s]\s*(\S*)\s*", line)
        if found and found[1].isdecimal():
            return {"auto_delete_builds": True, "auto_delete_threshold": int(found[1])}
        if found:
            return {"auto_delete_builds": False}
    return {}


def _is_number(value: t.Any) -> bool:
    return isinstance(value, str) and value.isdecimal() and len(value) <= _MAX_DIGITS


def _parse_project(record: Record) -> Fields:
    return {
        "id": record.text("id"),
        "name": record.text("name"),
        "creator": record.maybe_text("creator"),
        "description": record.maybe_text("description") or "",
        "tags": sort_unique(record.maybe_texts("tags")),
    }
