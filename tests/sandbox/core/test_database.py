# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the time limit of database queries."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.runtime import database
from sandbox.runtime.database import QueryTimeout, Readers, connect_writer
from support.servers.process import wait_for

ENDLESS = "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT max(n) FROM numbers"


@pytest.fixture
def readers(tmp_path: Path) -> Iterator[Readers]:
    connect_writer(tmp_path / "test.sqlite3").close()
    found = Readers(tmp_path / "test.sqlite3")
    yield found
    found.close()


def endless_query(connection: sqlite3.Connection) -> int:
    return int(connection.execute(ENDLESS).fetchone()[0])


def select_one(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT 1").fetchone()[0])


def test_read_if_small_returns_none_when_the_query_takes_long(readers: Readers) -> None:
    assert readers.read_if_small(endless_query) is None
    assert readers.read_if_small(select_one) == 1


def test_query_is_aborted_when_it_takes_too_long(readers: Readers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "QUERY_TIMEOUT", 0.2)
    with pytest.raises(QueryTimeout, match=r"was aborted after 0\.2 seconds"):
        asyncio.run(readers.read(endless_query))
    assert asyncio.run(readers.read(select_one)) == 1


def test_stream_is_aborted_when_a_part_takes_too_long(readers: Readers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "QUERY_TIMEOUT", 0.2)

    def parts(connection: sqlite3.Connection) -> Iterator[int]:
        yield select_one(connection)
        yield endless_query(connection)

    async def read() -> list[int]:
        rows = []
        with pytest.raises(QueryTimeout):
            async for part in readers.stream(parts):
                rows.append(part)
        return rows

    assert asyncio.run(read()) == [1]


def test_other_database_errors_are_raised(readers: Readers) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        asyncio.run(readers.read(lambda connection: connection.execute("SELECT * FROM missing").fetchone()))


def test_query_is_aborted_when_the_readers_are_closed(readers: Readers) -> None:
    aborted: list[Exception] = []

    def run_query() -> None:
        try:
            asyncio.run(readers.read(endless_query))
        except QueryTimeout as error:
            aborted.append(error)

    asking = threading.Thread(target=run_query)
    asking.start()
    wait_for(lambda: bool(readers._busy), "the question")
    while asking.is_alive():  # An interrupt has no effect before the query starts.
        readers.close()
        asking.join(0.1)
    assert aborted
