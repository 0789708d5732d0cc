# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tables of the inference service, and its section of a seed."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

SCHEMA = """
CREATE TABLE IF NOT EXISTS inference_organizations (id TEXT PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS inference_projects (
    id TEXT PRIMARY KEY, organization TEXT NOT NULL, name TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS inference_keys (
    key TEXT PRIMARY KEY, organization TEXT NOT NULL,
    project TEXT,
    scopes TEXT
);
CREATE TABLE IF NOT EXISTS inference_models (
    id TEXT PRIMARY KEY, created INTEGER NOT NULL, owned_by TEXT NOT NULL,
    snapshot TEXT NOT NULL, chat INTEGER NOT NULL, reasoning INTEGER NOT NULL,
    requests_per_minute INTEGER NOT NULL, tokens_per_minute INTEGER NOT NULL,
    max_pending_jobs INTEGER, max_jobs_per_day INTEGER
);
CREATE TABLE IF NOT EXISTS inference_replies (id INTEGER PRIMARY KEY AUTOINCREMENT, reply TEXT NOT NULL);
"""


def plant(db: sqlite3.Connection, data: dict[str, Any]) -> None:
    """Add what the section describes; an id or key that exists already is described anew."""
    for organization in data.get("organizations", []):
        _insert(db, "inference_organizations", id=organization["id"], name=organization["name"])
        for project in organization.get("projects", []):
            _insert(db, "inference_projects", id=project["id"], organization=organization["id"], name=project["name"])
    for key in data.get("keys", []):
        scopes = key.get("scopes")
        _insert(
            db,
            "inference_keys",
            key=key["key"],
            organization=key["organization"],
            project=key.get("project"),
            scopes=None if scopes is None else json.dumps(scopes),
        )
    for model in data.get("models", []):
        tuning = model.get("fine_tuning", {})
        _insert(
            db,
            "inference_models",
            id=model["id"],
            created=model["created"],
            owned_by=model.get("owned_by", "system"),
            snapshot=model.get("snapshot", model["id"]),
            chat=model.get("chat", True),
            reasoning=model.get("reasoning", False),
            requests_per_minute=model.get("requests_per_minute", 500),
            tokens_per_minute=model.get("tokens_per_minute", 200_000),
            max_pending_jobs=tuning.get("max_pending_jobs"),
            max_jobs_per_day=tuning.get("max_jobs_per_day"),
        )


def _insert(db: sqlite3.Connection, table: str, **values: Any) -> None:
    db.execute(
        f"INSERT OR REPLACE INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
        tuple(values.values()),
    )
