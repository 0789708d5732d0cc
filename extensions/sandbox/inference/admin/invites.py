# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Invitations into an organization."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from starlette.responses import Response

from ..call import Call
from ..checks import array, choice, one_of, required, typed
from ..pages import page
from ..protocol import json_response
from .common import (
    ORGANIZATION,
    Record,
    deleted,
    find_project,
    given,
    name_,
    new_id,
    now,
    one,
    refusal,
    route,
    rows,
)
from .members import ROLES as PROJECT_ROLES
from .users import ROLES

LIFETIME = 7 * 86_400


async def list_invites(call: Call) -> Response:
    """All, whatever became of them."""
    found = rows(
        call, "SELECT * FROM inference_invites WHERE organization = ? ORDER BY rowid", call.caller.organization
    )
    return page(call, (_record(call, row) for row in found))


async def create_invite(call: Call) -> Response:
    """Who is invited without a word about projects gets into the default one; an empty list means none."""
    values = await given(call, ("email", "role"), email=name_, role=choice(ROLES), projects=_projects)
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
            now(call),
            now(call) + LIFETIME,
        ),
    )
    return await retrieve_invite(call, id)


async def retrieve_invite(call: Call, id: str) -> Response:
    """One."""
    return json_response(_record(call, _find(call, id)))


async def delete_invite(call: Call, id: str) -> Response:
    """Take it back, unless it was accepted."""
    if _find(call, id)["accepted_at"]:
        raise refusal(call, 400, "An accepted invite cannot be deleted")
    call.runtime.db.execute("DELETE FROM inference_invites WHERE id = ?", (id,))
    return deleted("organization.invite", id)


def _projects(name: str, value: Any) -> None:
    array(name, value)
    for position, project in enumerate(value):
        place = f"{name}[{position}]"
        typed("an object", place, project)
        name_(f"{place}.id", required(place, project, "id"))
        one_of(PROJECT_ROLES, f"{place}.role", required(place, project, "role"))


def _check_new(call: Call, email: str) -> None:
    same = "organization = ? AND lower(email) = lower(?)"
    if rows(call, f"SELECT 1 FROM inference_users WHERE {same}", call.caller.organization, email):
        raise refusal(call, 400, f"{email} is already a member of this organization")
    pending = f"SELECT 1 FROM inference_invites WHERE {same} AND accepted_at IS NULL AND expires_at > ?"
    if rows(call, pending, call.caller.organization, email, now(call)):
        raise refusal(call, 400, f"{email} is already invited")


def _default_projects(call: Call) -> list[Record]:
    found = rows(
        call, "SELECT id FROM inference_projects WHERE organization = ? AND is_default", call.caller.organization
    )
    return [{"id": row["id"], "role": "member"} for row in found]


def _find(call: Call, id: str) -> sqlite3.Row:
    return one(
        call,
        "invite",
        id,
        "SELECT * FROM inference_invites WHERE id = ? AND organization = ?",
        id,
        call.caller.organization,
    )


def _record(call: Call, row: sqlite3.Row) -> Record:
    status = "accepted" if row["accepted_at"] else "expired" if row["expires_at"] <= now(call) else "pending"
    return {
        "object": "organization.invite",
        **{name: row[name] for name in ("id", "email", "role")},
        "status": status,
        **{name: row[name] for name in ("created_at", "expires_at", "accepted_at")},
        "projects": json.loads(row["projects"]),
    }


ROUTES = (
    route("GET", f"{ORGANIZATION}/invites", list_invites, "list_invites"),
    route("POST", f"{ORGANIZATION}/invites", create_invite, "create_invite"),
    route("GET", f"{ORGANIZATION}/invites/{{id}}", retrieve_invite, "retrieve_invite"),
    route("DELETE", f"{ORGANIZATION}/invites/{{id}}", delete_invite, "delete_invite"),
)
