# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Request bodies, errors and lookups of administrative calls."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.checks import Check, check_string, missing_parameter, unknown_parameter
from ..protocol.errors import AdminError, invalid_parameter
from ..protocol.json_bodies import json_response, parse_object, require_json
from ..schema import insert

ORGANIZATION = "/v1/organization"
PROJECT = f"{ORGANIZATION}/projects/{{project}}"

Record = dict[str, Any]


def admin_route(method: str, path: str, handler: Callable[..., Any], label: str) -> Route:
    """Return the route of an administrative call with its scope."""
    scope = "api.management.read" if method == "GET" else "api.management.write"
    return Route(method, path, handler, label, scope=scope)


def current_time(call: Call) -> int:
    """Return the time in seconds since 1970."""
    return int(call.runtime.clock.now())


def new_id(prefix: str) -> str:
    """Return a unique id."""
    return f"{prefix}{uuid.uuid4().hex[:24]}"


def build_error(call: Call, status: int, message: str) -> AdminError:
    """Return an error in the form that the switch selects."""
    return AdminError(status, message, bare=call.runtime.get_switch("inference", "bare_admin_errors"))


def query_rows(call: Call, statement: str, *values: Any) -> list[sqlite3.Row]:
    """Return all rows of a query."""
    return call.runtime.db.execute(statement, values).fetchall()


def query_one(call: Call, what: str, id: str, statement: str, *values: Any) -> sqlite3.Row:
    """Return the row of a query.

    :raises AdminError: 404 if there is no row
    """
    row: sqlite3.Row | None = call.runtime.db.execute(statement, values).fetchone()
    if row is None:
        raise build_error(call, 404, f"The {what} {id} was not found")
    return row


def find_project(call: Call, id: str, *, active: bool = False) -> sqlite3.Row:
    """Return a project of the caller's organization.

    :arg active: refuse an archived project
    """
    row = query_one(
        call,
        "project",
        id,
        "SELECT * FROM inference_projects WHERE id = ? AND organization = ?",
        id,
        call.caller.organization,
    )
    if active and row["archived_at"]:
        raise build_error(call, 400, f"Project {row['name']} is archived")
    return row


def insert_key(call: Call, kind: str, **members: Any) -> tuple[str, str]:
    """Create a key of a class such as `admin`, and return its id and its value."""
    id, value = new_id("key_"), f"sk-{kind}-{uuid.uuid4().hex}{uuid.uuid4().hex}"
    insert(call.runtime.db, "inference_keys", key=value, id=id, organization=call.caller.organization, **members)
    return id, value


def deletion_response(kind: str, id: str) -> Response:
    """Return the response to a deletion."""
    return json_response({"object": f"{kind}.deleted", "id": id, "deleted": True})


async def read_body(call: Call, needed: tuple[str, ...] = (), /, **checks: Check) -> Record:
    """Return the validated members of the body without nulls."""
    require_json(call.request)
    data = parse_object(await call.request.body() or b"{}")
    values = {name: value for name, value in data.items() if value is not None}
    for name in data:
        if name not in checks:
            raise unknown_parameter(name)
    for name in needed:
        if name not in values:
            raise missing_parameter(name)
    for name, value in values.items():
        checks[name](name, value)
    return values


def check_name(name: str, value: Any) -> None:
    """Check that a value is a string that is not empty."""
    check_string(name, value)
    if not value.strip():
        raise invalid_parameter(f"Invalid '{name}': empty string.", name, "empty_string")
