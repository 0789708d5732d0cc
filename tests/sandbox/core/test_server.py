# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the HTTP server: request targets, connections and headers."""

from __future__ import annotations

import contextlib
import http.client
import resource
import socket
import time
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import pytest
import requests

from sandbox import client


def test_request_targets_are_not_normalized(sandbox):
    def list_paths(target: bytes) -> tuple[str, str]:
        host, port = sandbox.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            while connection.recv(65536):
                pass
        entry = sandbox.journal()[-1]
        return entry["path"], entry["query"]

    assert list_paths(b"/artifactory/a%2Fb//c;d=[e]{f}|g/../h") == ("/artifactory/a%2Fb//c;d=[e]{f}|g/../h", "")
    assert list_paths(b"/artifactory/x?q=[a]{b}|c%7C?d") == ("/artifactory/x", "q=[a]{b}|c%7C?d")
    assert list_paths(b"/artifactory/x?q=" + b"y" * 65536) == ("/artifactory/x", "q=[...]")


def test_pipelined_requests_are_served(sandbox):
    host, port = sandbox.url.removeprefix("http://").split(":")
    request = b"GET /access/api/v1/system/ping HTTP/1.1\r\nHost: localhost\r\n"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall((request + b"\r\n") * 2 + request + b"Connection: close\r\n\r\n")
        answers = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answers.count(b"HTTP/1.1 200 OK") == 3


def test_slow_client_does_not_delay_others(sandbox, artifactory, ping):
    host, port = sandbox.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as slow:
        slow.sendall(
            b"PUT /artifactory/generic-local/slow.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n"
            b"Authorization: " + artifactory.headers["Authorization"].encode() + b"\r\n\r\nsl"
        )
        assert requests.get(ping, timeout=60).status_code == 200
        slow.sendall(b"ow")
        assert slow.recv(65536).startswith(b"HTTP/1.1 201 ")
    assert artifactory.get("/generic-local/slow.txt").content == b"slow"


def test_connections_are_reused(sandbox, ping):
    connection = http.client.HTTPConnection(sandbox.url.removeprefix("http://"))
    connection.connect()
    socket_at_first = connection.sock
    for _unused in range(3):
        connection.request("GET", ping.removeprefix(sandbox.url))
        connection.getresponse().read()
        assert connection.sock is socket_at_first
    connection.close()


REFUSED = [
    ("PUT", "/artifactory/generic-local/x", 401),
    ("PUT", "/artifactory/nothing/x", 401),
    ("PATCH", "/artifactory/api/system/ping", 401),
    ("POST", "/access/api/v1/nothing", 404),
    ("POST", "/ci/createItem", 403),
    ("PUT", "/analysis/review/nothing", 404),
    ("POST", "/inference/v1/chat/completions", 401),
    ("POST", "/_sandbox/seed", 401),
    ("POST", "/nothing", 404),
]


@pytest.mark.parametrize(("method", "path", "status"), REFUSED)
def test_connection_is_closed_when_the_client_waits_for_continue(
    sandbox: client.Sandbox, method: str, path: str, status: int
) -> None:
    answer = _send_head(sandbox, method, path)
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"\nconnection: close\r\n" in answer.lower()


def test_connection_is_closed_when_a_fault_responds_and_the_client_waits_for_continue(sandbox: client.Sandbox) -> None:
    sandbox.fault(kind="status", status=503)
    assert _send_head(sandbox, "PUT", "/artifactory/generic-local/x").startswith(b"HTTP/1.1 503 ")


@pytest.mark.parametrize(("method", "path", "status"), REFUSED)
def test_connection_is_reused_when_the_rejected_body_is_sent(
    sandbox: client.Sandbox, method: str, path: str, status: int
) -> None:
    address = sandbox.url.removeprefix("http://")
    with contextlib.closing(http.client.HTTPConnection(address)) as connection:
        connection.request(method, path, b"x" * 1_000_000)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == status
        connection.request("GET", "/access/api/v1/system/ping")
        assert connection.getresponse().status == 200


def _send_head(sandbox: client.Sandbox, method: str, path: str) -> bytes:
    """Return everything that a client receives that announces a body and waits for 100 Continue."""
    host, port = sandbox.url.removeprefix("http://").split(":")
    head = f"{method} {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(head.encode())
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/ci/login", {"X-Jenkins", "X-Jenkins-Session", "X-Hudson", "Content-Type", "Set-Cookie"}),
        ("/artifactory/generic-local/app/README.txt", {"WWW-Authenticate", "X-JFrog-Version", "Content-Length"}),
        ("/inference/v1/models", {"x-request-id", "content-type"}),
    ],
)
def test_header_names_have_the_case_of_the_real_servers(sandbox: client.Sandbox, path: str, names: set[str]) -> None:
    connection = http.client.HTTPConnection(sandbox.url.removeprefix("http://"))
    connection.request("GET", path)
    with contextlib.closing(connection):
        assert names <= set(dict(connection.getresponse().getheaders()))


SERVICES = ("/artifactory/api/system/ping", "/ci/login", "/analysis/review/api", "/inference/v1/models")


@pytest.mark.parametrize("path", SERVICES)
def test_date_header_has_the_time_of_the_clock(sandbox: client.Sandbox, path: str) -> None:
    assert abs(_date(sandbox, path).timestamp() - time.time()) < 60
    sandbox.clock(set=1767225600)
    sandbox.clock(frozen=True)
    assert _date(sandbox, path) == datetime(2026, 1, 1, tzinfo=UTC)
    sandbox.clock(advance=3600)
    assert _date(sandbox, path) == datetime(2026, 1, 1, 1, tzinfo=UTC)


def test_date_header_is_set_by_a_fault(sandbox: client.Sandbox, ping: str) -> None:
    date = "Thu, 01 Jan 2026 00:00:00 GMT"
    sandbox.fault(kind="status", status=503, headers={"Date": date})
    assert requests.get(ping).raw.headers.getlist("Date") == [date]


def _date(sandbox: client.Sandbox, path: str) -> datetime:
    (date,) = requests.get(f"{sandbox.url}{path}").raw.headers.getlist("Date")
    return parsedate_to_datetime(date)


def test_requests_are_served_while_thousands_of_connections_are_idle(sandbox: client.Sandbox) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 4096:
        pytest.skip("the account may not open so many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    host, port = sandbox.url.removeprefix("http://").split(":")
    try:
        with contextlib.ExitStack() as idle:
            for _connection in range(1500):
                idle.enter_context(socket.create_connection((host, int(port))))
            assert sandbox.faults() == []
            fault = sandbox.fault(kind="status", status=503, path="(a|b)+")
            assert requests.get(f"{sandbox.url}/ci/ab").status_code == 503
            assert fault["id"] == 1
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
