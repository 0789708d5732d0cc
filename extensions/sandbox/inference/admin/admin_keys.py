# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Admin keys of an organization."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..keys import get_key_class, redact_key
from ..protocol.checks import integer_check
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
    insert_key,
    query_one,
    query_rows,
    read_body,
)

_YEAR = 31_536_000


async def list_keys(call: Call) -> Response:
    """List the admin keys without their values."""
    rows = query_rows(
        call, "SELECT * FROM inference_keys WHERE organization = ? AND listed ORDER BY rowid", call.caller.organization
    )
    return paginate(call, (_record(call, row) for row in rows if get_key_class(row["key"]) == "admin"))


async def create_key(call: Call) -> Response:
    """Create an admin key. Only this response contains its value."""
    values = await read_body(call, ("name",), name=check_name, expires_in_seconds=integer_check(1, _YEAR))
    created = current_time(call)
    expires = created + values["expires_in_seconds"] if "expires_in_seconds" in values else None
    id, value = insert_key(
        call, "admin", name=values["name"], owner=_find_first_owner(call), created_at=created, expires_at=expires
    )
    return json_response({**_record(call, _find(call, id)), "value": value})


async def retrieve_key(call: Call, id: str) -> Response:
    """Get an admin key without its value."""
    return json_response(_record(call, _find(call, id)))


async def delete_key(call: Call, id: str) -> Response:
    """Delete an admin key, including the one in use."""
    _find(call, id)
    call.runtime.db.execute("DELETE FROM inference_keys WHERE id = ?", (id,))
    return deletion_response("organization.admin_api_key", id)


def _find(call: Call, id: str) -> sqlite3.Row:
    row = query_one(
        call,
        "admin API key",
        id,
        "SELECT * FROM inference_keys WHERE id = ? AND organization = ?",
        id,
        call.caller.organization,
    )
    if get_key_class(row["key"]) != "admin":
        raise build_error(call, 404, f"The admin API key {id} was not found")
    return row


def _find_first_owner(call: Call) -> str | None:
    """Return the first owner of the organization, because the sandbox does not know the user of the browser."""
    rows = query_rows(
        call,
        "SELECT id FROM inference_users WHERE organization = ? AND role = 'owner' ORDER BY rowid",
        call.caller.organization,
    )
    return rows[0]["id"] if rows else None


def _record(call: Call, row: sqlite3.Row) -> Record:
    return {
        "object": "organization.admin_api_key",
        "id": row["id"],
        "name": row["name"],
        "redacted_value": redact_key(row["key"]),
        "created_at": row["created_at"],
        "expires_at": row["expires_at"],
        "last_used_at": row["last_used_at"],
        "owner": _owner(call, row["owner"]),
    }


def _owner(call: Call, id: str | None) -> Record:
    for row in query_rows(call, "SELECT * FROM inference_users WHERE id = ?", id):
        names = {"id": row["id"], "name": row["name"] or "", "created_at": row["added_at"], "role": row["role"]}
        return {"type": "user", "object": "organization.user", **names}
    return {"type": "user", "object": "organization.user"}


_KEYS = f"{ORGANIZATION}/admin_api_keys"

ROUTES = (
    admin_route("GET", _KEYS, list_keys, "list_admin_keys"),
    admin_route("POST", _KEYS, create_key, "create_admin_key"),
    admin_route("GET", f"{_KEYS}/{{id}}", retrieve_key, "retrieve_admin_key"),
    admin_route("DELETE", f"{_KEYS}/{{id}}", delete_key, "delete_admin_key"),
)
