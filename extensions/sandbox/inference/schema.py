# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The database tables of the inference service."""

from __future__ import annotations

import sqlite3
from typing import Any

# Limits: column and name in the API
LIMITS = {
    "requests_per_minute": "max_requests_per_1_minute",
    "tokens_per_minute": "max_tokens_per_1_minute",
    "images_per_minute": "max_images_per_1_minute",
    "audio_megabytes_per_minute": "max_audio_megabytes_per_1_minute",
    "requests_per_day": "max_requests_per_1_day",
    "batch_tokens_per_day": "batch_1_day_max_input_tokens",
}

SCHEMA = """
CREATE TABLE inference_organizations (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, title TEXT NOT NULL, description TEXT NOT NULL, created INTEGER NOT NULL
);
CREATE TABLE inference_users (
    id TEXT PRIMARY KEY, organization TEXT NOT NULL, name TEXT, email TEXT NOT NULL, role TEXT NOT NULL,
    added_at INTEGER NOT NULL, technical_level TEXT, developer_persona TEXT
);
CREATE TABLE inference_invites (
    id TEXT PRIMARY KEY, organization TEXT NOT NULL, email TEXT NOT NULL, role TEXT NOT NULL, projects TEXT NOT NULL,
    created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, accepted_at INTEGER
);
CREATE TABLE inference_projects (
    id TEXT PRIMARY KEY, organization TEXT NOT NULL, name TEXT NOT NULL, created_at INTEGER NOT NULL,
    archived_at INTEGER, is_default INTEGER NOT NULL, external_key_id TEXT
);
CREATE TABLE inference_members (
    project TEXT NOT NULL, id TEXT NOT NULL, role TEXT NOT NULL, added_at INTEGER NOT NULL, PRIMARY KEY (project, id)
);
CREATE TABLE inference_service_accounts (
    id TEXT PRIMARY KEY, project TEXT NOT NULL, name TEXT NOT NULL, role TEXT NOT NULL, created_at INTEGER NOT NULL
);
CREATE TABLE inference_keys (
    key TEXT PRIMARY KEY, id TEXT UNIQUE NOT NULL, organization TEXT NOT NULL,
    project TEXT,
    scopes TEXT,
    name TEXT NOT NULL, owner TEXT, created_at INTEGER NOT NULL, expires_at INTEGER, last_used_at INTEGER,
    listed INTEGER NOT NULL DEFAULT TRUE
);
CREATE TABLE inference_models (
    id TEXT PRIMARY KEY, created INTEGER NOT NULL, owned_by TEXT NOT NULL,
    snapshot TEXT NOT NULL, chat INTEGER NOT NULL, reasoning INTEGER NOT NULL,
    context_window INTEGER NOT NULL, max_completion_tokens INTEGER NOT NULL,
    max_pending_jobs INTEGER, max_jobs_per_day INTEGER, shutdown_date TEXT
);
CREATE TABLE inference_limits (
    id TEXT PRIMARY KEY, requests_per_minute INTEGER, tokens_per_minute INTEGER, images_per_minute INTEGER,
    audio_megabytes_per_minute INTEGER, requests_per_day INTEGER, tokens_per_day INTEGER,
    batch_tokens_per_day INTEGER
);
CREATE TABLE inference_project_limits (
    project TEXT NOT NULL, id TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (project, id, name)
);
CREATE TABLE inference_objects (
    kind TEXT NOT NULL, owner TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, owner, id)
);
CREATE TABLE inference_completions (
    number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE NOT NULL, organization TEXT NOT NULL,
    project TEXT NOT NULL, model TEXT NOT NULL,
    metadata TEXT NOT NULL, messages TEXT NOT NULL, completion TEXT NOT NULL
);
CREATE TABLE inference_usage (
    organization TEXT NOT NULL, project_id TEXT NOT NULL, user_id TEXT, api_key_id TEXT, model TEXT NOT NULL,
    at INTEGER NOT NULL, input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL,
    num_model_requests INTEGER NOT NULL
);
CREATE TABLE inference_costs (
    organization TEXT NOT NULL, project_id TEXT NOT NULL, api_key_id TEXT, line_item TEXT NOT NULL,
    at INTEGER NOT NULL, amount REAL NOT NULL
);
CREATE TABLE inference_replies (id INTEGER PRIMARY KEY AUTOINCREMENT, reply TEXT NOT NULL);
"""


def insert(db: sqlite3.Connection, table: str, **values: Any) -> None:
    """Insert a row, or replace the one with the same key."""
    db.execute(
        f"INSERT OR REPLACE INTO {table} ({', '.join(values)}) VALUES ({', '.join('?' * len(values))})",
        tuple(values.values()),
    )
