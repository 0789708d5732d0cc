# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Range and If-Range headers as Artifactory interprets them, which differs from RFC 9110."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import BinaryIO, NamedTuple

from starlette.responses import Response, StreamingResponse

BOUNDARY = "BCD64322345343217845286A"
CLOSING_LINE = f"--{BOUNDARY}--\r\n".encode()
NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
CHUNK_SIZE = 65536


class Range(NamedTuple):
    """A range of bytes; both ends are included."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.last - self.first + 1


class NotSatisfiable(Exception):
    """All requested ranges are outside the file."""


def parse_ranges(header: str, size: int) -> list[Range]:
    """Return the sorted and merged ranges of a Range header. An empty list stands for the whole file.

    The unit is ignored. A range without a first byte begins at 0 and does not count from the end. Malformed ranges
    and ranges outside the file are ignored.

    :raises NotSatisfiable: if no range is left
    """
    parts = [part for part in header.split("=") if part]
    if len(parts) != 2:
        return []
    specs = [spec for spec in parts[1].split(",") if spec]
    ranges = sorted(filter(None, (_parse_range(spec.partition("/")[0].strip(), size) for spec in specs)))
    if specs and not ranges:
        raise NotSatisfiable
    return _merge_ranges(ranges)


def is_outdated(header: str, sha1: str, modified: float) -> bool:
    """Return whether an If-Range header does not match the file's checksum or modification time."""
    if not header.strip():
        return False
    date = parse_date(header)
    return not header.startswith(sha1) if date is None else date < int(modified)


def parse_date(header: str) -> float | None:
    """Return the time in a date header, or `None` if it is invalid."""
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, OverflowError):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def not_satisfiable_response(size: int) -> Response:
    """Return the 416 response for a file of this size."""
    return Response(status_code=416, headers={"Content-Range": f"bytes */{size}"})


def serve_whole(path: pathlib.Path, size: int, headers: dict[str, str]) -> Response:
    """Return the whole file. It may be deleted while it is sent."""
    if size <= CHUNK_SIZE:  # reading a small file is faster than streaming it from a thread
        return Response(path.read_bytes(), headers=headers)
    pieces = _iterate_chunks(path.open("rb"), [(b"", Range(0, size - 1))], b"")
    return StreamingResponse(pieces, headers={**headers, "Content-Length": str(size)})


def serve_partially(path: pathlib.Path, size: int, ranges: list[Range], headers: dict[str, str]) -> Response:
    """Return ranges of a file: a single one as the body, several as a multipart body."""
    if len(ranges) == 1:
        range_headers = {"Content-Range": f"bytes {ranges[0].first}-{ranges[0].last}/{size}"}
        pieces, closing_line = [(b"", ranges[0])], b""
    else:
        range_headers = {"Content-Type": f"multipart/byteranges; boundary={BOUNDARY}"}
        pieces, closing_line = list(_iterate_parts(ranges, headers["Content-Type"], size)), CLOSING_LINE
    length = sum(len(head) + byte_range.size for head, byte_range in pieces) + len(closing_line)
    body = _iterate_chunks(path.open("rb"), pieces, closing_line)
    return StreamingResponse(body, 206, {**headers, **range_headers, "Content-Length": str(length)})


def _parse_range(spec: str, size: int) -> Range | None:
    first, dash, last = spec.partition("-") if "-" in spec else ("", "", spec)
    if not (dash or last):
        return None
    first, last = first.strip() or "0", last.strip() or str(size - 1)
    if not (NUMBER.fullmatch(first) and NUMBER.fullmatch(last)):
        return None
    byte_range = Range(int(first), min(int(last), size - 1))
    return byte_range if 0 <= byte_range.first <= byte_range.last else None


def _merge_ranges(ranges: list[Range]) -> list[Range]:
    merged: list[Range] = []
    for byte_range in ranges:
        if merged and merged[-1].last + 1 >= byte_range.first:
            merged[-1] = Range(merged[-1].first, max(merged[-1].last, byte_range.last))
        else:
            merged.append(byte_range)
    return merged


def _iterate_parts(ranges: list[Range], media_type: str, size: int) -> Iterator[tuple[bytes, Range]]:
    """Yield the lines before each range, and the range. No line break follows the last range."""
    separator = ""
    for byte_range in ranges:
        lines = (
            f"--{BOUNDARY}",
            f"Content-Type: {media_type}",
            f"Content-Range: bytes {byte_range.first}-{byte_range.last}/{size}",
        )
        yield (separator + "\r\n".join((*lines, "", ""))).encode(), byte_range
        separator = "\r\n"


def _iterate_chunks(file: BinaryIO, pieces: list[tuple[bytes, Range]], closing_line: bytes) -> Iterator[bytes]:
    with file:
        for head, byte_range in pieces:
            yield head
            file.seek(byte_range.first)
            remaining = byte_range.size
            while remaining and (chunk := file.read(min(CHUNK_SIZE, remaining))):
                remaining -= len(chunk)
                yield chunk
    if closing_line:
        yield closing_line
