# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request and its answer: faults happen, and the journal is kept."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
import time
import traceback
from collections.abc import Callable, MutableMapping
from email.utils import formatdate
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..control.faults import Fault
from ..runtime.database import QueryTimeout
from ..runtime.evaluator import EvaluationError
from ..sandbox import Sandbox
from ..service import ConnectionDropped, Service
from .bodies import BodyTooLarge, BoundedRequest
from .headers import canonicalize_name
from .routing import classify_effect
from .streaming import LiveResponse

RESET_ON_CLOSE = struct.pack("ii", 1, 0)


class _FaultInjected(BaseException):
    """Ends the service's work on a request when faults strike that are bound to the route it has entered.

    Not an Exception, so that no handler of a service catches it.
    """


class Exchange:
    """One request and its answer."""

    def __init__(
        self, sandbox: Sandbox, service: Service, path: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        self._sandbox, self._service, self._path = sandbox, service, path
        self._scope = {**scope, "sandbox.enter": self.enter}
        self._label: str | None = None
        self._effect = classify_effect(scope["method"])
        self._receive, self._send = receive, send
        self._status: int | None = None
        self._struck: tuple[Fault, ...] = ()
        self._begun = False
        self._held: Message | None = None
        self._faults = sandbox.faults
        self._found: frozenset[int] = frozenset()
        self._began, self._begun_at = time.perf_counter(), time.time()
        self._page: Callable[..., None] | None = sandbox.journal.page()

    async def run(self) -> None:
        """Serve it and write it down."""
        try:
            await self._serve(BoundedRequest(self._scope, self._receive))
        except ConnectionDropped:
            self._drop()
        finally:
            self._note()

    def _note(self) -> None:
        """Write it down, once: before the end of the answer is sent, so that no later request comes before it."""
        page, self._page = self._page, None
        if page:
            page(
                time=self._begun_at,
                service=self._service.name,
                method=self._scope["method"],
                path=self._path,
                query=self._scope["query_string"].decode("latin-1"),
                label=self._label,
                effect=self._effect,
                status=self._status,
                milliseconds=round((time.perf_counter() - self._began) * 1000, 3),
            )

    def enter(self, label: str, effect: str) -> None:
        """The service has found the call: see whether faults are bound to its label, once."""
        known, self._label, self._effect = self._label == label, label, effect
        if not known:
            self._struck = self._striking(label)
            if self._struck:
                raise _FaultInjected

    def _striking(self, label: str | None) -> tuple[Fault, ...]:
        return self._sandbox.faults.striking(self._service.name, self._scope["method"], self._found, label)

    async def _serve(self, request: Request) -> None:
        try:
            self._found = await self._faults.find(self._path, self._sandbox.runtime.evaluator)
        except EvaluationError as error:
            refusal = {"error": f"The 'path' of the faults was not compared: {error}."}
            await self._deliver(JSONResponse(refusal, 500), ())
            return
        struck = self._striking(None)
        answer = await self._interrupt(struck)
        if answer is None:
            try:
                answer = await self._ask(request)
            except _FaultInjected:
                struck += self._struck
                answer = await self._interrupt(self._struck) or await self._ask(request)
        await self._deliver(answer, struck)

    async def _interrupt(self, struck: tuple[Fault, ...]) -> Response | None:
        """Let the faults happen that come before the service."""
        for fault in struck:
            if fault.kind == "latency":
                await asyncio.sleep(fault.seconds)
                if self._sandbox.faults is not self._faults:
                    raise ConnectionDropped  # what was reset meanwhile must not feel it
            elif fault.kind == "reset_before":
                raise ConnectionDropped
            elif fault.kind == "status":
                return Response(fault.body, fault.status or 500, {"Content-Type": "text/plain", **fault.headers})
        return None

    async def _ask(self, request: Request) -> Response:
        await self._sandbox.wait_for_seeding()
        try:
            return await self._service(request)
        except ConnectionDropped:
            raise
        except ClientDisconnect:
            raise ConnectionDropped from None
        except BodyTooLarge as error:
            return JSONResponse({"error": str(error)}, 413)
        except QueryTimeout as error:
            return JSONResponse({"error": str(error)}, 500)
        except Exception:
            traceback.print_exc(file=sys.stderr)
            return JSONResponse({"error": f"The sandbox's {self._service.name} service failed; see its log."}, 500)

    async def _deliver(self, answer: ASGIApp, struck: tuple[Fault, ...]) -> None:
        """Send the answer, spoilt by the faults that come after the service."""
        for fault in struck:
            if isinstance(answer, LiveResponse) and fault.kind in ("reset_after", "truncate"):
                await answer(self._scope, self._receive, self._without_its_end)
                raise ConnectionDropped
            if fault.kind == "reset_after":
                await _capture_response(answer, self._scope, self._receive)
                raise ConnectionDropped
            if fault.kind == "truncate":
                await self._truncate(*await _capture_response(answer, self._scope, self._receive))
                return
            if fault.kind == "body":
                answer = _replace_body(fault, *await _capture_response(answer, self._scope, self._receive))
        await answer(self._scope, self._receive, self._sending)

    async def _sending(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message = {**message, "headers": self._headers(message)}
        elif message["type"] == "websocket.accept":
            self._status = 101
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self._note()
        await self._send(message)

    def _headers(self, start: Message) -> list[tuple[bytes, bytes]]:
        """The headers of the answer, with the time of the sandbox unless a fault has set another."""
        headers = list(start["headers"])
        if all(name.lower() != b"date" for name, _value in headers):
            headers.append((b"date", formatdate(self._sandbox.runtime.clock.now(), usegmt=True).encode()))
        return (
            [(canonicalize_name(name), value) for name, value in headers]
            if self._service.has_canonical_headers
            else headers
        )

    async def _without_its_end(self, message: Message) -> None:
        """Send a live answer, but always one piece less than there is."""
        if message["type"] == "http.response.start":
            await self._sending(message)
            return
        if not message.get("body"):
            return
        if self._held:
            await self._send(self._held)
        elif not self._begun:
            await self._send(message)
        self._held, self._begun = (message if self._begun else None), True

    async def _truncate(self, start: Message, body: bytes) -> None:
        headers = [header for header in start["headers"] if header[0] not in (b"content-length", b"transfer-encoding")]
        headers.append((b"content-length", str(len(body)).encode()))
        # Of an empty answer nothing is missing: without this the next request would race with the close.
        headers.append((b"connection", b"close"))
        await self._sending({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
        self._scope["sandbox.transport"].close()

    def _drop(self) -> None:
        transport: asyncio.Transport = self._scope["sandbox.transport"]
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        transport.abort()


async def _capture_response(
    answer: ASGIApp, scope: MutableMapping[str, Any], receive: Receive
) -> tuple[Message, bytes]:
    messages: list[Message] = []

    async def keep(message: Message) -> None:
        messages.append(message)

    await answer(scope, receive, keep)
    return messages[0], b"".join(message.get("body", b"") for message in messages[1:])


def _replace_body(fault: Fault, start: Message, body: bytes) -> Response:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
    headers.pop("content-length", None)
    headers.update({name.lower(): value for name, value in fault.headers.items()})
    return Response(fault.body, fault.status or start["status"], headers)
