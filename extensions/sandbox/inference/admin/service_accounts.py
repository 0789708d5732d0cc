# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Service accounts of a project."""

from __future__ import annotations

import json
import sqlite3

from starlette.responses import Response

from ..call import Call
from ..protocol.checks import check_boolean, check_strings, choice_check
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from .common import (
    PROJECT,
    Record,
    admin_route,
    check_name,
    current_time,
    deletion_response,
    find_project,
    insert_key,
    new_id,
    query_one,
    query_rows,
    read_body,
)
from .members import ROLES


async def list_accounts(call: Call, project: str) -> Response:
    """List the service accounts of a project."""
    find_project(call, project, active=True)
    return paginate(
        call,
        map(
            record,
            query_rows(call, "SELECT * FROM inference_service_accounts WHERE project = ? ORDER BY rowid", project),
        ),
    )


async def create_account(call: Call, project: str) -> Response:
    """Create a service account with a key. Only this response contains the value of the key."""
    find_project(call, project, active=True)
    values = await read_body(call, ("name",), name=check_name, create_service_account_only=check_boolean)
    alone = values.get("create_service_account_only", False)
    id, role = new_id("svc_acct_"), "none" if alone else "member"
    with call.runtime.transaction():
        call.runtime.db.execute(
            "INSERT INTO inference_service_accounts VALUES (?, ?, ?, ?, ?)",
            (id, project, values["name"], role, current_time(call)),
        )
        key = None if alone else _new_key(call, project, id, "Secret Key", None)
    return json_response({**record(_find(call, project, id)), "api_key": key})


async def retrieve_account(call: Call, project: str, id: str) -> Response:
    """Get a service account."""
    return json_response(record(_find(call, project, id)))


async def update_account(call: Call, project: str, id: str) -> Response:
    """Change the name or the role of a service account."""
    find_project(call, project, active=True)
    _find(call, project, id)
    for name, value in (await read_body(call, name=check_name, role=choice_check(ROLES))).items():
        call.runtime.db.execute(f"UPDATE inference_service_accounts SET {name} = ? WHERE id = ?", (value, id))
    return await retrieve_account(call, project, id)


async def delete_account(call: Call, project: str, id: str) -> Response:
    """Delete a service account with its keys."""
    find_project(call, project, active=True)
    _find(call, project, id)
    with call.runtime.transaction():
        call.runtime.db.execute("DELETE FROM inference_service_accounts WHERE id = ?", (id,))
        call.runtime.db.execute("DELETE FROM inference_keys WHERE owner = ?", (id,))
    return deletion_response("organization.project.service_account", id)


async def create_key(call: Call, project: str, id: str) -> Response:
    """Create another key."""
    find_project(call, project, active=True)
    _find(call, project, id)
    values = await read_body(call, name=check_name, scopes=check_strings)
    return json_response(_new_key(call, project, id, values.get("name", "Secret Key"), values.get("scopes")))


def record(row: sqlite3.Row) -> Record:
    """Return a service account in the form of the API."""
    names = ("id", "name", "role", "created_at")
    return {"object": "organization.project.service_account", **{name: row[name] for name in names}}


def _find(call: Call, project: str, id: str) -> sqlite3.Row:
    find_project(call, project)
    return query_one(
        call,
        "service account",
        id,
        "SELECT * FROM inference_service_accounts WHERE id = ? AND project = ?",
        id,
        project,
    )


def _new_key(call: Call, project: str, account: str, name: str, scopes: list[str] | None) -> Record:
    created, written = current_time(call), None if scopes is None else json.dumps(scopes)
    id, value = insert_key(
        call, "svcacct", project=project, scopes=written, name=name, owner=account, created_at=created
    )
    kind = "organization.project.service_account.api_key"
    return {"object": kind, "value": value, "name": name, "created_at": created, "id": id}


_ACCOUNTS = f"{PROJECT}/service_accounts"

ROUTES = (
    admin_route("GET", _ACCOUNTS, list_accounts, "list_service_accounts"),
    admin_route("POST", _ACCOUNTS, create_account, "create_service_account"),
    admin_route("GET", f"{_ACCOUNTS}/{{id}}", retrieve_account, "retrieve_service_account"),
    admin_route("POST", f"{_ACCOUNTS}/{{id}}", update_account, "update_service_account"),
    admin_route("DELETE", f"{_ACCOUNTS}/{{id}}", delete_account, "delete_service_account"),
    admin_route("POST", f"{_ACCOUNTS}/{{id}}/api_keys", create_key, "create_service_account_key"),
)
