# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the state, for people: SQL queries or functions, and the tables below their rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Query = str | Callable[[sqlite3.Connection], list[dict[str, Any]]]


@dataclass(frozen=True)
class StateTables:
    """The tables of a service. They must not contain secrets.

    :arg queries: queries of the tables at the top, by name
    :arg nested_queries: SQL queries of the tables below a row, by name. `:parent` is the ID of the row: its column
        `_id` or, without that, its first column
    :arg nested: names of the tables below each row of a table. A column `_nested` of the row, separated by commas,
        replaces them
    """

    queries: Mapping[str, Query]
    nested_queries: Mapping[str, str] = field(default_factory=dict)
    nested: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def read(self, db: sqlite3.Connection, name: str, parent: str | None, offset: int, limit: int) -> dict[str, Any]:
        """Return the `total` number of rows of a table, some of its `rows`, and the names of the `nested` tables.

        :arg parent: ID of the row that the table is below
        :raises KeyError: if the table does not exist
        """
        query = self.queries[name] if parent is None else self.nested_queries[name]
        nested = list(self.nested.get(name, ()))
        if not isinstance(query, str):
            all_rows = query(db)
            return {"total": len(all_rows), "rows": all_rows[offset : offset + limit], "nested": nested}
        (total,) = db.execute(f"SELECT count(*) FROM ({query})", {"parent": parent}).fetchone()
        values = {"parent": parent, "limit": limit, "offset": offset}
        rows = db.execute(f"SELECT * FROM ({query}) LIMIT :limit OFFSET :offset", values)
        return {"total": total, "rows": [dict(row) for row in rows], "nested": nested}
