# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the validation of Host and Origin."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import sys

import pytest
import requests

from sandbox import client
from sandbox.http.hosts import HostCheck
from support.wire.core import EXTENSIONS

ROUTES = (
    "/access/api/v1/system/ping",
    "/artifactory/api/system/ping",
    "/ci/login",
    "/ci/cli/ws",
    "/analysis/review/api",
    "/inference/v1/models",
    "/_sandbox/health",
    "/_sandbox/console",
    "/_sandbox/journal",
    "/nothing",
)
OWN = "192.0.2.7"


def check_headers(**headers: str) -> str:
    encoded = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    return HostCheck(["sandbox.lan", "fd00::2"]).check({"headers": encoded, "server": (OWN, 8080)})


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LocalHost:8080",
        "ci.localhost:8080",
        "127.0.0.1",
        "127.1.2.3:80",
        "[::1]",
        "[::1]:8080",
        f"{OWN}:8080",
        "sandbox.lan:9",
        "[fd00::2]:9",
        "",
    ],
)
def test_request_is_served_when_its_host_is_allowed(host: str) -> None:
    assert check_headers(host=host) == ""
    assert check_headers(host="localhost", origin=f"http://{host}" if host else "") == ""


@pytest.mark.parametrize(
    ("host", "named"),
    [
        ("rebinding.example", "rebinding.example"),
        ("Rebinding.Example.:8080", "rebinding.example."),
        ("127.0.0.1.rebinding.example:80", "127.0.0.1.rebinding.example"),
        ("localhost.rebinding.example", "localhost.rebinding.example"),
        ("evil-localhost", "evil-localhost"),
        ("203.0.113.9:8080", "203.0.113.9"),
        ("[2001:db8::1]:8080", "2001:db8::1"),
    ],
)
def test_message_suggests_allow_host_when_the_host_is_not_allowed(host: str, named: str) -> None:
    remedy = f"To allow it, start the sandbox with '--allow-host {named}'."
    assert check_headers(host=host) == f"Host '{named}' is not allowed. {remedy}"
    assert check_headers(origin=f"https://{host}").endswith(remedy)


@pytest.mark.parametrize("host", ["localhost@rebinding.example", "a b", "[::1", "localhost:80:80", "\xe9", "'"])
def test_message_suggests_nothing_when_the_host_is_invalid(host: str) -> None:
    assert "is not allowed" in check_headers(host=host)
    assert "--allow-host" not in check_headers(host=host)


@pytest.mark.parametrize("origin", ["null", "file://", "chrome-extension://abcdef", "localhost.rebinding.example"])
def test_request_is_rejected_when_its_origin_is_not_allowed(origin: str) -> None:
    assert f"Origin '{origin}' is not allowed" in check_headers(host="localhost", origin=origin)


@pytest.mark.parametrize("path", ROUTES)
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_every_route_is_rejected_when_the_host_is_not_allowed(sandbox: client.Sandbox, path: str, method: str) -> None:
    answer = requests.request(method, sandbox.url + path, headers={"Host": "rebinding.example:8080"})
    assert (answer.status_code, list(answer.json())) == (403, ["error"])
    assert "--allow-host rebinding.example'" in answer.json()["error"]
    assert sandbox.journal() == []


@pytest.mark.parametrize("path", ROUTES)
def test_every_route_is_rejected_when_the_origin_is_not_allowed(sandbox: client.Sandbox, path: str) -> None:
    headers = {"Origin": "http://rebinding.example", "Authorization": f"Bearer {sandbox.secret}"}
    answer = requests.post(sandbox.url + path, headers=headers)
    assert answer.status_code == 403
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]


def test_request_is_served_when_its_origin_is_that_of_the_real_service(sandbox: client.Sandbox) -> None:
    page = {"Origin": "https://platform.openai.com"}
    assert requests.get(f"{sandbox.url}/inference/v1/models", headers=page).status_code == 401
    assert requests.get(f"{sandbox.url}/ci/login", headers=page).status_code == 403


def test_wrong_path_returns_404_when_the_origin_is_that_of_the_real_service(
    sandbox: client.Sandbox,
) -> None:
    page = {"Origin": "https://platform.openai.com"}
    answer = requests.get(f"{sandbox.url}/elsewhere/dashboard", headers=page)
    assert (answer.status_code, answer.json()["error"]) == (404, "No service is available at /elsewhere/dashboard")
    assert requests.get(f"{sandbox.url}/_sandbox/health", headers=page).status_code == 403


def test_websocket_is_rejected_when_the_host_is_not_allowed(sandbox: client.Sandbox) -> None:
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "a" * 22 + "=="}
    headers |= {"Sec-WebSocket-Version": "13", "Host": "rebinding.example"}
    assert requests.get(f"{sandbox.url}/ci/cli/ws", headers=headers).status_code == 403


def test_request_is_served_when_it_has_no_host(sandbox: client.Sandbox) -> None:
    host, port = sandbox.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"GET /_sandbox/health HTTP/1.0\r\n\r\n")
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert answer.status == 200


def test_request_is_served_when_its_host_is_allowed_by_option() -> None:
    command = [sys.executable, "-m", "sandbox", "--allow-host", "Sandbox.Lan", "--allow-host", "[fd00::2]"]
    with subprocess.Popen(command, cwd=EXTENSIONS, stdout=subprocess.PIPE, text=True) as process:
        url = next(line for line in process.stdout if line.startswith(client.READY)).split()[-1]
        statuses = {
            host: requests.get(f"{url}/_sandbox/health", headers={"Host": host}).status_code
            for host in ("sandbox.lan:80", "[fd00::2]:80", "other.lan")
        }
        process.send_signal(signal.SIGTERM)
    assert statuses == {"sandbox.lan:80": 200, "[fd00::2]:80": 200, "other.lan": 403}


@pytest.mark.parametrize("name", ["http://sandbox.lan", "sandbox.lan:8080", "", "a b", "*", "abc:80"])
def test_start_fails_when_allow_host_is_invalid(name: str) -> None:
    command = [sys.executable, "-m", "sandbox", "--allow-host", name]
    ended = subprocess.run(command, cwd=EXTENSIONS, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert f"argument --allow-host: {name!r} is neither a host name nor an address without a port" in ended.stderr
