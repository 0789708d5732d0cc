# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rate limits of a project, which are those of the organization until they are lowered."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..checks import integer
from ..errors import invalid
from ..pages import page
from ..protocol import json_response
from ..storage import LIMITS
from .common import PROJECT, Record, find_project, given, one, route, rows

_PREFIX = "rl-"
# The API tells of models that have both
_OF_MODELS = (
    "SELECT * FROM inference_limits "
    "WHERE requests_per_minute IS NOT NULL AND tokens_per_minute IS NOT NULL AND id <> '*'"
)


async def list_limits(call: Call, project: str) -> Response:
    """Those of all models."""
    find_project(call, project)
    own: dict[str, dict[str, int]] = {}
    for row in rows(call, "SELECT * FROM inference_project_limits WHERE project = ?", project):
        own.setdefault(row["id"], {})[row["name"]] = row["value"]
    found = rows(call, f"{_OF_MODELS} ORDER BY id")
    return page(call, (_record(row, own.get(row["id"], {})) for row in found), usual=100)


async def update_limit(call: Call, project: str, id: str) -> Response:
    """Some limits of a model, none of them above the organization's."""
    find_project(call, project, active=True)
    model = id.removeprefix(_PREFIX)
    row = one(call, "rate limit", id, f"{_OF_MODELS} AND id = ?", model)
    values = await given(call, **dict.fromkeys(LIMITS.values(), integer(0, None)))
    columns = {wire: column for column, wire in LIMITS.items()}
    for name, value in values.items():
        _check(row, name, row[columns[name]], value)
    with call.runtime.transaction():
        for name, value in values.items():
            call.runtime.db.execute(
                "INSERT OR REPLACE INTO inference_project_limits VALUES (?, ?, ?, ?)",
                (project, model, columns[name], value),
            )
    own = rows(call, "SELECT * FROM inference_project_limits WHERE project = ? AND id = ?", project, model)
    return json_response(_record(row, {limit["name"]: limit["value"] for limit in own}))


def _check(row: sqlite3.Row, name: str, most: int | None, value: int) -> None:
    if most is None:
        raise invalid(f"The model {row['id']} has no limit '{name}'.", name, "invalid_value")
    if value > most:
        message = f"Invalid '{name}': {value} is above the organization's limit of {most}."
        raise invalid(message, name, "integer_above_max_value")


def _record(row: sqlite3.Row, own: dict[str, int]) -> Record:
    told = {wire: own.get(column, row[column]) for column, wire in LIMITS.items() if row[column] is not None}
    return {"object": "project.rate_limit", "id": f"{_PREFIX}{row['id']}", "model": row["id"], **told}


ROUTES = (
    route("GET", f"{PROJECT}/rate_limits", list_limits, "list_project_limits"),
    route("POST", f"{PROJECT}/rate_limits/{{id}}", update_limit, "update_project_limit"),
)
