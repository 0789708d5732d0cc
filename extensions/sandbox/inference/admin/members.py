# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of a project."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..protocol.checks import choice_check, missing_parameter
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from .common import (
    PROJECT,
    Record,
    admin_route,
    build_error,
    check_name,
    current_time,
    deletion_response,
    find_project,
    query_one,
    query_rows,
    read_body,
)

ROLES = ("owner", "member")
_JOINED = """
SELECT u.id, u.name, u.email, m.role, m.added_at, u.role AS organization_role
FROM inference_members m JOIN inference_users u USING (id) WHERE m.project = ?
"""


async def list_members(call: Call, project: str) -> Response:
    """List the users of a project."""
    find_project(call, project, active=True)
    return paginate(call, map(record, query_rows(call, f"{_JOINED} ORDER BY m.rowid", project)))


async def create_member(call: Call, project: str) -> Response:
    """Add a user of the organization to a project."""
    find_project(call, project, active=True)
    values = await read_body(call, ("role",), role=choice_check(ROLES), user_id=check_name, email=check_name)
    if not values.keys() & {"user_id", "email"}:
        raise missing_parameter("user_id")
    who = values["user_id"] if "user_id" in values else values["email"]
    user = query_one(
        call,
        "user",
        who,
        "SELECT id FROM inference_users WHERE organization = ? AND (id = ? OR lower(email) = lower(?))",
        call.caller.organization,
        who,
        who,
    )
    if query_rows(call, "SELECT 1 FROM inference_members WHERE project = ? AND id = ?", project, user["id"]):
        raise build_error(call, 400, f"The user {who} is already a member of this project")
    call.runtime.db.execute(
        "INSERT INTO inference_members VALUES (?, ?, ?, ?)", (project, user["id"], values["role"], current_time(call))
    )
    return await retrieve_member(call, project, user["id"])


async def retrieve_member(call: Call, project: str, id: str) -> Response:
    """Get a user of a project."""
    find_project(call, project)
    return json_response(record(_find(call, project, id)))


async def update_member(call: Call, project: str, id: str) -> Response:
    """Change the role of a user. Without a role, nothing changes."""
    _check_may_change(call, project, id)
    values = await read_body(call, role=choice_check(ROLES))
    for role in values.values():
        call.runtime.db.execute(
            "UPDATE inference_members SET role = ? WHERE project = ? AND id = ?", (role, project, id)
        )
    return await retrieve_member(call, project, id)


async def delete_member(call: Call, project: str, id: str) -> Response:
    """Remove a user from a project."""
    _check_may_change(call, project, id)
    call.runtime.db.execute("DELETE FROM inference_members WHERE project = ? AND id = ?", (project, id))
    return deletion_response("organization.project.user", id)


def record(row: sqlite3.Row) -> Record:
    """Return a user of a project in the form of the API."""
    names = ("id", "name", "email", "role", "added_at")
    return {"object": "organization.project.user", **{name: row[name] for name in names}}


def _find(call: Call, project: str, id: str) -> sqlite3.Row:
    return query_one(call, "user", id, f"{_JOINED} AND m.id = ?", project, id)


def _check_may_change(call: Call, project: str, id: str) -> None:
    find_project(call, project, active=True)
    if _find(call, project, id)["organization_role"] == "owner":
        raise build_error(call, 400, "An owner of the organization cannot be changed in or removed from a project")


ROUTES = (
    admin_route("GET", f"{PROJECT}/users", list_members, "list_project_users"),
    admin_route("POST", f"{PROJECT}/users", create_member, "create_project_user"),
    admin_route("GET", f"{PROJECT}/users/{{id}}", retrieve_member, "retrieve_project_user"),
    admin_route("POST", f"{PROJECT}/users/{{id}}", update_member, "update_project_user"),
    admin_route("DELETE", f"{PROJECT}/users/{{id}}", delete_member, "delete_project_user"),
)
