# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Assignment of files to modules, which determines who may see their issues."""

from __future__ import annotations

import functools
import json
import re
import sqlite3
from collections.abc import Iterable

from ...parsing import globs
from ...parsing.globs import Glob
from ..api.call import Call
from ..issues.conditions import NEVER, Condition, join_or
from ..issues.query import Value
from ..storage import DEFAULT_MODULE


class ModulePaths:
    """The modules of a project. Files that match no module belong to the default module."""

    def __init__(self, call: Call, project: str) -> None:
        """Load the modules of a project, and register the SQL function `in_path`."""
        rows = call.db.execute("SELECT * FROM review_modules WHERE project = ? ORDER BY id", (project,)).fetchall()
        self._default = [row for row in rows if row["name"] == DEFAULT_MODULE]
        self._named = [row for row in rows if row["name"] != DEFAULT_MODULE]
        self._sees_all = call.access.has("manage_modules", project)
        self._user, self._groups = call.access.user, _load_groups(call)
        call.db.create_function("in_path", 2, _matches_path, deterministic=True)

    def visibility_condition(self) -> Condition | None:
        """Return the condition for files that the caller may see, or null if these are all files."""
        hidden = [row for row in (*self._named, *self._default) if not self._allows_caller(row)]
        if self._sees_all or not hidden:
            return None
        return join_or(self._condition(row) for row in (*self._named, *self._default) if row not in hidden)

    def name_condition(self, value: Value) -> Condition:
        """Return the condition for files of the modules whose names match a value."""
        text = value.text.lower()
        rows = [*self._named, *self._default]
        names = {id(row): row["name"].lower() for row in rows}
        matching = [row for row in rows if names[id(row)] == text or (not value.exact and text in names[id(row)])]
        return join_or(map(self._condition, matching)) if matching else NEVER

    def find_names(self, file: str) -> list[str]:
        """Return the names of the modules to which a file belongs."""
        names = [
            row["name"] for row in self._named if any(_matches_path(file, path) for path in json.loads(row["paths"]))
        ]
        return names or [DEFAULT_MODULE]

    def _condition(self, row: sqlite3.Row) -> Condition:
        if row["name"] != DEFAULT_MODULE:
            return _path_condition(json.loads(row["paths"]))
        others = join_or(map(self._condition, self._named))
        return Condition(f"NOT {others.sql}", others.arguments)

    def _allows_caller(self, row: sqlite3.Row) -> bool:
        """Return whether the caller has access to a module. Denials take precedence."""
        if self._contains_caller(row, "deny"):
            return False
        return bool(row["allow_all"]) or self._contains_caller(row, "allow")

    def _contains_caller(self, row: sqlite3.Row, kind: str) -> bool:
        return self._user in json.loads(row[f"{kind}_users"]) or bool(
            self._groups & set(json.loads(row[f"{kind}_groups"]))
        )


def _path_condition(patterns: Iterable[str]) -> Condition:
    return join_or(Condition("in_path(file, ?)", (pattern,)) for pattern in patterns)


def _load_groups(call: Call) -> set[str]:
    rows = call.db.execute("SELECT group_name FROM review_members WHERE user_name = ?", (call.access.user,))
    return {row["group_name"] for row in rows}


def _matches_path(file: str, pattern: str) -> bool:
    return _compile_glob(pattern).fullmatch(file)


@functools.lru_cache(maxsize=1024)
def _compile_glob(pattern: str) -> Glob:
    """Compile a pattern. `**` matches any path, `*` any text without a slash, `?` one character except a slash."""
    wildcards = {"**/": globs.FOLDERS, "**": globs.ANY, "*": globs.IN_FOLDER, "?": globs.ONE_IN_FOLDER}
    parts = re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", pattern)
    return Glob(wildcards.get(part, part) for part in parts)
