# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ASGI application."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from ..control.api import ControlAPI
from ..sandbox import Sandbox
from ..service import Service
from . import websocket
from .exchange import Exchange
from .hosts import HostCheck

_CONTROL = "/_sandbox"


class App:
    """The ASGI application. It passes each request to the control API or to a service."""

    def __init__(
        self, sandbox: Sandbox, secret: str, ports: Mapping[int, Service], hosts: HostCheck | None = None
    ) -> None:
        """Create the application.

        :arg secret: secret of the control API
        :arg ports: services with a dedicated port; other requests are assigned by the prefix of their path
        :arg hosts: check of `Host` and `Origin`; by default, only loopback names are allowed
        """
        self._sandbox = sandbox
        self._ports = ports
        self._hosts = hosts or HostCheck()
        self._prefixes = [(prefix, service) for service in sandbox.services for prefix in service.prefixes]
        self._origins = frozenset[str]().union(*(service.client_origins for service in sandbox.services))
        self._control = ControlAPI(sandbox, secret)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if scope["type"] == "websocket":
            scope, receive, send = websocket.adapt_websocket(scope, receive, send)
        path = scope["raw_path"].decode("latin-1")
        service = self._find_service(scope, path)
        if refusal := self._check_host(scope, path, service):
            await JSONResponse({"error": refusal}, 403)(scope, receive, send)
        elif service:
            await Exchange(self._sandbox, service, path, scope, receive, send).run()
        elif path.startswith(_CONTROL):
            await self._control(scope, receive, send)
        else:
            await JSONResponse({"error": f"No service is available at {path}"}, 404)(scope, receive, send)

    def _find_service(self, scope: Scope, path: str) -> Service | None:
        dedicated = self._ports.get(scope["server"][1])
        if dedicated:
            return dedicated
        return next(
            (service for prefix, service in self._prefixes if path == prefix or path.startswith(prefix + "/")), None
        )

    def _check_host(self, scope: Scope, path: str, service: Service | None) -> str:
        if service:
            return self._hosts.check(scope, service.client_origins, path in service.origin_check_paths)
        # A client of a service that uses a wrong path needs status 404, as from the real service.
        return self._hosts.check(scope, frozenset() if path.startswith(_CONTROL) else self._origins)
