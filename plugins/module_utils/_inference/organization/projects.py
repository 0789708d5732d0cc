# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Projects of an OpenAI organization."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Options that select a project
PROJECT_OPTIONS = ArgumentSpec(
    dict(project_id=dict(type="str", **NAME), project_name=dict(type="str", **NAME)),
    mutually_exclusive=[("project_id", "project_name")],
)
# The API does not mark the default project otherwise
DEFAULT_PROJECT = "Default project"

_FIELDS = ("id", "name", "external_key_id", "status", "created", "created_at", "archived", "archived_at")
_LIST_PATH = "/organization/projects"
_PATH = "/organization/projects/{}"


def list_projects(admin: AdminClient, include_archived: bool = False) -> list[Fields]:
    """Return the projects of the organization."""
    query = {"include_archived": "true"} if include_archived else None
    return [_parse_project(entry) for entry in admin.list_nonempty(_LIST_PATH, query)]


def is_archived(admin: AdminClient, id_: str) -> bool:
    """Return whether a project exists and is archived."""
    entry = admin.find(_PATH, id_)
    return entry is not None and _parse_project(entry)["status"] == "archived"


def resolve_project_id(admin: AdminClient, params: dict[str, t.Any]) -> str:
    """Return the ID of the project that `PROJECT_OPTIONS` select.

    :raises MissingName: if no project has the name
    :raises ToolchainError: if several projects have the name
    """
    if params["project_id"] is not None:
        return params["project_id"]
    project = _require_unique(_find_by_name(admin, params["project_name"]))
    if project is None:
        raise MissingName("project_name", f"no active project has the name '{params['project_name']}'")
    return project["id"]


def resolve_or_predict(task: Task, admin: AdminClient) -> str | None:
    """Return the ID of the selected project, or `None` if check mode assumes that an earlier task creates it.

    :raises MissingName: if no project has the name
    :raises ToolchainError: if several projects have the name
    """
    try:
        return resolve_project_id(admin, task.params)
    except MissingName:
        if task.predicts_missing:
            return None
        raise


class Project:
    """The project with the ID or the name in the task's options.

    It is represented by `{id, name, external_key_id, status, created, created_at, archived, archived_at}`.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._admin = AdminClient(task)
        self._name: str | None = task.params["name"]
        self._id: str | None = task.params["id"]
        self._created_id: str | None = None
        self._current_id = ""

    def find(self) -> Fields | None:
        """Return the project, `None` if it does not exist or is archived.

        If another task created a project with the same name at the same time, the one of this task is archived.

        :raises ToolchainError: if several projects have the name
        """
        project = self._find_by_name() if self._id is None else self._find_by_id(self._id)
        self._current_id = project["id"] if project else ""
        return project

    def create(self, fields: Fields) -> None:
        """Create the project."""
        self._created_id = self._admin.post(
            _LIST_PATH, json={**fields, **self._task.select_provided("residency")}
        ).text("id")

    def update(self, fields: Fields) -> None:
        """Change the name or the external key."""
        self._admin.post(_PATH, self._current_id, json=fields, is_idempotent=True)

    def archive(self) -> None:
        """Archive the project, which cannot be undone."""
        self._admin.post(f"{_PATH}/archive", self._current_id)

    def to_result(self, project: Fields) -> Fields:
        """Return the fields of the result, also for a project that does not exist yet."""
        return {**dict.fromkeys(_FIELDS), "status": "active", **project}

    def check(self, before: Fields | None, desired: Fields | None) -> None:
        """Check that the change is possible. Warn if a new project gets the name of an archived one.

        :raises ToolchainError: if no project has the ID, or if it is the default project
        :raises BadOption: if the new name is that of the default project
        """
        if before is None and self._id is not None:
            raise ToolchainError(
                f"Cannot create a project with the ID '{self._id}': the API assigns the ID. Omit 'id' to create one."
            )
        if before and before["name"] == DEFAULT_PROJECT:
            raise ToolchainError(
                f"'{DEFAULT_PROJECT}' is the default project of the organization, which cannot be changed or archived."
            )
        if desired and desired.get("name") == DEFAULT_PROJECT:
            raise BadOption("name", f"'{DEFAULT_PROJECT}' is reserved for the default project of the organization")
        if before is None and (ids := self._find_archived()):
            self._task.warn(
                f"An archived project also has the name '{self._name}' ({', '.join(ids)}). Archiving cannot be undone, "
                "so a new project is created. Use another 'name' to distinguish them."
            )
        if before and desired is None:
            self._task.display(f"archiving the project '{before['name']}' ({before['id']}), which cannot be undone")

    def _find_by_name(self) -> Fields | None:
        matches = _find_by_name(self._admin, self._name or "")
        if len(matches) > 1 and self._created_id in [project["id"] for project in matches]:
            created_id, self._created_id = self._created_id, None
            self._admin.post(f"{_PATH}/archive", created_id or "")
            return self._find_by_name()
        return _require_unique(matches)

    def _find_by_id(self, id_: str) -> Fields | None:
        entry = self._admin.find(_PATH, id_)
        project = None if entry is None else _parse_project(entry)
        if project is None or project["status"] != "archived":
            return project
        if self._task.params["state"] == "present":
            raise ToolchainError(
                f"The project '{id_}' is archived, which cannot be undone. To create a new project, omit 'id'."
            )
        return None

    def _find_archived(self) -> list[str]:
        projects = list_projects(self._admin, include_archived=True)
        return [
            project["id"] for project in projects if project["name"] == self._name and project["status"] == "archived"
        ]


def _find_by_name(admin: AdminClient, name: str) -> list[Fields]:
    return [project for project in list_projects(admin) if project["name"] == name]


def _require_unique(matches: list[Fields]) -> Fields | None:
    if len(matches) > 1:
        ids = ", ".join(sorted(project["id"] for project in matches))
        raise ToolchainError(
            f"{len(matches)} projects have the name '{matches[0]['name']}'. Specify the ID of one of them: {ids}."
        )
    return matches[0] if matches else None


def _parse_project(entry: Record) -> Fields:
    return {
        "id": entry.text("id"),
        "name": entry.maybe_text("name"),
        "external_key_id": entry.maybe_text("external_key_id"),
        "status": "archived" if entry.maybe_integer("archived_at") else entry.maybe_text("status") or "active",
        "created": entry.maybe_integer("created_at"),
        "created_at": entry.maybe_timestamp("created_at"),
        "archived": entry.maybe_integer("archived_at"),
        "archived_at": entry.maybe_timestamp("archived_at"),
    }
