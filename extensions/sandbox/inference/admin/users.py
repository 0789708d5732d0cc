# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of an organization."""

from __future__ import annotations

import sqlite3
from typing import Any

from starlette.responses import Response

from ..call import Call
from ..protocol.checks import check_string, choice_check, not_served_error
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from .common import ORGANIZATION, Record, admin_route, deletion_response, query_one, query_rows, read_body

ROLES = ("owner", "reader")


async def list_users(call: Call) -> Response:
    """List the users, optionally by e-mail address."""
    emails = [email.lower() for name in ("emails", "emails[]") for email in call.request.query_params.getlist(name)]
    rows = query_rows(
        call, "SELECT * FROM inference_users WHERE organization = ? ORDER BY rowid", call.caller.organization
    )
    return paginate(call, (record(row) for row in rows if not emails or row["email"].lower() in emails))


async def retrieve_user(call: Call, id: str) -> Response:
    """Get a user."""
    return json_response(record(find_user(call, id)))


async def update_user(call: Call, id: str) -> Response:
    """Change a user. Without fields, nothing changes."""
    find_user(call, id)
    values = await read_body(
        call,
        role=choice_check(ROLES),
        role_id=_refuse_role_id,
        technical_level=check_string,
        developer_persona=check_string,
    )
    for name, value in values.items():
        call.runtime.db.execute(f"UPDATE inference_users SET {name} = ? WHERE id = ?", (value, id))
    return await retrieve_user(call, id)


async def delete_user(call: Call, id: str) -> Response:
    """Remove a user from the organization and its projects."""
    find_user(call, id)
    with call.runtime.transaction():
        call.runtime.db.execute("DELETE FROM inference_users WHERE id = ?", (id,))
        call.runtime.db.execute("DELETE FROM inference_members WHERE id = ?", (id,))
    return deletion_response("organization.user", id)


def _refuse_role_id(name: str, _value: Any) -> None:
    raise not_served_error(f"the parameter '{name}'", name)


def find_user(call: Call, id: str) -> sqlite3.Row:
    """Return a user of the caller's organization."""
    return query_one(
        call,
        "user",
        id,
        "SELECT * FROM inference_users WHERE id = ? AND organization = ?",
        id,
        call.caller.organization,
    )


def record(row: sqlite3.Row) -> Record:
    """Return a user as the API shows it."""
    fields = {name: row[name] for name in ("id", "name", "email", "role", "added_at")}
    metadata = {name: row[name] for name in ("technical_level", "developer_persona") if row[name] is not None}
    return {"object": "organization.user", **fields, **metadata}


ROUTES = (
    admin_route("GET", f"{ORGANIZATION}/users", list_users, "list_users"),
    admin_route("GET", f"{ORGANIZATION}/users/{{id}}", retrieve_user, "retrieve_user"),
    admin_route("POST", f"{ORGANIZATION}/users/{{id}}", update_user, "update_user"),
    admin_route("DELETE", f"{ORGANIZATION}/users/{{id}}", delete_user, "delete_user"),
)
