# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds of a project, and what was analysed in them."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable

from .call import Call, Record, action, major_version
from .defect_types import taxonomies_of
from .protocol import already_exists, not_found
from .storage import change, project_by


def builds(call: Call) -> Iterable[Record]:
    """The newest one first."""
    tags: Record = {"tags": []} if major_version(call.runtime) >= 23 else {}
    for row in _listed(call, _project(call)):
        yield {
            "id": row["id"],
            "name": row["name"],
            "date": row["date"],
            "keepit": bool(row["keepit"]),
            **tags,
        }


def update_build(call: Call) -> None:
    project = _project(call)
    call.access.require("change_project_settings", project)
    build = _require(call, project, call.parameters.text("name"))
    new_name = call.parameters.text("new_name")
    if new_name and new_name != build["name"]:
        if any(row["name"] == new_name for row in _listed(call, project)):
            raise already_exists("Build", new_name)
        change(call.db, "review_builds", "id", build["id"], name=new_name)
    if "keepit" in call.parameters:
        change(call.db, "review_builds", "id", build["id"], keepit=call.parameters.boolean("keepit"))


def delete_build(call: Call) -> None:
    """With the last one go the issues and what was said of them."""
    project = _project(call)
    call.access.require("delete_build", project)
    build = _require(call, project, call.parameters.text("name"))
    call.db.execute("DELETE FROM review_builds WHERE id = ?", (build["id"],))
    if not _listed(call, project):
        call.db.execute("DELETE FROM review_issues WHERE project = ?", (project,))


def project_configuration(call: Call) -> Iterable[Record]:
    """Figures of a build, the latest one unless told; every value is a text."""
    project, name = _project(call), call.parameters.text("build")
    rows = _listed(call, project)
    build = _require(call, project, name) if name else next(iter(rows), None)
    if build is None:
        raise not_found("Build", "latest")
    version = ".".join(call.runtime.get_switch("review", f"version_{part}") for part in ("major", "minor"))
    loaded = time.gmtime(build["date"] / 1000)
    figures = {name: str(value) for name, value in json.loads(build["figures"]).items()}
    yield {
        "build": build["name"],
        "creationDate": time.strftime("%a %b %d %H:%M:%S UTC %Y", loaded),
        "version": f"{version}.0.57",
        "taxonomies": ", ".join(taxonomies_of(call, project)),
        **figures,
    }


def _project(call: Call) -> str:
    project_id: str = project_by(call, "name", call.parameters.text("project"))["id"]
    return project_id


def _listed(call: Call, project: str) -> list[sqlite3.Row]:
    rows = call.db.execute("SELECT * FROM review_builds WHERE project = ? ORDER BY id DESC", (project,))
    return rows.fetchall()


def _require(call: Call, project: str, name: str) -> sqlite3.Row:
    found = call.db.execute("SELECT * FROM review_builds WHERE (project, name) = (?, ?)", (project, name)).fetchone()
    row: sqlite3.Row | None = found
    if row is None:
        raise not_found("Build", name)
    return row


ROUTES = tuple(map(action, (builds, update_build, delete_build, project_configuration)))
