# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of the state as the section of the inference service in a seed."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from ...seeds.export import SeedExport, drop_empty

_MODEL_LIMITS = ("max_pending_jobs", "max_jobs_per_day")


def export_seed(db: sqlite3.Connection) -> SeedExport:
    """Return the section."""
    models = {row["id"] for row in db.execute("SELECT id FROM inference_models")}
    limits = {row["id"]: row for row in _read(db, "SELECT * FROM inference_limits ORDER BY rowid")}
    section = {
        "organizations": [
            _export_organization(db, row) for row in _read(db, "SELECT * FROM inference_organizations ORDER BY rowid")
        ],
        "keys": [_export_key(row) for row in _read(db, "SELECT * FROM inference_keys ORDER BY rowid")],
        "models": [
            _export_model(row, limits.get(row["id"], {}))
            for row in _read(db, "SELECT * FROM inference_models ORDER BY rowid")
        ],
        "limits": [limit for id, limit in limits.items() if id not in models],
        "replies": [
            json.loads(row["reply"]) for row in db.execute("SELECT reply FROM inference_replies ORDER BY id").fetchall()
        ],
    }
    export = SeedExport(drop_empty(section), ["switches, and used parts of rate limits"])
    export.omit(db.execute("SELECT count(*) FROM inference_completions").fetchone()[0], "stored chat completions")
    export.omit(
        db.execute("SELECT count(*) FROM inference_objects").fetchone()[0], "groups, roles and other stored objects"
    )
    return export


def _read(db: sqlite3.Connection, query: str, *values: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in db.execute(query, values).fetchall()]


def _export_organization(db: sqlite3.Connection, organization: dict[str, Any]) -> dict[str, Any]:
    id = organization["id"]
    users = "SELECT id, email, name, role, added_at FROM inference_users WHERE organization = ? ORDER BY rowid"
    invites = "SELECT * FROM inference_invites WHERE organization = ? ORDER BY rowid"
    projects = "SELECT * FROM inference_projects WHERE organization = ? ORDER BY rowid"
    return drop_empty(
        {
            **organization,
            "users": list(map(drop_empty, _read(db, users, id))),
            "invites": [
                drop_empty({**invite, "organization": None, "projects": json.loads(invite["projects"])})
                for invite in _read(db, invites, id)
            ],
            "projects": [_export_project(db, project) for project in _read(db, projects, id)],
        }
    )


def _export_project(db: sqlite3.Connection, project: dict[str, Any]) -> dict[str, Any]:
    id = project["id"]
    limits: dict[str, dict[str, Any]] = {}
    for row in _read(db, "SELECT id, name, value FROM inference_project_limits WHERE project = ? ORDER BY id", id):
        limits.setdefault(row["id"], {"id": row["id"]})[row["name"]] = row["value"]
    accounts = "SELECT id, name, role, created_at FROM inference_service_accounts WHERE project = ? ORDER BY rowid"
    return drop_empty(
        {
            **{name: project[name] for name in ("id", "name", "created_at", "archived_at", "external_key_id")},
            "default": bool(project["is_default"]),
            "members": _read(
                db, "SELECT id, role, added_at FROM inference_members WHERE project = ? ORDER BY rowid", id
            ),
            "service_accounts": _read(db, accounts, id),
            "limits": list(limits.values()),
        }
    )


def _export_key(key: dict[str, Any]) -> dict[str, Any]:
    scopes = None if key["scopes"] is None else json.loads(key["scopes"])
    fields = drop_empty({**key, "scopes": None, "listed": bool(key["listed"])})
    return fields if scopes is None else {**fields, "scopes": scopes}


def _export_model(model: dict[str, Any], limits: dict[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in model.items() if name not in _MODEL_LIMITS}
    tuning = {name: model[name] for name in _MODEL_LIMITS if model[name] is not None}
    booleans = {name: bool(model[name]) for name in ("chat", "reasoning")}
    required_limits = {name: limits.get(name) for name in ("requests_per_minute", "tokens_per_minute")}
    return {**drop_empty({**fields, **booleans, **limits, "fine_tuning": tuning}), **required_limits}
