# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the administration tool asks for: its sub-commands, each with lines of text for an answer.

How the real tool and its server talk is not published, so this is between `kwadmin.py` and the sandbox alone: a form as
that of the web API, with `command` in place of `action`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import pathlib
from collections.abc import Callable, Iterable
from typing import Any

from ..http.routing import Route, Routes
from . import builds, not_served, projects
from .call import Call
from .protocol import ActionError, already_exists, missing_parameter, not_found
from .storage import add_project, change, insert, project_by

ADMIN_PATH = "/review/admin"
CONFIG_TYPES = {
    ".tpl": "Build Specification Template",
    ".atr": "User Defined Attributes",
    ".sow": "Source Ownership",
    ".ume": "User Metrics",
    ".szt": "Size of Types",
    ".rel": "User Defined Relationships",
    ".tconf": "Taxonomy Configuration",
    ".mconf": "Metrics Thresholds",
    ".h": "Override File",
    ".pconf": "Problems Configuration",
    ".jkb": "Java Function Behavior KB",
    ".kb": "Function Behavior KB",
}
# What a project has beside those that are columns of its own
PROPERTIES = (
    "bug_tracker_schema",
    "copy_tables",
    "enable_group_calculations",
    "grouping_on_default",
    "language",
    "locale",
    "source_encoding",
)

Lines = Iterable[str]


def list_projects(call: Call) -> Lines:
    return (record["name"] for record in projects.projects(call))


def create_project(call: Call) -> None:
    projects.create_project(call)
    project = _project(call, "name")
    for parameter, name in (("encoding", "source_encoding"), ("language", "language")):
        if call.parameters.text(parameter):
            insert(call.db, "review_properties", project=project, name=name, value=call.parameters.text(parameter))


def duplicate_project(call: Call) -> None:
    """With its settings, but without its builds."""
    call.access.require("create_project")
    old, name = project_by(call, "name", call.parameters.text("name")), call.parameters.text("new_name")
    if call.db.execute("SELECT 1 FROM review_projects WHERE name = ?", (name,)).fetchone():
        raise already_exists("Project", name)
    try:
        new = add_project(call.db, name, call.access.user, description=old["description"])
    except ValueError as error:
        raise ActionError(409, f"Project already exists: {error}") from error
    same = ("tags", "auto_delete_builds", "auto_delete_threshold")
    change(call.db, "review_projects", "id", new, **{column: old[column] for column in same})
    for table, columns in _SETTINGS.items():
        call.db.execute(
            f"INSERT OR REPLACE INTO {table} (project, {columns}) SELECT ?, {columns} FROM {table} WHERE project = ?",
            (new, old["id"]),
        )


_SETTINGS = {
    "review_checkers": "code, name, taxonomies, severity, enabled, support_level",
    "review_config_files": "name, sha256",
    "review_modules": "name, allow_all, paths, tags, allow_users, allow_groups, deny_users, deny_groups",
    "review_properties": "name, value",
    "review_taxonomies": "name, custom",
}


def get_project_properties(call: Call) -> Lines:
    """A line `name=value` each; how the real tool writes them is not known."""
    project = project_by(call, "name", call.parameters.text("project"))
    stored = call.db.execute("SELECT name, value FROM review_properties WHERE project = ?", (project["id"],))
    properties = {
        **{row["name"]: row["value"] for row in stored},
        "auto_delete_threshold": project["auto_delete_threshold"] if project["auto_delete_builds"] else "null",
        "creator": project["creator"],
        "description": project["description"],
    }
    return (f"{name}={value}" for name, value in sorted(properties.items()))


def set_project_property(call: Call) -> None:
    project, name, value = _changeable(call), call.parameters.text("property"), call.parameters.text("value")
    if name == "auto_delete_threshold":
        kept = {} if value == "null" else {"auto_delete_threshold": call.parameters.integer("value", default=20)}
        change(call.db, "review_projects", "id", project, auto_delete_builds=value != "null", **kept)
    elif name == "description":
        change(call.db, "review_projects", "id", project, description=value)
    elif name in PROPERTIES:
        insert(call.db, "review_properties", project=project, name=name, value=value)
    else:
        raise ActionError(400, f"Property is read-only or not known: {name}")


def list_config_files(call: Call) -> Lines:
    rows = call.db.execute(
        "SELECT name FROM review_config_files WHERE project = ? ORDER BY rowid", (_project(call, "project"),)
    )
    return [f"{row['name']} ({_type_of(row['name'])})" for row in rows]


def list_config_types(_call: Call) -> Lines:
    return (f"{kind} {extension}" for extension, kind in CONFIG_TYPES.items())


def import_config(call: Call) -> None:
    project, name = _changeable(call), call.parameters.text("file")
    _type_of(name)
    try:
        content = base64.b64decode(call.parameters.text("content"), validate=True)
    except binascii.Error as error:
        raise missing_parameter("content") from error
    insert(call.db, "review_config_files", project=project, name=name, sha256=hashlib.sha256(content).hexdigest())


def delete_config(call: Call) -> None:
    project, name = _changeable(call), call.parameters.text("name")
    gone = call.db.execute("DELETE FROM review_config_files WHERE (project, name) = (?, ?)", (project, name))
    if not gone.rowcount:
        raise not_found("Configuration file", name)


def list_builds(call: Call) -> Lines:
    """The oldest one first."""
    rows = call.db.execute("SELECT name FROM review_builds WHERE project = ? ORDER BY id", (_project(call, "project"),))
    return [row["name"] for row in rows]


def load(call: Call) -> None:
    """A build of the tables that an analysis left; older ones that nobody keeps go when there are too many."""
    project = project_by(call, "name", call.parameters.text("project"))
    call.access.require("create_build", project["id"])
    name = call.parameters.text("name") or f"build_{_next_number(call, project['id'])}"
    if name in list_builds(call):
        raise already_exists("Build", name)
    insert(
        call.db,
        "review_builds",
        project=project["id"],
        name=name,
        date=int(call.runtime.clock.now() * 1000),
        keepit=False,
        figures={},
    )
    if project["auto_delete_builds"]:
        call.db.execute(
            """
            DELETE FROM review_builds WHERE id IN (
                SELECT id FROM review_builds WHERE project = ? AND NOT keepit ORDER BY id DESC LIMIT -1 OFFSET ?
            )
            """,
            (project["id"], project["auto_delete_threshold"]),
        )


def _next_number(call: Call, project: str) -> int:
    row = call.db.execute("SELECT count(*) + 1 AS number FROM review_builds WHERE project = ?", (project,)).fetchone()
    return int(row["number"])


def _type_of(name: str) -> str:
    kind = CONFIG_TYPES.get(pathlib.PurePath(name).suffix)
    if kind is None:
        raise ActionError(400, f"Not a configuration file: {name}")
    return kind


def _project(call: Call, parameter: str) -> str:
    project_id: str = project_by(call, "name", call.parameters.text(parameter))["id"]
    return project_id


def _changeable(call: Call) -> str:
    """The id of the project, whose settings the caller may change."""
    project = _project(call, "project")
    call.access.require("change_project_settings", project)
    return project


def _route(handler: Callable[[Call], Any], command: str | None = None) -> Route:
    command = command or handler.__name__.replace("_", "-")
    reads = command.startswith(("list-", "get-"))
    return Route("POST", ADMIN_PATH, handler, f"kwadmin {command}", read_only=reads, argument=f"command={command}")


ROUTES = Routes(
    (
        *map(
            _route,
            (
                list_projects,
                create_project,
                projects.delete_project,
                duplicate_project,
                get_project_properties,
                set_project_property,
                list_config_files,
                list_config_types,
                import_config,
                delete_config,
                list_builds,
                builds.delete_build,
                load,
            ),
        ),
        _route(projects.update_project, "rename-project"),
        _route(builds.update_build, "rename-build"),
        *(_route(not_served.refuse_command, command) for command in not_served.COMMANDS),
    )
)
