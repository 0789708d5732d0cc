# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the administrative calls have in common: bodies, refusals, and how a project is found."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..checks import Check, missing, string, unknown
from ..errors import AdminError, invalid
from ..protocol import json_response, parse_object, require_json
from ..storage import insert

ORGANIZATION = "/v1/organization"
PROJECT = f"{ORGANIZATION}/projects/{{project}}"

Record = dict[str, Any]


def route(method: str, path: str, handler: Callable[..., Any], label: str) -> Route:
    """An administrative call, with the scope that it needs."""
    scope = "api.management.read" if method == "GET" else "api.management.write"
    return Route(method, path, handler, label, scope=scope)


def now(call: Call) -> int:
    """The time, in seconds since 1970."""
    return int(call.runtime.clock.now())


def new_id(prefix: str) -> str:
    """An id that nothing else has."""
    return f"{prefix}{uuid.uuid4().hex[:24]}"


def refusal(call: Call, status: int, message: str) -> AdminError:
    """A refusal, in the shape that the switch asks for."""
    return AdminError(status, message, bare=call.runtime.get_switch("inference", "bare_admin_errors"))


def rows(call: Call, statement: str, *values: Any) -> list[sqlite3.Row]:
    """All rows that a statement finds."""
    return call.runtime.db.execute(statement, values).fetchall()


def one(call: Call, what: str, id: str, statement: str, *values: Any) -> sqlite3.Row:
    """The row that a statement finds; 404 when there is none."""
    row: sqlite3.Row | None = call.runtime.db.execute(statement, values).fetchone()
    if row is None:
        raise refusal(call, 404, f"The {what} {id} was not found")
    return row


def find_project(call: Call, id: str, *, active: bool = False) -> sqlite3.Row:
    """A project of the caller's organization; what is `active` only is refused for an archived one."""
    row = one(
        call,
        "project",
        id,
        "SELECT * FROM inference_projects WHERE id = ? AND organization = ?",
        id,
        call.caller.organization,
    )
    if active and row["archived_at"]:
        raise refusal(call, 400, f"Project {row['name']} is archived")
    return row


def new_key(call: Call, kind: str, **members: Any) -> tuple[str, str]:
    """Keep a new key of a kind, such as `admin`: its id, and the value that is told once."""
    id, value = new_id("key_"), f"sk-{kind}-{uuid.uuid4().hex}{uuid.uuid4().hex}"
    insert(call.runtime.db, "inference_keys", key=value, id=id, organization=call.caller.organization, **members)
    return id, value


def deleted(kind: str, id: str) -> Response:
    """The answer to a deletion."""
    return json_response({"object": f"{kind}.deleted", "id": id, "deleted": True})


async def given(call: Call, needed: tuple[str, ...] = (), /, **checks: Check) -> Record:
    """The members of the body, each checked; those that are null are left out."""
    require_json(call.request)
    data = parse_object(await call.request.body() or b"{}")
    values = {name: value for name, value in data.items() if value is not None}
    for name in data:
        if name not in checks:
            raise unknown(name)
    for name in needed:
        if name not in values:
            raise missing(name)
    for name, value in values.items():
        checks[name](name, value)
    return values


def name_(name: str, value: Any) -> None:
    """A text with something in it."""
    string(name, value)
    if not value.strip():
        raise invalid(f"Invalid '{name}': empty string.", name, "empty_string")
