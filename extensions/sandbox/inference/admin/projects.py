# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Projects of an organization."""

from __future__ import annotations

import sqlite3

from starlette.responses import Response

from ..call import Call
from ..protocol.checks import check_string, choice_check
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from .common import (
    ORGANIZATION,
    PROJECT,
    Record,
    admin_route,
    build_error,
    check_name,
    current_time,
    find_project,
    new_id,
    query_rows,
    read_body,
)

RESIDENCIES = (
    "GLOBAL",
    "US_STORAGE_PROCESSING",
    "EU_STORAGE_PROCESSING",
    *(f"{region}_STORAGE" for region in ("JP", "KR", "CA", "SG", "IN", "AU", "GB", "AE")),
    "AE_STORAGE_PROCESSING",
)


async def list_projects(call: Call) -> Response:
    """List the projects, by default without archived ones."""
    archived = call.request.query_params.get("include_archived", "false").lower() == "true"
    rows = query_rows(
        call,
        "SELECT * FROM inference_projects WHERE organization = ? AND (? OR archived_at IS NULL) ORDER BY rowid",
        call.caller.organization,
        archived,
    )
    return paginate(call, map(_record, rows))


async def create_project(call: Call) -> Response:
    """Create a project. Names need not be unique."""
    values = await read_body(
        call,
        ("name",),
        name=check_name,
        residency=choice_check(RESIDENCIES),
        geography=check_string,
        external_key_id=check_string,
    )
    if values.keys() >= {"geography", "residency"}:
        raise build_error(call, 400, "Provide either geography or residency, not both")
    id = new_id("proj_")
    call.runtime.db.execute(
        "INSERT INTO inference_projects VALUES (?, ?, ?, ?, NULL, FALSE, ?)",
        (id, call.caller.organization, values["name"], current_time(call), values.get("external_key_id")),
    )
    return await retrieve_project(call, id)


async def retrieve_project(call: Call, project: str) -> Response:
    """Get a project, archived or not."""
    return json_response(_record(find_project(call, project)))


async def update_project(call: Call, project: str) -> Response:
    """Change a project. Its geography never changes."""
    _check_ordinary(call, find_project(call, project, active=True))
    values = await read_body(call, name=check_name, geography=check_string, external_key_id=check_string)
    values.pop("geography", None)
    for name, value in values.items():
        call.runtime.db.execute(f"UPDATE inference_projects SET {name} = ? WHERE id = ?", (value, project))
    return await retrieve_project(call, project)


async def archive_project(call: Call, project: str) -> Response:
    """Archive a project permanently."""
    _check_ordinary(call, find_project(call, project, active=True))
    call.runtime.db.execute("UPDATE inference_projects SET archived_at = ? WHERE id = ?", (current_time(call), project))
    return await retrieve_project(call, project)


def _check_ordinary(call: Call, row: sqlite3.Row) -> None:
    if row["is_default"]:
        raise build_error(call, 400, f"Project {row['name']} is the default project, which cannot be changed")


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
    admin_route("GET", f"{ORGANIZATION}/projects", list_projects, "list_projects"),
    admin_route("POST", f"{ORGANIZATION}/projects", create_project, "create_project"),
    admin_route("GET", PROJECT, retrieve_project, "retrieve_project"),
    admin_route("POST", PROJECT, update_project, "update_project"),
    admin_route("POST", f"{PROJECT}/archive", archive_project, "archive_project"),
)
