# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles and their assignments."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..api.actions import PERMISSIONS, STATUSES, STREAM_PERMISSIONS
from ..api.call import Call, Record, action_route
from ..api.protocol import ActionError, already_exists
from ..storage import insert, require_account, require_project, update

_STATUS_NAMES = {status.lower(): status for status in ("Any", *STATUSES)}


def roles(call: Call) -> Iterable[Record]:
    """Yield the roles with their permissions and status transitions."""
    flags = _list_permissions(call)
    for name in _search_names(call):
        role = require_account(call, "Role", name)
        granted = json.loads(role["permissions"])
        yield {
            "name": name,
            "readonly": bool(role["readonly"]),
            "permissions": [{"name": flag, "enabled": flag in granted} for flag in flags],
            "statusPermissions": [{"from": old, "to": new} for old, new in json.loads(role["transitions"])],
        }


def create_role(call: Call) -> None:
    """Create a role."""
    call.access.require("manage_roles")
    name = call.parameters.text("name")
    if name in _list_names(call):
        raise already_exists("Role", name)
    insert(
        call.db,
        "review_roles",
        name=name,
        readonly=False,
        permissions=_parse_permissions(call, current=[]),
        transitions=_parse_transitions(call) or [],
    )


def update_role_permissions(call: Call) -> None:
    """Update permissions and, if given, the status transitions of a role."""
    call.access.require("manage_roles")
    role = require_account(call, "Role", call.parameters.text("name"))
    _refuse_readonly(role["name"], role["readonly"])
    fields: dict[str, Any] = {"permissions": _parse_permissions(call, current=json.loads(role["permissions"]))}
    transitions = _parse_transitions(call)
    if transitions is not None:
        fields["transitions"] = transitions
    update(call.db, "review_roles", "name", role["name"], **fields)


def delete_role(call: Call) -> None:
    """Delete a role with its assignments."""
    call.access.require("manage_roles")
    role = require_account(call, "Role", call.parameters.text("name"))
    _refuse_readonly(role["name"], role["readonly"])
    call.db.execute("DELETE FROM review_assignments WHERE role = ?", (role["name"],))
    call.db.execute("DELETE FROM review_roles WHERE name = ?", (role["name"],))


def role_assignments(call: Call) -> Iterable[Record]:
    """Yield the roles with their assignments."""
    for name in _search_names(call):
        rows = call.db.execute("SELECT * FROM review_assignments WHERE role = ? ORDER BY rowid", (name,))
        yield {
            "name": name,
            "readonly": bool(require_account(call, "Role", name)["readonly"]),
            "assignments": [
                {"name": row["account"], **_project_field(row["project"]), "group": bool(row["is_group"])}
                for row in rows
            ],
        }


def update_role_assignment(call: Call) -> None:
    """Add or remove an assignment. Repeating the request is not an error."""
    parameters = call.parameters
    project = parameters.text("project")
    if project:
        require_project(call, "id", project)
    if not call.access.has("assign_role", project):
        call.access.require("manage_roles")
    role = require_account(call, "Role", parameters.text("name"))["name"]
    is_group = parameters.boolean("group")
    account = require_account(call, "Group" if is_group else "User", parameters.text("account"))["name"]
    if parameters.boolean("remove"):
        call.db.execute(
            "DELETE FROM review_assignments WHERE (role, account, is_group, project) = (?, ?, ?, ?)",
            (role, account, is_group, project),
        )
    else:
        insert(call.db, "review_assignments", role=role, account=account, is_group=is_group, project=project)


def list_role_records(call: Call, account: str, is_group: bool) -> list[Record]:
    """Return the roles of an account for the records of users and groups."""
    rows = call.db.execute(
        "SELECT role, project FROM review_assignments WHERE account = ? AND is_group = ? ORDER BY rowid",
        (account, is_group),
    )
    return [{"name": row["role"], **_project_field(row["project"])} for row in rows]


def _project_field(project: str) -> Record:
    return {"projectId": project} if project else {}


def _list_names(call: Call) -> list[str]:
    return [row["name"] for row in call.db.execute("SELECT name FROM review_roles ORDER BY rowid")]


def _search_names(call: Call) -> list[str]:
    """Return the names of the roles that match `search`: a part of the name or, after a leading `+`, the exact name."""
    search = call.parameters.text("search")
    if search.startswith("+"):
        return [name for name in _list_names(call) if name == search[1:]]
    return [name for name in _list_names(call) if search in name]


def _list_permissions(call: Call) -> tuple[str, ...]:
    return PERMISSIONS + STREAM_PERMISSIONS if call.runtime.get_switch("review", "streams") else PERMISSIONS


def _parse_permissions(call: Call, current: list[str]) -> list[str]:
    return [flag for flag in _list_permissions(call) if call.parameters.boolean(flag, default=flag in current)]


def _parse_transitions(call: Call) -> list[list[str]] | None:
    """Return the transitions of `From,To;From,To`, or null if the parameter is missing."""
    if "allowed_status_transitions" not in call.parameters:
        return None
    pairs = filter(None, call.parameters.text("allowed_status_transitions").split(";"))
    return [_parse_transition(pair) for pair in pairs]


def _parse_transition(pair: str) -> list[str]:
    statuses = [_STATUS_NAMES.get(name.strip().lower()) for name in pair.split(",")]
    if len(statuses) != 2 or None in statuses:
        raise ActionError(400, f"Invalid value for parameter allowed_status_transitions: {pair}")
    return [status for status in statuses if status]


def _refuse_readonly(name: str, readonly: bool) -> None:
    if readonly:
        raise ActionError(403, f"Role is read-only: {name}")


ROUTES = tuple(
    map(
        action_route,
        (roles, create_role, update_role_permissions, delete_role, role_assignments, update_role_assignment),
    )
)
