# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The database: one connection writes, others read beside it."""

from __future__ import annotations

import contextlib
import pathlib
import sqlite3
import time
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeVar

from starlette.concurrency import iterate_in_threadpool, run_in_threadpool

Result = TypeVar("Result")
DATABASE = "sandbox.sqlite3"
CACHE_KIB = 65536
MAX_INLINE_PAGES = 512  # of 4 KiB
INLINE_TIMEOUT = 0.1
QUERY_TIMEOUT = 60.0  # for an answer, or for a part of one that is sent part by part
PROGRESS_STEPS = 10_000  # of the database between two looks at the time
END = object()


class StateError(Exception):
    """A state folder that cannot be used; the message says why."""


def connect_writer(path: pathlib.Path) -> sqlite3.Connection:
    """The connection that belongs to the event loop: what it is asked must be short.

    A thread has it while all else waits.
    """
    path.touch(mode=0o600)  # other files of the database get the mode of this one
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    # Triggers see also the rows that give way to others.
    connection.execute("PRAGMA recursive_triggers = ON")
    return connection


def create_tables(connection: sqlite3.Connection, schema: str) -> None:
    """Make the tables, or see that those that are there are the same; StateError when they are not."""
    version = zlib.crc32(schema.encode()) >> 1
    if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        connection.executescript(schema)
        connection.execute(f"PRAGMA user_version = {version}")
    elif connection.execute("PRAGMA user_version").fetchone()[0] != version:
        raise StateError("its state folder was written by another version of it; give it another folder")


class QueryTimeout(Exception):
    """A question to the database was given up because it took too long."""


@contextlib.contextmanager
def limit_time(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Give up what the connection is asked within the block after so many seconds.

    :raises QuestionTooLong: when that happens
    """
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, PROGRESS_STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        raise QueryTimeout(f"The sandbox gave up reading its database after {seconds:g} seconds.") from error
    finally:
        connection.set_progress_handler(None, 0)


class Readers:
    """Connections for questions that can be long: they are asked in threads, beside the event loop."""

    def __init__(self, path: pathlib.Path) -> None:
        self._address = f"{path.absolute().as_uri()}?mode=ro"
        self._idle: list[sqlite3.Connection] = []
        self._busy: set[sqlite3.Connection] = set()

    def read_if_small(self, question: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """The answer to a question that is not long, since the database is small; None when it is.

        To ask in a thread costs more than to answer from so little.
        """
        with self._connection() as connection:
            if connection.execute("PRAGMA page_count").fetchone()[0] > MAX_INLINE_PAGES:
                return None
            try:
                with limit_time(connection, INLINE_TIMEOUT):
                    return question(connection)
            except QueryTimeout:
                return None

    async def read(self, question: Callable[[sqlite3.Connection], Result]) -> Result:
        """The answer to a question."""
        with self._connection() as connection:
            return await run_in_threadpool(_run_query, question, connection)

    async def stream(self, question: Callable[[sqlite3.Connection], Iterator[Result]]) -> AsyncIterator[Result]:
        """The parts of an answer, one after the other, as of one moment."""
        with self._connection() as connection, contextlib.closing(question(connection)) as parts:  # type: ignore[type-var]
            async for part in iterate_in_threadpool(_iterate_with_limit(parts, connection)):
                yield part

    def close(self) -> None:
        """Let go of the database, and abort what is still being read."""
        for connection in self._busy:
            connection.interrupt()
        for connection in self._idle:
            connection.close()

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        connection = self._idle.pop() if self._idle else self._connect()
        self._busy.add(connection)
        try:
            yield connection
        finally:
            self._busy.remove(connection)
            self._idle.append(connection)

    def _connect(self) -> sqlite3.Connection:
        # Threads take turns with a connection, and never share it.
        connection = sqlite3.connect(self._address, uri=True, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        return connection


def _run_query(question: Callable[[sqlite3.Connection], Result], connection: sqlite3.Connection) -> Result:
    with limit_time(connection, QUERY_TIMEOUT):
        return question(connection)


def _iterate_with_limit(parts: Iterator[Result], connection: sqlite3.Connection) -> Iterator[Result]:
    while True:
        with limit_time(connection, QUERY_TIMEOUT):
            part = next(parts, END)
        if part is END:
            return
        yield part  # type: ignore[misc]
