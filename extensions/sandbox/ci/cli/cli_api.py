# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Endpoints of the command-line interface and of its client."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import READ
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import EngineError, InternalError
from . import jar
from .commands import list_commands
from .connections import DOWNLOAD, UPLOAD, WEB_SOCKET, Duplex, WebSocket

CLIENTS = ("jenkins-cli.jar", "hudson-cli.jar")
OTHER_JARS = ("agent.jar", "remoting.jar", "slave.jar")
WEB_SOCKET_PATH = "/cli/ws"
_UUID = re.compile("[0-9a-fA-F]+(-[0-9a-fA-F]+){4}")
NO_ADDRESS = "Jenkins URL is not configured (set Jenkins URL in the configuration)"
FOREIGN_ORIGIN = "Unexpected request origin (check your reverse proxy settings)"


def _jar(call: Call, name: str) -> Response:
    if name in CLIENTS:
        return jar.serve(call, name)
    if name not in OTHER_JARS:
        raise InternalError
    headers = {"Content-Disposition": f"attachment; filename={name}"}
    return Response(jar.placeholder_jar(call.switch("version")), headers=headers, media_type="application/java-archive")


def _overview(call: Call) -> Response:
    call.require(READ)
    commands = "".join(f"<li>{name}</li>" for name in sorted(list_commands(call.controller)))
    return call.page("Jenkins CLI - Manage Jenkins - Jenkins", f"<h1>Jenkins CLI</h1><ul>{commands}</ul>")


def _redirect_to_slash(call: Call) -> Answer:
    if call.method == "POST":
        return _connect(call)
    call.require(READ)
    return pages.redirect(call.with_slash)


def _connect(call: Call) -> Answer:
    """Connect a command over two requests. Neither a crumb nor a permission is required before the command is known."""
    if call.parameter("remoting") != "false":
        return Response(status_code=403)
    identifier, side = call.headers.get("Session", ""), call.headers.get("Side")
    if not _UUID.fullmatch(identifier) or not side:
        raise InternalError
    if side == "download":
        call.enter(DOWNLOAD, reads=True)
        return Duplex(call, identifier).download()
    call.enter(UPLOAD, reads=False)
    duplex = call.controller.duplexes.get(identifier)
    if not duplex:
        raise InternalError
    upload: Answer = duplex.upload(call)
    return upload


def _web_socket(call: Call) -> Response:
    refusal = _origin_refusal(call)
    if refusal:
        return Response(status_code=403, headers={"X-CLI-Error": refusal})
    if call.headers.get("Upgrade", "").lower() != "websocket":
        raise EngineError(400, "only WS connections accepted here")
    return WebSocket(call)


def _origin_refusal(call: Call) -> str | None:
    configured = call.configured_url
    if not configured:
        return NO_ADDRESS
    expected = urlsplit(configured)
    accepted = f"{expected.scheme}://{expected.netloc}", configured.rstrip("/")
    return None if call.headers.get("Origin") in accepted else FOREIGN_ORIGIN


ROUTES = (
    Route(ANY, "/jnlpJars/{name:.*}", _jar, "cli_jar", scope="open", read_only=True),
    Route(ANY, "/cli", _redirect_to_slash, "cli", read_only=True, scope="open", streams_body=True),
    Route(ANY, "/cli/", _overview, "cli", scope="open", read_only=True),
    Route(ANY, WEB_SOCKET_PATH, _web_socket, WEB_SOCKET, scope="open", read_only=True),
)
