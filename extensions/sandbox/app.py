# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The web application: finds the service, lets faults happen, keeps the journal."""

from __future__ import annotations

import asyncio
import importlib
import pathlib
import socket
import struct
import sys
import time
import traceback
from collections.abc import MutableMapping
from typing import Any

import yaml
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .control import Control
from .faults import Fault, Faults
from .headers import spelt
from .journal import Journal
from .seeding import SeedError, check, keys
from .service import Dropped, Service
from .world import World

SERVICES = ("artifact", "ci", "review", "inference")
DEFAULT_SEED = pathlib.Path(__file__).parent / "seeds" / "default.yml"
READING_METHODS = ("GET", "HEAD", "OPTIONS")
RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class Sandbox:
    """The ASGI application, with the services and everything the control API works on."""

    def __init__(self, secret: str, state: pathlib.Path | None = None, seed: pathlib.Path = DEFAULT_SEED) -> None:
        self._seed = yaml.safe_load(seed.read_text())
        self.world = World(state)
        self.journal = Journal()
        self.faults = Faults(SERVICES)
        self.services = [self._load(name) for name in SERVICES]
        self._prefixes = [(prefix, service) for service in self.services for prefix in service.prefixes]
        self._control = Control(self, secret)
        try:
            self._resume()
        except SeedError:
            self.world.close()
            raise

    def _load(self, name: str) -> Service:
        service_class: type[Service] = importlib.import_module(f"{__package__}.{name}").SERVICE
        self.world.db.executescript(service_class.schema)
        self.world.declare_switches(name, service_class.switches)
        return service_class(self.world)

    def _resume(self) -> None:
        """Go on with what the state folder holds, if it holds anything."""
        if self.world.recall("seeded"):
            self.world.clock.restore(self.world.recall("clock", self.world.clock.state()))
        else:
            self.reset()

    def reset(self) -> None:
        """Be as right after the first start."""
        self.faults.clear()
        with self.world.transaction():
            for service in self.services:
                service.reset()
            self.world.reset()
            self.seed(self._seed)
            self.world.remember("seeded", True)
        self.journal.clear()

    def seed(self, data: Any) -> None:
        """Add what a seed describes; SeedError when it is none."""
        sections = {name: section or {} for name, section in data.items()} if isinstance(data, dict) else data or {}
        check(sections, keys("", **{service.name: service.seed_shape for service in self.services}), "seed")
        with self.world.transaction():
            for service in self.services:
                self._seed_service(service, sections.get(service.name, {}))

    def _seed_service(self, service: Service, section: dict[str, Any]) -> None:
        try:
            service.seed(section)
        except Exception as error:
            raise SeedError(f"seed.{service.name} cannot be used: {error}") from error

    def exports(self, base_url: str) -> dict[str, str]:
        """The environment variables of all services."""
        return {name: value for service in self.services for name, value in service.exports(base_url).items()}

    async def start(self) -> None:
        """Start the services' background work."""
        for service in self.services:
            await service.start()

    async def stop(self) -> None:
        """Stop it and let go of the state."""
        for service in self.services:
            await service.stop()
        self.world.remember("clock", self.world.clock.state())
        self.world.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["raw_path"].decode("latin-1")
        if path.startswith("/_sandbox"):
            await self._control(scope, receive, send)
            return
        for prefix, service in self._prefixes:
            if path == prefix or path.startswith(prefix + "/"):
                await _Exchange(self, service, path, scope, receive, send).run()
                return
        await JSONResponse({"error": f"Nothing is served at {path}"}, 404)(scope, receive, send)


class _Struck(BaseException):
    """Ends the service's work on a request when faults strike that are bound to the label it has just set.

    Not an Exception, so that no handler of a service catches it.
    """


class _LabelledScope(dict[str, Any]):
    """A scope that lets faults strike at the moment the service names the call."""

    exchange: _Exchange

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, value)
        if key == "sandbox.label":
            self.exchange.labelled(value)


class _Exchange:
    """One request and its answer."""

    def __init__(
        self, sandbox: Sandbox, service: Service, path: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._sandbox, self._service, self._path = sandbox, service, path
        self._scope = _LabelledScope(scope)
        self._scope.exchange = self
        self._receive, self._send = receive, send
        self._status: int | None = None
        self._labels: set[str] = set()
        self._struck: tuple[Fault, ...] = ()

    async def run(self) -> None:
        """Serve it and write it down."""
        began, begun_at = time.perf_counter(), time.time()
        try:
            await self._serve(Request(self._scope, self._receive))
        except Dropped:
            self._drop()
        finally:
            method = self._scope["method"]
            self._sandbox.journal.add(
                time=begun_at,
                service=self._service.name,
                method=method,
                path=self._path,
                query=self._scope["query_string"].decode("latin-1"),
                label=self._scope.get("sandbox.label"),
                effect=self._scope.get("sandbox.effect") or ("read" if method in READING_METHODS else "write"),
                status=self._status,
                milliseconds=round((time.perf_counter() - began) * 1000, 3),
            )

    def labelled(self, label: str) -> None:
        """The service has named the call: see whether faults are bound to that name."""
        if label in self._labels:
            return
        self._labels.add(label)
        self._struck = self._striking(label)
        if self._struck:
            raise _Struck

    def _striking(self, label: str | None) -> tuple[Fault, ...]:
        return self._sandbox.faults.striking(self._service.name, self._scope["method"], self._path, label)

    async def _serve(self, request: Request) -> None:
        struck = self._striking(None)
        answer = await self._interrupt(struck)
        if answer is None:
            try:
                answer = await self._ask(request)
            except _Struck:
                struck += self._struck
                answer = await self._interrupt(self._struck) or await self._ask(request)
        await self._deliver(answer, struck)

    async def _interrupt(self, struck: tuple[Fault, ...]) -> Response | None:
        """Let the faults happen that come before the service."""
        for fault in struck:
            if fault.kind == "latency":
                await asyncio.sleep(fault.seconds)
            elif fault.kind == "reset_before":
                raise Dropped
            elif fault.kind == "status":
                return Response(fault.body, fault.status or 500, {"Content-Type": "text/plain", **fault.headers})
        return None

    async def _ask(self, request: Request) -> Response:
        try:
            return await self._service(request)
        except Dropped:
            raise
        except ClientDisconnect:
            raise Dropped from None
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return JSONResponse({"error": f"The sandbox's {self._service.name} service failed; see its log."}, 500)

    async def _deliver(self, answer: ASGIApp, struck: tuple[Fault, ...]) -> None:
        """Send the answer, spoilt by the faults that come after the service."""
        for fault in struck:
            if fault.kind == "reset_after":
                await _capture(answer, self._scope, self._receive)
                raise Dropped
            if fault.kind == "truncate":
                await self._truncate(*await _capture(answer, self._scope, self._receive))
                return
            if fault.kind == "body":
                answer = _replaced(fault, *await _capture(answer, self._scope, self._receive))
        await answer(self._scope, self._receive, self._sending)

    async def _sending(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            if self._service.spells_headers:
                message = {**message, "headers": [(spelt(name), value) for name, value in message["headers"]]}
        await self._send(message)

    async def _truncate(self, start: Message, body: bytes) -> None:
        headers = [header for header in start["headers"] if header[0] not in (b"content-length", b"transfer-encoding")]
        headers.append((b"content-length", str(len(body)).encode()))
        await self._sending({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
        self._scope["sandbox.transport"].close()

    def _drop(self) -> None:
        transport: asyncio.Transport = self._scope["sandbox.transport"]
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        transport.abort()


async def _capture(answer: ASGIApp, scope: MutableMapping[str, Any], receive: Receive) -> tuple[Message, bytes]:
    messages: list[Message] = []

    async def keep(message: Message) -> None:
        messages.append(message)

    await answer(scope, receive, keep)
    return messages[0], b"".join(message.get("body", b"") for message in messages[1:])


def _replaced(fault: Fault, start: Message, body: bytes) -> Response:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
    headers.pop("content-length", None)
    headers.update({name.lower(): value for name, value in fault.headers.items()})
    return Response(fault.body, fault.status or start["status"], headers)
