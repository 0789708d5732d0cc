# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands over a pair of HTTP requests and over a WebSocket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from ...http.jetty import JettyResponse
from ...service import ConnectionDropped
from ..call import Call
from . import frames
from .commands import COMMANDS, execute
from .session import Session

# Seconds for which a connection stays open after its command, so that the client closes it first
SECONDS_TO_HANG_UP = 1.0
PIECES_WAITING = 16
# Labels in the journal
DOWNLOAD, UPLOAD, WEB_SOCKET = "cli_download", "cli_upload", "cli_websocket"


class Duplex:
    """A command over two requests: the download carries its output, the upload its input."""

    def __init__(self, call: Call, identifier: str) -> None:
        self._others: dict[str, Duplex] = call.controller.duplexes
        self._others[identifier] = self
        self._identifier = identifier
        self._out: asyncio.Queue[bytes] = asyncio.Queue(PIECES_WAITING)
        self._session = Session(call.controller, call.principal, self._send)
        self._patience: float = call.switch("cli_upload_seconds")
        self._uploading = asyncio.Event()
        self._uploaded = asyncio.Event()
        self._over = asyncio.Event()

    async def _send(self, operation: int, data: bytes) -> None:
        await self._out.put(frames.encode_frame(operation, data))

    def download(self) -> Response:
        """Return the response with immediate headers that ends with the command."""
        return JettyResponse(self._pieces(), headers={"Hudson-Duplex": "true"})

    async def _pieces(self) -> AsyncIterator[bytes]:
        command = asyncio.create_task(self._run())
        try:
            yield b"\0"
            while not (command.done() and self._out.empty()):
                piece = asyncio.create_task(self._out.get())
                try:
                    await asyncio.wait({command, piece}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    piece.cancel()
                if piece.done():
                    yield piece.result()
            await command
        finally:
            command.cancel()
            if self._others.get(self._identifier) is self:
                del self._others[self._identifier]
            self._over.set()

    async def _run(self) -> None:
        try:
            await asyncio.wait_for(self._uploading.wait(), self._patience)
        except TimeoutError:
            raise ConnectionDropped from None
        code = await self._session.run(execute)
        await self._send(frames.EXIT, frames.encode_exit_code(code))
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._uploaded.wait(), SECONDS_TO_HANG_UP)

    async def upload(self, call: Call) -> Response:
        """Feed the command. The response follows when the upload is complete."""
        self._uploading.set()
        feeding = asyncio.create_task(self._feed(call))
        try:
            await self._over.wait()
        finally:
            feeding.cancel()
        return Response()

    async def _feed(self, call: Call) -> None:
        try:
            async for operation, data in frames.decode_frames(call.request.stream()):
                await self._session.process(operation, data)
                if operation == frames.START:
                    _record_effect(call, UPLOAD, self._session)
        except (ClientDisconnect, frames.FrameError):
            pass
        finally:
            self._uploaded.set()
            self._session.hang_up()


class WebSocket(Response):
    """A command over a WebSocket. Each message is an operation with its data."""

    def __init__(self, call: Call) -> None:
        super().__init__()
        self._call = call

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Run the command of a client."""
        await send({"type": "websocket.accept"})

        async def send_operation(operation: int, data: bytes) -> None:
            await send({"type": "websocket.send", "bytes": bytes([operation]) + data})

        session = Session(self._call.controller, self._call.principal, send_operation)
        feeding = asyncio.create_task(self._feed(session, receive))
        try:
            await send_operation(frames.EXIT, frames.encode_exit_code(await session.run(execute)))
            await asyncio.wait({feeding}, timeout=SECONDS_TO_HANG_UP)
            if not feeding.done():
                await send({"type": "websocket.close"})
        finally:
            feeding.cancel()

    async def _feed(self, session: Session, receive: Receive) -> None:
        try:
            message: Any = await receive()
            while message["type"] == "websocket.receive":
                if data := message.get("bytes"):
                    await session.process(data[0], data[1:])
                    if data[0] == frames.START:
                        _record_effect(self._call, WEB_SOCKET, session)
                message = await receive()
        except frames.FrameError:
            pass
        finally:
            session.hang_up()


def _record_effect(call: Call, label: str, session: Session) -> None:
    """Report to the journal whether the command only reads."""
    command = COMMANDS.get(session.arguments[0]) if session.arguments else None
    call.enter(label, reads=command is None or command.reads)
