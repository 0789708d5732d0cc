# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The web application: finds who a request is for."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from ..control.api import Control
from ..sandbox import Sandbox
from ..service import Service
from . import websocket
from .exchange import Exchange
from .hosts import Hosts

_CONTROL = "/_sandbox"


class App:
    """The ASGI application: the control API, and the services by their prefixes, or by a port of their own."""

    def __init__(self, sandbox: Sandbox, secret: str, ports: Mapping[int, Service], hosts: Hosts | None = None) -> None:
        self._sandbox = sandbox
        self._ports = ports
        self._hosts = hosts or Hosts()
        self._prefixes = [(prefix, service) for service in sandbox.services for prefix in service.prefixes]
        self._origins = frozenset[str]().union(*(service.client_origins for service in sandbox.services))
        self._control = Control(sandbox, secret)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            scope, receive, send = websocket.adapt_websocket(scope, receive, send)
        path = scope["raw_path"].decode("latin-1")
        service = self._service(scope, path)
        if refusal := self._refusal(scope, path, service):
            await JSONResponse({"error": refusal}, 403)(scope, receive, send)
        elif service:
            await Exchange(self._sandbox, service, path, scope, receive, send).run()
        elif path.startswith(_CONTROL):
            await self._control(scope, receive, send)
        else:
            await JSONResponse({"error": f"Nothing is served at {path}"}, 404)(scope, receive, send)

    def _service(self, scope: Scope, path: str) -> Service | None:
        own = self._ports.get(scope["server"][1])
        if own:
            return own
        return next(
            (service for prefix, service in self._prefixes if path == prefix or path.startswith(prefix + "/")), None
        )

    def _refusal(self, scope: Scope, path: str, service: Service | None) -> str:
        if service:
            return self._hosts.refusal(scope, service.client_origins, path in service.origin_check_paths)
        # a client of a service with a wrong path in its address needs the 404, as from the real service
        return self._hosts.refusal(scope, frozenset() if path.startswith(_CONTROL) else self._origins)
