# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Projects and their settings."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..api.call import Call, Record, action_route
from ..api.protocol import ActionError, already_exists
from ..storage import add_project, require_project, tags_field, update


def projects(call: Call) -> Iterable[Record]:
    """Yield the projects that the caller may see."""
    includes_streams = call.runtime.get_switch("review", "streams") and call.parameters.boolean("include_streams")
    for row in call.db.execute("SELECT * FROM review_projects ORDER BY rowid"):
        if call.access.may_see(row["id"]) and (includes_streams or not row["stream"]):
            yield {
                "id": row["id"],
                "name": row["name"],
                "creator": row["creator"],
                "description": row["description"],
                **tags_field(row["tags"]),
            }


def update_project(call: Call) -> None:
    """Update a project. Its ID never changes."""
    parameters = call.parameters
    project = require_project(call, "name", parameters.text("name"))
    call.access.require("change_project_settings", project["id"])
    fields: dict[str, Any] = {}
    new_name = parameters.text("new_name")
    if new_name and new_name != project["name"]:
        if call.db.execute("SELECT 1 FROM review_projects WHERE name = ?", (new_name,)).fetchone():
            raise already_exists("Project", new_name)
        fields["name"] = new_name
    if "description" in parameters:
        fields["description"] = parameters.text("description")
    if "tags" in parameters:
        fields["tags"] = parameters.names("tags")
    if "auto_delete_builds" in parameters:
        fields["auto_delete_builds"] = parameters.boolean("auto_delete_builds")
    if "auto_delete_threshold" in parameters:
        fields["auto_delete_threshold"] = parameters.integer("auto_delete_threshold", default=20)
    update(call.db, "review_projects", "id", project["id"], **fields)


def create_project(call: Call) -> None:
    """Create a project."""
    call.access.require("create_project")
    name = call.parameters.text("name")
    if call.db.execute("SELECT 1 FROM review_projects WHERE name = ?", (name,)).fetchone():
        raise already_exists("Project", name)
    try:
        add_project(call.db, name, creator=call.access.user)
    except ValueError as error:
        raise ActionError(409, f"Project already exists: {error}") from error


def delete_project(call: Call) -> None:
    """Delete a project with its streams and all their data."""
    name = call.parameters.text("name")
    call.access.require("delete_project", require_project(call, "name", name)["id"])
    deleted = call.db.execute(
        "SELECT id FROM review_projects WHERE name = :name OR (stream AND substr(name, 1, :length) = :name || '/')",
        {"name": name, "length": len(name) + 1},
    ).fetchall()
    for row in deleted:
        for table in _PROJECT_TABLES:
            call.db.execute(f"DELETE FROM review_{table} WHERE project = ?", (row["id"],))
        call.db.execute("DELETE FROM review_projects WHERE id = ?", (row["id"],))


_PROJECT_TABLES = (
    "modules",
    "builds",
    "ci_builds",
    "issues",
    "metrics",
    "defect_types",
    "checkers",
    "taxonomies",
    "compliance_reports",
    "views",
    "assignments",
    "config_files",
    "properties",
)

ROUTES = tuple(map(action_route, (projects, create_project, update_project, delete_project)))
