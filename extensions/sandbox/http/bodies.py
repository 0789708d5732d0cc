# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Request bodies that are read into memory, with size limits."""

from __future__ import annotations

from starlette.requests import Request

MAX_BODY_SIZE = 64 * 1024 * 1024  # bytes
MAX_FORM_FIELDS = 10_000


class BodyTooLarge(Exception):
    """The body of a request exceeds the size limit."""

    def __init__(self, limit: int) -> None:
        """Create the error for a limit in bytes."""
        super().__init__(f"The request body is too large: the sandbox accepts at most {limit} bytes.")


class BoundedRequest(Request):
    """A request whose `body` has a size limit. `stream` has no limit."""

    async def body(self) -> bytes:
        """Return the body.

        :raises BodyTooLarge: if it has more than `MAX_BODY_SIZE` bytes
        """
        if not hasattr(self, "_body"):
            self._body = await read_body(self, MAX_BODY_SIZE)
        return self._body


async def read_body(request: Request, limit: int) -> bytes:
    """Return the body of a request. If `Content-Length` exceeds the limit, nothing is read.

    :arg limit: in bytes
    :raises BodyTooLarge: if the body is larger
    """
    if int(request.headers.get("content-length", 0)) > limit:
        raise BodyTooLarge(limit)
    chunks, size = [], 0
    async for chunk in request.stream():
        chunks.append(chunk)
        size += len(chunk)
        if size > limit:
            raise BodyTooLarge(limit)
    body = b"".join(chunks)
    request._body = body  # noqa: SLF001  for `stream`, if a fault makes the service read the request again
    return body
