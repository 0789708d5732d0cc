# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command-line interface over a WebSocket; codes and refusals were seen on a Jenkins 2.579."""

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


class Refused(Exception):
    """The server did not switch to the protocol."""


@pytest.fixture
def origin(ci: Ci) -> str:
    """A server knows its own address, which a client has to come from."""
    ci.sandbox.seed({"ci": {"url": ci.url}})
    return ci.origin


def talk(ci: Ci, origin: str, *messages: bytes, secret: str = TOKENS["admin"]) -> Iterator[bytes]:
    """What comes back for some messages."""
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
                    raise Refused(event.status_code, dict(event.headers))
                elif isinstance(event, events.CloseConnection):
                    return


def command(*words: str) -> list[bytes]:
    """Each message is an operation and its data, without a length."""
    arguments = [bytes([cli_wire.ARG]) + cli_wire.utf(word) for word in words]
    return [*arguments, b"\2\0\5UTF-8", b"\1\0\5en_US", bytes([cli_wire.START]), bytes([cli_wire.END_STDIN])]


def test_a_command(ci: Ci, origin: str) -> None:
    *out, end = talk(ci, origin, *command("who-am-i"))
    assert b"".join(message[1:] for message in out) == b"Authenticated as: admin\nAuthorities:\n  authenticated\n"
    assert {message[0] for message in out} == {cli_wire.STDOUT}
    assert end == bytes([cli_wire.EXIT]) + struct.pack(">i", 0)
    (entry,) = ci.sandbox.journal("ci")
    assert (entry["label"], entry["effect"], entry["status"]) == ("cli_websocket", "read", 101)


def test_one_that_fails(ci: Ci, origin: str) -> None:
    assert list(talk(ci, origin, *command("list-plugins", "x"))) == [
        b"\x08\nERROR: No plugin with the name 'x' found\n",
        b"\4\0\0\0\3",
    ]


@pytest.mark.parametrize("from_where", ["http://elsewhere.example.com", ""])
def test_another_origin_is_refused(ci: Ci, origin: str, from_where: str) -> None:
    with pytest.raises(Refused) as refused:
        list(talk(ci, from_where))
    assert refused.value.args[0] == 403
    assert refused.value.args[1][b"x-cli-error"] == b"Unexpected request origin (check your reverse proxy settings)"


def test_a_server_that_does_not_know_its_address_refuses(ci: Ci) -> None:
    with pytest.raises(Refused) as refused:
        list(talk(ci, ci.origin))
    assert refused.value.args[1][b"x-cli-error"].startswith(b"Jenkins URL is not configured")


def test_a_wrong_password_is_refused_first(ci: Ci, origin: str) -> None:
    with pytest.raises(Refused) as refused:
        list(talk(ci, origin, secret="wrong"))
    assert refused.value.args[0] == 401


def test_faults_strike_here_too(ci: Ci, origin: str) -> None:
    ci.sandbox.fault(kind="status", status=503, service="ci", label="cli_websocket")
    with pytest.raises(Refused) as refused:
        list(talk(ci, origin))
    assert refused.value.args[0] == 503
    assert list(talk(ci, origin, *command("version")))[-1] == b"\4\0\0\0\0"


def test_elsewhere_an_upgrade_is_a_request_like_others(ci: Ci) -> None:
    headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Key": "a" * 22 + "=="}
    headers["Sec-WebSocket-Version"] = "13"
    assert ci.get("/api/json?tree=mode", headers=headers).json()["mode"] == "NORMAL"


@pytest.mark.parametrize("path", ["", "/ci"])
def test_only_an_upgrade_is_accepted_when_the_origin_is_right(ci: Ci, origin: str, path: str) -> None:
    answer = ci.get("/cli/ws", headers={"Origin": origin + path})
    assert answer.status_code == 400
    assert "only WS connections accepted here" in answer.text
