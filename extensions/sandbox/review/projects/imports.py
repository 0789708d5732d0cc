# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports from another server, which take time and can fail, and their background tasks.

The format of the real server's records is not known.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from urllib.parse import urlsplit

from ...runtime.runtime import Runtime
from ..api.call import Call, Record, action_route
from ..api.protocol import ActionError, already_exists
from ..storage import add_project, insert, update

RUNNING, COMPLETED, FAILED = "Running", "Completed", "Failed"
FIRST_BUILD = "build_1"


def import_project(call: Call) -> None:
    """Start the import of a project, which exists when the import is complete."""
    call.access.require_root_admin()
    name = call.parameters.text("project")
    if call.db.execute("SELECT 1 FROM review_projects WHERE name = ?", (name,)).fetchone():
        raise already_exists("Project", name)
    if any(row["project"] == name for row in _list_running(call.db)):
        raise ActionError(409, f"Project is being imported: {name}")
    _start_import(call, "Import project", name)


def import_server_configuration(call: Call) -> None:
    """Start the import of users, groups and roles. The import adds none."""
    call.access.require_root_admin()
    _start_import(call, "Import server configuration", "")


def import_status(call: Call) -> Iterable[Record]:
    """Yield the running imports and, with the switch `list_completed_imports`, the completed ones."""
    call.access.require_root_admin()
    includes_completed = call.runtime.get_switch("review", "list_completed_imports")
    for row in call.db.execute("SELECT * FROM review_imports ORDER BY id"):
        if includes_completed or row["status"] == RUNNING:
            yield {
                "id": row["id"],
                "type": row["type"],
                **({"project": row["project"]} if row["project"] else {}),
                "source": row["source"],
                "status": row["status"],
                **({"message": row["message"]} if row["status"] == FAILED else {}),
            }


def task_status(call: Call) -> Iterable[Record]:
    """Yield the running tasks."""
    call.access.require_root_admin()
    now = call.runtime.clock.now()
    for row in _list_running(call.db):
        done = (now - row["begun"]) / max(row["ends"] - row["begun"], 0.001)
        yield {
            "id": row["id"],
            "type": row["type"],
            "project": row["project"],
            "status": row["status"],
            "progress": min(99, max(0, int(100 * done))),
        }


def complete_due_imports(runtime: Runtime) -> None:
    """Complete the imports that are due."""
    now = runtime.clock.now()
    if not any(row["ends"] <= now for row in _list_running(runtime.db)):
        return
    with runtime.transaction():
        for row in _list_running(runtime.db):
            if row["ends"] <= now:
                _complete_import(runtime.db, row)


def _start_import(call: Call, kind: str, project: str) -> None:
    source = call.parameters.text("sourceURL")
    if urlsplit(source).scheme not in ("http", "https") or not urlsplit(source).hostname:
        raise ActionError(400, f"Invalid value for parameter sourceURL: {source}")
    now = call.runtime.clock.now()
    insert(
        call.db,
        "review_imports",
        type=kind,
        project=project,
        creator=call.access.user,
        source=source,
        status=RUNNING,
        message=call.runtime.get_switch("review", "import_failure"),
        begun=now,
        ends=now + call.runtime.get_switch("review", "import_seconds"),
    )


def _list_running(db: sqlite3.Connection) -> list[sqlite3.Row]:
    return db.execute("SELECT * FROM review_imports WHERE status = ? ORDER BY id", (RUNNING,)).fetchall()


def _complete_import(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    message = row["message"]
    if row["project"] and not message:
        try:
            project = add_project(db, row["project"], row["creator"], description=f"Imported from {row['source']}")
        except ValueError as error:
            message = str(error)
        else:
            build = {"name": FIRST_BUILD, "date": int(row["ends"] * 1000), "keepit": False, "figures": {}}
            insert(db, "review_builds", project=project, **build)
    update(db, "review_imports", "id", row["id"], status=FAILED if message else COMPLETED, message=message)


ROUTES = tuple(map(action_route, (import_project, import_server_configuration, import_status, task_status)))
