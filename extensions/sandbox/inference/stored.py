# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chat completions that were asked for with `store`: kept with their messages, for the project of the key."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from starlette.responses import Response

from ..http.routing import Route
from .call import Call
from .checks import metadata, missing
from .errors import ApiError
from .pages import page
from .protocol import json_response, parse_object, require_json
from .storage import insert

_OF_PROJECT = "SELECT * FROM inference_completions WHERE organization = ? AND project = ?"


def keep(call: Call, request: dict[str, Any], completion: dict[str, Any]) -> None:
    """Store a completion beside what was asked."""
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
    """Those of a model, or with these metadata; a model may be named as it was asked for, or as it answered."""
    asked = call.request.query_params
    model, wanted = asked.get("model"), _wanted(call)
    found = call.runtime.db.execute(f"{_OF_PROJECT} ORDER BY number", _whose(call)).fetchall()
    records = (_record(row) for row in found if model in (None, row["model"], json.loads(row["completion"])["model"]))
    return page(call, (record for record in records if wanted.items() <= record["metadata"].items()))


async def retrieve_completion(call: Call, id: str) -> Response:
    """One."""
    return json_response(_record(_find(call, id)))


async def update_completion(call: Call, id: str) -> Response:
    """Other metadata in the place of those it has."""
    _find(call, id)
    require_json(call.request)
    data = parse_object(await call.request.body())
    if "metadata" not in data:
        raise missing("metadata")
    given = {} if data["metadata"] is None else data["metadata"]
    metadata("metadata", given)
    call.runtime.db.execute("UPDATE inference_completions SET metadata = ? WHERE id = ?", (json.dumps(given), id))
    return await retrieve_completion(call, id)


async def delete_completion(call: Call, id: str) -> Response:
    """One, with its messages."""
    _find(call, id)
    call.runtime.db.execute("DELETE FROM inference_completions WHERE id = ?", (id,))
    return json_response({"object": "chat.completion.deleted", "id": id, "deleted": True})


async def list_messages(call: Call, id: str) -> Response:
    """What was asked, not what was answered."""
    messages = json.loads(_find(call, id)["messages"])
    return page(call, (_message(f"{id}-{number}", message) for number, message in enumerate(messages)))


def _find(call: Call, id: str) -> sqlite3.Row:
    row: sqlite3.Row | None = call.runtime.db.execute(f"{_OF_PROJECT} AND id = ?", (*_whose(call), id)).fetchone()
    if row is None:
        raise ApiError(404, f"The chat completion '{id}' was not found")
    return row


def _whose(call: Call) -> tuple[str, str]:
    return call.caller.organization, call.caller.project


def _wanted(call: Call) -> dict[str, str]:
    """The metadata that a query asks for: `metadata[key]=value`."""
    return {
        name.removeprefix("metadata[").removesuffix("]"): value
        for name, value in call.request.query_params.items()
        if name.startswith("metadata[") and name.endswith("]")
    }


def _record(row: sqlite3.Row) -> dict[str, Any]:
    return {**json.loads(row["completion"]), "metadata": json.loads(row["metadata"])}


def _message(id: str, message: dict[str, Any]) -> dict[str, Any]:
    """Parts of a content stand by themselves."""
    parts = message["content"] if isinstance(message.get("content"), list) else None
    told = {"name": None, **message, "content": None if parts else message.get("content")}
    return {"id": id, **told, "content_parts": parts}


_PATH = "/v1/chat/completions"

ROUTES = (
    Route("GET", _PATH, list_completions, "list_completions", scope="model.request"),
    Route("GET", f"{_PATH}/{{id}}", retrieve_completion, "retrieve_completion", scope="model.request"),
    Route("POST", f"{_PATH}/{{id}}", update_completion, "update_completion", scope="model.request"),
    Route("DELETE", f"{_PATH}/{{id}}", delete_completion, "delete_completion", scope="model.request"),
    Route("GET", f"{_PATH}/{{id}}/messages", list_messages, "list_completion_messages", scope="model.request"),
)
