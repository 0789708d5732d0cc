# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chat completions that were created with `store`, by project."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.checks import check_metadata, missing_parameter
from ..protocol.errors import ApiError
from ..protocol.json_bodies import json_response, parse_object, require_json
from ..protocol.pagination import paginate
from ..schema import insert

_OF_PROJECT = "SELECT * FROM inference_completions WHERE organization = ? AND project = ?"


def store_completion(call: Call, request: dict[str, Any], completion: dict[str, Any]) -> None:
    """Store a completion with its request."""
    insert(
        call.runtime.db,
        "inference_completions",
        id=completion["id"],
        organization=call.caller.organization,
        project=call.caller.project,
        model=request["model"],
        metadata=json.dumps(request.get("metadata", {})),
        messages=json.dumps(request["messages"]),
        completion=json.dumps(completion),
    )


async def list_completions(call: Call) -> Response:
    """List completions by model and metadata. The model is the requested one or the one in the response."""
    query = call.request.query_params
    model, filters = query.get("model"), _metadata_filters(call)
    rows = call.runtime.db.execute(f"{_OF_PROJECT} ORDER BY number", _select_project(call)).fetchall()
    records = (_record(row) for row in rows if model in (None, row["model"], json.loads(row["completion"])["model"]))
    return paginate(call, (record for record in records if filters.items() <= record["metadata"].items()))


async def retrieve_completion(call: Call, id: str) -> Response:
    """Get a completion."""
    return json_response(_record(_find(call, id)))


async def update_completion(call: Call, id: str) -> Response:
    """Replace the metadata of a completion."""
    _find(call, id)
    require_json(call.request)
    data = parse_object(await call.request.body())
    if "metadata" not in data:
        raise missing_parameter("metadata")
    body = {} if data["metadata"] is None else data["metadata"]
    check_metadata("metadata", body)
    call.runtime.db.execute("UPDATE inference_completions SET metadata = ? WHERE id = ?", (json.dumps(body), id))
    return await retrieve_completion(call, id)


async def delete_completion(call: Call, id: str) -> Response:
    """Delete a completion with its messages."""
    _find(call, id)
    call.runtime.db.execute("DELETE FROM inference_completions WHERE id = ?", (id,))
    return json_response({"object": "chat.completion.deleted", "id": id, "deleted": True})


async def list_messages(call: Call, id: str) -> Response:
    """List the messages of the request."""
    messages = json.loads(_find(call, id)["messages"])
    return paginate(call, (_message(f"{id}-{number}", message) for number, message in enumerate(messages)))


def _find(call: Call, id: str) -> sqlite3.Row:
    row: sqlite3.Row | None = call.runtime.db.execute(
        f"{_OF_PROJECT} AND id = ?", (*_select_project(call), id)
    ).fetchone()
    if row is None:
        raise ApiError(404, f"The chat completion '{id}' was not found")
    return row


def _select_project(call: Call) -> tuple[str, str]:
    return call.caller.organization, call.caller.project


def _metadata_filters(call: Call) -> dict[str, str]:
    """Return the metadata filters of the query, `metadata[key]=value`."""
    return {
        name.removeprefix("metadata[").removesuffix("]"): value
        for name, value in call.request.query_params.items()
        if name.startswith("metadata[") and name.endswith("]")
    }


def _record(row: sqlite3.Row) -> dict[str, Any]:
    return {**json.loads(row["completion"]), "metadata": json.loads(row["metadata"])}


def _message(id: str, message: dict[str, Any]) -> dict[str, Any]:
    """Return a message with its content parts in a separate member."""
    parts = message["content"] if isinstance(message.get("content"), list) else None
    fields = {"name": None, **message, "content": None if parts else message.get("content")}
    return {"id": id, **fields, "content_parts": parts}


_PATH = "/v1/chat/completions"

ROUTES = (
    Route("GET", _PATH, list_completions, "list_completions", scope="model.request"),
    Route("GET", f"{_PATH}/{{id}}", retrieve_completion, "retrieve_completion", scope="model.request"),
    Route("POST", f"{_PATH}/{{id}}", update_completion, "update_completion", scope="model.request"),
    Route("DELETE", f"{_PATH}/{{id}}", delete_completion, "delete_completion", scope="model.request"),
    Route("GET", f"{_PATH}/{{id}}/messages", list_messages, "list_completion_messages", scope="model.request"),
)
