# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The keys of a project, without their values."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..checks import one_of
from ..keys import redacted
from ..pages import page
from ..protocol import json_response
from .common import PROJECT, Record, deleted, find_project, one, refusal, route, rows

_OWNERS = ("user", "service_account")


async def list_keys(call: Call, project: str) -> Response:
    """All; every owner has access to the project in here."""
    find_project(call, project)
    access = call.request.query_params.get("owner_project_access", "active")
    one_of(("active", "inactive", "any"), "owner_project_access", access)
    found = rows(call, "SELECT * FROM inference_keys WHERE project = ? ORDER BY rowid", project)
    return page(call, () if access == "inactive" else (_record(call, row) for row in found))


async def retrieve_key(call: Call, project: str, id: str) -> Response:
    """One."""
    return json_response(_record(call, _find(call, project, id)))


async def delete_key(call: Call, project: str, id: str) -> Response:
    """A key of a user."""
    if "service_account" in _record(call, _find(call, project, id))["owner"]:
        message = "API keys cannot be deleted for service accounts, please delete the service account"
        raise refusal(call, 400, message)
    call.runtime.db.execute("DELETE FROM inference_keys WHERE id = ?", (id,))
    return deleted("organization.project.api_key", id)


def _find(call: Call, project: str, id: str) -> sqlite3.Row:
    find_project(call, project)
    return one(call, "API key", id, "SELECT * FROM inference_keys WHERE id = ? AND project = ?", id, project)


def _record(call: Call, row: sqlite3.Row) -> Record:
    return {
        "object": "organization.project.api_key",
        "id": row["id"],
        "name": row["name"],
        "redacted_value": redacted(row["key"]),
        "created_at": row["created_at"],
        "last_used_at": row["last_used_at"],
        "owner_project_access": "active",
        "owner": _owner(call, row["owner"]),
    }


def _owner(call: Call, id: str | None) -> Record:
    for kind, table, since in zip(
        _OWNERS, ("inference_users", "inference_service_accounts"), ("added_at", "created_at"), strict=True
    ):
        for row in rows(call, f"SELECT * FROM {table} WHERE id = ?", id):
            person = {"email": row["email"]} if kind == "user" else {}
            told = {"id": id, "name": row["name"] or "", **person, "role": row["role"], "created_at": row[since]}
            return {"type": kind, kind: told}
    return {"type": "user"}


_KEYS = f"{PROJECT}/api_keys"

ROUTES = (
    route("GET", _KEYS, list_keys, "list_project_keys"),
    route("GET", f"{_KEYS}/{{id}}", retrieve_key, "retrieve_project_key"),
    route("DELETE", f"{_KEYS}/{{id}}", delete_key, "delete_project_key"),
)
