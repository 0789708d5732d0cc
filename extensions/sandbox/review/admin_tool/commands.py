# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the administration tool kwadmin. Each returns lines of text.

The protocol between the real tool and its server is not published. `kwadmin.py` and the sandbox use a form like that of
the web API, with `command` instead of `action`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import pathlib
from collections.abc import Callable, Iterable
from typing import Any

from ...http.routing import Route, Routes
from ..api import not_served
from ..api.call import Call
from ..api.protocol import ActionError, already_exists, missing_parameter, not_found
from ..projects import builds, projects
from ..storage import add_project, insert, require_project, require_project_id, update

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
# Properties in the table review_properties; the others are columns of review_projects
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
    """Return the names of the projects."""
    return (record["name"] for record in projects.projects(call))


def create_project(call: Call) -> None:
    """Create a project, optionally with encoding and language."""
    projects.create_project(call)
    project = require_project_id(call, "name")
    for parameter, name in (("encoding", "source_encoding"), ("language", "language")):
        if call.parameters.text(parameter):
            insert(call.db, "review_properties", project=project, name=name, value=call.parameters.text(parameter))


def duplicate_project(call: Call) -> None:
    """Create a project with the settings of another one, but without its builds."""
    call.access.require("create_project")
    old, name = require_project(call, "name", call.parameters.text("name")), call.parameters.text("new_name")
    if call.db.execute("SELECT 1 FROM review_projects WHERE name = ?", (name,)).fetchone():
        raise already_exists("Project", name)
    try:
        new = add_project(call.db, name, call.access.user, description=old["description"])
    except ValueError as error:
        raise ActionError(409, f"Project already exists: {error}") from error
    columns_to_copy = ("tags", "auto_delete_builds", "auto_delete_threshold")
    update(call.db, "review_projects", "id", new, **{column: old[column] for column in columns_to_copy})
    for table, columns in _SETTINGS_TABLES.items():
        call.db.execute(
            f"INSERT OR REPLACE INTO {table} (project, {columns}) SELECT ?, {columns} FROM {table} WHERE project = ?",
            (new, old["id"]),
        )


_SETTINGS_TABLES = {
    "review_checkers": "code, name, taxonomies, severity, enabled, support_level",
    "review_config_files": "name, sha256",
    "review_modules": "name, allow_all, paths, tags, allow_users, allow_groups, deny_users, deny_groups",
    "review_properties": "name, value",
    "review_taxonomies": "name, custom",
}


def get_project_properties(call: Call) -> Lines:
    """Return one line `name=value` for each property. The format of the real tool is not known."""
    project = require_project(call, "name", call.parameters.text("project"))
    stored = call.db.execute("SELECT name, value FROM review_properties WHERE project = ?", (project["id"],))
    properties = {
        **{row["name"]: row["value"] for row in stored},
        "auto_delete_threshold": project["auto_delete_threshold"] if project["auto_delete_builds"] else "null",
        "creator": project["creator"],
        "description": project["description"],
    }
    return (f"{name}={value}" for name, value in sorted(properties.items()))


def set_project_property(call: Call) -> None:
    """Set a property of a project."""
    project, name, value = (
        _require_writable_project(call),
        call.parameters.text("property"),
        call.parameters.text("value"),
    )
    if name == "auto_delete_threshold":
        threshold = {} if value == "null" else {"auto_delete_threshold": call.parameters.integer("value", default=20)}
        update(call.db, "review_projects", "id", project, auto_delete_builds=value != "null", **threshold)
    elif name == "description":
        update(call.db, "review_projects", "id", project, description=value)
    elif name in PROPERTIES:
        insert(call.db, "review_properties", project=project, name=name, value=value)
    else:
        raise ActionError(400, f"Property is read-only or unknown: {name}")


def list_config_files(call: Call) -> Lines:
    """Return the configuration files of a project with their types."""
    rows = call.db.execute(
        "SELECT name FROM review_config_files WHERE project = ? ORDER BY rowid", (require_project_id(call),)
    )
    return [f"{row['name']} ({_find_config_type(row['name'])})" for row in rows]


def list_config_types(_call: Call) -> Lines:
    """Return the types of configuration files."""
    return (f"{kind} {extension}" for extension, kind in CONFIG_TYPES.items())


def import_config(call: Call) -> None:
    """Add or replace a configuration file."""
    project, name = _require_writable_project(call), call.parameters.text("file")
    _find_config_type(name)
    try:
        content = base64.b64decode(call.parameters.text("content"), validate=True)
    except binascii.Error as error:
        raise missing_parameter("content") from error
    insert(call.db, "review_config_files", project=project, name=name, sha256=hashlib.sha256(content).hexdigest())


def delete_config(call: Call) -> None:
    """Delete a configuration file."""
    project, name = _require_writable_project(call), call.parameters.text("name")
    deleted = call.db.execute("DELETE FROM review_config_files WHERE (project, name) = (?, ?)", (project, name))
    if not deleted.rowcount:
        raise not_found("Configuration file", name)


def list_builds(call: Call) -> Lines:
    """Return the names of the builds, oldest first."""
    rows = call.db.execute("SELECT name FROM review_builds WHERE project = ? ORDER BY id", (require_project_id(call),))
    return [row["name"] for row in rows]


def load(call: Call) -> None:
    """Create a build from the tables of an analysis, and delete old builds according to the settings of the project."""
    project = require_project(call, "name", call.parameters.text("project"))
    call.access.require("create_build", project["id"])
    name = call.parameters.text("name") or f"build_{_next_build_number(call, project['id'])}"
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


def _next_build_number(call: Call, project: str) -> int:
    row = call.db.execute("SELECT count(*) + 1 AS number FROM review_builds WHERE project = ?", (project,)).fetchone()
    return int(row["number"])


def _find_config_type(name: str) -> str:
    kind = CONFIG_TYPES.get(pathlib.PurePath(name).suffix)
    if kind is None:
        raise ActionError(400, f"Not a configuration file: {name}")
    return kind


def _require_writable_project(call: Call) -> str:
    """Return the ID of the project.

    :raises ActionError: with status 403 if the caller may not change its settings
    """
    project = require_project_id(call)
    call.access.require("change_project_settings", project)
    return project


def _create_route(handler: Callable[[Call], Any], command: str | None = None) -> Route:
    command = command or handler.__name__.replace("_", "-")
    is_read_only = command.startswith(("list-", "get-"))
    return Route(
        "POST", ADMIN_PATH, handler, f"kwadmin {command}", read_only=is_read_only, argument=f"command={command}"
    )


ROUTES = Routes(
    (
        *map(
            _create_route,
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
        _create_route(projects.update_project, "rename-project"),
        _create_route(builds.update_build, "rename-build"),
        *(_create_route(not_served.refuse_command, command) for command in not_served.COMMANDS),
    )
)
