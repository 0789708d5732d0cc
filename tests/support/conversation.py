# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server on loopback that expects exact requests in a fixed order."""

from __future__ import annotations

import contextlib
import dataclasses
import email.utils
import http.server
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from time import sleep
from typing import Any, ClassVar
from urllib.parse import parse_qsl

from support.serving import run_server


@dataclasses.dataclass
class Call:
    """An expected request and its response.

    `sent` contains expectations: `form`, `json` and `body` must be equal, `headers` must be present and `without` are
    headers that must be missing.
    """

    method: str
    target: str
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    sent: dict[str, Any] = dataclasses.field(default_factory=dict)
    delay: float = 0.0
    held: bool = False
    meanwhile: Callable[[], None] = lambda: None
    drop: bool = False

    def __str__(self) -> str:
        return f"{self.method} {self.target}"


def call(  # noqa: PLR0913
    method: str,
    target: str,
    status: int = 200,
    *,
    json: Any = None,
    text: str | None = None,
    headers: dict[str, str] | None = None,
    delay: float = 0.0,
    held: bool = False,
    meanwhile: Callable[[], None] = lambda: None,
    drop: bool = False,
    **sent: Any,
) -> Call:
    """Create an expected request with a response of JSON, text or no body.

    The response is sent after `meanwhile` was called and `delay` seconds have passed. `drop` resets the connection
    instead; with `held`, no response is sent. Expectations of the request are `sent_form`, `sent_json`, `sent_body`,
    `sent_headers` and `sent_without`.
    """
    headers = dict(headers or {})
    body = b""
    if json is not None:
        body = _json(json)
        headers.setdefault("Content-Type", "application/json")
    elif text is not None:
        body = text.encode()
    expectations = {name.removeprefix("sent_"): value for name, value in sent.items()}
    return Call(method, target, status, body, headers, expectations, delay, held, meanwhile, drop)


def at(timestamp: float, expected: Call) -> Call:
    """Return the call with a `Date` header in the response."""
    return dataclasses.replace(
        expected, headers={**expected.headers, "Date": email.utils.formatdate(timestamp, usegmt=True)}
    )


class Conversation:
    """The remaining calls, complaints about received requests, and the client's port of each request.

    `closed` is set when the server has closed a connection, `over` when all calls were received. A request in
    `unscripted` is answered also if it is not the next call; fixtures set it for a request that another test covers.
    """

    unscripted: ClassVar[dict[str, Call]] = {}

    def __init__(self, calls: list[Call]) -> None:
        self.calls = calls
        self.complaints: list[str] = []
        self.ports: list[int] = []
        self.url = ""
        self.over = threading.Event()
        self.closed = threading.Event()
        self._all_came = threading.Event()
        self._lock = threading.Lock()

    def next(self, request: http.server.BaseHTTPRequestHandler, body: bytes) -> Call | None:
        """Return the expected call, or null if no further request is expected."""
        with self._lock:
            self.ports.append(request.client_address[1])
            came = f"{request.command} {request.path}"
            if came in self.unscripted and (not self.calls or came != str(self.calls[0])):
                return self.unscripted[came]
            if not self.calls:
                self.complaints.append(f"came, but nothing more was expected: {came}")
                return None
            expected = self.calls.pop(0)
            if not self.calls:
                self._all_came.set()
            if came != str(expected):
                self.complaints.append(f"expected {expected}\n      came {came}")
                return None
            self.complaints += [f"{expected}: {complaint}" for complaint in _complaints(expected.sent, request, body)]
            return expected

    def wait(self) -> None:
        """Wait for the last call, because a client may time out before the server has received its request."""
        if any(expected.held for expected in self.calls):
            self._all_came.wait(60)

    def check(self) -> None:
        """Raise an error if calls are missing or requests were unexpected."""
        with self._lock:
            missing_calls = [f"did not come: {expected}" for expected in self.calls]
            assert not self.complaints + missing_calls, "\n".join(self.complaints + missing_calls)


class _Server(http.server.ThreadingHTTPServer):
    def __init__(self, talk: Conversation) -> None:
        super().__init__(("127.0.0.1", 0), _handler(talk))
        self._talk = talk

    def shutdown_request(self, request: Any) -> None:
        super().shutdown_request(request)
        self._talk.closed.set()


@contextlib.contextmanager
def conversation(*calls: Call, tls: ssl.SSLContext | None = None) -> Iterator[Conversation]:
    """Run a server that expects exactly these calls in this order."""
    talk = Conversation(list(calls))
    server = _Server(talk)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    talk.url = f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}"
    with run_server(server):
        try:
            yield talk
            talk.wait()
        finally:
            talk.over.set()
    talk.check()


def _handler(talk: Conversation) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_one_request(self) -> None:
            with contextlib.suppress(ConnectionError):
                super().handle_one_request()

        def serve_call(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            expected = talk.next(self, body)
            if expected is None or expected.drop:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            expected.meanwhile()
            sleep(expected.delay)
            if expected.held:
                talk.over.wait()
            begin = self.send_response_only if "Date" in expected.headers else self.send_response
            begin(expected.status)
            for name, value in expected.headers.items():
                self.send_header(name, value)
            if (
                "Content-Length" in expected.headers
            ):  # The body may be shorter than its length, so the connection cannot be reused.
                self.send_header("Connection", "close")
            else:
                self.send_header("Content-Length", str(len(expected.body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(expected.body)

        do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = serve_call  # noqa: N815

        def log_message(self, *args: Any) -> None:
            pass

    return Handler


def _complaints(sent: dict[str, Any], request: http.server.BaseHTTPRequestHandler, body: bytes) -> Iterator[str]:
    if "form" in sent:
        form = dict(parse_qsl(body.decode(), keep_blank_values=True))
        if form != sent["form"]:
            yield f"sent the form {form}\n      expected {sent['form']}"
    if "json" in sent:
        document = json.loads(body or b"null")
        if document != sent["json"]:
            yield f"sent the JSON {document}\n      expected {sent['json']}"
    if body != sent.get("body", body):
        yield f"sent the body {body[:80]!r}…, expected {sent['body'][:80]!r}…"
    for name, value in sent.get("headers", {}).items():
        if request.headers.get(name) != value:
            yield f"sent the header {name}: {request.headers.get(name)}, expected {value}"
    for name in sent.get("without", ()):
        if name in request.headers:
            yield f"sent the header {name}, which must not be there"


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()
