# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A command over two HTTP connections, in the protocol of the server's own client: one feeds it, one brings its output.

A frame is 4 bytes length of the data, 1 byte operation, the data.
"""

from __future__ import annotations

import contextlib
import functools
import queue
import struct
import threading
import time
import typing as t
import uuid

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import (
    ERROR,
    OUT,
    Command,
    Course,
    Written,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    ToolchainError,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

ARG, LOCALE, ENCODING, START, EXIT, STDIN, END_STDIN, STDOUT, STDERR = range(9)
_HEAD = struct.Struct(">IB")
_OUTPUTS = {STDOUT: OUT, STDERR: ERROR}
# What keeps proxies and the server from taking a silent client for a lost one
_SECONDS_BETWEEN_PINGS = 3.0
_SECONDS_TO_HANG_UP = 2.0
_PIECES_WAITING = 64
_CRUMB_PROBLEM = "No valid crumb"
_ANOTHER_PROTOCOL = (
    "What answers does not speak the protocol of today's command-line client. Is the path in 'url' right, and is no "
    "login page or proxy in between? An older server is reached by its own client ('via: jar')."
)


def frame(operation: int, data: bytes = b"") -> bytes:
    """A frame as it travels."""
    return _HEAD.pack(len(data), operation) + data


def utf(text: str) -> bytes:
    """A text as Java's `readUTF` reads it: its length, and UTF-8 of its own kind for NUL and what is beyond 16 bits."""
    units = text.encode("utf-16-be")
    letters = (units[place : place + 2].decode("utf-16-be", "surrogatepass") for place in range(0, len(units), 2))
    data = b"".join(b"\xc0\x80" if letter == "\0" else letter.encode("utf-8", "surrogatepass") for letter in letters)
    return struct.pack(">H", len(data)) + data


def frames(pieces: t.Iterable[bytes]) -> t.Iterator[tuple[int, bytes]]:
    """The operations and their data; what is not whole at the end is left out."""
    waiting = bytearray()
    for piece in pieces:
        waiting += piece
        while len(waiting) >= _HEAD.size:
            length, operation = _HEAD.unpack_from(waiting)
            end = _HEAD.size + length
            if len(waiting) < end:
                break
            yield operation, bytes(waiting[_HEAD.size : end])
            del waiting[:end]


def course(task: Task, ci: CiService, command: Command) -> Course:
    """What the command writes, and its exit code."""
    return Conversation(task, ci, command).course()


class Conversation:
    """One command on its way.

    The connection that feeds it stays open until it has ended: the server takes its end for a hang-up, and interrupts
    the command. Both connections have a thread, so that nothing that one of them does keeps the task waiting.
    """

    def __init__(self, task: Task, ci: CiService, command: Command) -> None:
        self._task = task
        self._ci = ci
        self._command = command
        self._headers = {"Session": str(uuid.uuid4()), "Accept-Encoding": "identity"}
        self._deadline = time.monotonic() + task.params["wait_timeout"]
        self._events: queue.Queue[Written | int | ToolchainError | None] = queue.Queue(_PIECES_WAITING)
        self._over = threading.Event()

    def course(self) -> Course:
        """What the command writes, and its exit code.

        :raises ServerRefusal: when the server does not take it
        :raises OutcomeUnknown: when it is not known what became of it
        """
        download = self._download()
        feeding = None
        try:
            feeding = self._in_background(self._feed)
            self._in_background(lambda: self._listen(download.chunks()))
            yield from self._told()
        finally:
            self._over.set()
            if feeding:
                feeding.join(_SECONDS_TO_HANG_UP)

    def _download(self) -> Response:
        """Return the response that brings the output. Its body may stay invisible until the command writes."""
        try:
            download = self._ask(self._ci.http.read, "download", stream=True, live_timeout_option="wait_timeout")
        except ServerRefusal as refusal:
            if _CRUMB_PROBLEM in refusal.text:  # today's servers want none here
                raise UnexpectedResponse(_ANOTHER_PROTOCOL) from None
            raise
        if "Hudson-Duplex" not in download.headers:
            raise UnexpectedResponse(_ANOTHER_PROTOCOL)
        return download

    def _in_background(self, work: t.Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    def _ask(self, send: t.Callable[..., Response], side: str, **options: t.Any) -> Response:
        headers = {**self._headers, "Side": side, "Content-Type": "application/octet-stream"}
        return send("POST", "/cli", query={"remoting": "false"}, headers=headers, **options)

    def _feed(self) -> None:
        """Send the command and its input. Unless it was not taken, the other connection tells what became of it."""
        http = self._ci.http
        send = http.read if self._command.reads else functools.partial(http.write, changes_state=False)
        try:
            with self._command.input() as pieces:
                upload = _Upload(self._command.words, pieces, self._over)
                self._ask(send, "upload", data=upload, timeout_option="wait_timeout", no_retry=True)
        except ServerRefusal as refusal:
            self._tell(refusal)
        except ToolchainError:
            pass

    def _listen(self, pieces: t.Iterator[bytes]) -> None:
        lost: ToolchainError | None = None
        try:
            for operation, data in frames(_opened(pieces)):
                if operation in _OUTPUTS and data:
                    self._tell(Written(_OUTPUTS[operation], data))
                elif operation == EXIT:
                    self._tell(struct.unpack(">i", data)[0])
                    break
        except UnexpectedResponse as error:
            lost = error
        except (ToolchainError, struct.error) as error:
            lost = ToolchainError(str(error))
        finally:
            pieces.close()  # type: ignore[attr-defined]
        self._tell(lost)

    def _tell(self, event: Written | int | ToolchainError | None) -> None:
        while not self._over.is_set():
            with contextlib.suppress(queue.Full):
                self._events.put(event, timeout=_SECONDS_BETWEEN_PINGS)
                return

    def _told(self) -> t.Iterator[Written | int]:
        while True:
            try:
                event = self._events.get(timeout=max(0.0, self._deadline - time.monotonic()))
            except queue.Empty:
                raise self._command.goes_on() from None
            if isinstance(event, (ServerRefusal, UnexpectedResponse)):
                raise event
            if event is None or isinstance(event, ToolchainError):
                if time.monotonic() >= self._deadline:
                    raise self._command.goes_on()
                reason = f" ({event})" if event else ""
                raise self._command.unknown(f"The connection ended before the command {self._command} did{reason}")
            yield event
            if isinstance(event, int):
                return


class _Upload:
    """What the client sends: the command, its input, and pings until it is over."""

    def __init__(self, words: list[str], pieces: t.Iterator[bytes], over: threading.Event) -> None:
        self._words = words
        self._pieces = pieces
        self._over = over

    def __iter__(self) -> t.Iterator[bytes]:
        head = [frame(ARG, utf(word)) for word in self._words]
        yield b"".join([*head, frame(ENCODING, utf("UTF-8")), frame(LOCALE, utf("en_US")), frame(START)])
        for piece in self._pieces:
            if self._over.is_set():
                return
            yield frame(STDIN, piece)
        yield frame(END_STDIN)
        while not self._over.wait(_SECONDS_BETWEEN_PINGS):
            yield frame(ENCODING, utf("UTF-8"))


def _opened(pieces: t.Iterator[bytes]) -> t.Iterator[bytes]:
    """Yield the bytes of the frames in a download, which begins with a zero.

    :raises UnexpectedResponse: when it begins with anything else
    """
    first = next(pieces, b"\0")
    if first[:1] != b"\0":
        raise UnexpectedResponse(_ANOTHER_PROTOCOL)
    yield first[1:]
    yield from pieces
