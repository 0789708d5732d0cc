# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of settings that the service only keeps and returns."""

from __future__ import annotations

import json
from typing import Any

from ..state import State

SCHEMA = """
CREATE TABLE artifact_platform_objects (
    kind TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (kind, key)
);
"""


def find(state: State, kind: str, key: str) -> dict[str, Any] | None:
    """Return an object, or null if it does not exist."""
    query = "SELECT value FROM artifact_platform_objects WHERE kind = ? AND key = ?"
    row = state.runtime.db.execute(query, (kind, key)).fetchone()
    return None if row is None else json.loads(row["value"])


def list_all(state: State, kind: str) -> list[dict[str, Any]]:
    """Return all objects of a kind in the order of their creation."""
    query = "SELECT value FROM artifact_platform_objects WHERE kind = ? ORDER BY rowid"
    return [json.loads(row["value"]) for row in state.runtime.db.execute(query, (kind,))]


def count(state: State) -> int:
    """Return the number of objects of all kinds."""
    return int(state.runtime.db.execute("SELECT count(*) FROM artifact_platform_objects").fetchone()[0])


def save(state: State, kind: str, key: str, value: dict[str, Any]) -> None:
    """Create or replace an object."""
    state.runtime.db.execute(
        "INSERT INTO artifact_platform_objects VALUES (?, ?, ?)"
        " ON CONFLICT (kind, key) DO UPDATE SET value = excluded.value",
        (kind, key, json.dumps(value)),
    )


def delete(state: State, kind: str, key: str) -> bool:
    """Delete an object. Return whether it existed."""
    query = "DELETE FROM artifact_platform_objects WHERE kind = ? AND key = ?"
    return bool(state.runtime.db.execute(query, (kind, key)).rowcount)
