# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The projects of an organization."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Which project a module is about
PROJECT_OPTIONS = ArgumentSpec(
    dict(project_id=dict(type="str", **NAME), project_name=dict(type="str", **NAME)),
    mutually_exclusive=[("project_id", "project_name")],
)
# As the service names it; the record does not tell
DEFAULT_PROJECT = "Default project"

_MEMBERS = ("id", "name", "external_key_id", "status", "created", "created_at", "archived", "archived_at")
_ALL = "/organization/projects"
_ONE = "/organization/projects/{}"


def list_projects(admin: AdminClient, archived: bool = False) -> list[Fields]:
    """The projects, the archived ones too if they are wanted."""
    query = {"include_archived": "true"} if archived else None
    return [_parse_project(entry) for entry in admin.list_nonempty(_ALL, query)]


def is_archived(admin: AdminClient, id_: str) -> bool:
    """Return whether a project exists and is archived."""
    entry = admin.find(_ONE, id_)
    return entry is not None and _parse_project(entry)["status"] == "archived"


def resolve_project_id(admin: AdminClient, params: dict[str, t.Any]) -> str:
    """The id of the project that `PROJECT` chooses.

    :raises BadOption: when none, or more than one, has the name
    """
    if params["project_id"] is not None:
        return params["project_id"]
    project = _require_unique(_find_by_name(admin, params["project_name"]))
    if project is None:
        raise BadOption("project_name", f"there is no project '{params['project_name']}' that is not archived")
    return project["id"]


class Project:
    """One project, by its id or its name.

    A project is `{id, name, external_key_id, status, created, created_at, archived, archived_at}`.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._admin = AdminClient(task)
        self._name: str | None = task.params["name"]
        self._id: str | None = task.params["id"]
        self._made: str | None = None
        self._found = ""  # its id

    def find(self) -> Fields | None:
        """The project, or `None` when there is none or it is archived.

        What this task has made gives way when another has made one of the same name in the meantime.

        :raises ToolchainError: when more than one has the name
        """
        project = self._by_name() if self._id is None else self._by_id(self._id)
        self._found = project["id"] if project else ""
        return project

    def create(self, fields: Fields) -> None:
        """Make it."""
        self._made = self._admin.post(_ALL, json={**fields, **self._task.select_provided("residency")}).text("id")

    def update(self, fields: Fields) -> None:
        """Change its name or its external key."""
        self._admin.post(_ONE, self._found, json=fields, repeatable=True)

    def archive(self) -> None:
        """There is no way back."""
        self._admin.post(f"{_ONE}/archive", self._found)

    def to_result(self, project: Fields) -> Fields:
        """The project with all its members, also when it is to be made yet."""
        return {**dict.fromkeys(_MEMBERS), "status": "active", **project}

    def check(self, before: Fields | None, wanted: Fields | None) -> None:
        """Warn when a new one gets the name of one that is archived.

        :raises ToolchainError: when there is none with the `id`; when it is the default project, which the service lets
            be neither changed nor archived
        :raises BadOption: when it would be taken for that one from then on
        """
        if before is None and self._id is not None:
            what = f"There is no project with the id '{self._id}'"
            raise ToolchainError(f"{what}, and a new one gets an id of its own.")
        if before and before["name"] == DEFAULT_PROJECT:
            raise ToolchainError(
                f"'{DEFAULT_PROJECT}' is the organization's own: it can be neither changed nor archived."
            )
        if wanted and wanted.get("name") == DEFAULT_PROJECT:
            raise BadOption("name", f"'{DEFAULT_PROJECT}' is that of the organization's own project, and of no other")
        if before is None and (ids := self._archived_of_the_name()):
            self._task.warn(
                f"'{self._name}' is the name of an archived project as well ({', '.join(ids)}). Archiving cannot be "
                "undone, so a new project gets the name. Give another 'name' to tell them apart."
            )
        if before and wanted is None:
            self._task.display(f"archiving the project '{before['name']}' ({before['id']}), which cannot be undone")

    def _by_name(self) -> Fields | None:
        found = _find_by_name(self._admin, self._name or "")
        if len(found) > 1 and self._made in [project["id"] for project in found]:
            made, self._made = self._made, None
            self._admin.post(f"{_ONE}/archive", made or "")
            return self._by_name()
        return _require_unique(found)

    def _by_id(self, id_: str) -> Fields | None:
        entry = self._admin.find(_ONE, id_)
        project = None if entry is None else _parse_project(entry)
        if project is None or project["status"] != "archived":
            return project
        if self._task.params["state"] == "present":
            raise ToolchainError(
                f"The project '{id_}' is archived, which cannot be undone. Without 'id' a new project is made."
            )
        return None

    def _archived_of_the_name(self) -> list[str]:
        projects = list_projects(self._admin, archived=True)
        return [one["id"] for one in projects if one["name"] == self._name and one["status"] == "archived"]


def _find_by_name(admin: AdminClient, name: str) -> list[Fields]:
    return [project for project in list_projects(admin) if project["name"] == name]


def _require_unique(found: list[Fields]) -> Fields | None:
    if len(found) > 1:
        ids = ", ".join(sorted(project["id"] for project in found))
        raise ToolchainError(f"{len(found)} projects have the name '{found[0]['name']}': choose by id, one of {ids}.")
    return found[0] if found else None


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
