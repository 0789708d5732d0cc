# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request and its response, with fault injection and a journal entry."""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
import time
import traceback
from collections.abc import MutableMapping
from email.utils import formatdate
from typing import Any

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..control.faults import Fault
from ..control.journal import JournalEntry, RequestLog
from ..control.recording import Recording
from ..runtime.database import QueryTimeout
from ..runtime.evaluator import EvaluationError
from ..sandbox import Sandbox
from ..service import ConnectionDropped, Service
from .bodies import BodyTooLarge, BoundedRequest
from .headers import canonicalize_name
from .routing import classify_effect
from .streaming import LiveResponse

RESET_ON_CLOSE = struct.pack("ii", 1, 0)  # value of SO_LINGER


class _FaultInjected(BaseException):
    """Interrupts a service when a fault applies to the route that it has entered.

    This is not an `Exception`, so that no handler of a service catches it.
    """


class Exchange:
    """One request and its response."""

    def __init__(
        self, sandbox: Sandbox, service: Service, path: str, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Prepare to serve a request.

        :arg path: path of the request, percent-encoded
        """
        self._sandbox, self._service, self._path = sandbox, service, path
        self._scope = {**scope, "sandbox.enter": self.enter_route}
        self._label: str | None = None
        self._effect = classify_effect(scope["method"])
        self._recording = Recording(scope, receive, send)
        self._receive, self._send = self._recording.receive, self._recording.send
        self._status: int | None = None
        self._faults = sandbox.faults
        self._matching_paths: frozenset[int] = frozenset()
        self._route_faults: tuple[Fault, ...] = ()
        self._pending_message: Message | None = None
        self._is_body_started = False
        self._start_counter, self._start_time = time.perf_counter(), time.time()
        self._log: RequestLog = sandbox.journal.log
        self._entry: JournalEntry | None = None

    async def run(self) -> None:
        """Serve the request and write its journal entry."""
        try:
            await self._serve(BoundedRequest(self._scope, self._receive))
        except ConnectionDropped:
            self._reset_connection()
        finally:
            self._log.finish(self._write_journal())

    def _write_journal(self) -> JournalEntry:
        """Write the journal entry once, unless the journal was cleared in between, and return it.

        This happens before the last part of the response is sent, so that entries are in the order of the requests.
        """
        if self._entry is None:
            self._entry = self._log.append(
                time=self._start_time,
                service=self._service.name,
                method=self._scope["method"],
                path=self._path,
                query=self._scope["query_string"].decode("latin-1"),
                label=self._label,
                effect=self._effect,
                status=self._status,
                milliseconds=round((time.perf_counter() - self._start_counter) * 1000, 3),
                recording=self._recording,
            )
        return self._entry

    def enter_route(self, label: str, effect: str) -> None:
        """Record the route that the service has found, and check for faults with its label.

        :raises _FaultInjected: if a fault applies; not again if the service enters the same route again
        """
        is_same_route, self._label, self._effect = self._label == label, label, effect
        if not is_same_route:
            self._route_faults = self._match_faults(label, effect)
            if self._route_faults:
                raise _FaultInjected

    def _match_faults(self, label: str | None = None, effect: str | None = None) -> tuple[Fault, ...]:
        method = self._scope["method"]
        return self._sandbox.faults.match(self._service.name, method, self._matching_paths, label, effect)

    async def _serve(self, request: Request) -> None:
        try:
            self._matching_paths = await self._faults.match_paths(self._path, self._sandbox.runtime.evaluator)
        except EvaluationError as error:
            refusal = {"error": f"Cannot compare the request with the 'path' of the faults: {error}."}
            await self._send_response(JSONResponse(refusal, 500), ())
            return
        faults = self._match_faults()
        response = await self._inject_before(faults)
        if response is None:
            try:
                response = await self._call_service(request)
            except _FaultInjected:
                faults += self._route_faults
                response = await self._inject_before(self._route_faults) or await self._call_service(request)
        await self._send_response(response, faults)

    async def _inject_before(self, faults: tuple[Fault, ...]) -> Response | None:
        """Inject the faults that take effect before the service is called.

        :returns: the response that replaces that of the service, if a fault has one
        """
        for fault in faults:
            if fault.kind == "latency":
                await asyncio.sleep(fault.seconds)
                if self._sandbox.faults is not self._faults:
                    raise ConnectionDropped  # A request from before a reset must not change the state after it.
            elif fault.kind == "reset_before":
                raise ConnectionDropped
            elif fault.kind == "status":
                return Response(fault.body, fault.status or 500, {"Content-Type": "text/plain", **fault.headers})
        return None

    async def _call_service(self, request: Request) -> Response:
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
            message = f"Internal error in the {self._service.name} service of the sandbox. See its standard error."
            return JSONResponse({"error": message}, 500)

    async def _send_response(self, response: ASGIApp, faults: tuple[Fault, ...]) -> None:
        """Send the response, after the faults that take effect once the service has been called."""
        for fault in faults:
            if isinstance(response, LiveResponse) and fault.kind in ("reset_after", "truncate"):
                await response(self._scope, self._receive, self._send_delayed)
                raise ConnectionDropped
            if fault.kind == "reset_after":
                await _capture_response(response, self._scope, self._receive)
                raise ConnectionDropped
            if fault.kind == "truncate":
                await self._send_truncated(*await _capture_response(response, self._scope, self._receive))
                return
            if fault.kind == "body":
                start, _body = await _capture_response(response, self._scope, self._receive)
                response = _replace_body(fault, start)
        await response(self._scope, self._receive, self._send_message)

    async def _send_message(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            message = {**message, "headers": self._complete_headers(message)}
        elif message["type"] == "websocket.accept":
            self._status = 101
        elif message["type"] == "http.response.body" and not message.get("more_body", False):
            self._write_journal()
            if self._recording.has_short_unread_body:
                # The client has the whole response before the server waits for the rest of the body.
                await self._send({**message, "more_body": True})
                await self._recording.read_body()
                message = {"type": "http.response.body"}
        await self._send(message)

    def _complete_headers(self, start: Message) -> list[tuple[bytes, bytes]]:
        """Return the headers of the response, with a `Date` from the sandbox's clock if the response has none."""
        headers = list(start["headers"])
        if all(name.lower() != b"date" for name, _value in headers):
            headers.append((b"date", formatdate(self._sandbox.runtime.clock.now(), usegmt=True).encode()))
        if not self._service.has_canonical_headers:
            return headers
        return [(canonicalize_name(name), value) for name, value in headers]

    async def _send_delayed(self, message: Message) -> None:
        """Send a live response one part late, so that the last part is never sent."""
        if message["type"] == "http.response.start":
            await self._send_message(message)
            return
        if not message.get("body"):
            return
        if self._pending_message:
            await self._send(self._pending_message)
        elif not self._is_body_started:
            await self._send(message)
        self._pending_message, self._is_body_started = (message if self._is_body_started else None), True

    async def _send_truncated(self, start: Message, body: bytes) -> None:
        headers = [header for header in start["headers"] if header[0] not in (b"content-length", b"transfer-encoding")]
        headers.append((b"content-length", str(len(body)).encode()))
        # An empty body cannot be truncated. Without this header, the next request would race with the close.
        headers.append((b"connection", b"close"))
        await self._send_message({**start, "headers": headers})
        await self._send({"type": "http.response.body", "body": body[: len(body) // 2], "more_body": True})
        self._scope["sandbox.transport"].close()

    def _reset_connection(self) -> None:
        transport: asyncio.Transport = self._scope["sandbox.transport"]
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_ON_CLOSE)
        transport.abort()


async def _capture_response(
    response: ASGIApp, scope: MutableMapping[str, Any], receive: Receive
) -> tuple[Message, bytes]:
    """Return the start message and the body of a response without sending them."""
    messages: list[Message] = []

    async def append(message: Message) -> None:
        messages.append(message)

    await response(scope, receive, append)
    return messages[0], b"".join(message.get("body", b"") for message in messages[1:])


def _replace_body(fault: Fault, start: Message) -> Response:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in start["headers"]}
    headers.pop("content-length", None)
    headers.update({name.lower(): value for name, value in fault.headers.items()})
    return Response(fault.body, fault.status or start["status"], headers)
