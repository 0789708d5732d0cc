# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a CLI command over two HTTP connections, with the protocol of jenkins-cli.jar.

One connection uploads the command and its input, the other one downloads its output. A frame consists of the length of
the data (4 bytes), the operation (1 byte) and the data.
"""

from __future__ import annotations

import contextlib
import enum
import functools
import queue
import struct
import threading
import time
import typing as t
import uuid

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import (
    STDERR,
    STDOUT,
    Command,
    Events,
    Output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    ToolchainError,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


class Operation(enum.IntEnum):
    """The operations of frames."""

    ARG = 0
    LOCALE = 1
    ENCODING = 2
    START = 3
    EXIT = 4
    STDIN = 5
    END_STDIN = 6
    STDOUT = 7
    STDERR = 8


_HEADER = struct.Struct(">IB")
_STREAMS = {Operation.STDOUT: STDOUT, Operation.STDERR: STDERR}
# Proxies and the server close connections of silent clients
_PING_INTERVAL = 3.0
_DISCONNECT_TIMEOUT = 2.0
_MAX_QUEUED_EVENTS = 64
_CRUMB_ERROR = "No valid crumb"
_WRONG_PROTOCOL = (
    "Running the command failed: the server does not support the protocol of current CLI clients. Check the path in "
    "'url' and whether a login page or a proxy intercepts the request. For older servers, use 'via: jar'."
)


def to_frame(operation: int, data: bytes = b"") -> bytes:
    """Return a frame."""
    return _HEADER.pack(len(data), operation) + data


def to_java_utf(text: str) -> bytes:
    """Encode a text like Java's `writeUTF`: its length and modified UTF-8."""
    units = text.encode("utf-16-be")
    letters = (units[place : place + 2].decode("utf-16-be", "surrogatepass") for place in range(0, len(units), 2))
    data = b"".join(b"\xc0\x80" if letter == "\0" else letter.encode("utf-8", "surrogatepass") for letter in letters)
    return struct.pack(">H", len(data)) + data


def parse_frames(chunks: t.Iterable[bytes]) -> t.Iterator[tuple[int, bytes]]:
    """Yield the operations and their data; an incomplete frame at the end is ignored."""
    pending = bytearray()
    for chunk in chunks:
        pending += chunk
        while len(pending) >= _HEADER.size:
            length, operation = _HEADER.unpack_from(pending)
            end = _HEADER.size + length
            if len(pending) < end:
                break
            yield operation, bytes(pending[_HEADER.size : end])
            del pending[:end]


def execute(task: Task, ci: CiService, command: Command) -> Events:
    """Run the command; yield its output and exit code."""
    return Conversation(task, ci, command).execute()


class Conversation:
    """The exchange for one command.

    The upload stays open until the command has ended, because the server interrupts the command when it is closed. Each
    connection has a thread, so that neither of them can block the task.
    """

    def __init__(self, task: Task, ci: CiService, command: Command) -> None:
        self._task = task
        self._ci = ci
        self._command = command
        self._headers = {"Session": str(uuid.uuid4()), "Accept-Encoding": "identity"}
        self._deadline = time.monotonic() + task.params["wait_timeout"]
        self._events: queue.Queue[Output | int | ToolchainError | None] = queue.Queue(_MAX_QUEUED_EVENTS)
        self._is_over = threading.Event()

    def execute(self) -> Events:
        """Yield the output and the exit code of the command.

        :raises ServerRefusal: if the server refuses the command
        :raises OutcomeUnknown: if the outcome is unknown
        """
        download = self._open_download()
        upload = None
        try:
            upload = self._start_thread(self._upload)
            self._start_thread(lambda: self._download(download.chunks()))
            yield from self._iterate_events()
        finally:
            self._is_over.set()
            if upload:
                upload.join(_DISCONNECT_TIMEOUT)

    def _open_download(self) -> Response:
        """Return the response that transfers the output. Its body may be delayed until the command writes."""
        try:
            download = self._send(self._ci.http.read, "download", stream=True, live_timeout_option="wait_timeout")
        except ServerRefusal as refusal:
            if _CRUMB_ERROR in refusal.text:  # current servers do not require a crumb here
                raise UnexpectedResponse(_WRONG_PROTOCOL) from None
            raise
        if "Hudson-Duplex" not in download.headers:
            raise UnexpectedResponse(_WRONG_PROTOCOL)
        return download

    def _start_thread(self, work: t.Callable[[], None]) -> threading.Thread:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        return thread

    def _send(self, send: t.Callable[..., Response], side: str, **options: t.Any) -> Response:
        headers = {**self._headers, "Side": side, "Content-Type": "application/octet-stream"}
        return send("POST", "/cli", query={"remoting": "false"}, headers=headers, **options)

    def _upload(self) -> None:
        """Send the command and its input. Unless the server refuses it, the download shows the outcome."""
        http = self._ci.http
        send = http.read if self._command.read_only else functools.partial(http.write, changes_state=False)
        try:
            with self._command.open_input() as chunks:
                body = _UploadBody(self._command.words, chunks, self._is_over)
                self._send(send, "upload", data=body, timeout_option="wait_timeout", no_retry=True)
        except ServerRefusal as refusal:
            self._put(refusal)
        except ToolchainError:
            pass

    def _download(self, chunks: t.Iterator[bytes]) -> None:
        error: ToolchainError | None = None
        try:
            for operation, data in parse_frames(_strip_first_byte(chunks)):
                if operation in _STREAMS and data:
                    self._put(Output(_STREAMS[Operation(operation)], data))
                elif operation == Operation.EXIT:
                    self._put(struct.unpack(">i", data)[0])
                    break
        except UnexpectedResponse as unexpected:
            error = unexpected
        except (ToolchainError, struct.error) as cause:
            error = ToolchainError(str(cause))
        finally:
            chunks.close()  # type: ignore[attr-defined]
        self._put(error)

    def _put(self, event: Output | int | ToolchainError | None) -> None:
        while not self._is_over.is_set():
            with contextlib.suppress(queue.Full):
                self._events.put(event, timeout=_PING_INTERVAL)
                return

    def _iterate_events(self) -> t.Iterator[Output | int]:
        while True:
            try:
                event = self._events.get(timeout=max(0.0, self._deadline - time.monotonic()))
            except queue.Empty:
                raise self._command.timeout_error() from None
            if isinstance(event, (ServerRefusal, UnexpectedResponse)):
                raise event
            if event is None or isinstance(event, ToolchainError):
                if time.monotonic() >= self._deadline:
                    raise self._command.timeout_error()
                reason = f" ({event})" if event else ""
                raise self._command.outcome_unknown(
                    f"The connection was lost while {self._command} was running{reason}"
                )
            yield event
            if isinstance(event, int):
                return


class _UploadBody:
    """The body of the upload: the command, its input, and pings until the command has ended."""

    def __init__(self, words: list[str], chunks: t.Iterator[bytes], is_over: threading.Event) -> None:
        self._words = words
        self._chunks = chunks
        self._is_over = is_over

    def __iter__(self) -> t.Iterator[bytes]:
        head = [to_frame(Operation.ARG, to_java_utf(word)) for word in self._words]
        head.append(to_frame(Operation.ENCODING, to_java_utf("UTF-8")))
        head.append(to_frame(Operation.LOCALE, to_java_utf("en_US")))
        yield b"".join([*head, to_frame(Operation.START)])
        for chunk in self._chunks:
            if self._is_over.is_set():
                return
            yield to_frame(Operation.STDIN, chunk)
        yield to_frame(Operation.END_STDIN)
        while not self._is_over.wait(_PING_INTERVAL):
            yield to_frame(Operation.ENCODING, to_java_utf("UTF-8"))


def _strip_first_byte(chunks: t.Iterator[bytes]) -> t.Iterator[bytes]:
    """Yield the bytes of the frames in a download, which starts with a zero.

    :raises UnexpectedResponse: if it starts with another byte
    """
    first = next(chunks, b"\0")
    if first[:1] != b"\0":
        raise UnexpectedResponse(_WRONG_PROTOCOL)
    yield first[1:]
    yield from chunks
