# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Answers that can be long: they are made in a thread and sent meanwhile."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Mapping

from starlette.responses import Response, StreamingResponse

from ..runtime.database import Readers

PIECE_SIZE = 65536


class LiveResponse(StreamingResponse):
    """An answer during which the client goes on acting: nothing may wait for its end before it is sent."""


async def stream_query(
    readers: Readers, question: Callable[[sqlite3.Connection], Iterator[str]], headers: Mapping[str, str]
) -> Response:
    """The answer with these headers, its parts read by the question; one that is short is sent at once.

    What the question raises before the first 64 KiB are there is raised here.
    """
    short = readers.read_if_small(lambda db: "".join(question(db)))
    if short is not None:
        return Response(short, headers=headers)
    pieces = readers.stream(lambda db: _join_pieces(question, db))
    piece, is_last = await anext(pieces)
    if is_last:
        await pieces.aclose()  # type: ignore[attr-defined]
        return Response(piece, headers=headers)
    return StreamingResponse(_iterate_pieces(piece, pieces), headers=headers)


def _join_pieces(
    question: Callable[[sqlite3.Connection], Iterator[str]], db: sqlite3.Connection
) -> Iterator[tuple[bytes, bool]]:
    """The text of many parts in few pieces, at least one, each with whether it is the last.

    The question is asked no sooner than the first piece is wanted, and so in a thread.
    """
    piece, size = [], 0
    for part in question(db):
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
