# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the service, and functions that read and write their rows."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import Any

from .api.call import Call
from .api.protocol import not_found

SCHEMA = """
CREATE TABLE review_users (name TEXT PRIMARY KEY, password TEXT, ltoken TEXT, readonly INTEGER NOT NULL);
CREATE TABLE review_groups (name TEXT PRIMARY KEY, readonly INTEGER NOT NULL);
CREATE TABLE review_members (
    group_name TEXT, user_name TEXT,
    PRIMARY KEY (group_name, user_name)
);
CREATE INDEX review_members_user ON review_members (user_name);
CREATE TABLE review_roles (
    name TEXT PRIMARY KEY, readonly INTEGER NOT NULL,
    permissions TEXT NOT NULL,
    transitions TEXT NOT NULL
);
CREATE TABLE review_assignments (
    role TEXT, account TEXT, is_group INTEGER, project TEXT,
    PRIMARY KEY (role, account, is_group, project)
);
CREATE INDEX review_assignments_account ON review_assignments (account, is_group);
CREATE TABLE review_projects (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, creator TEXT NOT NULL, description TEXT NOT NULL,
    tags TEXT NOT NULL, stream INTEGER NOT NULL DEFAULT 0,
    auto_delete_builds INTEGER NOT NULL DEFAULT 0, auto_delete_threshold INTEGER NOT NULL DEFAULT 20
);
CREATE TABLE review_modules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL, name TEXT NOT NULL, allow_all INTEGER NOT NULL, paths TEXT NOT NULL, tags TEXT NOT NULL,
    allow_users TEXT NOT NULL, allow_groups TEXT NOT NULL, deny_users TEXT NOT NULL, deny_groups TEXT NOT NULL,
    UNIQUE (project, name)
);
CREATE TABLE review_builds (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL, name TEXT NOT NULL, date INTEGER NOT NULL, keepit INTEGER NOT NULL,
    figures TEXT NOT NULL,
    UNIQUE (project, name)
);
CREATE TABLE review_ci_builds (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL, name TEXT NOT NULL, date INTEGER NOT NULL, tags TEXT NOT NULL,
    UNIQUE (project, name)
);
CREATE TABLE review_defect_types (
    project TEXT NOT NULL, code TEXT NOT NULL, enabled INTEGER NOT NULL, severity INTEGER NOT NULL,
    PRIMARY KEY (project, code)
);
CREATE TABLE review_taxonomies (
    project TEXT NOT NULL, name TEXT NOT NULL, custom INTEGER NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE review_checkers (
    project TEXT NOT NULL, code TEXT NOT NULL, name TEXT NOT NULL, taxonomies TEXT NOT NULL, severity INTEGER NOT NULL,
    enabled INTEGER NOT NULL, support_level INTEGER,
    PRIMARY KEY (project, code)
);
CREATE TABLE review_metrics (
    id INTEGER PRIMARY KEY,
    project TEXT NOT NULL, file TEXT NOT NULL, entity TEXT NOT NULL, tag TEXT NOT NULL, value REAL NOT NULL,
    system INTEGER NOT NULL
);
CREATE INDEX review_metrics_tag ON review_metrics (project, tag);
CREATE TABLE review_compliance_reports (
    project TEXT NOT NULL, path TEXT NOT NULL, content TEXT NOT NULL,
    PRIMARY KEY (project, path)
);
CREATE TABLE review_imports (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL, project TEXT NOT NULL, creator TEXT NOT NULL, source TEXT NOT NULL,
    status TEXT NOT NULL, message TEXT NOT NULL, begun REAL NOT NULL, ends REAL NOT NULL
);
CREATE TABLE review_views (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL, creator TEXT NOT NULL, is_public INTEGER NOT NULL,
    tags TEXT NOT NULL,
    UNIQUE (project, creator, name)
);
CREATE TABLE review_config_files (
    project TEXT NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE review_properties (
    project TEXT NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE review_issues (
    key INTEGER PRIMARY KEY, id INTEGER NOT NULL, group_id INTEGER,
    project TEXT NOT NULL, code TEXT NOT NULL, title TEXT NOT NULL, message TEXT NOT NULL, file TEXT NOT NULL,
    method TEXT NOT NULL, line INTEGER, severity INTEGER NOT NULL, status TEXT NOT NULL, owner TEXT NOT NULL,
    category TEXT NOT NULL, taxonomy TEXT NOT NULL, reference TEXT NOT NULL, comment TEXT NOT NULL,
    bug_id TEXT NOT NULL, date INTEGER NOT NULL,
    found_in INTEGER NOT NULL, fixed_in INTEGER,
    UNIQUE (project, id)
);
CREATE INDEX review_issues_severity ON review_issues (project, severity, id);
CREATE INDEX review_issues_status ON review_issues (project, status, id);
CREATE INDEX review_issues_alike ON review_issues (code, file, method, project);
CREATE INDEX review_issues_group ON review_issues (project, group_id);
CREATE TABLE review_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    issue INTEGER NOT NULL, date INTEGER NOT NULL, userid TEXT NOT NULL, status TEXT NOT NULL, comment TEXT NOT NULL
);
CREATE INDEX review_history_issue ON review_history (issue);
CREATE TRIGGER review_issues_gone AFTER DELETE ON review_issues BEGIN
    DELETE FROM review_history WHERE issue = OLD.key;
END;
CREATE TABLE review_licenses (
    feature TEXT PRIMARY KEY, version TEXT NOT NULL, count INTEGER NOT NULL, permanent INTEGER NOT NULL,
    days_to_expiry INTEGER NOT NULL, servers TEXT NOT NULL
);
"""

DEFAULT_MODULE = "*default*"
DEFAULT_VIEW = "*default*"
UNOWNED = "unowned"
ALL_PROJECTS = ""  # replaces the ID of a project in rows that apply to all projects
ACCESS_LISTS = ("allow_users", "allow_groups", "deny_users", "deny_groups")

_KINDS = {"User": "review_users", "Group": "review_groups", "Role": "review_roles"}


def derive_project_id(name: str) -> str:
    """Return the ID that the server derives from the name of a project."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def insert(db: sqlite3.Connection, table: str, **values: Any) -> None:
    """Insert a row, or replace the row with the same key. Lists and dictionaries are stored as JSON."""
    packed = [json.dumps(value) if isinstance(value, (list, dict)) else value for value in values.values()]
    db.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", packed)


def update(db: sqlite3.Connection, table: str, key: str, value: object, **fields: Any) -> None:
    """Update columns of the row whose `key` column has this value. Lists are stored as JSON."""
    if fields:
        packed = [json.dumps(field) if isinstance(field, list) else field for field in fields.values()]
        assignments = ", ".join(f"{name} = ?" for name in fields)
        db.execute(f"UPDATE {table} SET {assignments} WHERE {key} = ?", (*packed, value))


def find_account(call: Call, kind: str, name: str) -> sqlite3.Row | None:
    """Return a user, group or role, or null if it does not exist."""
    row: sqlite3.Row | None = call.db.execute(f"SELECT * FROM {_KINDS[kind]} WHERE name = ?", (name,)).fetchone()
    return row


def require_account(call: Call, kind: str, name: str) -> sqlite3.Row:
    """Return a user, group or role.

    :arg kind: `User`, `Group` or `Role`
    :raises ActionError: with status 404 if it does not exist
    """
    row = find_account(call, kind, name)
    if row is None:
        raise not_found(kind, name)
    return row


def require_project(call: Call, column: str, value: str) -> sqlite3.Row:
    """Return the project with this `name` or `id`.

    :raises ActionError: with status 404 if it does not exist, or the caller may not see it
    """
    row: sqlite3.Row | None = call.db.execute(f"SELECT * FROM review_projects WHERE {column} = ?", (value,)).fetchone()
    hidden_stream = row is not None and row["stream"] and not call.runtime.get_switch("review", "streams")
    if row is None or hidden_stream or not call.access.may_see(row["id"]):
        raise not_found("Project", value)
    return row


def require_project_id(call: Call, parameter: str = "project") -> str:
    """Return the ID of the project that a parameter names.

    :raises ActionError: with status 404 if it does not exist, or the caller may not see it
    """
    project_id: str = require_project(call, "name", call.parameters.text(parameter))["id"]
    return project_id


def add_project(db: sqlite3.Connection, name: str, creator: str, **fields: Any) -> str:
    """Add a project with its default module and view, or replace it, and return its ID.

    :raises ValueError: if another project has the same ID
    """
    columns = {"description": "", "tags": [], "stream": False, **fields}
    project_id = _choose_project_id(db, name, columns.pop("id", derive_project_id(name)))
    insert(db, "review_projects", id=project_id, name=name, creator=creator, **columns)
    add_module(db, project_id, DEFAULT_MODULE, paths=["**/*"], allow_all=True)
    add_view(db, project_id, DEFAULT_VIEW, query="", creator=creator, is_public=True)
    return project_id


def add_module(db: sqlite3.Connection, project: str, name: str, **fields: Any) -> None:
    """Add a module. By default, no user has access to it."""
    lists: dict[str, Any] = {key: [] for key in ("tags", *ACCESS_LISTS)}
    insert(db, "review_modules", project=project, name=name, **{"allow_all": False, **lists, **fields})


def add_view(db: sqlite3.Connection, project: str, name: str, **fields: Any) -> None:
    """Add a view. By default, it is private to its creator."""
    insert(db, "review_views", project=project, name=name, **{"is_public": False, "tags": [], **fields})


def tags_field(packed: str) -> dict[str, Any]:
    """Return the field `tags` of a record, or no field if the list is empty."""
    tags = json.loads(packed)
    return {"tags": tags} if tags else {}


def _choose_project_id(db: sqlite3.Connection, name: str, project_id: str) -> str:
    """Return the ID of the existing project with this name, or `project_id` for a new project.

    :raises ValueError: if another project has that ID
    """
    existing = db.execute("SELECT id FROM review_projects WHERE name = ?", (name,)).fetchone()
    if existing:
        return str(existing["id"])
    owner = db.execute("SELECT name FROM review_projects WHERE id = ?", (project_id,)).fetchone()
    if owner:
        raise ValueError(f"the projects {owner['name']!r} and {name!r} have the same ID {project_id!r}")
    return project_id
