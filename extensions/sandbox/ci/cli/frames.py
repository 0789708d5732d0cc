# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of the command-line interface: frames with an operation and data."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterable, AsyncIterator

ARG, LOCALE, ENCODING, START, EXIT, STDIN, END_STDIN, STDOUT, STDERR = range(9)
MAX_FRAME_SIZE = 16 * 1024 * 1024  # bytes of data
_HEAD = struct.Struct(">IB")


def encode_frame(operation: int, data: bytes = b"") -> bytes:
    """Return a frame for a stream. WebSocket messages have no length."""
    return _HEAD.pack(len(data), operation) + data


def encode_exit_code(code: int) -> bytes:
    """Return the data of EXIT."""
    return struct.pack(">i", code)


class FrameError(Exception):
    """A frame is longer than any command needs."""


async def decode_frames(pieces: AsyncIterable[bytes]) -> AsyncIterator[tuple[int, bytes]]:
    """Yield the operations of a stream with their data. An incomplete last frame is ignored.

    :raises FrameError: if a frame is too long
    """
    waiting = bytearray()
    async for piece in pieces:
        waiting += piece
        while len(waiting) >= _HEAD.size:
            length, operation = _HEAD.unpack_from(waiting)
            if length > MAX_FRAME_SIZE:
                raise FrameError
            end = _HEAD.size + length
            if len(waiting) < end:
                break
            yield operation, bytes(waiting[_HEAD.size : end])
            del waiting[:end]


def decode_text(data: bytes) -> str:
    """Decode a text of Java's `writeUTF`: a length and modified UTF-8."""
    plain = data[2:].replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
