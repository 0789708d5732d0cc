# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which modules a file belongs to, and so who sees its issues."""

from __future__ import annotations

import functools
import json
import re
import sqlite3
from collections.abc import Iterable

from ..parsing import globs
from ..parsing.globs import Glob
from .call import Call
from .conditions import NEVER, Condition, either
from .query import Value
from .storage import DEFAULT_MODULE


class ModulePaths:
    """The modules of a project; what belongs to none of them is in the default one."""

    def __init__(self, call: Call, project: str) -> None:
        rows = call.db.execute("SELECT * FROM review_modules WHERE project = ? ORDER BY id", (project,)).fetchall()
        self._default = [row for row in rows if row["name"] == DEFAULT_MODULE]
        self._named = [row for row in rows if row["name"] != DEFAULT_MODULE]
        self._sees_all = call.access.has("manage_modules", project)
        self._user, self._groups = call.access.user, _groups_of(call)
        call.db.create_function("in_path", 2, _in_path, deterministic=True)

    def visible(self) -> Condition | None:
        """The files that the caller may see; None for all."""
        hidden = [row for row in (*self._named, *self._default) if not self._lets_in(row)]
        if self._sees_all or not hidden:
            return None
        return either(self._condition(row) for row in (*self._named, *self._default) if row not in hidden)

    def named(self, value: Value) -> Condition:
        """The files of the modules whose names fit."""
        sought = value.text.lower()
        rows = [*self._named, *self._default]
        names = {id(row): row["name"].lower() for row in rows}
        fits = [row for row in rows if names[id(row)] == sought or (not value.exact and sought in names[id(row)])]
        return either(map(self._condition, fits)) if fits else NEVER

    def names(self, file: str) -> list[str]:
        """Those of the modules that a file belongs to."""
        found = [row["name"] for row in self._named if any(_in_path(file, path) for path in json.loads(row["paths"]))]
        return found or [DEFAULT_MODULE]

    def _condition(self, row: sqlite3.Row) -> Condition:
        if row["name"] != DEFAULT_MODULE:
            return _of_paths(json.loads(row["paths"]))
        others = either(map(self._condition, self._named))
        return Condition(f"NOT {others.sql}", others.arguments)

    def _lets_in(self, row: sqlite3.Row) -> bool:
        """Being denied counts more than being allowed."""
        if self._listed(row, "deny"):
            return False
        return bool(row["allow_all"]) or self._listed(row, "allow")

    def _listed(self, row: sqlite3.Row, kind: str) -> bool:
        return self._user in json.loads(row[f"{kind}_users"]) or bool(
            self._groups & set(json.loads(row[f"{kind}_groups"]))
        )


def _of_paths(patterns: Iterable[str]) -> Condition:
    return either(Condition("in_path(file, ?)", (pattern,)) for pattern in patterns)


def _groups_of(call: Call) -> set[str]:
    rows = call.db.execute("SELECT group_name FROM review_members WHERE user_name = ?", (call.access.user,))
    return {row["group_name"] for row in rows}


def _in_path(file: str, pattern: str) -> bool:
    return _compiled(pattern).fullmatch(file)


@functools.lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Glob:
    """`**` stands for any folders, `*` for anything without a slash, `?` for one such character."""
    signs = {"**/": globs.FOLDERS, "**": globs.ANY, "*": globs.IN_FOLDER, "?": globs.ONE_IN_FOLDER}
    parts = re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", pattern)
    return Glob(signs.get(part, part) for part in parts)
