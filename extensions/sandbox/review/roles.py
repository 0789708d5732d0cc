# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles, and who holds them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from .call import Call, Record, action
from .catalogue import PERMISSIONS, STATUSES, STREAM_PERMISSIONS
from .protocol import ActionError, already_exists
from .storage import change, insert, project_by, require

_STATUS_NAMES = {status.lower(): status for status in ("Any", *STATUSES)}


def roles(call: Call) -> Iterable[Record]:
    flags = _flags(call)
    for name in _searched(call):
        role = require(call, "Role", name)
        granted = json.loads(role["permissions"])
        yield {
            "name": name,
            "readonly": bool(role["readonly"]),
            "permissions": [{"name": flag, "enabled": flag in granted} for flag in flags],
            "statusPermissions": [{"from": old, "to": new} for old, new in json.loads(role["transitions"])],
        }


def create_role(call: Call) -> None:
    call.access.require("manage_roles")
    name = call.parameters.text("name")
    if name in _names(call):
        raise already_exists("Role", name)
    insert(
        call.db,
        "review_roles",
        name=name,
        readonly=False,
        permissions=_permissions(call, held=[]),
        transitions=_transitions(call) or [],
    )


def update_role_permissions(call: Call) -> None:
    call.access.require("manage_roles")
    role = require(call, "Role", call.parameters.text("name"))
    _refuse_readonly(role["name"], role["readonly"])
    fields: dict[str, Any] = {"permissions": _permissions(call, held=json.loads(role["permissions"]))}
    transitions = _transitions(call)
    if transitions is not None:
        fields["transitions"] = transitions
    change(call.db, "review_roles", "name", role["name"], **fields)


def delete_role(call: Call) -> None:
    call.access.require("manage_roles")
    role = require(call, "Role", call.parameters.text("name"))
    _refuse_readonly(role["name"], role["readonly"])
    call.db.execute("DELETE FROM review_assignments WHERE role = ?", (role["name"],))
    call.db.execute("DELETE FROM review_roles WHERE name = ?", (role["name"],))


def role_assignments(call: Call) -> Iterable[Record]:
    for name in _searched(call):
        rows = call.db.execute("SELECT * FROM review_assignments WHERE role = ? ORDER BY rowid", (name,))
        yield {
            "name": name,
            "readonly": bool(require(call, "Role", name)["readonly"]),
            "assignments": [
                {"name": row["account"], **_project(row["project"]), "group": bool(row["is_group"])} for row in rows
            ],
        }


def update_role_assignment(call: Call) -> None:
    """Add or remove one holder of a role; doing so twice is no error."""
    parameters = call.parameters
    project = parameters.text("project")
    if project:
        project_by(call, "id", project)
    if not call.access.has("assign_role", project):
        call.access.require("manage_roles")
    role = require(call, "Role", parameters.text("name"))["name"]
    is_group = parameters.boolean("group")
    account = require(call, "Group" if is_group else "User", parameters.text("account"))["name"]
    if parameters.boolean("remove"):
        call.db.execute(
            "DELETE FROM review_assignments WHERE (role, account, is_group, project) = (?, ?, ?, ?)",
            (role, account, is_group, project),
        )
    else:
        insert(call.db, "review_assignments", role=role, account=account, is_group=is_group, project=project)


def assigned(call: Call, account: str, is_group: bool) -> list[Record]:
    """The roles of an account, as the records of users and groups show them."""
    rows = call.db.execute(
        "SELECT role, project FROM review_assignments WHERE account = ? AND is_group = ? ORDER BY rowid",
        (account, is_group),
    )
    return [{"name": row["role"], **_project(row["project"])} for row in rows]


def _project(project: str) -> Record:
    return {"projectId": project} if project else {}


def _names(call: Call) -> list[str]:
    return [row["name"] for row in call.db.execute("SELECT name FROM review_roles ORDER BY rowid")]


def _searched(call: Call) -> list[str]:
    """Unlike users and groups, roles are found by a part of the name, or with a leading `+` by the whole."""
    search = call.parameters.text("search")
    if search.startswith("+"):
        return [name for name in _names(call) if name == search[1:]]
    return [name for name in _names(call) if search in name]


def _flags(call: Call) -> tuple[str, ...]:
    return PERMISSIONS + STREAM_PERMISSIONS if call.runtime.get_switch("review", "streams") else PERMISSIONS


def _permissions(call: Call, held: list[str]) -> list[str]:
    return [flag for flag in _flags(call) if call.parameters.boolean(flag, default=flag in held)]


def _transitions(call: Call) -> list[list[str]] | None:
    """The pairs of `From,To;From,To`, which replace those before; None when the parameter is not given."""
    if "allowed_status_transitions" not in call.parameters:
        return None
    pairs = filter(None, call.parameters.text("allowed_status_transitions").split(";"))
    return [_transition(pair) for pair in pairs]


def _transition(pair: str) -> list[str]:
    statuses = [_STATUS_NAMES.get(name.strip().lower()) for name in pair.split(",")]
    if len(statuses) != 2 or None in statuses:
        raise ActionError(400, f"Invalid value for parameter allowed_status_transitions: {pair}")
    return [status for status in statuses if status]


def _refuse_readonly(name: str, readonly: bool) -> None:
    if readonly:
        raise ActionError(403, f"Role is read-only: {name}")


ROUTES = tuple(
    map(action, (roles, create_role, update_role_permissions, delete_role, role_assignments, update_role_assignment))
)
