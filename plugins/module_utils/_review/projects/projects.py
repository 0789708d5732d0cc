# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Klocwork projects."""

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
# First major version whose Web API creates projects
_CREATE_SINCE = 23
# Members of a configuration that are not numbers even if they consist of digits
_TEXT_MEMBERS = ("build", "version")
_MAX_DIGITS = 18
# Statuses of responses to requests for an unknown project
_UNKNOWN_PROJECT = (400, 404)


def list_projects(review: ReviewService, streams: bool | None = None) -> list[Fields]:
    """Return the projects that the account can see, sorted by name; with `streams`, their streams as well."""
    records = review.records("projects", include_streams=streams or None)
    return sorted(map(_parse_project, records), key=lambda project: project["name"])


def project_ids(review: ReviewService) -> dict[str, str]:
    """Return the IDs of the projects that the account can see, by name."""
    return {project["name"]: project["id"] for project in list_projects(review)}


def is_missing(review: ReviewService, name: str) -> bool:
    """Return whether the account can see no project with this name.

    :raises ToolchainError: if the list of projects is empty because a response was lost
    """
    if ids := project_ids(review):
        return name not in ids
    _check_unknown(review, name)
    return True


def _check_unknown(review: ReviewService, name: str) -> None:
    """Verify that a project does not exist if the server lists no projects at all.

    An empty list can also be a lost response. The modules of an existing project are never an empty list.

    :raises ToolchainError: if a response was lost
    """
    try:
        review.list_nonempty("modules", project=name, always=f"the module '{modules.DEFAULT_MODULE}'")
    except ServerRefusal as error:
        if error.status in _UNKNOWN_PROJECT:
            return
        raise
    raise ToolchainError(
        f"Cannot list the projects: the body of the response was lost. The list is empty, but project '{name}' has "
        "modules. Run the task again."
    )


def read_configuration(review: ReviewService, project: str, build: str | None) -> Fields:
    """Return the configuration of a build, with numeric values in `figures` and all values in `raw`.

    :arg build: name of the build; `None` for the latest one
    :raises ToolchainError: if the server does not return exactly one record
    """
    records = list(review.records("project_configuration", project=project, build=build))
    if len(records) != 1:
        raise ToolchainError(
            f"Expected one configuration for project '{project}', but the server returned {len(records)}."
        )
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
    """Return the taxonomies of a project, sorted by name."""
    records = review.records("taxonomies", project=project)
    taxonomies = [{"name": record.text("name"), "custom": bool(record.maybe_flag("is_custom"))} for record in records]
    return sorted(taxonomies, key=lambda taxonomy: str(taxonomy["name"]))


class Projects:
    """The projects of a server, managed with the Web API and, with `use_admin_tool`, with kwadmin."""

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._review, self._task = review, task
        self._removes = task.params["state"] == "absent"
        self._tool = AdminTool(task) if task.params["use_admin_tool"] else None
        self._needs_properties = any(task.params[name] is not None for name in WRITE_ONLY)
        self._create_with: t.Callable[[str], t.Any] = self._create

    def find(self, name: ResourceName) -> Fields | None:
        """Return the project, with the properties that only kwadmin reports if they are needed, or `None`."""
        existing = list_projects(self._review)
        project = name.find(existing)
        if self._removes and not existing:
            _check_unknown(self._review, name.desired)
        if project and self._tool and self._needs_properties:
            return {**project, **_read_properties(self._tool, project["name"])}
        return project

    def check_change(self, name: str, before: Fields | None) -> None:
        """Refuse to delete a project with builds without `allow_delete`, and select the way to create a project.

        :raises BadOption: if the project has builds
        :raises ToolchainError: if the project cannot be created
        """
        if self._removes and not self._task.params["allow_delete"]:
            self._check_deletion(name)
        if before is not None:
            return
        version = server.read_version(self._review)
        if server.major_version(version) >= _CREATE_SINCE:
            return
        if self._tool is None:
            raise ToolchainError(
                f"Cannot create project '{name}': the Web API of this server ({version['text']}) does not support it; "
                "Klocwork 2023 or later is required. Set 'use_admin_tool: true' to run 'kwadmin create-project', or "
                "import the project (review_project_import). If the project exists, the account has no access to it."
            )
        check_arguments(name)
        self._create_with = self._create_with_tool

    def _check_deletion(self, name: str) -> None:
        streams = [
            stream["name"]
            for stream in list_projects(self._review, streams=True)
            if stream["name"].startswith(f"{name}/")
        ]
        for project in (name, *streams):
            if count := len(builds.list_builds(self._review, project)):
                raise BadOption(
                    "allow_delete",
                    f"must be true to delete '{name}': '{project}' has {count} build(s), which would be deleted with "
                    "all issues and their history",
                )

    def create(self, unreadable: WriteOnlyFields, fields: Fields) -> None:
        """Create a project, then set the fields that the create request does not accept."""
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
    """Return the project with all fields of the result. Unknown values are `None`."""
    return {"id": None, "creator": None, "description": "", "tags": [], **dict.fromkeys(WRITE_ONLY), **project}


def _read_properties(tool: AdminTool, project: str) -> Fields:
    """Return the settings of automatic build deletion. kwadmin prints no number if it is disabled.

    The output format is not documented, so that different separators between name and value are accepted.
    """
    for line in tool.read_lines("get-project-properties", project):
        match = re.fullmatch(r"\s*auto_delete_threshold\s*[=:\s]\s*(\S*)\s*", line)
        if match and match[1].isdecimal():
            return {"auto_delete_builds": True, "auto_delete_threshold": int(match[1])}
        if match:
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
