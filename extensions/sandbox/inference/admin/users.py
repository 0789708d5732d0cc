# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The users of an organization."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..checks import choice
from ..pages import page
from ..protocol import json_response
from .common import ORGANIZATION, Record, deleted, given, one, route, rows

ROLES = ("owner", "reader")


async def list_users(call: Call) -> Response:
    """All, or those with these addresses."""
    emails = [email.lower() for name in ("emails", "emails[]") for email in call.request.query_params.getlist(name)]
    found = rows(call, "SELECT * FROM inference_users WHERE organization = ? ORDER BY rowid", call.caller.organization)
    return page(call, (record(row) for row in found if not emails or row["email"].lower() in emails))


async def retrieve_user(call: Call, id: str) -> Response:
    """One."""
    return json_response(record(find_user(call, id)))


async def update_user(call: Call, id: str) -> Response:
    """Another role."""
    find_user(call, id)
    values = await given(call, ("role",), role=choice(ROLES))
    call.world.db.execute("UPDATE inference_users SET role = ? WHERE id = ?", (values["role"], id))
    return await retrieve_user(call, id)


async def delete_user(call: Call, id: str) -> Response:
    """Who leaves the organization leaves its projects."""
    find_user(call, id)
    with call.world.transaction():
        call.world.db.execute("DELETE FROM inference_users WHERE id = ?", (id,))
        call.world.db.execute("DELETE FROM inference_members WHERE id = ?", (id,))
    return deleted("organization.user", id)


def find_user(call: Call, id: str) -> sqlite3.Row:
    """A user of the caller's organization."""
    return one(
        call,
        "user",
        id,
        "SELECT * FROM inference_users WHERE id = ? AND organization = ?",
        id,
        call.caller.organization,
    )


def record(row: sqlite3.Row) -> Record:
    """As the API tells it."""
    return {"object": "organization.user", **{name: row[name] for name in ("id", "name", "email", "role", "added_at")}}


ROUTES = (
    route("GET", f"{ORGANIZATION}/users", list_users, "list_users"),
    route("GET", f"{ORGANIZATION}/users/{{id}}", retrieve_user, "retrieve_user"),
    route("POST", f"{ORGANIZATION}/users/{{id}}", update_user, "update_user"),
    route("DELETE", f"{ORGANIZATION}/users/{{id}}", delete_user, "delete_user"),
)
