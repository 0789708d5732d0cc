# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command-line interface over a WebSocket; exit codes and errors were measured on Jenkins 2.579."""

from __future__ import annotations

import base64
import socket
import struct
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
import wsproto
from wsproto import events

from support.wire import ci_cli as cli_wire
from support.wire.ci import TOKENS, Ci


class UpgradeRefused(Exception):
    """The server did not switch protocols."""


@pytest.fixture
def origin(ci: Ci) -> str:
    """Configure the URL of the server, which must be the origin of clients."""
    ci.sandbox.seed({"ci": {"url": ci.url}})
    return ci.origin


def talk(ci: Ci, origin: str, *messages: bytes, secret: str = TOKENS["admin"]) -> Iterator[bytes]:
    """Return the responses to messages."""
    address = urlsplit(ci.url)
    login = base64.b64encode(f"admin:{secret}".encode())
    headers = [(b"Authorization", b"Basic " + login), (b"Origin", origin.encode())]
    connection = wsproto.WSConnection(wsproto.ConnectionType.CLIENT)
    with socket.create_connection((address.hostname, address.port), cli_wire.PATIENCE) as stream:
        request = events.Request(host=address.netloc, target="/ci/cli/ws", extra_headers=headers)
        stream.sendall(connection.send(request))
        while True:
            connection.receive_data(stream.recv(65536) or None)
            for event in connection.events():
                if isinstance(event, events.AcceptConnection):
                    for message in messages:
                        stream.sendall(connection.send(events.BytesMessage(data=message)))
                elif isinstance(event, events.BytesMessage):
                    yield bytes(event.data)
                elif isinstance(event, events.RejectConnection):
                    raise UpgradeRefused(event.status_code, dict(event.headers))
                elif isinstance(event, events.CloseConnection):
                    return


def command(*words: str) -> list[bytes]:
    """Send operations with data, without a length."""
    arguments = [bytes([cli_wire.ARG]) + cli_wire.utf(word) for word in words]
    return [*arguments, b"\2\0\5UTF-8", b"\1\0\5en_US", bytes([cli_wire.START]), bytes([cli_wire.END_STDIN])]


def test_command_runs_over_websocket(ci: Ci, origin: str) -> None:
    *out, end = talk(ci, origin, *command("who-am-i"))
    assert b"".join(message[1:] for message in out) == b"Authenticated as: admin\nAuthorities:\n  authenticated\n"
    assert {message[0] for message in out} == {cli_wire.STDOUT}
    assert end == bytes([cli_wire.EXIT]) + struct.pack(">i", 0)
    (entry,) = ci.sandbox.journal("ci")
    assert (entry["label"], entry["effect"], entry["status"]) == ("cli_websocket", "read", 101)


def test_exit_code_is_sent_when_command_fails(ci: Ci, origin: str) -> None:
    assert list(talk(ci, origin, *command("list-plugins", "x"))) == [
        b"\x08\nERROR: No plugin with the name 'x' found\n",
        b"\4\0\0\0\3",
    ]


@pytest.mark.parametrize("from_where", ["http://elsewhere.example.com", ""])
def test_upgrade_is_refused_when_origin_differs(ci: Ci, origin: str, from_where: str) -> None:
    with pytest.raises(UpgradeRefused) as refused:
        list(talk(ci, from_where))
    assert refused.value.args[0] == 403
    assert refused.value.args[1][b"x-cli-error"] == b"Unexpected request origin (check your reverse proxy settings)"


def test_upgrade_is_refused_when_url_is_not_configured(ci: Ci) -> None:
    with pytest.raises(UpgradeRefused) as refused:
        list(talk(ci, ci.origin))
    assert refused.value.args[1][b"x-cli-error"].startswith(b"Jenkins URL is not configured")


def test_upgrade_is_refused_when_password_is_wrong(ci: Ci, origin: str) -> None:
    with pytest.raises(UpgradeRefused) as refused:
        list(talk(ci, origin, secret="wrong"))
    assert refused.value.args[0] == 401


def test_faults_apply_to_websockets(ci: Ci, origin: str) -> None:
    ci.sandbox.fault(kind="status", status=503, service="ci", label="cli_websocket")
    with pytest.raises(UpgradeRefused) as refused:
        list(talk(ci, origin))
    assert refused.value.args[0] == 503
    assert list(talk(ci, origin, *command("version")))[-1] == b"\4\0\0\0\0"


def test_upgrade_is_ignored_when_path_is_no_websocket(ci: Ci) -> None:
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "a" * 22 + "=="}
    headers["Sec-WebSocket-Version"] = "13"
    assert ci.get("/api/json?tree=mode", headers=headers).json()["mode"] == "NORMAL"


@pytest.mark.parametrize("path", ["", "/ci"])
def test_request_is_400_when_it_is_not_an_upgrade(ci: Ci, origin: str, path: str) -> None:
    answer = ci.get("/cli/ws", headers={"Origin": origin + path})
    assert answer.status_code == 400
    assert "only WS connections accepted here" in answer.text
