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
CREATE TABLE IF NOT EXISTS review_users (name TEXT PRIMARY KEY, password TEXT, ltoken TEXT, readonly INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS review_groups (name TEXT PRIMARY KEY, readonly INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS review_members (
    group_name TEXT, user_name TEXT,
    PRIMARY KEY (group_name, user_name)
);
CREATE TABLE IF NOT EXISTS review_roles (
    name TEXT PRIMARY KEY, readonly INTEGER NOT NULL,
    permissions TEXT NOT NULL,
    transitions TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS review_assignments (
    role TEXT, account TEXT, is_group INTEGER, project TEXT,
    PRIMARY KEY (role, account, is_group, project)
);
CREATE TABLE IF NOT EXISTS review_projects (
    id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, creator TEXT NOT NULL, description TEXT NOT NULL,
    tags TEXT NOT NULL, stream INTEGER NOT NULL DEFAULT 0,
    auto_delete_builds INTEGER NOT NULL DEFAULT 0, auto_delete_threshold INTEGER NOT NULL DEFAULT 20
);
CREATE TABLE IF NOT EXISTS review_modules (
    project TEXT, name TEXT, allow_all INTEGER NOT NULL, paths TEXT NOT NULL, tags TEXT NOT NULL,
    PRIMARY KEY (project, name)
);
CREATE TABLE IF NOT EXISTS review_views (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    project TEXT NOT NULL, name TEXT NOT NULL, query TEXT NOT NULL, creator TEXT NOT NULL, is_public INTEGER NOT NULL,
    tags TEXT NOT NULL,
    UNIQUE (project, creator, name)
);
CREATE TABLE IF NOT EXISTS review_licenses (
    feature TEXT PRIMARY KEY, version TEXT NOT NULL, count INTEGER NOT NULL, permanent INTEGER NOT NULL,
    days_to_expiry INTEGER NOT NULL, servers TEXT NOT NULL
);
"""

_KINDS = {"User": "review_users", "Group": "review_groups", "Role": "review_roles"}


def slug(name: str) -> str:
    """The id that the server makes of a project's name."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def insert(db: sqlite3.Connection, table: str, **values: Any) -> None:
    """Add a row, or put it in the place of the one with the same key."""
    packed = [json.dumps(value) if isinstance(value, list) else value for value in values.values()]
    db.execute(f"INSERT OR REPLACE INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})", packed)


def change(db: sqlite3.Connection, table: str, key: str, value: object, **fields: Any) -> None:
    """Set some columns of the row whose `key` has this value."""
    if fields:
        packed = [json.dumps(field) if isinstance(field, list) else field for field in fields.values()]
        assignments = ", ".join(f"{name} = ?" for name in fields)
        db.execute(f"UPDATE {table} SET {assignments} WHERE {key} = ?", (*packed, value))


def find(call: Call, kind: str, name: str) -> sqlite3.Row | None:
    """A user, group or role."""
    row: sqlite3.Row | None = call.world.db.execute(f"SELECT * FROM {_KINDS[kind]} WHERE name = ?", (name,)).fetchone()
    return row


def require(call: Call, kind: str, name: str) -> sqlite3.Row:
    """A user, group or role; 404 when there is none."""
    row = find(call, kind, name)
    if row is None:
        raise not_found(kind, name)
    return row


def project_by(call: Call, column: str, value: str) -> sqlite3.Row:
    """The project with this `name` or `id`; 404 when the caller sees none."""
    row: sqlite3.Row | None = call.world.db.execute(
        f"SELECT * FROM review_projects WHERE {column} = ?", (value,)
    ).fetchone()
    hidden_stream = row is not None and row["stream"] and not call.world.switch("review", "streams")
    if row is None or hidden_stream or not call.access.sees(row["id"]):
        raise not_found("Project", value)
    return row
