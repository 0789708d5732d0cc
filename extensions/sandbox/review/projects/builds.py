# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds of a project and their configuration."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable

from ..api.call import Call, Record, action_route, major_version
from ..api.protocol import already_exists, not_found
from ..storage import require_project_id, update
from .defect_types import load_taxonomies


def builds(call: Call) -> Iterable[Record]:
    """Yield the builds, newest first."""
    tags: Record = {"tags": []} if major_version(call.runtime) >= 23 else {}
    for row in _list_builds(call, require_project_id(call)):
        yield {
            "id": row["id"],
            "name": row["name"],
            "date": row["date"],
            "keepit": bool(row["keepit"]),
            **tags,
        }


def update_build(call: Call) -> None:
    """Rename a build, or change whether it is kept."""
    project = require_project_id(call)
    call.access.require("change_project_settings", project)
    build = _require_build(call, project, call.parameters.text("name"))
    new_name = call.parameters.text("new_name")
    if new_name and new_name != build["name"]:
        if any(row["name"] == new_name for row in _list_builds(call, project)):
            raise already_exists("Build", new_name)
        update(call.db, "review_builds", "id", build["id"], name=new_name)
    if "keepit" in call.parameters:
        update(call.db, "review_builds", "id", build["id"], keepit=call.parameters.boolean("keepit"))


def delete_build(call: Call) -> None:
    """Delete a build. With the last build, all issues of the project are deleted."""
    project = require_project_id(call)
    call.access.require("delete_build", project)
    build = _require_build(call, project, call.parameters.text("name"))
    call.db.execute("DELETE FROM review_builds WHERE id = ?", (build["id"],))
    if not _list_builds(call, project):
        call.db.execute("DELETE FROM review_issues WHERE project = ?", (project,))


def project_configuration(call: Call) -> Iterable[Record]:
    """Yield the configuration of a build, by default the latest one. All values are strings."""
    project, name = require_project_id(call), call.parameters.text("build")
    rows = _list_builds(call, project)
    build = _require_build(call, project, name) if name else next(iter(rows), None)
    if build is None:
        raise not_found("Build", "latest")
    version = ".".join(call.runtime.get_switch("review", f"version_{part}") for part in ("major", "minor"))
    date = time.gmtime(build["date"] / 1000)
    figures = {name: str(value) for name, value in json.loads(build["figures"]).items()}
    yield {
        "build": build["name"],
        "creationDate": time.strftime("%a %b %d %H:%M:%S UTC %Y", date),
        "version": f"{version}.0.57",
        "taxonomies": ", ".join(load_taxonomies(call, project)),
        **figures,
    }


def _list_builds(call: Call, project: str) -> list[sqlite3.Row]:
    rows = call.db.execute("SELECT * FROM review_builds WHERE project = ? ORDER BY id DESC", (project,))
    return rows.fetchall()


def _require_build(call: Call, project: str, name: str) -> sqlite3.Row:
    row: sqlite3.Row | None = call.db.execute(
        "SELECT * FROM review_builds WHERE (project, name) = (?, ?)", (project, name)
    ).fetchone()
    if row is None:
        raise not_found("Build", name)
    return row


ROUTES = tuple(map(action_route, (builds, update_build, delete_build, project_configuration)))
