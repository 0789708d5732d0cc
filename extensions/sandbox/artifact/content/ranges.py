# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of files: the headers Range and If-Range as Artifactory reads them, which is not as RFC 9110 has them."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import BinaryIO, NamedTuple

from starlette.responses import Response, StreamingResponse

BOUNDARY = "BCD64322345343217845286A"
LAST_LINE = f"--{BOUNDARY}--\r\n".encode()
NUMBER = re.compile(r"[+-]?[0-9]{1,18}")
CHUNK = 65536


class Range(NamedTuple):
    """The bytes from the first to the last, which is included."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """The number of bytes."""
        return self.last - self.first + 1


class NotSatisfiable(Exception):
    """None of the requested ranges is in the file."""


def read_ranges(header: str, size: int) -> list[Range]:
    """Return the ranges of a file that a Range header names, sorted and merged; none stands for the whole file.

    The unit is not read. Without a first byte, a range begins at 0 and does not count from the end. Ranges that are
    malformed or outside the file are passed over.
    """
    parts = [part for part in header.split("=") if part]
    if len(parts) != 2:
        return []
    specs = [spec for spec in parts[1].split(",") if spec]
    found = sorted(filter(None, (_parse_range(spec.partition("/")[0].strip(), size) for spec in specs)))
    if specs and not found:
        raise NotSatisfiable
    return _merge(found)


def is_outdated(header: str, sha1: str, modified: float) -> bool:
    """Return whether an If-Range header names another content than the one with this checksum and date."""
    if not header.strip():
        return False
    date = parse_date(header)
    return not header.startswith(sha1) if date is None else date < int(modified)


def parse_date(header: str) -> float | None:
    """Return the time that a header with a date names, or None when it has none."""
    try:
        date = parsedate_to_datetime(header)
    except (ValueError, OverflowError):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()


def refuse(size: int) -> Response:
    """Return the answer to ranges that are outside a file of this size."""
    return Response(status_code=416, headers={"Content-Range": f"bytes */{size}"})


def serve_whole(path: pathlib.Path, size: int, headers: dict[str, str]) -> Response:
    """Return a file, which can be deleted while it is sent."""
    if size <= CHUNK:  # to read so little costs less than a thread
        return Response(path.read_bytes(), headers=headers)
    pieces = _read_pieces(path.open("rb"), [(b"", Range(0, size - 1))], b"")
    return StreamingResponse(pieces, headers={**headers, "Content-Length": str(size)})


def serve_partially(path: pathlib.Path, size: int, ranges: list[Range], headers: dict[str, str]) -> Response:
    """Return ranges of a file: one as it is, several as a multipart body."""
    if len(ranges) == 1:
        shown = {"Content-Range": f"bytes {ranges[0].first}-{ranges[0].last}/{size}"}
        pieces, end = [(b"", ranges[0])], b""
    else:
        shown = {"Content-Type": f"multipart/byteranges; boundary={BOUNDARY}"}
        pieces, end = list(_add_headers(ranges, headers["Content-Type"], size)), LAST_LINE
    length = sum(len(head) + part.size for head, part in pieces) + len(end)
    body = _read_pieces(path.open("rb"), pieces, end)
    return StreamingResponse(body, 206, {**headers, **shown, "Content-Length": str(length)})


def _parse_range(spec: str, size: int) -> Range | None:
    first, dash, last = spec.partition("-") if "-" in spec else ("", "", spec)
    if not (dash or last):
        return None
    first, last = first.strip() or "0", last.strip() or str(size - 1)
    if not (NUMBER.fullmatch(first) and NUMBER.fullmatch(last)):
        return None
    found = Range(int(first), min(int(last), size - 1))
    return found if 0 <= found.first <= found.last else None


def _merge(ranges: list[Range]) -> list[Range]:
    merged: list[Range] = []
    for one in ranges:
        if merged and merged[-1].last + 1 >= one.first:
            merged[-1] = Range(merged[-1].first, max(merged[-1].last, one.last))
        else:
            merged.append(one)
    return merged


def _add_headers(ranges: list[Range], media_type: str, size: int) -> Iterator[tuple[bytes, Range]]:
    """Yield each range with the lines before it; no line break ends the last one."""
    before = ""
    for one in ranges:
        lines = f"--{BOUNDARY}", f"Content-Type: {media_type}", f"Content-Range: bytes {one.first}-{one.last}/{size}"
        yield (before + "\r\n".join((*lines, "", ""))).encode(), one
        before = "\r\n"


def _read_pieces(file: BinaryIO, pieces: list[tuple[bytes, Range]], end: bytes) -> Iterator[bytes]:
    with file:
        for head, part in pieces:
            yield head
            file.seek(part.first)
            left = part.size
            while left and (chunk := file.read(min(CHUNK, left))):
                left -= len(chunk)
                yield chunk
    if end:
        yield end
