# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The SQLite database: one connection for writes, and others for reads in threads."""

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
INLINE_TIMEOUT = 0.1  # seconds
QUERY_TIMEOUT = 60.0  # seconds, for a result or for each part of a streamed result
PROGRESS_STEPS = 10_000  # instructions of SQLite's virtual machine between two checks of the deadline
END = object()


class StateError(Exception):
    """The state directory cannot be used."""


def connect_writer(path: pathlib.Path) -> sqlite3.Connection:
    """Open the connection of the event loop, which all requests share. Its queries must be short.

    A thread may use it while the event loop waits for that thread.
    """
    path.touch(mode=0o600)  # SQLite creates its other files with the mode of this one.
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    # With this setting, INSERT OR REPLACE fires the delete triggers of the replaced rows.
    connection.execute("PRAGMA recursive_triggers = ON")
    return connection


def create_tables(connection: sqlite3.Connection, schema: str) -> None:
    """Create the tables in an empty database.

    :raises StateError: if the database was created with another schema
    """
    version = zlib.crc32(schema.encode()) >> 1
    if not connection.execute("SELECT 1 FROM sqlite_master").fetchone():
        connection.executescript(schema)
        connection.execute(f"PRAGMA user_version = {version}")
    elif connection.execute("PRAGMA user_version").fetchone()[0] != version:
        raise StateError("the state directory was created by another version of the sandbox. Use another directory.")


class QueryTimeout(Exception):
    """A database query took too long."""


@contextlib.contextmanager
def limit_time(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    """Abort queries in the block after a number of seconds.

    :raises QueryTimeout: if a query is aborted
    """
    deadline = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > deadline, PROGRESS_STEPS)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        raise QueryTimeout(f"The database query was aborted after {seconds:g} seconds.") from error
    finally:
        connection.set_progress_handler(None, 0)


class Readers:
    """A pool of read-only connections for queries in threads."""

    def __init__(self, path: pathlib.Path) -> None:
        """Create an empty pool for the database at a path."""
        self._address = f"{path.absolute().as_uri()}?mode=ro"
        self._idle: list[sqlite3.Connection] = []
        self._busy: set[sqlite3.Connection] = set()

    def read_if_small(self, query: Callable[[sqlite3.Connection], Result]) -> Result | None:
        """Return the result of a query in the current thread, or null if that takes too long.

        In a small database, this is cheaper than the change to another thread.
        """
        with self._connection() as connection:
            if connection.execute("PRAGMA page_count").fetchone()[0] > MAX_INLINE_PAGES:
                return None
            try:
                with limit_time(connection, INLINE_TIMEOUT):
                    return query(connection)
            except QueryTimeout:
                return None

    async def read(self, query: Callable[[sqlite3.Connection], Result]) -> Result:
        """Return the result of a query.

        :raises QueryTimeout: if it takes longer than `QUERY_TIMEOUT`
        """
        with self._connection() as connection:
            return await run_in_threadpool(_run_query, query, connection)

    async def stream(self, query: Callable[[sqlite3.Connection], Iterator[Result]]) -> AsyncIterator[Result]:
        """Yield the parts of a result, all from the same snapshot of the database.

        :raises QueryTimeout: if a part takes longer than `QUERY_TIMEOUT`
        """
        with self._connection() as connection, contextlib.closing(query(connection)) as parts:  # type: ignore[type-var]
            async for part in iterate_in_threadpool(_iterate_with_limit(parts, connection)):
                yield part

    def close(self) -> None:
        """Close the idle connections and abort running queries."""
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
        # A connection moves between threads, but only one thread uses it at a time.
        connection = sqlite3.connect(self._address, uri=True, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        return connection


def _run_query(query: Callable[[sqlite3.Connection], Result], connection: sqlite3.Connection) -> Result:
    with limit_time(connection, QUERY_TIMEOUT):
        return query(connection)


def _iterate_with_limit(parts: Iterator[Result], connection: sqlite3.Connection) -> Iterator[Result]:
    while True:
        with limit_time(connection, QUERY_TIMEOUT):
            part = next(parts, END)
        if part is END:
            return
        yield part  # type: ignore[misc]
