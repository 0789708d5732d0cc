# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses that can be long. They are generated in a thread while they are sent."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

from starlette.responses import Response, StreamingResponse

from ..runtime.database import Readers

PIECE_SIZE = 65536  # characters


class LiveResponse(StreamingResponse):
    """A response to which the client reacts before it is complete. Do not buffer it."""


async def stream_query(
    readers: Readers, query: Callable[[sqlite3.Connection], Iterator[str]], headers: Mapping[str, str]
) -> Response:
    """Return a response with the text that a query yields. Short responses are not streamed.

    Errors of the query are raised here if they occur before the first 64 KiB.
    """
    short = readers.read_if_small(lambda db: "".join(query(db)))
    if short is not None:
        return Response(short, headers=headers)
    pieces = readers.stream(lambda db: _join_pieces(query, db))
    piece, is_last = await anext(pieces)
    if is_last:
        await pieces.aclose()  # type: ignore[attr-defined]
        return Response(piece, headers=headers)
    return StreamingResponse(_iterate_pieces(piece, pieces), headers=headers)


def _join_pieces(
    query: Callable[[sqlite3.Connection], Iterator[str]], db: sqlite3.Connection
) -> Iterator[tuple[bytes, bool]]:
    """Yield the text of a query in pieces of about `PIECE_SIZE`, at least one, each with whether it is the last.

    A generator, so that the query starts in the thread that reads the first piece.
    """
    piece, size = [], 0
    for part in query(db):
        piece.append(part)
        size += len(part)
        if size >= PIECE_SIZE:
            yield "".join(piece).encode(), False
            piece, size = [], 0
    yield "".join(piece).encode(), True


async def _iterate_pieces(first: bytes, others: AsyncIterator[tuple[bytes, bool]]) -> AsyncIterator[bytes]:
    yield first
    async for piece, _is_last in others:
        yield piece
