# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of resets that restore a copy of the database instead of adding the seed again."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sandbox.runtime import image
from sandbox.sandbox import Sandbox


@pytest.fixture
def seeded(tmp_path) -> Iterator[Sandbox]:
    sandbox = Sandbox(tmp_path)
    yield sandbox
    sandbox.runtime.close()


@pytest.fixture
def additions(seeded, monkeypatch) -> list[object]:
    """The seeds that are added from now on."""
    seeds: list[object] = []
    add = seeded.seed
    monkeypatch.setattr(seeded, "seed", lambda seed: (seeds.append(seed), add(seed)))
    return seeds


def dump(sandbox: Sandbox) -> list[str]:
    return list(sandbox.runtime.db.iterdump())


def contents(sandbox: Sandbox) -> set[str]:
    return {path.name for path in (sandbox.runtime.state_path / "files").glob("??/*")}


def change(sandbox: Sandbox) -> None:
    """Change rows, switches, file contents and the clock."""
    db = sandbox.runtime.db
    db.execute("DELETE FROM artifact_items")
    db.execute("UPDATE review_users SET ltoken = 'changed'")
    sandbox.runtime.set_switches({"ci": {"csrf": False}, "artifact": {"version": "5.4.6"}})
    sandbox.runtime.files.put_bytes(b"added")
    sandbox.runtime.clock.set(0)


def test_reset_restores_database_files_switches_and_clock_without_the_seed(seeded, additions):
    before = dump(seeded), contents(seeded), seeded.runtime.all_switches()
    change(seeded)
    seeded.reset()
    assert (dump(seeded), contents(seeded), seeded.runtime.all_switches()) == before
    assert seeded.runtime.clock.offset == 0
    assert additions == []


def test_reset_adds_the_seed_again_if_a_content_is_missing(seeded, additions):
    before = contents(seeded)
    seeded.runtime.files.remove(next(iter(before)))
    seeded.reset()
    assert contents(seeded) == before
    assert len(additions) == 1


def test_reset_adds_the_seed_again_while_a_query_of_the_connection_is_open(seeded, additions):
    before = contents(seeded)
    rows = seeded.runtime.db.execute("SELECT * FROM artifact_items")
    rows.fetchone()
    change(seeded)
    seeded.reset()
    rows.close()
    assert contents(seeded) == before
    assert len(additions) == 1


@pytest.mark.parametrize(("name", "value"), [("LIFETIME", -1.0), ("MAX_PAGES", 1)])
def test_reset_adds_the_seed_again_if_the_copy_is_old_or_the_database_large(
    seeded, additions, monkeypatch, name, value
):
    monkeypatch.setattr(image, name, value)
    seeded._image = image.Image(seeded.runtime.db, seeded.runtime.files, contents(seeded))
    seeded.reset()
    assert len(additions) == 1


def test_streams_of_other_connections_keep_their_rows_during_a_reset(seeded):
    with seeded.runtime.readers._connection() as reader:
        rows = reader.execute("SELECT path FROM artifact_items ORDER BY path")
        first = rows.fetchone()
        count = seeded.runtime.db.execute("SELECT count(*) FROM artifact_items").fetchone()[0]
        change(seeded)
        seeded.reset()
        assert len([first, *rows]) == count
