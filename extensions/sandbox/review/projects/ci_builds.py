# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""CI builds, and logs of builds, of newer servers. The format of the records is a guess."""

from __future__ import annotations

import io
import json
import sqlite3
import time
import zipfile
from collections.abc import Iterable
from typing import Any

from ..api.call import Call, Record, action_route
from ..api.protocol import already_exists, not_found
from ..issues.issues import issue_details
from ..storage import require_project_id, update


def ci_builds(call: Call) -> Iterable[Record]:
    """Yield the CI builds, newest first."""
    rows = call.db.execute(
        "SELECT * FROM review_ci_builds WHERE project = ? ORDER BY id DESC", (require_project_id(call),)
    )
    for row in rows:
        yield {"id": row["id"], "name": row["name"], "date": row["date"], "tags": json.loads(row["tags"])}


def update_ci_build(call: Call) -> None:
    """Rename a CI build, or replace its tags."""
    project, parameters = require_project_id(call), call.parameters
    call.access.require("change_project_settings", project)
    build = _require_build(call, "ci_builds", project)
    fields: dict[str, Any] = {}
    new_name = parameters.text("new_name")
    if new_name and new_name != build["name"]:
        if _find_build(call, "ci_builds", project, new_name):
            raise already_exists("CI build", new_name)
        fields["name"] = new_name
    if "tags" in parameters:
        fields["tags"] = parameters.names("tags")
    update(call.db, "review_ci_builds", "id", build["id"], **fields)


def delete_ci_build(call: Call) -> None:
    """Delete a CI build."""
    project = require_project_id(call)
    call.access.require("delete_build", project)
    call.db.execute("DELETE FROM review_ci_builds WHERE id = ?", (_require_build(call, "ci_builds", project)["id"],))


def ci_issue_details(call: Call) -> Iterable[Record]:
    """Yield the details of an issue, in the format of other builds."""
    return issue_details(call)


def build_log_download(call: Call) -> bytes:
    """Return a ZIP archive with the log of a build."""
    build = _require_build(call, "builds", require_project_id(call))
    date = time.gmtime(build["date"] / 1000)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("build.log", f"Loaded build {build['name']} at {time.strftime('%Y-%m-%dT%H:%M:%SZ', date)}\n")
    return content.getvalue()


def _find_build(call: Call, table: str, project: str, name: str) -> sqlite3.Row | None:
    rows = call.db.execute(f"SELECT * FROM review_{table} WHERE (project, name) = (?, ?)", (project, name))
    row: sqlite3.Row | None = rows.fetchone()
    return row


def _require_build(call: Call, table: str, project: str) -> sqlite3.Row:
    name = call.parameters.text("name")
    row = _find_build(call, table, project, name)
    if row is None:
        raise not_found("CI build" if table == "ci_builds" else "Build", name)
    return row


ROUTES = tuple(map(action_route, (ci_builds, update_ci_build, delete_ci_build, ci_issue_details, build_log_download)))
