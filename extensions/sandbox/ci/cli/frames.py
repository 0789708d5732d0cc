# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What client and server of the command-line interface send each other: frames of an operation and its data."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterable, AsyncIterator

ARG, LOCALE, ENCODING, START, EXIT, STDIN, END_STDIN, STDOUT, STDERR = range(9)
LONGEST = 16 * 1024 * 1024  # bytes of the data of an operation
_HEAD = struct.Struct(">IB")


def frame(operation: int, data: bytes = b"") -> bytes:
    """A frame for a stream; in a message of its own it goes without the length."""
    return _HEAD.pack(len(data), operation) + data


def exit_code(code: int) -> bytes:
    """The data of EXIT."""
    return struct.pack(">i", code)


class FrameError(Exception):
    """What a client sends is more than a command can need."""


async def frames(pieces: AsyncIterable[bytes]) -> AsyncIterator[tuple[int, bytes]]:
    """The operations and their data in a stream; one that is cut off at the end is left out.

    :raises FrameError: if one is too long
    """
    waiting = bytearray()
    async for piece in pieces:
        waiting += piece
        while len(waiting) >= _HEAD.size:
            length, operation = _HEAD.unpack_from(waiting)
            if length > LONGEST:
                raise FrameError
            end = _HEAD.size + length
            if len(waiting) < end:
                break
            yield operation, bytes(waiting[_HEAD.size : end])
            del waiting[:end]


def text(data: bytes) -> str:
    """What Java's `writeUTF` wrote: a length, and UTF-8 of its own kind for NUL and what is beyond 16 bits."""
    plain = data[2:].replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
