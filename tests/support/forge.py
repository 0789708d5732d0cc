# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The common part of the stand-ins for the APIs of GitHub and GitLab: requests, pages, accounts and faults."""

from __future__ import annotations

import contextlib
import dataclasses
import http.server
import json
import re
import socket
import struct
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from support.serving import run_server

Item = dict[str, Any]
PAGE_SIZE = 100


@dataclasses.dataclass
class Account:
    """An account with a token.

    :ivar permissions: `comments` and `issues` may be written; `no labels`: labels are ignored
    """

    name: str
    permissions: frozenset[str] = frozenset({"comments", "issues"})


@dataclasses.dataclass
class Request:
    """A request of an account."""

    account: Account
    method: str
    path: str
    query: dict[str, str]
    body: Item
    match: tuple[str, ...] = ()


@dataclasses.dataclass
class Response:
    """A response with a JSON body, or plain text."""

    status: int
    body: Any = None
    headers: dict[str, str] = dataclasses.field(default_factory=dict)


class Refused(Exception):
    """A request that the server refuses."""

    def __init__(self, response: Response) -> None:
        super().__init__(response)
        self.response = response


Route = tuple[str, str, Callable[[Request], Response]]


class Forge:
    """State and requests of a stand-in.

    :ivar accounts: accounts by token
    :ivar threads: comments by the path of their issue or merge request
    :ivar issues: issues, oldest first
    :ivar faults: what happens to the next write requests: `lost` (executed, but the connection breaks), `gateway` (not
        executed, 502), `limit` (not executed, rate limit), `` (nothing special)
    :ivar requests: method, path and query of each request
    :ivar retry_after: seconds of a rate limit
    :ivar before_create: called before a comment or issue is created
    """

    prefix = ""

    def __init__(self) -> None:
        self.url = ""
        self.accounts: dict[str, Account] = {}
        self.threads: dict[str, list[Item]] = {}
        self.issues: list[Item] = []
        self.faults: list[str] = []
        self.requests: list[str] = []
        self.before_create: Callable[[], None] = lambda: None
        self.retry_after = "1"
        self._last_id = 1000

    # --- What differs between the servers ---

    def routes(self) -> list[Route]:
        """Return method, pattern of the path, and function of each request."""
        raise NotImplementedError

    def token(self, headers: Any) -> str:
        """Return the token in the headers of a request."""
        raise NotImplementedError

    def add_comment(self, thread: str, author: str | None, body: str) -> Item:
        """Add a comment."""
        raise NotImplementedError

    def add_issue(self, author: str, **members: Any) -> Item:
        """Add an issue, in the form of the API. The first one has the number 20."""
        raise NotImplementedError

    def refuse(self, status: int, message: str = "") -> Response:
        """Return an error response."""
        raise NotImplementedError

    def limit(self) -> Response:
        """Return the response to a request that exceeds a rate limit."""
        raise NotImplementedError

    # --- Requests ---

    def answer(self, method: str, target: str, headers: Any, body: bytes) -> tuple[Response, bool]:
        """Return the response to a request, and whether its connection breaks instead."""
        address = urlsplit(target)
        self.requests.append(f"{method} {target.removeprefix(self.prefix)}")
        fault = self.faults.pop(0) if method != "GET" and self.faults else ""
        if fault == "limit":
            return self.limit(), False
        if fault == "gateway":
            return Response(502, "<html>Bad Gateway</html>"), False
        try:
            account = self.accounts.get(self.token(headers))
            if not account:
                raise Refused(self.refuse(401))
            query = {name: values[-1] for name, values in parse_qs(address.query).items()}
            request = Request(account, method, address.path, query, json.loads(body) if body else {})
            return self._route(request), fault == "lost"
        except Refused as refused:
            return refused.response, False

    def _route(self, request: Request) -> Response:
        for method, pattern, function in self.routes():
            if method == request.method and (found := re.fullmatch(self.prefix + pattern, request.path)):
                request.match = found.groups()
                return function(request)
        raise Refused(self.refuse(404))

    def require(self, request: Request, permission: str) -> None:
        """Refuse a request if the account has no permission for it."""
        if permission not in request.account.permissions:
            raise Refused(self.refuse(403))

    def new_id(self) -> int:
        """Return the next id."""
        self._last_id += 1
        return self._last_id

    def page(self, request: Request, items: list[Item]) -> Response:
        """Return a page of a list, with links to the first, next and last one."""
        size = min(int(request.query.get("per_page", 30)), PAGE_SIZE)
        number, last = int(request.query.get("page", 1)), max(1, -(-len(items) // size))
        pages = {"next": number + 1, "last": last} if number < last else {}
        links = [
            f'<{self.link(request)}?{urlencode({**request.query, "page": page})}>; rel="{name}"'
            for name, page in {"first": 1, **pages}.items()
        ]
        return Response(200, items[(number - 1) * size : number * size], {"Link": ", ".join(links)})

    def link(self, request: Request) -> str:
        """Return the address of a page without its query."""
        return self.url.removesuffix(self.prefix) + request.path


@contextlib.contextmanager
def serve(forge: Forge) -> Iterator[None]:
    """Run a stand-in."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(forge))
    forge.url = f"http://127.0.0.1:{server.server_port}{forge.prefix}"
    with run_server(server):
        yield


def _handler(forge: Forge) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            response, is_lost = forge.answer(self.command, self.path, self.headers, body)
            if is_lost:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            is_text = isinstance(response.body, str)
            content = (
                b"" if response.body is None else (response.body if is_text else json.dumps(response.body)).encode()
            )
            self.send_response(response.status)
            self.send_header("Content-Type", "text/html" if is_text else "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any  # noqa: N815

        def handle_one_request(self) -> None:
            with contextlib.suppress(OSError, ValueError):  # after a broken connection
                super().handle_one_request()

        def log_message(self, *args: Any) -> None:
            pass

    return Handler
