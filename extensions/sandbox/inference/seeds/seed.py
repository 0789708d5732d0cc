# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The section of the inference service in a seed."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import Any

from ...seeds.schema import mapping_schema
from ..schema import LIMITS, insert

# Limits of a seed. No call returns the tokens per day, only an error message.
SEEDED_LIMITS = (*LIMITS, "tokens_per_day")

# Default creation time of seeded objects
LONG_AGO = 1_735_689_600
_DAY = 86_400

SEED_SHAPE = mapping_schema(
    "replies",
    organizations=[
        mapping_schema(
            "id! name! title description created",
            projects=[
                mapping_schema(
                    "id! name! default created_at archived_at external_key_id",
                    members=[mapping_schema("id! role added_at")],
                    service_accounts=[mapping_schema("id! name! role created_at")],
                    limits=[mapping_schema(f"id! {' '.join(LIMITS)}")],
                )
            ],
            users=[mapping_schema("id! email! name role added_at")],
            invites=[mapping_schema("id! email! role projects created_at expires_at accepted_at")],
        )
    ],
    keys=[mapping_schema("key! organization! project scopes id name owner created_at expires_at last_used_at listed")],
    models=[
        mapping_schema(
            "id! created! owned_by snapshot chat reasoning context_window max_completion_tokens shutdown_date",
            fine_tuning=mapping_schema("max_pending_jobs max_jobs_per_day"),
            **dict.fromkeys(SEEDED_LIMITS, ...),
        )
    ],
    limits=[mapping_schema(f"id! {' '.join(SEEDED_LIMITS)}")],
    usage=[
        mapping_schema(
            "organization! project! user api_key model! ago num_model_requests input_tokens output_tokens",
        )
    ],
    costs=[mapping_schema("organization! project! api_key line_item! ago amount!")],
)


def apply_seed(db: sqlite3.Connection, data: dict[str, Any], now: int) -> None:
    """Add the objects of the section. Existing ids and keys are replaced.

    :arg now: time of the sandbox in seconds since 1970
    """
    for organization in data.get("organizations", []):
        _create_organization(db, organization)
    for key in data.get("keys", []):
        _create_key(db, key)
    for model in data.get("models", []):
        _create_model(db, model)
    for row in data.get("limits", []):
        insert(db, "inference_limits", **row)
    for row in data.get("usage", []):
        counts = {name: row.get(name, 0) for name in ("input_tokens", "output_tokens")}
        requests = row.get("num_model_requests", 1)
        fields = {"user_id": row.get("user"), "model": row["model"], "num_model_requests": requests}
        insert(db, "inference_usage", **_describe_use(row, now), **fields, **counts)
    for row in data.get("costs", []):
        fields = {"line_item": row["line_item"], "amount": row["amount"]}
        insert(db, "inference_costs", **_describe_use(row, now), **fields)


def _describe_use(row: dict[str, Any], now: int) -> dict[str, Any]:
    """Return the project, the key and the time of usage or costs."""
    return {
        "organization": row["organization"],
        "project_id": row["project"],
        "api_key_id": row.get("api_key"),
        "at": now - row.get("ago", 0),
    }


def _create_organization(db: sqlite3.Connection, organization: dict[str, Any]) -> None:
    name = organization["name"]
    insert(
        db,
        "inference_organizations",
        id=organization["id"],
        name=name,
        title=organization.get("title", name),
        description=organization.get("description", ""),
        created=organization.get("created", LONG_AGO),
    )
    for user in organization.get("users", []):
        fields = {"name": None, "role": "reader", "added_at": LONG_AGO, **user}
        insert(db, "inference_users", organization=organization["id"], **fields)
    for invite in organization.get("invites", []):
        fields = {"role": "reader", "created_at": LONG_AGO, "accepted_at": None, **invite}
        fields.setdefault("expires_at", fields["created_at"] + 7 * _DAY)
        fields["projects"] = json.dumps(fields.get("projects", []))
        insert(db, "inference_invites", organization=organization["id"], **fields)
    for project in organization.get("projects", []):
        _create_project(db, organization["id"], project)


def _create_project(db: sqlite3.Connection, organization: str, project: dict[str, Any]) -> None:
    insert(
        db,
        "inference_projects",
        id=project["id"],
        organization=organization,
        name=project["name"],
        created_at=project.get("created_at", LONG_AGO),
        archived_at=project.get("archived_at"),
        is_default=project.get("default", False),
        external_key_id=project.get("external_key_id"),
    )
    for member in project.get("members", []):
        insert(db, "inference_members", project=project["id"], **{"role": "member", "added_at": LONG_AGO, **member})
    for account in project.get("service_accounts", []):
        fields = {"role": "member", "created_at": LONG_AGO, **account}
        insert(db, "inference_service_accounts", project=project["id"], **fields)
    for row in project.get("limits", []):
        for name in row.keys() & LIMITS:
            insert(db, "inference_project_limits", project=project["id"], id=row["id"], name=name, value=row[name])


def _create_key(db: sqlite3.Connection, key: dict[str, Any]) -> None:
    scopes = key.get("scopes")
    unnamed = {
        "id": f"key_{hashlib.sha256(key['key'].encode()).hexdigest()[:16]}",
        "name": "seeded",
        "created_at": LONG_AGO,
    }
    insert(db, "inference_keys", **{**unnamed, **key, "scopes": None if scopes is None else json.dumps(scopes)})


def _create_model(db: sqlite3.Connection, model: dict[str, Any]) -> None:
    tuning = model.get("fine_tuning", {})
    insert(
        db,
        "inference_models",
        id=model["id"],
        created=model["created"],
        owned_by=model.get("owned_by", "system"),
        snapshot=model.get("snapshot", model["id"]),
        chat=model.get("chat", True),
        reasoning=model.get("reasoning", False),
        context_window=model.get("context_window", 128_000),
        max_completion_tokens=model.get("max_completion_tokens", 16_384),
        max_pending_jobs=tuning.get("max_pending_jobs"),
        max_jobs_per_day=tuning.get("max_jobs_per_day"),
        shutdown_date=model.get("shutdown_date"),
    )
    usual = {"requests_per_minute": 500, "tokens_per_minute": 200_000}
    fields = {name: model[name] for name in SEEDED_LIMITS if name in model}
    insert(db, "inference_limits", id=model["id"], **{**usual, **fields})
