# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The builds that a query is about."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from .protocol import ActionError, not_found
from .query import Term, Value

EXACT_SINCE = 24  # the major version from which on a search for a build is always exact


class Builds(NamedTuple):
    """What lies after one build, up to another: what came in it is new, what went in it is fixed."""

    before: int
    last: int
    any: bool = False  # what went earlier counts, too

    def state(self) -> str:
        """The state of an issue as an expression in SQL; NULL where it is not in the build."""
        gone = f"fixed_in <= {self.last}" if self.any else f"fixed_in > {self.before} AND fixed_in <= {self.last}"
        seen = "" if self.any else f" AND found_in <= {self.before}"
        return f"""
            CASE WHEN {gone}{seen} THEN 'Fixed'
                WHEN coalesce(fixed_in <= {self.last}, 0) OR found_in > {self.last} THEN NULL
                WHEN found_in > {self.before} THEN 'New'
                ELSE 'Existing' END
        """


def chosen(listed: list[sqlite3.Row], terms: Iterable[Term], version: int) -> Builds:
    """The builds that the terms name, the last one unless told.

    :arg listed: the builds of the project, the newest one first
    """
    named = [term for term in terms if term.keyword in ("build", "diff")]
    if not named:
        return _one(listed, 0)
    term = named[0]
    wanted = 2 if term.keyword == "diff" else 1
    if len(named) > 1 or len(term.values) != wanted or term.excluded:
        raise ActionError(400, "A search takes one build, or two builds as diff:one,other")
    if term.keyword == "diff":
        ids = sorted(listed[_find(listed, value, version)]["id"] for value in term.values)
        return Builds(*ids)
    value = term.values[0]
    if value.text.lower() == "any" and not value.exact:
        return _one(listed, 0)._replace(any=True)
    return _one(listed, _find(listed, value, version))


def _one(listed: list[sqlite3.Row], place: int) -> Builds:
    """The build at a place of the list, against the one before it."""
    ids = [row["id"] for row in listed[place : place + 2]]
    return Builds(ids[1] if len(ids) > 1 else 0, ids[0] if ids else 0)


def _find(listed: list[sqlite3.Row], value: Value, version: int) -> int:
    """Older servers look for a part of the name, unless told with `+`; both know builds by their ids."""
    plain = not value.exact and not value.quoted
    if plain and version >= EXACT_SINCE and value.text.lower() == "last" and listed:
        return 0
    if plain and value.text.isdecimal():
        found = [place for place, row in enumerate(listed) if row["id"] == int(value.text)]
        if found or version >= EXACT_SINCE:
            return _first(found, value)
    contains = not value.exact and version < EXACT_SINCE
    sought = value.text.lower()
    names = enumerate(row["name"].lower() for row in listed)
    return _first([place for place, name in names if name == sought or (contains and sought in name)], value)


def _first(found: list[int], value: Value) -> int:
    if not found:
        raise not_found("Build", value.text)
    return found[0]
