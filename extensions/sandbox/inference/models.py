# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Models, and the limits of fine-tuning jobs."""

from __future__ import annotations

import sqlite3
from typing import Any

from starlette.responses import Response

from ..http.routing import Route
from ..runtime.runtime import Runtime
from .call import Call
from .protocol.errors import ApiError
from .protocol.json_bodies import json_response


def model_for_chat(runtime: Runtime, model_id: str) -> sqlite3.Row:
    """Return the model of a chat request."""
    row = _find(runtime, model_id)
    if row is None:
        message = f"The model `{model_id}` does not exist or you do not have access to it."
        raise ApiError(404, message, code="model_not_found")
    return row


async def list_models(call: Call) -> Response:
    """List the models by id."""
    rows = call.runtime.db.execute("SELECT * FROM inference_models ORDER BY id")
    return json_response({"object": "list", "data": [_record(row) for row in rows]})


async def retrieve_model(call: Call, id: str) -> Response:
    """Get a model."""
    return json_response(_record(_require(call.runtime, id)))


async def delete_model(call: Call, id: str) -> Response:
    """Delete a fine-tuned model."""
    _require(call.runtime, id)
    if not id.startswith("ft:"):
        raise ApiError(403, f"The model `{id}` is not a fine-tuned model, and cannot be deleted.")
    for table in ("inference_models", "inference_limits"):
        call.runtime.db.execute(f"DELETE FROM {table} WHERE id = ?", (id,))
    return json_response({"id": id, "object": "model", "deleted": True})


async def tuning_limits(call: Call) -> Response:
    """List the limits of fine-tuning jobs. The sandbox never runs such jobs."""
    rows = call.runtime.db.execute("SELECT * FROM inference_models WHERE max_pending_jobs IS NOT NULL ORDER BY id")
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
    return json_response({"object": "list", "data": data})


def _find(runtime: Runtime, model_id: str) -> sqlite3.Row | None:
    row: sqlite3.Row | None = runtime.db.execute(
        "SELECT * FROM inference_models JOIN inference_limits USING (id) WHERE id = ?", (model_id,)
    ).fetchone()
    return row


def _require(runtime: Runtime, model_id: str) -> sqlite3.Row:
    row = _find(runtime, model_id)
    if row is None:
        raise ApiError(404, f"The model '{model_id}' does not exist", param="model", code="model_not_found")
    return row


def _record(row: sqlite3.Row) -> dict[str, Any]:
    return {
        "id": row["id"],
        "object": "model",
        "created": row["created"],
        "owned_by": row["owned_by"],
        "shutdown_date": row["shutdown_date"],
    }


ROUTES = (
    Route("GET", "/v1/models", list_models, "list_models", scope="api.model.read"),
    Route("GET", "/v1/models/{id}", retrieve_model, "retrieve_model", scope="api.model.read"),
    Route("DELETE", "/v1/models/{id}", delete_model, "delete_model", scope="api.delete"),
    Route("GET", "/v1/fine_tuning/model_limits", tuning_limits, "tuning_limits", scope="api.model.read"),
)
