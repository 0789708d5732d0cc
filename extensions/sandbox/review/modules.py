# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules: the parts of a project, and who sees them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import Any

from .call import Call, Record, action
from .protocol import ActionError, already_exists, missing_parameter, not_found
from .storage import ACCESS_LISTS, DEFAULT_MODULE, add_module, change, project_by, tags_of


def modules(call: Call) -> Iterable[Record]:
    project = project_by(call, "name", call.parameters.text("project"))
    rows = call.db.execute("SELECT * FROM review_modules WHERE project = ? ORDER BY id", (project["id"],))
    for row in rows:
        record: Record = {
            "name": row["name"],
            "allowAll": bool(row["allow_all"]),
            "paths": json.loads(row["paths"]),
            **tags_of(row["tags"]),
        }
        if call.runtime.get_switch("review", "module_access_told"):
            record.update({_told_as(name): json.loads(row[name]) for name in ACCESS_LISTS})
        yield record


def create_module(call: Call) -> None:
    project, name = _managed(call), call.parameters.text("name")
    if _find(call, project, name):
        raise already_exists("Module", name)
    add_module(call.db, project, name, **_given(call))


def update_module(call: Call) -> None:
    """Change what is given; each list is replaced as a whole."""
    project = _managed(call)
    module, fields = _changeable(call, project), _given(call)
    new_name = call.parameters.text("new_name")
    if new_name and new_name != module["name"]:
        if _find(call, project, new_name):
            raise already_exists("Module", new_name)
        fields["name"] = new_name
    change(call.db, "review_modules", "id", module["id"], **fields)


def delete_module(call: Call) -> None:
    module = _changeable(call, _managed(call))
    call.db.execute("DELETE FROM review_modules WHERE id = ?", (module["id"],))


def _told_as(name: str) -> str:
    """The name that a parameter has in a record: allowUsers of allow_users."""
    first, second = name.split("_")
    return first + second.capitalize()


def _managed(call: Call) -> str:
    """The id of the project, whose modules the caller may change."""
    project_id: str = project_by(call, "name", call.parameters.text("project"))["id"]
    call.access.require("manage_modules", project_id)
    return project_id


def _find(call: Call, project: str, name: str) -> sqlite3.Row | None:
    found = call.db.execute("SELECT * FROM review_modules WHERE (project, name) = (?, ?)", (project, name))
    row: sqlite3.Row | None = found.fetchone()
    return row


def _changeable(call: Call, project: str) -> sqlite3.Row:
    name = call.parameters.text("name")
    if name == DEFAULT_MODULE:
        raise ActionError(403, f"Module is read-only: {name}")
    module = _find(call, project, name)
    if module is None:
        raise not_found("Module", name)
    return module


def _given(call: Call) -> dict[str, Any]:
    parameters = call.parameters
    fields: dict[str, Any] = {
        name: parameters.names(name) for name in (*ACCESS_LISTS, "paths", "tags") if name in parameters
    }
    if fields.get("paths") == []:
        raise missing_parameter("paths")
    if "allow_all" in parameters:
        fields["allow_all"] = parameters.boolean("allow_all")
    return fields


ROUTES = tuple(map(action, (modules, create_module, update_module, delete_module)))
