# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command of a client: arguments, input, output and exit code."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable
from difflib import SequenceMatcher
from typing import TypeVar

from ...http import bodies
from ...service import ConnectionDropped
from ..access.permissions import JOB_READ, Permission
from ..access.sessions import Principal
from ..controller import Controller
from ..jobs import configuration
from ..jobs.item_kinds import FOLDER
from ..storage import Job
from . import frames

Result = TypeVar("Result")
Send = Callable[[int, bytes], Awaitable[None]]
POLLING_INTERVAL = 0.05
UNEXPECTED = "ERROR: Unexpected exception occurred while performing {} command."
PIECES_WAITING = 16
MAX_ARGUMENTS_SIZE = 1024 * 1024  # bytes
MAX_COMPARED_LENGTH = 255  # characters


class CommandError(Exception):
    """The failure of a command with the message of the server."""

    code = 1


class BadUsage(CommandError):
    """The command was called with wrong arguments."""

    code = 2


class ObjectNotFound(CommandError):
    """The object of the command does not exist."""

    code = 3


class WrongState(CommandError):
    """The state of the object does not allow the command."""

    code = 4


class CommandAborted(CommandError):
    """The command was aborted."""

    code = 5


class PermissionDenied(CommandError):
    """The user lacks a permission."""

    code = 6


class Session:
    """A command from its first argument to its exit code.

    :arg send: sends an operation with its data to the client
    """

    def __init__(self, controller: Controller, principal: Principal, send: Send) -> None:
        self.controller = controller
        self.storage = controller.storage
        self.scheduler = controller.scheduler
        self.lifecycle = controller.lifecycle
        self.principal = principal
        self.arguments: list[str] = []
        self._send = send
        self._size_of_arguments = 0
        self._aborted = False
        self._input: asyncio.Queue[bytes] = asyncio.Queue(PIECES_WAITING)
        self._started = asyncio.Event()
        self._running: asyncio.Task[int] | None = None

    async def process(self, operation: int, data: bytes) -> None:
        """Process an operation of the client.

        :raises frames.FrameError: if the arguments together are too long
        """
        if operation == frames.ARG:
            self._size_of_arguments += len(data)
            if self._size_of_arguments > MAX_ARGUMENTS_SIZE:
                raise frames.FrameError
            self.arguments.append(frames.decode_text(data))
        elif operation == frames.START:
            self._started.set()
        elif operation == frames.STDIN and data:
            await self._input.put(data)
        elif operation == frames.END_STDIN:
            await self._input.put(b"")

    def hang_up(self) -> None:
        """Handle a lost client: interrupt a running command, and do not run an incomplete one."""
        if not self._started.is_set():
            self._aborted = True
            self._started.set()
        if self._running:
            self._running.cancel()

    async def run(self, execute: Callable[[Session], Awaitable[int]]) -> int:
        """Run the command when its arguments are complete, and return its exit code.

        :raises Dropped: if the server restarts in the meantime
        """
        await self._started.wait()
        if self._aborted:
            return CommandError.code
        self._running = asyncio.ensure_future(execute(self))
        try:
            return await self._running
        except asyncio.CancelledError:
            return CommandError.code
        except CommandError as error:
            await self.print_error(f"\nERROR: {error}\n")
            return error.code
        except ConnectionDropped:
            raise
        except Exception:
            traceback.print_exc(file=sys.stderr)
            await self.print_error(f"\n{UNEXPECTED.format(self.arguments[0])}\n")
            return CommandError.code

    async def print_line(self, text: str) -> None:
        """Write to standard output."""
        if text:
            await self._send(frames.STDOUT, text.encode("utf-8", "replace"))

    async def print_error(self, text: str) -> None:
        """Write to standard error."""
        await self._send(frames.STDERR, text.encode("utf-8", "replace"))

    async def read(self) -> str:
        """Return the standard input.

        :raises CommandError: if it is too large
        """
        pieces, size = [], 0
        while piece := await self._input.get():
            pieces.append(piece)
            size += len(piece)
            if size > bodies.MAX_BODY_SIZE:
                raise CommandError(f"The sandbox reads at most {bodies.MAX_BODY_SIZE} bytes of the standard input.")
        return b"".join(pieces).decode("utf-8", "replace")

    @property
    def now(self) -> float:
        """The current time."""
        return self.controller.runtime.clock.now()

    def settle(self) -> None:
        """Process everything that is due.

        :raises Dropped: if a restart has closed all connections
        """
        self.scheduler.settle(self.now)
        down = self.lifecycle.outage(self.now)
        if down and down.stage != "stopping":
            raise ConnectionDropped

    async def wait_until(self, fetch: Callable[[], Result | None]) -> Result:
        """Poll a condition and return its result.

        :raises Dropped: if a restart comes first
        """
        session = self.storage.setting("session")
        self.settle()
        while True:
            result = fetch()
            # A restart that began during the check closes the connection before the result is sent.
            self.settle()
            if self.storage.setting("session") != session:
                raise ConnectionDropped
            if result is not None:
                return result
            await asyncio.sleep(POLLING_INTERVAL)

    def require(self, permission: Permission) -> None:
        """Require a permission.

        :raises Denied: if the user lacks it
        """
        if not self.principal.may(permission):
            raise PermissionDenied(f"{self.principal.name} is missing the {permission.title} permission")

    def job(self, name: str) -> Job:
        """Return the job with a name.

        :raises NoSuch: if it does not exist or the user may not see it
        """
        job = self.storage.job(name)
        if job and self.principal.may(JOB_READ) and configuration.parse_configuration(job.config).kind is not FOLDER:
            return job
        others = [job.name for job in self.visible_jobs()]
        raise ObjectNotFound(
            f"No such job '{name}'" + (f"; perhaps you meant '{find_nearest(name, others)}'?" if others else "")
        )

    def visible_jobs(self, folder: str = "") -> list[Job]:
        """Return the jobs of a folder that the user may see."""
        return self.storage.jobs(folder) if self.principal.may(JOB_READ) else []


def find_nearest(name: str, others: list[str]) -> str:
    """Return the most similar name."""
    shortened = name[:MAX_COMPARED_LENGTH]
    return max(others, key=lambda other: SequenceMatcher(None, shortened, other[:MAX_COMPARED_LENGTH]).ratio())
