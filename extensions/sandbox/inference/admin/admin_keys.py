# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The admin keys of an organization."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..checks import integer
from ..keys import key_class, redacted
from ..pages import page
from ..protocol import json_response
from .common import ORGANIZATION, Record, deleted, given, name_, new_key, now, one, refusal, route, rows

_YEAR = 31_536_000


async def list_keys(call: Call) -> Response:
    """All, without their values."""
    found = rows(
        call, "SELECT * FROM inference_keys WHERE organization = ? AND listed ORDER BY rowid", call.caller.organization
    )
    return page(call, (_record(call, row) for row in found if key_class(row["key"]) == "admin"))


async def create_key(call: Call) -> Response:
    """Its value is told in this answer, and never again."""
    values = await given(call, ("name",), name=name_, expires_in_seconds=integer(1, _YEAR))
    created = now(call)
    expires = created + values["expires_in_seconds"] if "expires_in_seconds" in values else None
    id, value = new_key(
        call, "admin", name=values["name"], owner=_owner_of_caller(call), created_at=created, expires_at=expires
    )
    return json_response({**_record(call, _find(call, id)), "value": value})


async def retrieve_key(call: Call, id: str) -> Response:
    """One, without its value."""
    return json_response(_record(call, _find(call, id)))


async def delete_key(call: Call, id: str) -> Response:
    """Any, even the one that asks for it."""
    _find(call, id)
    call.runtime.db.execute("DELETE FROM inference_keys WHERE id = ?", (id,))
    return deleted("organization.admin_api_key", id)


def _find(call: Call, id: str) -> sqlite3.Row:
    row = one(
        call,
        "admin API key",
        id,
        "SELECT * FROM inference_keys WHERE id = ? AND organization = ?",
        id,
        call.caller.organization,
    )
    if key_class(row["key"]) != "admin":
        raise refusal(call, 404, f"The admin API key {id} was not found")
    return row


def _owner_of_caller(call: Call) -> str | None:
    """The first owner of the organization; the sandbox does not know who sits at the browser."""
    found = rows(
        call,
        "SELECT id FROM inference_users WHERE organization = ? AND role = 'owner' ORDER BY rowid",
        call.caller.organization,
    )
    return found[0]["id"] if found else None


def _record(call: Call, row: sqlite3.Row) -> Record:
    return {
        "object": "organization.admin_api_key",
        "id": row["id"],
        "name": row["name"],
        "redacted_value": redacted(row["key"]),
        "created_at": row["created_at"],
        "expires_at": row["expires_at"],
        "last_used_at": row["last_used_at"],
        "owner": _owner(call, row["owner"]),
    }


def _owner(call: Call, id: str | None) -> Record:
    for row in rows(call, "SELECT * FROM inference_users WHERE id = ?", id):
        names = {"id": row["id"], "name": row["name"] or "", "created_at": row["added_at"], "role": row["role"]}
        return {"type": "user", "object": "organization.user", **names}
    return {"type": "user", "object": "organization.user"}


_KEYS = f"{ORGANIZATION}/admin_api_keys"

ROUTES = (
    route("GET", _KEYS, list_keys, "list_admin_keys"),
    route("POST", _KEYS, create_key, "create_admin_key"),
    route("GET", f"{_KEYS}/{{id}}", retrieve_key, "retrieve_admin_key"),
    route("DELETE", f"{_KEYS}/{{id}}", delete_key, "delete_admin_key"),
)
