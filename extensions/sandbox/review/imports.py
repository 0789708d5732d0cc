# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports from another server, which take time and can fail; and the tasks that they are meanwhile.

What the real server tells of imports and tasks is not known: the records in here are invented.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from urllib.parse import urlsplit

from ..runtime.runtime import Runtime
from .call import Call, Record, action
from .protocol import ActionError, already_exists
from .storage import add_project, change, insert

RUNNING, COMPLETED, FAILED = "Running", "Completed", "Failed"
FIRST_BUILD = "build_1"


def import_project(call: Call) -> None:
    """Begin to import a project; it is there when the import has come to its end."""
    call.access.require_root_admin()
    name = call.parameters.text("project")
    if call.db.execute("SELECT 1 FROM review_projects WHERE name = ?", (name,)).fetchone():
        raise already_exists("Project", name)
    if any(row["project"] == name for row in _under_way(call.db)):
        raise ActionError(409, f"Project is being imported: {name}")
    _begin(call, "Import project", name)


def import_server_configuration(call: Call) -> None:
    """Begin to import users, groups and roles, of which there are none in here that it could bring."""
    call.access.require_root_admin()
    _begin(call, "Import server configuration", "")


def import_status(call: Call) -> Iterable[Record]:
    """The imports that run, and with the switch `imports_kept` those that have ended."""
    call.access.require_root_admin()
    kept = call.runtime.get_switch("review", "imports_kept")
    for row in call.db.execute("SELECT * FROM review_imports ORDER BY id"):
        if kept or row["status"] == RUNNING:
            yield {
                "id": row["id"],
                "type": row["type"],
                **({"project": row["project"]} if row["project"] else {}),
                "source": row["source"],
                "status": row["status"],
                **({"message": row["message"]} if row["status"] == FAILED else {}),
            }


def task_status(call: Call) -> Iterable[Record]:
    """The tasks that run; an idle server lists nothing."""
    call.access.require_root_admin()
    now = call.runtime.clock.now()
    for row in _under_way(call.db):
        done = (now - row["begun"]) / max(row["ends"] - row["begun"], 0.001)
        yield {
            "id": row["id"],
            "type": row["type"],
            "project": row["project"],
            "status": row["status"],
            "progress": min(99, max(0, int(100 * done))),
        }


def settle(runtime: Runtime) -> None:
    """End the imports whose time has come."""
    now = runtime.clock.now()
    if not any(row["ends"] <= now for row in _under_way(runtime.db)):
        return
    with runtime.transaction():
        for row in _under_way(runtime.db):
            if row["ends"] <= now:
                _end(runtime.db, row)


def _begin(call: Call, kind: str, project: str) -> None:
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


def _under_way(db: sqlite3.Connection) -> list[sqlite3.Row]:
    return db.execute("SELECT * FROM review_imports WHERE status = ? ORDER BY id", (RUNNING,)).fetchall()


def _end(db: sqlite3.Connection, row: sqlite3.Row) -> None:
    message = row["message"]
    if row["project"] and not message:
        try:
            project = add_project(db, row["project"], row["creator"], description=f"Imported from {row['source']}")
        except ValueError as error:
            message = str(error)
        else:
            build = {"name": FIRST_BUILD, "date": int(row["ends"] * 1000), "keepit": False, "figures": {}}
            insert(db, "review_builds", project=project, **build)
    change(db, "review_imports", "id", row["id"], status=FAILED if message else COMPLETED, message=message)


ROUTES = tuple(map(action, (import_project, import_server_configuration, import_status, task_status)))
