# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTTP server: uvicorn with the connection handling of the simulated servers."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import Iterator
from types import FrameType

import uvicorn
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol

from ..runtime.guard import SIGNALS, Guard
from .jetty import JettyTransport

MAX_HEAD_SIZE = 1024 * 1024  # bytes of request line and headers


class HTTPProtocol(H11Protocol):
    """HTTP/1.1 without delays. It adds the transport to the scope, so that faults can reset the connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Prepare a new connection."""
        super().connection_made(JettyTransport(transport))  # type: ignore[arg-type]
        # Without TCP_NODELAY, the body waits until the client acknowledges the head.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.app = self._close_unless_read(_add_transport_to_scope(self.transport, self.app))
        # uvicorn starts the timer for idle connections only after the first response.
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _close_unless_read(self, serve: ASGI3Application) -> ASGI3Application:
        """Close the connection after a final response to a client that still waits for 100 Continue.

        Such a client may send the body or the next request, and the two cannot be distinguished.
        """

        async def app(scope, receive, send):  # type: ignore[no-untyped-def]
            async def send_with_close(message):  # type: ignore[no-untyped-def]
                if message["type"] == "http.response.start" and self.conn.they_are_waiting_for_100_continue:
                    message = {**message, "headers": [*message["headers"], CLOSE_HEADER]}
                await send(message)

            await serve(scope, receive, send_with_close)

        return app


class WebSocketProtocol(WSProtocol):
    """WebSocket connections with the transport in the scope."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Prepare a connection that was upgraded."""
        super().connection_made(transport)
        self.app = _add_transport_to_scope(transport, self.app)


def _add_transport_to_scope(transport: asyncio.Transport, serve: ASGI3Application) -> ASGI3Application:
    async def app(scope, receive, send):  # type: ignore[no-untyped-def]
        scope["sandbox.transport"] = transport
        await serve(scope, receive, send)

    return app


class Server(uvicorn.Server):
    """A server that prints a banner once it accepts connections, and exits with status 0 on SIGTERM and SIGINT."""

    def __init__(self, config: uvicorn.Config, guard: Guard, banner: list[str]) -> None:
        """Create a server.

        :arg banner: lines to print
        """
        super().__init__(config)
        self._guard = guard
        self._banner = banner

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections and print the banner."""
        await super().startup(sockets)
        print("\n".join(self._banner), flush=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Shut down on a signal.

        Unlike uvicorn's method, this does not raise the signal again after a clean shutdown. Unlike
        `loop.add_signal_handler`, it leaves the wakeup descriptor of signals to the guard.
        """
        loop = asyncio.get_running_loop()

        def shut_down(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self.handle_exit, number, frame)

        for number in SIGNALS:
            signal.signal(number, shut_down)
        self._guard.watch_signals()
        yield
