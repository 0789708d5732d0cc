# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: `python -m sandbox`, or `toolchain-sandbox` where it is installed."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import pathlib
import resource
import secrets
import shlex
import signal
import socket
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from types import FrameType

import uvicorn
import yaml
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol

from . import __doc__ as about
from . import console
from .client import READY
from .http.app import App
from .http.hosts import Hosts, parse_name
from .http.jetty import JettyTransport
from .runtime.database import StateError
from .runtime.guard import SIGNALS, Guard
from .sandbox import DEFAULT_SEED, Sandbox
from .seeds.schema import SeedError

MAX_HEAD_SIZE = 1024 * 1024
MAX_OPEN_FILES = 65536
# Where a server that listens on all addresses is found from the same machine
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class Protocol(H11Protocol):
    """Answers at once, and puts the transport into the scope, for connections that are to be dropped."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(JettyTransport(transport))  # type: ignore[arg-type]
        # Head and body of an answer are sent apart: without this the body waits for the client's acknowledgement.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.app = self._closing_unless_read(_add_transport_to_scope(self.transport, self.app))
        # A connection that sends nothing is closed as one that sends nothing more.
        self.timeout_keep_alive_task = self.loop.call_later(self.timeout_keep_alive, self.timeout_keep_alive_handler)

    def _closing_unless_read(self, serve: ASGI3Application) -> ASGI3Application:
        """Close the connection after a final answer to a client that still waits for 100 Continue.

        Such a client may send the body or the next request, and they cannot be distinguished.
        """

        async def app(scope, receive, send):  # type: ignore[no-untyped-def]
            async def sending(message):  # type: ignore[no-untyped-def]
                if message["type"] == "http.response.start" and self.conn.they_are_waiting_for_100_continue:
                    message = {**message, "headers": [*message["headers"], CLOSE_HEADER]}
                await send(message)

            await serve(scope, receive, sending)

        return app


class WebSocketProtocol(WSProtocol):
    """The same for a connection that is upgraded."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self.app = _add_transport_to_scope(transport, self.app)


def _add_transport_to_scope(transport: asyncio.Transport, serve: ASGI3Application) -> ASGI3Application:
    async def app(scope, receive, send):  # type: ignore[no-untyped-def]
        scope["sandbox.transport"] = transport
        await serve(scope, receive, send)

    return app


class Server(uvicorn.Server):
    """Tells where it listens, and leaves with exit status 0 on SIGTERM and SIGINT."""

    def __init__(self, config: uvicorn.Config, guard: Guard, greeting: list[str]) -> None:
        super().__init__(config)
        self._guard = guard
        self._greeting = greeting

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, then say so."""
        await super().startup(sockets)
        print("\n".join(self._greeting), flush=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Unlike uvicorn, do not raise the signal again after a clean end.

        Unlike `loop.add_signal_handler`, leave the descriptor that is written to on a signal to the guard.
        """
        loop = asyncio.get_running_loop()

        def end(number: int, frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(self.handle_exit, number, frame)

        for number in SIGNALS:
            signal.signal(number, end)
        self._guard.watch_signals()
        yield


def _parse_arguments() -> argparse.Namespace:
    installed = pathlib.Path(sys.argv[0]).name != "__main__.py"
    parser = argparse.ArgumentParser(prog="toolchain-sandbox" if installed else "python -m sandbox", description=about)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=_parse_port, default=0, help="port to listen on (default: a free one)")
    parser.add_argument(
        "--review-port", type=_parse_port, help="port on which the review API has no prefix (default: none)"
    )
    parser.add_argument("--ssh-port", type=_parse_port, help="port of the CI server's SSH server (default: none)")
    allow = "host name that requests may use besides loopback and the address they arrive at; can be repeated"
    parser.add_argument("--allow-host", type=_parse_host, action="append", default=[], metavar="NAME", help=allow)
    parser.add_argument("--state", type=pathlib.Path, help="folder that keeps the state (default: kept nowhere)")
    seed = "what is there at first: a YAML file, a folder with one for each service, or a snapshot"
    parser.add_argument("--seed", type=pathlib.Path, default=DEFAULT_SEED, help=seed)
    return parser.parse_args()


def _parse_port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not between 0 and 65535")
    return port


def _parse_host(text: str) -> str:
    try:
        return parse_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _create_listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=512)


def _build_url(host: str, port: int) -> str:
    name = LOOPBACK.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


async def _serve(arguments: argparse.Namespace) -> None:
    secret = os.environ.get("SANDBOX_SECRET") or secrets.token_urlsafe(24)
    listeners = [_create_listener(arguments.host, arguments.port)]
    if arguments.review_port is not None:
        listeners.append(_create_listener(arguments.host, arguments.review_port))
    sandbox = Sandbox(arguments.state, arguments.seed)
    tempfile.tempdir = str(sandbox.runtime.files.incoming)
    port, *own_ports = (listener.getsockname()[1] for listener in listeners)
    url = _build_url(arguments.host, port)
    ports = {own: sandbox.service("review") for own in own_ports}
    for own, service in ports.items():
        service.own_url = _build_url(arguments.host, own)
    if arguments.ssh_port is not None:
        sandbox.service("ci").ssh_address = (LOOPBACK.get(arguments.host, arguments.host), arguments.ssh_port)
    await sandbox.start()
    variables = {**sandbox.exports(url), "SANDBOX_URL": url, "SANDBOX_SECRET": secret}
    greeting = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    greeting += [f"# console at {url}{console.PATH}", f"{READY}{url}"]
    config = uvicorn.Config(
        App(sandbox, secret, ports, Hosts([arguments.host.lower(), *arguments.allow_host])),
        http=Protocol,
        ws=WebSocketProtocol,
        lifespan="off",
        log_level="critical",
        server_header=False,
        date_header=False,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=MAX_HEAD_SIZE,
    )
    try:
        await Server(config, sandbox.runtime.guard, greeting).serve(listeners)
    finally:
        await sandbox.stop()


def _raise_open_files_limit() -> None:
    """Let idle connections not use up the open files, of which an account often has 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < MAX_OPEN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES if hard == -1 else min(hard, MAX_OPEN_FILES), hard))


def main() -> None:
    """Serve until SIGTERM or Ctrl-C; what keeps it from starting is said in one sentence."""
    arguments = _parse_arguments()
    if arguments.ssh_port is not None and not find_spec("asyncssh"):
        sys.exit(f"--ssh-port needs a Python package that is missing: '{sys.executable} -m pip install asyncssh'.")
    _raise_open_files_limit()
    os.umask(0o077)  # whatever it writes is for the account that runs it
    with asyncio.Runner() as runner:
        try:
            runner.run(_serve(arguments))
        except (OSError, yaml.YAMLError, SeedError, StateError, sqlite3.Error) as error:
            sys.exit(f"The sandbox cannot start: {error}")
        os._exit(0)  # threads cannot be stopped, and would be waited for
