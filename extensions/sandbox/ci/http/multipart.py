# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Multipart forms with files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import AsyncIterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from ...http.bodies import MAX_BODY_SIZE, BodyTooLarge

_BOUNDARY = re.compile(r'boundary="?([^";]+)')
_NAME = re.compile(rb'\bname="([^"]*)"')
_FILE_NAME = re.compile(rb'\bfilename="([^"]*)"')
MOST_PARTS = 1000
MAX_HEAD_SIZE = 65536  # bytes
MAX_SIZE_IN_MEMORY = 65536  # bytes; longer parts are stored in a temporary file
PIECE = 65536


@dataclass
class Part:
    """A part of a form. A part with a file name is a file."""

    name: str
    file_name: str | None
    file: BinaryIO

    def text(self) -> str:
        """Return the content of a field."""
        self.file.seek(0)
        return self.file.read(MAX_BODY_SIZE).decode("utf-8", "replace")

    def chunks(self) -> Iterator[bytes]:
        """Return the content of a file in chunks."""
        self.file.seek(0)
        while piece := self.file.read(PIECE):
            yield piece


async def parts(content_type: str, pieces: AsyncIterable[bytes]) -> list[Part]:
    """Return the parts of a body in their order, or none if it has no boundary.

    :raises BodyTooLarge: if there are too many parts, or the fields are too long
    """
    boundary = _BOUNDARY.search(content_type)
    if not boundary:
        return []
    reader = _Reader(boundary[1].encode())
    async for piece in pieces:
        reader.feed(piece)
    return reader.parts


class _Reader:
    """Finds the parts in the chunks of a body. `parts` contains completed ones."""

    def __init__(self, boundary: bytes) -> None:
        self.parts: list[Part] = []
        self._boundary = b"\r\n--" + boundary
        # Boundaries start with a line break, so the first one gets one, too.
        self._waiting = bytearray(b"\r\n")
        self._in_head = False
        self._part: Part | None = None
        self._size_of_fields = 0

    def feed(self, piece: bytes) -> None:
        self._waiting += piece
        while self._end_head() if self._in_head else self._end_content():
            pass

    def _end_head(self) -> bool:
        head, blank, _content = bytes(self._waiting[:MAX_HEAD_SIZE]).partition(b"\r\n\r\n")
        if head.startswith(b"--"):  # the last boundary
            self._waiting.clear()
            return False
        if not blank:
            if len(head) == MAX_HEAD_SIZE:
                raise BodyTooLarge(MAX_HEAD_SIZE)
            return False
        del self._waiting[: len(head) + len(blank)]
        self._in_head, self._part = False, _part(head)
        return True

    def _end_content(self) -> bool:
        end = self._waiting.find(self._boundary)
        if end < 0:
            self._write(max(0, len(self._waiting) - len(self._boundary) + 1))
            return False
        self._write(end)
        del self._waiting[: len(self._boundary)]
        if self._part:
            self.parts.append(self._part)
        if len(self.parts) > MOST_PARTS:
            raise BodyTooLarge(MOST_PARTS)
        self._in_head, self._part = True, None
        return True

    def _write(self, size: int) -> None:
        if self._part:
            self._part.file.write(self._waiting[:size])
            if self._part.file_name is None:
                self._size_of_fields += size
                if self._size_of_fields > MAX_BODY_SIZE:
                    raise BodyTooLarge(MAX_BODY_SIZE)
        del self._waiting[:size]


def _part(head: bytes) -> Part | None:
    name, file_name = _NAME.search(head), _FILE_NAME.search(head)
    if not name:
        return None
    file = cast(BinaryIO, tempfile.SpooledTemporaryFile(max_size=MAX_SIZE_IN_MEMORY))  # noqa: SIM115  ends with the part
    return Part(_decode(name[1]), _decode(file_name[1]) if file_name else None, file)


def _decode(name: bytes) -> str:
    return name.decode("utf-8", "replace")
