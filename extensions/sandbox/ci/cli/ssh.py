# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands over SSH with public key authentication. There is no shell."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from pathlib import Path

import asyncssh

from ...service import ConnectionDropped
from ..access.login import get_principal
from ..controller import Controller
from . import frames
from .commands import execute
from .session import Session

NO_SHELL = b"There is no shell here: give a command.\n"
READ_AT_ONCE = 65536
ESCAPABLE = "\\\"' "
BLANKS = " \t\r\n\f"


class Server:
    """The SSH server. Its host key is in the state directory."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._acceptor: asyncssh.SSHAcceptor | None = None
        self.known_host = ""

    async def start(self, host: str, port: int) -> str:
        """Listen, and return the endpoint in the form of `X-SSH-Endpoint`."""
        key = _host_key(self._controller.runtime.state_path / "ssh_host_key")
        self._acceptor = await asyncssh.create_server(
            functools.partial(_Login, self._controller),
            host,
            port,
            server_host_keys=[key],
            process_factory=functools.partial(_run, self._controller),
            encoding=None,
        )
        endpoint = f"{host}:{self._acceptor.get_port()}"
        public = key.export_public_key().decode().split()
        self.known_host = f"[{host}]:{self._acceptor.get_port()} {public[0]} {public[1]}"
        return endpoint

    async def stop(self) -> None:
        """Close the server and all connections."""
        if self._acceptor:
            self._acceptor.close()
            await self._acceptor.wait_closed()


class _Login(asyncssh.SSHServer):
    def __init__(self, controller: Controller) -> None:
        self._controller = controller

    def begin_auth(self, _username: str) -> bool:
        return True

    def public_key_auth_supported(self) -> bool:
        return True

    def validate_public_key(self, username: str, key: asyncssh.SSHKey) -> bool:
        user = self._controller.storage.user(username)
        return any(asyncssh.import_public_key(own) == key for own in (user.public_keys if user else ()))


async def _run(controller: Controller, process: asyncssh.SSHServerProcess[bytes]) -> None:
    user = controller.storage.user(process.get_extra_info("username"))
    if process.command is None or user is None:
        process.stderr.write(NO_SHELL)
        process.exit(1)
        return

    async def send_operation(operation: int, data: bytes) -> None:
        stream = process.stdout if operation == frames.STDOUT else process.stderr
        stream.write(data)
        await stream.drain()

    session = Session(controller, get_principal(controller.storage, user, by_token=True), send_operation)
    session.arguments = split_words(process.command)
    feeding = asyncio.create_task(_feed(session, process))
    disconnection = asyncio.create_task(_hang_up(session, process))
    try:
        await session.process(frames.START, b"")
        process.exit(await session.run(execute))
    except ConnectionDropped:
        process.get_extra_info("connection").abort()
    finally:
        feeding.cancel()
        disconnection.cancel()


async def _feed(session: Session, process: asyncssh.SSHServerProcess[bytes]) -> None:
    with contextlib.suppress(asyncssh.Error):
        while piece := await process.stdin.read(READ_AT_ONCE):
            await session.process(frames.STDIN, piece)
    await session.process(frames.END_STDIN, b"")


async def _hang_up(session: Session, process: asyncssh.SSHServerProcess[bytes]) -> None:
    await process.channel.wait_closed()
    session.hang_up()


def _host_key(path: Path) -> asyncssh.SSHKey:
    """Return the stored host key, and create it if necessary."""
    if not path.exists():
        asyncssh.generate_private_key("ssh-ed25519").write_private_key(path)
        path.chmod(0o600)
    return asyncssh.read_private_key(path)


def split_words(line: str) -> list[str]:
    """Split a command line. Quotes protect blanks, and a backslash escapes a quote."""
    arguments: list[str] = []
    word: str | None = None
    quote, escaped = "", False
    for letter in line:
        if escaped:
            word, escaped = (word or "") + ("" if letter in ESCAPABLE else "\\") + letter, False
        elif letter == "\\" and word is not None:
            escaped = True
        elif quote:
            word, quote = (word, "") if letter == quote else ((word or "") + letter, quote)
        elif letter in "\"'":
            word, quote = word or "", letter
        elif letter in BLANKS:
            arguments += [] if word is None else [word]
            word = None
        else:
            word = (word or "") + letter
    return arguments if word is None else [*arguments, word]
