# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses that arrive in unusual chunks, or from a server with a wrong clock."""

from __future__ import annotations

import contextlib
import datetime
import email.utils
import socket
from collections.abc import Iterator

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import client
from support.transport import socket_server, transport

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
FIRST = HEAD + b'Content-Length: 7\r\n\r\n{"a":1}'
SECOND = HEAD + b'Content-Length: 7\r\n\r\n{"a":2}'
HINTS = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"


@contextlib.contextmanager
def server(*responses: list[bytes]) -> Iterator[str]:
    """Start a server that sends each response in its chunks and then closes the connection."""

    def serve(listener: socket.socket) -> None:
        connection, _address = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, contextlib.suppress(ConnectionError):
            for pieces in responses:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += connection.recv(65536)
                for piece in pieces:
                    connection.sendall(piece)

    with socket_server(serve) as url:
        yield url


@pytest.mark.parametrize(
    "pieces",
    [
        [FIRST[:20], FIRST[20:]],
        [bytes([byte]) for byte in FIRST],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n7\r\n", b'{"a":1}', b"\r\n0\r\n\r\n"],
        [HEAD + b'Transfer-Encoding: chunked\r\n\r\n3\r\n{"a', b'\r\n4\r\n":1}\r\n0', b"\r\n\r\n"],
    ],
    ids=["headers in two pieces", "byte by byte", "held CRLF", "chunks across pieces"],
)
def test_response_is_complete_when_it_arrives_in_chunks(pieces: list[bytes]) -> None:
    with server(pieces) as url:
        assert transport(url, retries=0).read("GET", "/x").json() == {"a": 1}


def test_connection_stays_in_sync_when_interim_responses_come_first() -> None:
    with server([HINTS, FIRST], [HINTS, SECOND]) as url:
        http = transport(url, retries=0)
        assert [http.read("GET", path).json()["a"] for path in ("/x", "/y")] == [1, 2]


def test_refusal_is_reported_when_it_comes_before_the_end_of_the_request() -> None:
    refusal = b"HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 9\r\n\r\ntoo large"

    def serve(listener: socket.socket) -> None:
        connection, _address = listener.accept()
        with connection:
            came = connection.recv(65536)
            connection.sendall(refusal)
            while not came.endswith(b"0\r\n\r\n"):
                came = came[-5:] + connection.recv(65536)

    with socket_server(serve) as url, pytest.raises(ServerRefusal, match="413 too large"):
        transport(url, retries=0).write("PUT", "/x", data=[bytes(65536)] * 64)


@pytest.mark.parametrize("wrong", [-3600, 0, 3600], ids=["an hour slow", "right", "an hour fast"])
def test_retry_after_uses_the_clock_of_the_server(wrong: int, monkeypatch: pytest.MonkeyPatch) -> None:
    delays: list[float] = []
    monkeypatch.setattr(client.time, "sleep", delays.append)
    now = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=wrong)
    dates = [email.utils.format_datetime(now + datetime.timedelta(seconds=more), usegmt=True) for more in (0, 20)]
    busy = f"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nDate: {dates[0]}\r\nRetry-After: {dates[1]}\r\n\r\n"
    with server([busy.encode()], [FIRST]) as url:
        transport(url, retries=1).read("GET", "/x")
    assert 20 <= delays[0] <= 20.1
