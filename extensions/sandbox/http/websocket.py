# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""WebSocket requests, presented to services as GET requests. A service may accept the connection."""

from __future__ import annotations

from starlette.types import Message, Receive, Scope, Send


def adapt_websocket(scope: Scope, receive: Receive, send: Send) -> tuple[Scope, Receive, Send]:
    """Return scope, `receive` and `send` of a GET request without a body.

    If the service accepts the connection, `receive` and `send` pass on the messages of the WebSocket.
    """
    pending = [{"type": "http.request", "body": b"", "more_body": False}]

    async def receive_as_request() -> Message:
        if pending:
            await receive()  # websocket.connect
            return pending.pop()
        return await receive()

    async def send_as_response(message: Message) -> None:
        kind = message["type"]
        await send({**message, "type": f"websocket.{kind}"} if kind.startswith("http.response.") else message)

    scheme = scope["scheme"].replace("ws", "http")
    return {**scope, "type": "http", "method": "GET", "scheme": scheme}, receive_as_request, send_as_response
