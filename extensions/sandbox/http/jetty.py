# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Chunked responses as Jetty sends them: the CRLF that ends a chunk is sent together with the next chunk."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from .streaming import LiveResponse

LAST_CHUNK = b"0\r\n\r\n"


class JettyTransport:
    """A transport that can delay the CRLF at the end of each chunk."""

    def __init__(self, transport: asyncio.Transport) -> None:
        """Wrap a transport."""
        self._transport = transport
        self._is_delaying = False
        self._pending = b""

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the wrapped transport."""
        return getattr(self._transport, name)

    def delay_chunk_ends(self) -> None:
        """Delay the end of each chunk until the next one is sent. The last chunk ends this."""
        self._is_delaying = True

    def write(self, data: bytes) -> None:
        """Send data. While chunk ends are delayed, each call must contain exactly one chunk or be empty."""
        if not self._is_delaying:
            self._transport.write(data)
        elif data == LAST_CHUNK:
            self._transport.write(self._pending + data)
            self._is_delaying, self._pending = False, b""
        elif data:
            self._transport.write(self._pending + data[:-2])
            self._pending = data[-2:]


class JettyResponse(LiveResponse):
    """A live response with delayed chunk ends."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response."""

        async def send_chunks(message: Message) -> None:
            await send(message)
            if message["type"] == "http.response.start" and scope["http_version"] == "1.1":
                scope["sandbox.transport"].delay_chunk_ends()

        await super().__call__(scope, receive, send_chunks)
