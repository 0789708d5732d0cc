# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of requests that are read into memory."""

from __future__ import annotations

from starlette.requests import Request

MAX_BODY_SIZE = 64 * 1024 * 1024  # bytes
MAX_FORM_FIELDS = 10_000  # of a form


class BodyTooLarge(Exception):
    """A body is too large to be read into memory."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"The sandbox reads at most {limit} bytes of this body.")


class BoundedRequest(Request):
    """A request whose `body` is read into memory only if it is not too large; `stream` has no limit."""

    async def body(self) -> bytes:
        """
        :raises BodyTooLarge: if it has more than `LARGEST` bytes
        """
        if not hasattr(self, "_body"):
            self._body = await read_body(self, MAX_BODY_SIZE)
        return self._body


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request; one that says it is too large is not read.

    :raises BodyTooLarge: if it has more than `limit` bytes
    """
    if int(request.headers.get("content-length", 0)) > limit:
        raise BodyTooLarge(limit)
    pieces, size = [], 0
    async for piece in request.stream():
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            raise BodyTooLarge(limit)
    return b"".join(pieces)
