# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control API under /_sandbox: reset, seed, clock, switches, faults, journal."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.types import Receive, Scope, Send

from .. import console
from ..parsing.documents import parse_json
from ..sandbox import Sandbox
from .faults import NoSuchFaultError

Handler = Callable[[Request], Awaitable[Any]]

HEALTH = "/_sandbox/health"
# What needs no secret, for there is none in it
PUBLIC_PATHS = {HEALTH, *(route.path for route in console.ROUTES)}


class Control:
    """An ASGI application of its own; all but the health check and the console's empty page needs the secret."""

    def __init__(self, sandbox: Sandbox, secret: str) -> None:
        self._sandbox = sandbox
        self._authorization = f"Bearer {secret}"
        self._router = Router(
            [
                *console.ROUTES,
                Route(HEALTH, _json_endpoint(self._health)),
                Route("/_sandbox/reset", _json_endpoint(self._reset), methods=["POST"]),
                Route("/_sandbox/seed", _json_endpoint(self._seed), methods=["POST"]),
                Route("/_sandbox/exports", _json_endpoint(self._exports)),
                Route("/_sandbox/state", _json_endpoint(self._state)),
                Route("/_sandbox/clock", _json_endpoint(self._clock), methods=["GET", "PUT"]),
                Route("/_sandbox/switches", _json_endpoint(self._switches), methods=["GET", "PATCH"]),
                Route("/_sandbox/faults", _json_endpoint(self._faults), methods=["GET", "POST", "DELETE"]),
                Route("/_sandbox/faults/{id:int}", _json_endpoint(self._clear_fault), methods=["DELETE"]),
                Route("/_sandbox/journal", _json_endpoint(self._journal), methods=["GET", "DELETE"]),
                *(Mount(f"/_sandbox/{service.name}", routes=service.control_routes()) for service in sandbox.services),
            ]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] not in PUBLIC_PATHS:
            given = Request(scope).headers.get("authorization", "")
            if not secrets.compare_digest(given.encode("utf-8"), self._authorization.encode("utf-8")):
                refusal = {"error": "The control API needs the secret that was printed at the start."}
                await JSONResponse(refusal, 401)(scope, receive, send)
                return
            await self._sandbox.wait_for_seeding()
        await self._router(scope, receive, send)

    async def _health(self, request: Request) -> Any:
        return {"status": "ok", "services": [service.name for service in self._sandbox.services]}

    async def _reset(self, request: Request) -> Any:
        self._sandbox.reset()
        self._export(request)
        return {}

    async def _seed(self, request: Request) -> Any:
        await self._sandbox.plant(_parse_seed(await request.body()), reset=request.query_params.get("reset") == "1")
        self._export(request)
        return {}

    async def _exports(self, request: Request) -> Any:
        return self._export(request)

    def _export(self, request: Request) -> dict[str, str]:
        """Return the variables of all services; the files that they name have the users of now."""
        return self._sandbox.exports(str(request.base_url).rstrip("/"))

    async def _state(self, request: Request) -> Any:
        return await self._sandbox.state()

    async def _clock(self, request: Request) -> Any:
        clock = self._sandbox.runtime.clock
        if request.method == "PUT":
            change = _require_mapping(parse_json(await request.body()), "A change of the clock")
            if not change or set(change) - {"advance", "set", "frozen"}:
                raise ValueError("The clock takes advance, set or frozen.")
            if "frozen" in change:  # first, so that a time that is set as well stands still exactly there
                clock.freeze(bool(change["frozen"]))
            if "set" in change:
                clock.set(float(change["set"]))
            if "advance" in change:
                clock.set(clock.now() + float(change["advance"]))
        return clock.state()

    async def _switches(self, request: Request) -> Any:
        if request.method == "PATCH":
            self._sandbox.runtime.set_switches(
                _require_mapping(parse_json(await request.body()), "A change of switches")
            )
        return self._sandbox.runtime.all_switches()

    async def _faults(self, request: Request) -> Any:
        if request.method == "POST":
            return self._sandbox.faults.add(_require_mapping(parse_json(await request.body()), "A fault"))
        if request.method == "DELETE":
            self._sandbox.faults.clear()
        return {"faults": self._sandbox.faults.all()}

    async def _clear_fault(self, request: Request) -> Any:
        self._sandbox.faults.remove(request.path_params["id"])
        return {"faults": self._sandbox.faults.all()}

    async def _journal(self, request: Request) -> Any:
        journal = self._sandbox.journal
        if request.method == "DELETE":
            journal.clear()
        limits = {name: _parse_number(request, name) for name in ("after", "last") if name in request.query_params}
        return {"began": journal.began, "requests": journal.entries(request.query_params.get("service"), **limits)}


def _json_endpoint(handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """Answer in JSON: bad input with 400, what is not there with 404."""

    async def endpoint(request: Request) -> Response:
        try:
            return JSONResponse(await handler(request))
        except NoSuchFaultError as error:
            return JSONResponse({"error": str(error)}, 404)
        except (ValueError, TypeError, KeyError, yaml.YAMLError) as error:
            return JSONResponse({"error": str(error)}, 400)
        except RecursionError:
            return JSONResponse({"error": "The body is nested too deep."}, 400)

    return endpoint


def _parse_seed(body: bytes) -> Any:
    """A seed: JSON, whose escapes YAML reads otherwise, or YAML."""
    try:
        return parse_json(body)
    except ValueError:
        return yaml.safe_load(body)


def _parse_number(request: Request, name: str) -> int:
    given = request.query_params[name]
    if not given.isdecimal():
        raise ValueError(f"{name} takes a number, not {given!r}.")
    return int(given)


def _require_mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{what} must be an object.")
    return value
