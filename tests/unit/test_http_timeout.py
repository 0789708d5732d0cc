# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses that trickle without stalling or ending."""

from __future__ import annotations

import contextlib
import io
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    IncompleteResponse,
    OutcomeUnknown,
    ServerUnreachable,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import timed_response
from support.transport import socket_server, transport, transport_and_task

LATE = "/x: no response within 'timeout'"
SLOW = "the response is too slow for 'timeout'"
PACE = 0.05
PIECES = 60
OK = b"HTTP/1.1 200 OK\r\n"
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


@contextlib.contextmanager
def trickling_server(start: bytes, piece: bytes, end: bytes) -> Iterator[str]:
    """Start a server whose responses consist of the start, 60 copies of a piece every 50 ms, and the end."""

    def answer(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            connection.recv(65536)
            connection.sendall(start)
            for _number in range(PIECES):
                if gone.wait(PACE):
                    return
                connection.sendall(piece)
            connection.sendall(end)

    def serve(listener: socket.socket) -> None:
        answer(listener.accept()[0])

    gone = threading.Event()
    with socket_server(serve) as url:
        try:
            yield url
        finally:
            gone.set()


@pytest.mark.parametrize(
    ("start", "piece", "end"),
    [
        (b"HTTP/1.1 200 ", b"O", b"\r\nContent-Length: 2\r\n\r\n{}"),
        (OK + b"X-Long: ", b"x", b"\r\nContent-Length: 2\r\n\r\n{}"),
        (OK, b"X: y\r\n", b"Content-Length: 2\r\n\r\n{}"),
        (b"", HINTS, OK + b"Content-Length: 2\r\n\r\n{}"),
    ],
    ids=["status", "header", "headers", "interim responses"],
)
def test_request_fails_when_the_headers_trickle(start: bytes, piece: bytes, end: bytes) -> None:
    with trickling_server(start, piece, end) as url, pytest.raises(ServerUnreachable, match=LATE):
        transport(url, timeout=0.2, retries=0).read("GET", "/x")


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize(
    ("start", "piece", "end"),
    [
        (OK + b"Content-Length: 62\r\n\r\n{", b" ", b"}"),
        (CHUNKED, b"1\r\n \r\n", b"2\r\n{}\r\n0\r\n\r\n"),
        (CHUNKED + b"2;x=", b"x", b"\r\n{}\r\n0\r\n\r\n"),
        (CHUNKED + b"2\r\n{}\r\n0\r\n", b"X: y\r\n", b"\r\n"),
    ],
    ids=["body", "chunks", "chunk extension", "trailers"],
)
def test_request_fails_when_the_body_trickles(start: bytes, piece: bytes, end: bytes, streamed: bool) -> None:
    with trickling_server(start, piece, end) as url, pytest.raises(ServerUnreachable, match=SLOW):
        transport(url, timeout=0.2, retries=0).read("GET", "/x", stream=streamed)


def test_outcome_is_unknown_when_the_response_to_a_write_trickles() -> None:
    with (
        trickling_server(CHUNKED, b"1\r\n \r\n", b"2\r\n{}\r\n0\r\n\r\n") as url,
        pytest.raises(OutcomeUnknown, match=SLOW),
    ):
        transport(url, timeout=0.2).write("POST", "/x")


def test_long_stream_breaks_off_when_it_begins_to_trickle() -> None:
    start = CHUNKED + b"100000\r\n" + b"x" * 2**20 + b"\r\n"
    with trickling_server(start, b"1\r\nx\r\n", b"0\r\n\r\n") as url:
        answer = transport(url, timeout=0.2, retries=0).read("GET", "/x", stream=True)
        with pytest.raises(IncompleteResponse, match=SLOW):
            list(answer.chunks())


def test_live_stream_ends_when_its_time_is_over() -> None:
    with trickling_server(CHUNKED, b"1\r\nx\r\n", b"0\r\n\r\n") as url:
        answer = transport(url, timeout=0.2, retries=0).read("GET", "/x", stream=True, live_timeout_option="timeout")
        pieces = answer.chunks()
        assert next(pieces) == b"x"
        with pytest.raises(IncompleteResponse, match="not complete within 'timeout'"):
            list(pieces)


class SteadySource(io.RawIOBase):
    """A response body of some KiB, each of which takes a second to arrive."""

    def __init__(self, kibibytes: int) -> None:
        self.now = 0.0
        self._rest = kibibytes
        self._head = OK + b"Content-Length: %d\r\n\r\n" % (kibibytes * 1024)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._head:
            data, self._head = self._head, b""
        elif self._rest:
            data = bytes(1024)
            self._rest -= 1
            self.now += 1
        else:
            data = b""
        buffer[: len(data)] = data
        return len(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def gettimeout(self) -> float:
        return 65.0

    def settimeout(self, _seconds: float) -> None:
        pass


def test_body_is_read_when_it_takes_longer_than_the_timeout_but_each_64_kib_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = SteadySource(1024)
    monkeypatch.setattr(timed_response.time, "monotonic", lambda: source.now)
    reply = timed_response.TimedResponse(source)  # type: ignore[arg-type]
    reply.begin()
    assert len(reply.read()) == 2**20


def test_body_is_read_when_its_reader_pauses_longer_than_the_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    source = SteadySource(1024)
    monkeypatch.setattr(timed_response.time, "monotonic", lambda: source.now)
    reply = timed_response.TimedResponse(source)  # type: ignore[arg-type]
    reply.begin()
    size = 0
    while piece := reply.read(10_000):
        size += len(piece)
        source.now += 1000
    assert size == 2**20


def test_connection_keeps_its_timeout_when_a_response_was_slow() -> None:
    client, peer = socket.socketpair()
    with client, peer:
        client.settimeout(30)
        peer.sendall(OK + b"Content-Length: 2\r\n\r\n{}")
        reply = timed_response.TimedResponse(client)
        reply.begin()
        assert reply.read() == b"{}"
        assert client.gettimeout() == 30


def test_request_ends_soon_after_the_deadline_of_the_task() -> None:
    chunk = b"10000\r\n" + b"x" * 2**16 + b"\r\n"
    with trickling_server(CHUNKED, chunk, b"0\r\n\r\n") as url:
        http, task = transport_and_task(url, timeout=0.5, retries=0)
        with task.enforce_deadline(time.monotonic()):
            answer = http.read("GET", "/x", stream=True)
        with pytest.raises(IncompleteResponse, match=SLOW):
            list(answer.chunks())
