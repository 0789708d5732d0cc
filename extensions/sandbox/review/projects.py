# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Projects and their modules."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .call import Call, Handler, Record, serves
from .protocol import already_exists
from .storage import change, project_by

HANDLERS: dict[str, Handler] = {}


@serves(HANDLERS)
def projects(call: Call) -> Iterable[Record]:
    streams_too = call.world.switch("review", "streams") and call.parameters.boolean("include_streams")
    for row in call.world.db.execute("SELECT * FROM review_projects ORDER BY rowid").fetchall():
        if call.access.sees(row["id"]) and (streams_too or not row["stream"]):
            yield {
                "id": row["id"],
                "name": row["name"],
                "creator": row["creator"],
                "description": row["description"],
                **tags_of(row["tags"]),
            }


@serves(HANDLERS)
def update_project(call: Call) -> None:
    """Change a project; a new name leaves its id alone."""
    parameters = call.parameters
    project = project_by(call, "name", parameters.text("name"))
    call.access.require("change_project_settings", project["id"])
    fields: dict[str, Any] = {}
    new_name = parameters.text("new_name")
    if new_name and new_name != project["name"]:
        if call.world.db.execute("SELECT 1 FROM review_projects WHERE name = ?", (new_name,)).fetchone():
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
    change(call.world.db, "review_projects", "id", project["id"], **fields)


@serves(HANDLERS)
def modules(call: Call) -> Iterable[Record]:
    project = project_by(call, "name", call.parameters.text("project"))
    rows = call.world.db.execute("SELECT * FROM review_modules WHERE project = ? ORDER BY rowid", (project["id"],))
    for row in rows.fetchall():
        yield {
            "name": row["name"],
            "allowAll": bool(row["allow_all"]),
            "paths": json.loads(row["paths"]),
            **tags_of(row["tags"]),
        }


def tags_of(packed: str) -> Record:
    """The `tags` of a record, which has none when there are none."""
    tags = json.loads(packed)
    return {"tags": tags} if tags else {}
