# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The models, and the limits of tuning them."""

from __future__ import annotations

import sqlite3
from typing import Any

from ..world import World
from .errors import ApiError


def model_for_chat(world: World, model_id: str) -> sqlite3.Row:
    """The model that a request wants to ask."""
    row = _find(world, model_id)
    if row is None:
        message = f"The model `{model_id}` does not exist or you do not have access to it."
        raise ApiError(404, message, code="model_not_found")
    return row


def list_models(world: World) -> dict[str, Any]:
    """GET /v1/models. The order is by id, so a client that wants the newest first must sort."""
    rows = world.db.execute("SELECT * FROM inference_models ORDER BY id")
    return {"object": "list", "data": [_record(row) for row in rows]}


def retrieve_model(world: World, model_id: str) -> dict[str, Any]:
    """GET /v1/models/{id}."""
    return _record(_require(world, model_id))


def delete_model(world: World, model_id: str) -> dict[str, Any]:
    """DELETE /v1/models/{id}, for fine-tuned models only."""
    _require(world, model_id)
    if not model_id.startswith("ft:"):
        raise ApiError(403, f"The model `{model_id}` is not a fine-tuned model, and cannot be deleted.")
    world.db.execute("DELETE FROM inference_models WHERE id = ?", (model_id,))
    return {"id": model_id, "object": "model", "deleted": True}


def tuning_limits(world: World) -> dict[str, Any]:
    """GET /v1/fine_tuning/model_limits. No job ever runs in here."""
    rows = world.db.execute("SELECT * FROM inference_models WHERE max_pending_jobs IS NOT NULL ORDER BY id")
    data = [
        {
            "id": row["id"],
            "curr_pending_jobs": 0,
            "max_pending_jobs": row["max_pending_jobs"],
            "jobs_so_far_today": 0,
            "max_jobs_per_day": row["max_jobs_per_day"],
        }
        for row in rows
    ]
    return {"object": "list", "data": data}


def _find(world: World, model_id: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = world.db.execute("SELECT * FROM inference_models WHERE id = ?", (model_id,)).fetchone()
    return row


def _require(world: World, model_id: str) -> sqlite3.Row:
    row = _find(world, model_id)
    if row is None:
        raise ApiError(404, f"The model '{model_id}' does not exist", param="model", code="model_not_found")
    return row


def _record(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "object": "model",
        "created": row["created"],
        "owned_by": row["owned_by"],
        "shutdown_date": None,
    }
