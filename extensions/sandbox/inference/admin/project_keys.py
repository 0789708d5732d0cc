# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys of a project, without their values."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..keys import redact_key
from ..protocol.checks import check_choice
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from .common import PROJECT, Record, admin_route, build_error, deletion_response, find_project, query_one, query_rows

_OWNERS = ("user", "service_account")


async def list_keys(call: Call, project: str) -> Response:
    """List the keys. In the sandbox, every owner has access to the project."""
    find_project(call, project)
    access = call.request.query_params.get("owner_project_access", "active")
    check_choice(("active", "inactive", "any"), "owner_project_access", access)
    rows = query_rows(call, "SELECT * FROM inference_keys WHERE project = ? ORDER BY rowid", project)
    return paginate(call, () if access == "inactive" else (_record(call, row) for row in rows))


async def retrieve_key(call: Call, project: str, id: str) -> Response:
    """Get a key."""
    return json_response(_record(call, _find(call, project, id)))


async def delete_key(call: Call, project: str, id: str) -> Response:
    """Delete the key of a user."""
    if "service_account" in _record(call, _find(call, project, id))["owner"]:
        message = "API keys cannot be deleted for service accounts, please delete the service account"
        raise build_error(call, 400, message)
    call.runtime.db.execute("DELETE FROM inference_keys WHERE id = ?", (id,))
    return deletion_response("organization.project.api_key", id)


def _find(call: Call, project: str, id: str) -> sqlite3.Row:
    find_project(call, project)
    return query_one(call, "API key", id, "SELECT * FROM inference_keys WHERE id = ? AND project = ?", id, project)


def _record(call: Call, row: sqlite3.Row) -> Record:
    return {
        "object": "organization.project.api_key",
        "id": row["id"],
        "name": row["name"],
        "redacted_value": redact_key(row["key"]),
        "created_at": row["created_at"],
        "last_used_at": row["last_used_at"],
        "owner_project_access": "active",
        "owner": _owner(call, row["owner"]),
    }


def _owner(call: Call, id: str | None) -> Record:
    for kind, table, since in zip(
        _OWNERS, ("inference_users", "inference_service_accounts"), ("added_at", "created_at"), strict=True
    ):
        for row in query_rows(call, f"SELECT * FROM {table} WHERE id = ?", id):
            person = {"email": row["email"]} if kind == "user" else {}
            fields = {"id": id, "name": row["name"] or "", **person, "role": row["role"], "created_at": row[since]}
            return {"type": kind, kind: fields}
    return {"type": "user"}


_KEYS = f"{PROJECT}/api_keys"

ROUTES = (
    admin_route("GET", _KEYS, list_keys, "list_project_keys"),
    admin_route("GET", f"{_KEYS}/{{id}}", retrieve_key, "retrieve_project_key"),
    admin_route("DELETE", f"{_KEYS}/{{id}}", delete_key, "delete_project_key"),
)
