# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the review service, and the look-ups that several groups of actions share."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import Any

from .call import Call
from .protocol import not_found

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
OF_ALL = ""  # in place of a project's id
ACCESS_LISTS = ("allow_users", "allow_groups", "deny_users", "deny_groups")

_KINDS = {"User": "review_users", "Group": "review_groups", "Role": "review_roles"}


def slug(name: str) -> str:
    """The id that the server makes of a project's name."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def insert(db: sqlite3.Connection, table: str, **values: Any) -> None:
    """Add a row, or put it in the place of the one with the same key."""
    packed = [json.dumps(value) if isinstance(value, (list, dict)) else value for value in values.values()]
    db.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", packed)


def change(db: sqlite3.Connection, table: str, key: str, value: object, **fields: Any) -> None:
    """Set some columns of the row whose `key` has this value."""
    if fields:
        packed = [json.dumps(field) if isinstance(field, list) else field for field in fields.values()]
        assignments = ", ".join(f"{name} = ?" for name in fields)
        db.execute(f"UPDATE {table} SET {assignments} WHERE {key} = ?", (*packed, value))


def find(call: Call, kind: str, name: str) -> sqlite3.Row | None:
    """A user, group or role."""
    row: sqlite3.Row | None = call.db.execute(f"SELECT * FROM {_KINDS[kind]} WHERE name = ?", (name,)).fetchone()
    return row


def require(call: Call, kind: str, name: str) -> sqlite3.Row:
    """A user, group or role; 404 when there is none."""
    row = find(call, kind, name)
    if row is None:
        raise not_found(kind, name)
    return row


def project_by(call: Call, column: str, value: str) -> sqlite3.Row:
    """The project with this `name` or `id`; 404 when the caller sees none."""
    row: sqlite3.Row | None = call.db.execute(f"SELECT * FROM review_projects WHERE {column} = ?", (value,)).fetchone()
    hidden_stream = row is not None and row["stream"] and not call.runtime.get_switch("review", "streams")
    if row is None or hidden_stream or not call.access.sees(row["id"]):
        raise not_found("Project", value)
    return row


def add_project(db: sqlite3.Connection, name: str, creator: str, **fields: Any) -> str:
    """Add a project with the module and the view that each has, or describe it anew; gives its id.

    :raises ValueError: when another project has the id that it would get
    """
    described = {"description": "", "tags": [], "stream": False, **fields}
    project_id = _id_of(db, name, described.pop("id", slug(name)))
    insert(db, "review_projects", id=project_id, name=name, creator=creator, **described)
    add_module(db, project_id, DEFAULT_MODULE, paths=["**/*"], allow_all=True)
    add_view(db, project_id, DEFAULT_VIEW, query="", creator=creator, is_public=True)
    return project_id


def add_module(db: sqlite3.Connection, project: str, name: str, **fields: Any) -> None:
    """Add a module, which nobody sees unless told."""
    lists: dict[str, Any] = {key: [] for key in ("tags", *ACCESS_LISTS)}
    insert(db, "review_modules", project=project, name=name, **{"allow_all": False, **lists, **fields})


def add_view(db: sqlite3.Connection, project: str, name: str, **fields: Any) -> None:
    """Add a view, which its creator alone sees unless told."""
    insert(db, "review_views", project=project, name=name, **{"is_public": False, "tags": [], **fields})


def tags_of(packed: str) -> dict[str, Any]:
    """The `tags` of a record, which has none when there are none."""
    tags = json.loads(packed)
    return {"tags": tags} if tags else {}


def _id_of(db: sqlite3.Connection, name: str, project_id: str) -> str:
    """The id of the project with this name, which keeps it whatever its name; or the one that a new project gets."""
    known = db.execute("SELECT id FROM review_projects WHERE name = ?", (name,)).fetchone()
    if known:
        return str(known["id"])
    taken = db.execute("SELECT name FROM review_projects WHERE id = ?", (project_id,)).fetchone()
    if taken:
        raise ValueError(f"the projects {taken['name']!r} and {name!r} would have one id: {project_id}")
    return project_id
