# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunks as Jetty sends them: the CRLF that ends a chunk goes out with the next chunk, or with the end of the body."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from .streaming import LiveResponse

LAST_CHUNK = b"0\r\n\r\n"


class JettyTransport:
    """A transport that can hold back the ends of chunks."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._holding = False
        self._held = b""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def hold_chunk_ends(self) -> None:
        """Hold back the end of each chunk from now on, until the last one."""
        self._holding = True

    def write(self, data: bytes) -> None:
        """Send chunks; one write is one chunk with its end, or nothing."""
        if not self._holding:
            self._transport.write(data)
        elif data == LAST_CHUNK:
            self._transport.write(self._held + data)
            self._holding, self._held = False, b""
        elif data:
            self._transport.write(self._held + data[:-2])
            self._held = data[-2:]


class JettyResponse(LiveResponse):
    """A live response whose chunks end late."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_chunks(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start" and scope["http_version"] == "1.1":
                scope["sandbox.transport"].hold_chunk_ends()

        await super().__call__(scope, receive, send_chunks)
