# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules: parts of a project with access lists."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from ..api.call import Call, Record, action_route
from ..api.protocol import ActionError, already_exists, missing_parameter, not_found
from ..storage import ACCESS_LISTS, DEFAULT_MODULE, add_module, require_project, tags_field, update


def modules(call: Call) -> Iterable[Record]:
    """Yield the modules of a project."""
    project = require_project(call, "name", call.parameters.text("project"))
    rows = call.db.execute("SELECT * FROM review_modules WHERE project = ? ORDER BY id", (project["id"],))
    for row in rows:
        record: Record = {
            "name": row["name"],
            "allowAll": bool(row["allow_all"]),
            "paths": json.loads(row["paths"]),
            **tags_field(row["tags"]),
        }
        if call.runtime.get_switch("review", "module_access_lists"):
            record.update({_record_key(name): json.loads(row[name]) for name in ACCESS_LISTS})
        yield record


def create_module(call: Call) -> None:
    """Create a module."""
    project, name = _require_managed_project(call), call.parameters.text("name")
    if _find_module(call, project, name):
        raise already_exists("Module", name)
    add_module(call.db, project, name, **_parse_fields(call))


def update_module(call: Call) -> None:
    """Update the given fields of a module. Lists are replaced."""
    project = _require_managed_project(call)
    module, fields = _require_writable(call, project), _parse_fields(call)
    new_name = call.parameters.text("new_name")
    if new_name and new_name != module["name"]:
        if _find_module(call, project, new_name):
            raise already_exists("Module", new_name)
        fields["name"] = new_name
    update(call.db, "review_modules", "id", module["id"], **fields)


def delete_module(call: Call) -> None:
    """Delete a module."""
    module = _require_writable(call, _require_managed_project(call))
    call.db.execute("DELETE FROM review_modules WHERE id = ?", (module["id"],))


def _record_key(name: str) -> str:
    """Return the key of a parameter in records, for example `allowUsers` for `allow_users`."""
    first, second = name.split("_")
    return first + second.capitalize()


def _require_managed_project(call: Call) -> str:
    """Return the ID of the project.

    :raises ActionError: with status 403 if the caller may not change its modules
    """
    project_id: str = require_project(call, "name", call.parameters.text("project"))["id"]
    call.access.require("manage_modules", project_id)
    return project_id


def _find_module(call: Call, project: str, name: str) -> sqlite3.Row | None:
    rows = call.db.execute("SELECT * FROM review_modules WHERE (project, name) = (?, ?)", (project, name))
    row: sqlite3.Row | None = rows.fetchone()
    return row


def _require_writable(call: Call, project: str) -> sqlite3.Row:
    name = call.parameters.text("name")
    if name == DEFAULT_MODULE:
        raise ActionError(403, f"Module is read-only: {name}")
    module = _find_module(call, project, name)
    if module is None:
        raise not_found("Module", name)
    return module


def _parse_fields(call: Call) -> dict[str, Any]:
    parameters = call.parameters
    fields: dict[str, Any] = {
        name: parameters.names(name) for name in (*ACCESS_LISTS, "paths", "tags") if name in parameters
    }
    if fields.get("paths") == []:
        raise missing_parameter("paths")
    if "allow_all" in parameters:
        fields["allow_all"] = parameters.boolean("allow_all")
    return fields


ROUTES = tuple(map(action_route, (modules, create_module, update_module, delete_module)))
