# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the AQL of a version knows, and how it reports errors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# The versions that introduced fields, domains, methods and operators.
FIELD_VERSIONS = {
    ("items", "virtual_repos"): "5.0",
    ("items", "sha256"): "5.5",
    ("items", "repo_path_checksum"): "6.0",
    ("builds", "started"): "6.0",
}
DOMAIN_VERSIONS = {"releases": "6.0", "release_artifacts": "6.0"}
ACTIONS = "5.0"
AGES = "5.0"
TRANSITIVE_QUERIES = "7.0"
FAILED = "5.0"
NUMBERS_ARE_READ_FIRST = "6.0"
NEGATIVE_LIMITS = "5.0"
LIMIT_ZERO = "6.0"


@dataclass(frozen=True)
class Dialect:
    """The AQL of a version.

    :ivar missing_fields: domain and name of the fields that it lacks
    :ivar missing_domains: names of the domains that it lacks
    :ivar has_actions: whether it knows `items.delete` and `properties.update`
    :ivar has_ages: whether it knows `$last` and `$before`
    :ivar has_transitive: whether queries can be transitive
    :ivar reads_numbers: whether a syntax error after a number is reported behind the number
    :ivar verb: first word of syntax errors
    :ivar has_limit_zero: whether a limit may be 0
    :ivar has_negative_limits: whether a limit may be negative
    """

    missing_fields: frozenset[tuple[str, str]] = frozenset()
    missing_domains: frozenset[str] = frozenset()
    has_actions: bool = True
    has_ages: bool = True
    has_transitive: bool = True
    reads_numbers: bool = True
    verb: str = "Failed"
    has_limit_zero: bool = True
    has_negative_limits: bool = True

    def permits_limit(self, limit: int | None) -> bool:
        """Return whether the server can execute a query with a limit."""
        if limit == 0:
            return self.has_limit_zero
        return limit is None or limit > 0 or self.has_negative_limits


def create_dialect(supports: Callable[[str], bool]) -> Dialect:
    """Return the dialect of a version.

    :arg supports: returns whether the version is at least a given one
    """
    return Dialect(
        missing_fields=frozenset(name for name, version in FIELD_VERSIONS.items() if not supports(version)),
        missing_domains=frozenset(name for name, version in DOMAIN_VERSIONS.items() if not supports(version)),
        has_actions=supports(ACTIONS),
        has_ages=supports(AGES),
        has_transitive=supports(TRANSITIVE_QUERIES),
        reads_numbers=supports(NUMBERS_ARE_READ_FIRST),
        verb="Failed" if supports(FAILED) else "Fail",
        has_limit_zero=supports(LIMIT_ZERO),
        has_negative_limits=supports(NEGATIVE_LIMITS),
    )
