# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of requests and responses: headers, and the first part of the bodies."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
from dataclasses import dataclass, field
from typing import Any

from starlette.types import Message, Receive, Scope, Send

MAX_BODY_SIZE = 65536  # bytes
BODY_TIMEOUT = 0.2  # seconds
HEADER_OVERHEAD = 200  # approximate bytes of memory that a header needs besides its text

Headers = list[tuple[bytes, bytes]]


@dataclass
class RecordedBody:
    """The first part of a body, and the size of all of it."""

    start: bytearray = field(default_factory=bytearray)
    size: int = 0
    is_discarded: bool = False

    def add(self, chunk: bytes) -> None:
        """Add the next part of the body."""
        room = MAX_BODY_SIZE - self.size
        self.size += len(chunk)
        if room > 0:
            self.start += chunk[:room]

    @property
    def is_truncated(self) -> bool:
        """Whether only the first part of the body is recorded."""
        return self.size > len(self.start)

    def discard_unless_text(self) -> None:
        """Discard the recorded part if it is not text."""
        if self.decode() is None:
            self.start.clear()
            self.is_discarded = True

    def decode(self) -> str | None:
        """Return the recorded part as text, or null if it is not text."""
        if self.is_discarded or b"\0" in self.start:
            return None
        try:
            # A truncated body may end within a character.
            return codecs.getincrementaldecoder("utf-8")().decode(bytes(self.start), not self.is_truncated)
        except UnicodeDecodeError:
            return None


class Recording:
    """A request and its response. `receive` and `send` record what passes through them."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Record a request with the ASGI functions of its connection."""
        self.target = scope["raw_path"] + (b"?" + scope["query_string"] if scope["query_string"] else b"")
        self.request_headers: Headers = scope["headers"]
        self.response_headers: Headers | None = None
        self.request_body, self.response_body = RecordedBody(), RecordedBody()
        self.server: tuple[str, int] = scope["server"]
        # `client` in the scope is the address in X-Forwarded-For, if the request has one.
        self.client: tuple[Any, ...] | None = scope["sandbox.transport"].get_extra_info("peername")
        self.has_unread_body = any(
            name == b"transfer-encoding" or (name == b"content-length" and value != b"0")
            for name, value in scope["headers"]
        )
        self._receive: Receive | None = receive
        self._send: Send | None = send

    async def receive(self) -> Message:
        """Return the next message of the client."""
        assert self._receive
        message = await self._receive()
        if message["type"] == "http.request":
            self.request_body.add(message.get("body", b""))
            self.has_unread_body = self.has_unread_body and message.get("more_body", False)
        return message

    @property
    def has_body(self) -> bool:
        """Whether the request has a body, even if the service has not read it."""
        return self.has_unread_body or self.request_body.size > 0

    @property
    def has_short_unread_body(self) -> bool:
        """Whether the service has not read a short body, for example because of a fault."""
        length = self.find_request_header("content-length")
        is_short = length.isdecimal() and int(length) <= MAX_BODY_SIZE
        return self.has_unread_body and is_short and not self.find_request_header("expect")

    async def read_body(self) -> None:
        """Read the rest of the body, unless the client sends it late."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(BODY_TIMEOUT):
                while self.has_unread_body and (await self.receive())["type"] == "http.request":
                    pass

    def find_request_header(self, name: str) -> str:
        """Return the value of a header of the request, or an empty text."""
        encoded = name.encode()
        return next((value.decode("latin-1") for key, value in self.request_headers if key == encoded), "")

    async def send(self, message: Message) -> None:
        """Send a message to the client."""
        assert self._send
        if message["type"] == "http.response.body":
            self.response_body.add(message.get("body", b""))
        elif message["type"] == "http.response.start":
            self.response_headers = message["headers"]
        await self._send(message)

    def finish(self) -> int:
        """Release the connection and the content of a binary response, and return the size of the rest in bytes."""
        self._receive = self._send = None
        self.response_body.discard_unless_text()
        headers = (*self.request_headers, *(self.response_headers or ()))
        size = sum(len(name) + len(value) + HEADER_OVERHEAD for name, value in headers)
        return size + len(self.target) + len(self.request_body.start) + len(self.response_body.start)
