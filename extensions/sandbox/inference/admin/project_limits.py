# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rate limits of a project. By default they are those of the organization."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..protocol.checks import integer_check
from ..protocol.errors import invalid_parameter
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from ..schema import LIMITS
from .common import PROJECT, Record, admin_route, find_project, query_one, query_rows, read_body

_PREFIX = "rl-"
# Entries on a page: OpenAI's Terraform provider requests 1000, ten times as many as of other lists
_MAX_LIMIT = 1000
# The API lists models that have both limits
_MODEL_LIMITS = (
    "SELECT * FROM inference_limits "
    "WHERE requests_per_minute IS NOT NULL AND tokens_per_minute IS NOT NULL AND id <> '*'"
)


async def list_limits(call: Call, project: str) -> Response:
    """List the limits of all models."""
    find_project(call, project)
    own: dict[str, dict[str, int]] = {}
    for row in query_rows(call, "SELECT * FROM inference_project_limits WHERE project = ?", project):
        own.setdefault(row["id"], {})[row["name"]] = row["value"]
    rows = query_rows(call, f"{_MODEL_LIMITS} ORDER BY id")
    records = (_record(row, own.get(row["id"], {})) for row in rows)
    return paginate(call, records, default_limit=100, max_limit=_MAX_LIMIT)


async def update_limit(call: Call, project: str, id: str) -> Response:
    """Change limits of a model, at most to those of the organization."""
    find_project(call, project, active=True)
    model = id.removeprefix(_PREFIX)
    row = query_one(call, "rate limit", id, f"{_MODEL_LIMITS} AND id = ?", model)
    values = await read_body(call, **dict.fromkeys(LIMITS.values(), integer_check(0, None)))
    columns = {wire: column for column, wire in LIMITS.items()}
    for name, value in values.items():
        _check(row, name, row[columns[name]], value)
    with call.runtime.transaction():
        for name, value in values.items():
            call.runtime.db.execute(
                "INSERT OR REPLACE INTO inference_project_limits VALUES (?, ?, ?, ?)",
                (project, model, columns[name], value),
            )
    own = query_rows(call, "SELECT * FROM inference_project_limits WHERE project = ? AND id = ?", project, model)
    return json_response(_record(row, {limit["name"]: limit["value"] for limit in own}))


def _check(row: sqlite3.Row, name: str, most: int | None, value: int) -> None:
    if most is None:
        raise invalid_parameter(f"The model {row['id']} has no limit '{name}'.", name, "invalid_value")
    if value > most:
        message = f"Invalid '{name}': {value} is above the organization's limit of {most}."
        raise invalid_parameter(message, name, "integer_above_max_value")


def _record(row: sqlite3.Row, own: dict[str, int]) -> Record:
    limits = {wire: own.get(column, row[column]) for column, wire in LIMITS.items() if row[column] is not None}
    return {"object": "project.rate_limit", "id": f"{_PREFIX}{row['id']}", "model": row["id"], **limits}


ROUTES = (
    admin_route("GET", f"{PROJECT}/rate_limits", list_limits, "list_project_limits"),
    admin_route("POST", f"{PROJECT}/rate_limits/{{id}}", update_limit, "update_project_limit"),
)
