# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invites to an organization."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from starlette.responses import Response

from ..call import Call
from ..protocol.checks import check_array, check_choice, check_type, choice_check, require_member
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from .common import (
    ORGANIZATION,
    Record,
    admin_route,
    build_error,
    check_name,
    current_time,
    deletion_response,
    find_project,
    new_id,
    query_one,
    query_rows,
    read_body,
)
from .members import ROLES as PROJECT_ROLES
from .users import ROLES

LIFETIME = 7 * 86_400


async def list_invites(call: Call) -> Response:
    """List all invites, also accepted and expired ones."""
    rows = query_rows(
        call, "SELECT * FROM inference_invites WHERE organization = ? ORDER BY rowid", call.caller.organization
    )
    return paginate(call, (_record(call, row) for row in rows))


async def create_invite(call: Call) -> Response:
    """Create an invite. Without `projects` it includes the default project, with an empty list none."""
    values = await read_body(call, ("email", "role"), email=check_name, role=choice_check(ROLES), projects=_projects)
    for project in values.get("projects", []):
        find_project(call, project["id"], active=True)
    _check_new(call, values["email"])
    id = new_id("invite-")
    call.runtime.db.execute(
        "INSERT INTO inference_invites VALUES (?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            id,
            call.caller.organization,
            values["email"],
            values["role"],
            json.dumps(values.get("projects", _default_projects(call))),
            current_time(call),
            current_time(call) + LIFETIME,
        ),
    )
    return await retrieve_invite(call, id)


async def retrieve_invite(call: Call, id: str) -> Response:
    """Get an invite."""
    return json_response(_record(call, _find(call, id)))


async def delete_invite(call: Call, id: str) -> Response:
    """Delete an invite that was not accepted."""
    if _find(call, id)["accepted_at"]:
        raise build_error(call, 400, "An accepted invite cannot be deleted")
    call.runtime.db.execute("DELETE FROM inference_invites WHERE id = ?", (id,))
    return deletion_response("organization.invite", id)


def _projects(name: str, value: Any) -> None:
    check_array(name, value)
    for position, project in enumerate(value):
        place = f"{name}[{position}]"
        check_type("an object", place, project)
        check_name(f"{place}.id", require_member(place, project, "id"))
        check_choice(PROJECT_ROLES, f"{place}.role", require_member(place, project, "role"))


def _check_new(call: Call, email: str) -> None:
    same = "organization = ? AND lower(email) = lower(?)"
    if query_rows(call, f"SELECT 1 FROM inference_users WHERE {same}", call.caller.organization, email):
        raise build_error(call, 400, f"{email} is already a member of this organization")
    pending = f"SELECT 1 FROM inference_invites WHERE {same} AND accepted_at IS NULL AND expires_at > ?"
    if query_rows(call, pending, call.caller.organization, email, current_time(call)):
        raise build_error(call, 400, f"{email} is already invited")


def _default_projects(call: Call) -> list[Record]:
    rows = query_rows(
        call, "SELECT id FROM inference_projects WHERE organization = ? AND is_default", call.caller.organization
    )
    return [{"id": row["id"], "role": "member"} for row in rows]


def _find(call: Call, id: str) -> sqlite3.Row:
    return query_one(
        call,
        "invite",
        id,
        "SELECT * FROM inference_invites WHERE id = ? AND organization = ?",
        id,
        call.caller.organization,
    )


def _record(call: Call, row: sqlite3.Row) -> Record:
    status = "accepted" if row["accepted_at"] else "expired" if row["expires_at"] <= current_time(call) else "pending"
    return {
        "object": "organization.invite",
        **{name: row[name] for name in ("id", "email", "role")},
        "status": status,
        **{name: row[name] for name in ("created_at", "expires_at", "accepted_at")},
        "projects": json.loads(row["projects"]),
    }


ROUTES = (
    admin_route("GET", f"{ORGANIZATION}/invites", list_invites, "list_invites"),
    admin_route("POST", f"{ORGANIZATION}/invites", create_invite, "create_invite"),
    admin_route("GET", f"{ORGANIZATION}/invites/{{id}}", retrieve_invite, "retrieve_invite"),
    admin_route("DELETE", f"{ORGANIZATION}/invites/{{id}}", delete_invite, "delete_invite"),
)
