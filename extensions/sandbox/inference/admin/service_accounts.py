# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service accounts of a project."""

from __future__ import annotations

import json
import sqlite3

from starlette.responses import Response

from ..call import Call
from ..checks import boolean, choice, strings
from ..pages import page
from ..protocol import json_response
from .common import PROJECT, Record, deleted, find_project, given, name_, new_id, new_key, now, one, route, rows
from .members import ROLES


async def list_accounts(call: Call, project: str) -> Response:
    """All."""
    find_project(call, project, active=True)
    return page(
        call,
        map(record, rows(call, "SELECT * FROM inference_service_accounts WHERE project = ? ORDER BY rowid", project)),
    )


async def create_account(call: Call, project: str) -> Response:
    """The value of its key is told in this answer, and never again."""
    find_project(call, project, active=True)
    values = await given(call, ("name",), name=name_, create_service_account_only=boolean)
    alone = values.get("create_service_account_only", False)
    id, role = new_id("svc_acct_"), "none" if alone else "member"
    with call.runtime.transaction():
        call.runtime.db.execute(
            "INSERT INTO inference_service_accounts VALUES (?, ?, ?, ?, ?)",
            (id, project, values["name"], role, now(call)),
        )
        key = None if alone else _new_key(call, project, id, "Secret Key", None)
    return json_response({**record(_find(call, project, id)), "api_key": key})


async def retrieve_account(call: Call, project: str, id: str) -> Response:
    """One."""
    return json_response(record(_find(call, project, id)))


async def update_account(call: Call, project: str, id: str) -> Response:
    """Another name or role."""
    find_project(call, project, active=True)
    _find(call, project, id)
    for name, value in (await given(call, name=name_, role=choice(ROLES))).items():
        call.runtime.db.execute(f"UPDATE inference_service_accounts SET {name} = ? WHERE id = ?", (value, id))
    return await retrieve_account(call, project, id)


async def delete_account(call: Call, project: str, id: str) -> Response:
    """Its keys go with it."""
    find_project(call, project, active=True)
    _find(call, project, id)
    with call.runtime.transaction():
        call.runtime.db.execute("DELETE FROM inference_service_accounts WHERE id = ?", (id,))
        call.runtime.db.execute("DELETE FROM inference_keys WHERE owner = ?", (id,))
    return deleted("organization.project.service_account", id)


async def create_key(call: Call, project: str, id: str) -> Response:
    """One more key."""
    find_project(call, project, active=True)
    _find(call, project, id)
    values = await given(call, name=name_, scopes=strings)
    return json_response(_new_key(call, project, id, values.get("name", "Secret Key"), values.get("scopes")))


def record(row: sqlite3.Row) -> Record:
    """As the API tells it."""
    names = ("id", "name", "role", "created_at")
    return {"object": "organization.project.service_account", **{name: row[name] for name in names}}


def _find(call: Call, project: str, id: str) -> sqlite3.Row:
    find_project(call, project)
    return one(
        call,
        "service account",
        id,
        "SELECT * FROM inference_service_accounts WHERE id = ? AND project = ?",
        id,
        project,
    )


def _new_key(call: Call, project: str, account: str, name: str, scopes: list[str] | None) -> Record:
    created, written = now(call), None if scopes is None else json.dumps(scopes)
    id, value = new_key(call, "svcacct", project=project, scopes=written, name=name, owner=account, created_at=created)
    kind = "organization.project.service_account.api_key"
    return {"object": kind, "value": value, "name": name, "created_at": created, "id": id}


_ACCOUNTS = f"{PROJECT}/service_accounts"

ROUTES = (
    route("GET", _ACCOUNTS, list_accounts, "list_service_accounts"),
    route("POST", _ACCOUNTS, create_account, "create_service_account"),
    route("GET", f"{_ACCOUNTS}/{{id}}", retrieve_account, "retrieve_service_account"),
    route("POST", f"{_ACCOUNTS}/{{id}}", update_account, "update_service_account"),
    route("DELETE", f"{_ACCOUNTS}/{{id}}", delete_account, "delete_service_account"),
    route("POST", f"{_ACCOUNTS}/{{id}}/api_keys", create_key, "create_service_account_key"),
)
