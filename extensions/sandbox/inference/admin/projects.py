# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The projects of an organization."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..checks import choice, string
from ..pages import page
from ..protocol import json_response
from .common import ORGANIZATION, PROJECT, Record, find_project, given, name_, new_id, now, refusal, route, rows

RESIDENCIES = (
    "GLOBAL",
    "US_STORAGE_PROCESSING",
    "EU_STORAGE_PROCESSING",
    *(f"{region}_STORAGE" for region in ("JP", "KR", "CA", "SG", "IN", "AU", "GB", "AE")),
    "AE_STORAGE_PROCESSING",
)


async def list_projects(call: Call) -> Response:
    """Those that are not archived, unless all are asked for."""
    archived = call.request.query_params.get("include_archived", "false").lower() == "true"
    found = rows(
        call,
        "SELECT * FROM inference_projects WHERE organization = ? AND (? OR archived_at IS NULL) ORDER BY rowid",
        call.caller.organization,
        archived,
    )
    return page(call, map(_record, found))


async def create_project(call: Call) -> Response:
    """A name need not be new."""
    values = await given(
        call, ("name",), name=name_, residency=choice(RESIDENCIES), geography=string, external_key_id=string
    )
    if values.keys() >= {"geography", "residency"}:
        raise refusal(call, 400, "Provide either geography or residency, not both")
    id = new_id("proj_")
    call.runtime.db.execute(
        "INSERT INTO inference_projects VALUES (?, ?, ?, ?, NULL, FALSE, ?)",
        (id, call.caller.organization, values["name"], now(call), values.get("external_key_id")),
    )
    return await retrieve_project(call, id)


async def retrieve_project(call: Call, project: str) -> Response:
    """One, archived or not."""
    return json_response(_record(find_project(call, project)))


async def update_project(call: Call, project: str) -> Response:
    """Change what is given; the geography of a project stays as it is."""
    _check_ordinary(call, find_project(call, project, active=True))
    values = await given(call, name=name_, geography=string, external_key_id=string)
    values.pop("geography", None)
    for name, value in values.items():
        call.runtime.db.execute(f"UPDATE inference_projects SET {name} = ? WHERE id = ?", (value, project))
    return await retrieve_project(call, project)


async def archive_project(call: Call, project: str) -> Response:
    """There is no way back."""
    _check_ordinary(call, find_project(call, project, active=True))
    call.runtime.db.execute("UPDATE inference_projects SET archived_at = ? WHERE id = ?", (now(call), project))
    return await retrieve_project(call, project)


def _check_ordinary(call: Call, row: sqlite3.Row) -> None:
    if row["is_default"]:
        raise refusal(call, 400, f"Project {row['name']} is the default project, which cannot be changed")


def _record(row: sqlite3.Row) -> Record:
    return {
        "id": row["id"],
        "object": "organization.project",
        "name": row["name"],
        "created_at": row["created_at"],
        "archived_at": row["archived_at"],
        "status": "archived" if row["archived_at"] else "active",
        "external_key_id": row["external_key_id"],
    }


ROUTES = (
    route("GET", f"{ORGANIZATION}/projects", list_projects, "list_projects"),
    route("POST", f"{ORGANIZATION}/projects", create_project, "create_project"),
    route("GET", PROJECT, retrieve_project, "retrieve_project"),
    route("POST", PROJECT, update_project, "update_project"),
    route("POST", f"{PROJECT}/archive", archive_project, "archive_project"),
)
