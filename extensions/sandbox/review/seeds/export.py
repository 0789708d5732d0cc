# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of the state as the section `review` of a seed."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from ...runtime.runtime import Runtime
from ...seeds.export import MAX_ITEMS, SeedExport, drop_empty
from ..storage import ALL_PROJECTS

_BOOLEANS = (
    *("readonly", "stream", "allow_all", "keepit", "custom", "enabled", "system", "is_public", "permanent"),
    "is_group",
)
_LISTS = (
    *("tags", "paths", "allow_users", "allow_groups", "deny_users", "deny_groups", "permissions", "transitions"),
    *("figures", "taxonomies", "servers"),
)
_ISSUE = (
    "id, code, file, title, message, method, line, severity, status, owner, category, taxonomy, reference, comment,"
    " bug_id, date"
)
_ALWAYS_OMITTED = "switches other than version, streams and module_access_lists, and deletion rules of builds"
_OMITTED_TABLES = {
    "review_config_files": "configuration files",
    "review_properties": "properties of projects",
    "review_imports": "imports",
    "review_compliance_reports": "compliance reports",
    "review_defect_types": "changed defect types",
}


def export_seed(runtime: Runtime) -> SeedExport:
    """Return the section."""
    db = runtime.db
    switches = {name: runtime.get_switch("review", name) for name in ("streams", "module_access_lists")}
    version = ".".join(runtime.get_switch("review", f"version_{part}") for part in ("major", "minor"))
    export = SeedExport({"version": version, **switches}, [_ALWAYS_OMITTED])
    export.section |= drop_empty(
        {
            "users": _read(db, "SELECT * FROM review_users ORDER BY rowid"),
            "groups": [
                {**group, "users": _read_names(db, "SELECT user_name FROM review_members WHERE group_name = ?", group)}
                for group in _read(db, "SELECT * FROM review_groups ORDER BY rowid")
            ],
            "projects": [
                _export_project(db, row)
                for row in db.execute("SELECT * FROM review_projects ORDER BY rowid").fetchall()
            ],
            "roles": [
                {**role, "assignments": _export_assignments(db, role["name"])}
                for role in _read(db, "SELECT * FROM review_roles ORDER BY rowid")
            ],
            **_export_checkers(db, ALL_PROJECTS),
            "licenses": _read(db, "SELECT * FROM review_licenses ORDER BY rowid"),
        }
    )
    (issues,) = db.execute("SELECT count(*) FROM review_issues").fetchone()
    export.omit(issues - sum(len(one.get("issues", ())) for one in export.section.get("projects", ())), "issues")
    for table, subject in _OMITTED_TABLES.items():
        export.omit(db.execute(f"SELECT count(*) FROM {table}").fetchone()[0], subject)
    return export


def _read(db: sqlite3.Connection, query: str, *values: Any) -> list[dict[str, Any]]:
    return [_convert(row) for row in db.execute(query, values).fetchall()]


def _convert(row: sqlite3.Row) -> dict[str, Any]:
    fields = {}
    for name, value in dict(row).items():
        if name in _LISTS:
            fields[name] = json.loads(value)
        elif value is not None:
            fields[name] = bool(value) if name in _BOOLEANS else value
    return fields


def _read_names(db: sqlite3.Connection, query: str, group: dict[str, Any]) -> list[str]:
    return [row[0] for row in db.execute(f"{query} ORDER BY rowid", (group["name"],))]


def _export_assignments(db: sqlite3.Connection, role: str) -> list[dict[str, Any]]:
    rows = _read(
        db,
        "SELECT account, is_group, project.name AS project FROM review_assignments AS assignment"
        " LEFT JOIN review_projects AS project ON project.id = assignment.project WHERE role = ?",
        role,
    )
    return [{"group" if name == "is_group" else name: value for name, value in row.items()} for row in rows]


def _export_checkers(db: sqlite3.Connection, project: str) -> dict[str, Any]:
    return {
        "taxonomies": _read(db, "SELECT name, custom FROM review_taxonomies WHERE project = ? ORDER BY rowid", project),
        "defect_types": _read(
            db,
            "SELECT code, name, taxonomies, severity, enabled, support_level FROM review_checkers WHERE project = ?"
            " ORDER BY rowid",
            project,
        ),
    }


def _export_project(db: sqlite3.Connection, row: sqlite3.Row) -> dict[str, Any]:
    id = row["id"]
    project = _convert(row)
    fields = {name: project[name] for name in ("name", "creator", "id", "description", "tags", "stream")}
    return drop_empty(
        {
            **fields,
            "modules": _read(
                db,
                "SELECT name, paths, allow_all, allow_users, allow_groups, deny_users, deny_groups, tags"
                " FROM review_modules WHERE project = ? ORDER BY id",
                id,
            ),
            "builds": _read(
                db, "SELECT name, date, keepit, figures FROM review_builds WHERE project = ? ORDER BY id", id
            ),
            "ci_builds": _read(db, "SELECT name, date, tags FROM review_ci_builds WHERE project = ? ORDER BY id", id),
            "metrics": _read(
                db, "SELECT file, tag, value, entity, system FROM review_metrics WHERE project = ? ORDER BY id", id
            ),
            "views": _read(
                db, "SELECT name, query, creator, is_public, tags FROM review_views WHERE project = ? ORDER BY id", id
            ),
            **_export_checkers(db, id),
            "issues": _export_issues(db, id),
        }
    )


def _export_issues(db: sqlite3.Connection, project: str) -> list[dict[str, Any]]:
    """Return the issues with their history. An issue that was found before the first build has no `found_in`."""
    builds = {
        row["id"]: row["name"] for row in db.execute("SELECT id, name FROM review_builds WHERE project = ?", (project,))
    }
    rows = db.execute(
        f"SELECT key, {_ISSUE}, found_in, fixed_in FROM review_issues WHERE project = ? ORDER BY id LIMIT ?",
        (project, MAX_ITEMS),
    ).fetchall()
    return [
        {
            **{name: value for name, value in _convert(row).items() if name not in ("key", "fixed_in")},
            "found_in": builds.get(row["found_in"]),
            **drop_empty({"fixed_in": builds.get(row["fixed_in"]), "history": _export_history(db, row["key"])}),
        }
        for row in rows
    ]


def _export_history(db: sqlite3.Connection, issue: int) -> list[dict[str, Any]]:
    return _read(
        db, "SELECT date, userid AS account, status, comment FROM review_history WHERE issue = ? ORDER BY id", issue
    )
