# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The range of builds that a query selects."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from ..api.protocol import ActionError, not_found
from .query import Term, Value

EXACT_SEARCH_VERSION = 24  # the major version from which on a search for a build is always exact


class BuildRange(NamedTuple):
    """The builds after `previous` up to `last`. Issues found in the range are new, issues fixed in it are fixed."""

    previous: int
    last: int
    includes_earlier: bool = False  # Issues that were fixed before the range count as fixed.

    def state_expression(self) -> str:
        """Return an SQL expression for the state of an issue, NULL if the issue is not in the range."""
        fixed = (
            f"fixed_in <= {self.last}"
            if self.includes_earlier
            else f"fixed_in > {self.previous} AND fixed_in <= {self.last}"
        )
        condition = "" if self.includes_earlier else f" AND found_in <= {self.previous}"
        return f"""
            CASE WHEN {fixed}{condition} THEN 'Fixed'
                WHEN coalesce(fixed_in <= {self.last}, 0) OR found_in > {self.last} THEN NULL
                WHEN found_in > {self.previous} THEN 'New'
                ELSE 'Existing' END
        """


def select_builds(builds: list[sqlite3.Row], terms: Iterable[Term], version: int) -> BuildRange:
    """Return the range that the terms of a query select, by default the latest build.

    :arg builds: the builds of the project, newest first
    :raises ActionError: if a term is invalid, or a build does not exist
    """
    build_terms = [term for term in terms if term.keyword in ("build", "diff")]
    if not build_terms:
        return _select_build(builds, 0)
    term = build_terms[0]
    required = 2 if term.keyword == "diff" else 1
    if len(build_terms) > 1 or len(term.values) != required or term.excluded:
        raise ActionError(400, "A search requires one build, or two builds as diff:one,other")
    if term.keyword == "diff":
        ids = sorted(builds[_find_position(builds, value, version)]["id"] for value in term.values)
        return BuildRange(*ids)
    value = term.values[0]
    if value.text.lower() == "any" and not value.exact:
        return _select_build(builds, 0)._replace(includes_earlier=True)
    return _select_build(builds, _find_position(builds, value, version))


def _select_build(builds: list[sqlite3.Row], position: int) -> BuildRange:
    """Return the range of one build."""
    ids = [row["id"] for row in builds[position : position + 2]]
    return BuildRange(ids[1] if len(ids) > 1 else 0, ids[0] if ids else 0)


def _find_position(builds: list[sqlite3.Row], value: Value, version: int) -> int:
    """Return the position of a build by ID or name. Older servers match a part of the name, except after `+`."""
    is_plain = not value.exact and not value.quoted
    if is_plain and version >= EXACT_SEARCH_VERSION and value.text.lower() == "last" and builds:
        return 0
    if is_plain and value.text.isdecimal():
        positions = [position for position, row in enumerate(builds) if row["id"] == int(value.text)]
        if positions or version >= EXACT_SEARCH_VERSION:
            return _require_first(positions, value)
    matches_part = not value.exact and version < EXACT_SEARCH_VERSION
    text = value.text.lower()
    names = enumerate(row["name"].lower() for row in builds)
    return _require_first(
        [position for position, name in names if name == text or (matches_part and text in name)], value
    )


def _require_first(positions: list[int], value: Value) -> int:
    if not positions:
        raise not_found("Build", value.text)
    return positions[0]
