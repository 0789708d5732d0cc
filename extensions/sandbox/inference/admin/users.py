# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The users of an organization."""

from __future__ import annotations

import sqlite3
from typing import Any

from starlette.responses import Response

from ..call import Call
from ..checks import choice, not_served, string
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
    """Change what is given; without anything, the user is returned as it is."""
    find_user(call, id)
    values = await given(
        call, role=choice(ROLES), role_id=_refuse_role_id, technical_level=string, developer_persona=string
    )
    for name, value in values.items():
        call.runtime.db.execute(f"UPDATE inference_users SET {name} = ? WHERE id = ?", (value, id))
    return await retrieve_user(call, id)


async def delete_user(call: Call, id: str) -> Response:
    """Who leaves the organization leaves its projects."""
    find_user(call, id)
    with call.runtime.transaction():
        call.runtime.db.execute("DELETE FROM inference_users WHERE id = ?", (id,))
        call.runtime.db.execute("DELETE FROM inference_members WHERE id = ?", (id,))
    return deleted("organization.user", id)


def _refuse_role_id(name: str, value: Any) -> None:
    raise not_served(f"the parameter '{name}'", name)


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
    """Return a user as the API shows it."""
    shown = {name: row[name] for name in ("id", "name", "email", "role", "added_at")}
    metadata = {name: row[name] for name in ("technical_level", "developer_persona") if row[name] is not None}
    return {"object": "organization.user", **shown, **metadata}


ROUTES = (
    route("GET", f"{ORGANIZATION}/users", list_users, "list_users"),
    route("GET", f"{ORGANIZATION}/users/{{id}}", retrieve_user, "retrieve_user"),
    route("POST", f"{ORGANIZATION}/users/{{id}}", update_user, "update_user"),
    route("DELETE", f"{ORGANIZATION}/users/{{id}}", delete_user, "delete_user"),
)
