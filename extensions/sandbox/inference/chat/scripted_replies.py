# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripted replies: a queue that the control API fills and chat requests consume."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ...parsing.documents import parse_json
from ...runtime.runtime import Runtime
from ..protocol.errors import build_failure

FINISH_REASONS = ("stop", "length", "tool_calls", "content_filter", "function_call")

# error: the call fails. stream_error: a stream ends with this error after the content; other calls ignore it.
FIELDS: Mapping[str, type | tuple[type, ...]] = {
    "content": str,
    "refusal": str,
    "finish_reason": str,
    "tool_calls": list,
    "error": (str, dict),
    "stream_error": (str, dict),
    "headers": dict,
}


class ScriptedReplies:
    """The queue of scripted replies."""

    def __init__(self, runtime: Runtime) -> None:
        self._db = runtime.db

    def add(self, reply: Any) -> None:
        """Append a reply.

        :raises ValueError: if it is invalid
        """
        _check(reply)
        self._db.execute("INSERT INTO inference_replies (reply) VALUES (?)", (json.dumps(reply),))

    def pop_first(self) -> dict[str, Any] | None:
        """Remove and return the first reply."""
        row = self._db.execute("SELECT * FROM inference_replies ORDER BY id LIMIT 1").fetchone()
        if row is None:
            return None
        self._db.execute("DELETE FROM inference_replies WHERE id = ?", (row["id"],))
        reply: dict[str, Any] = json.loads(row["reply"])
        return reply

    def list(self) -> list[dict[str, Any]]:
        """Return the replies in the queue."""
        return [json.loads(row["reply"]) for row in self._db.execute("SELECT * FROM inference_replies ORDER BY id")]

    def clear(self) -> None:
        """Remove all replies."""
        self._db.execute("DELETE FROM inference_replies")

    def route(self, runtime: Runtime) -> Route:
        """Return the route of the control API: GET lists, POST adds one or more replies, DELETE removes all."""

        async def endpoint(request: Request) -> Response:
            try:
                if request.method == "POST":
                    body = parse_json(await request.body())
                    with runtime.transaction():
                        for reply in body if isinstance(body, list) else [body]:
                            self.add(reply)
                elif request.method == "DELETE":
                    self.clear()
            except ValueError as error:
                return JSONResponse({"error": str(error)}, 400)
            return JSONResponse({"replies": self.list()})

        return Route("/replies", endpoint, methods=["GET", "POST", "DELETE"])


def _check(reply: Any) -> None:
    if not isinstance(reply, dict) or not reply or reply.keys() - FIELDS.keys():
        raise ValueError(f"A reply is an object with some of {', '.join(FIELDS)}.")
    for name, value in reply.items():
        if not isinstance(value, FIELDS[name]):
            raise ValueError(f"{name!r} of a reply has the wrong type.")
    if reply.get("finish_reason", "stop") not in FINISH_REASONS:
        raise ValueError(f"A finish_reason is one of {', '.join(FINISH_REASONS)}.")
    for call in reply.get("tool_calls", []):
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not all(
            isinstance(function.get(key), str) for key in ("name", "arguments")
        ):
            raise ValueError("A tool call has a function with a name and arguments, both strings.")
    for name in ("error", "stream_error"):
        if name in reply:
            build_failure(reply[name])
