# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A condition on properties, as SQL on one row of them."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from .conditions import Comparison, compare
from .domains import Domain, Field
from .errors import QueryError
from .parser import Condition

OPPOSITES = {"ne": "eq", "nmatch": "match"}


class Part(NamedTuple):
    """What a condition says of the key or of the value."""

    field: Field
    operator: str
    value: str | None


def is_negated(condition: Condition) -> bool:
    """Whether it is the opposite of another."""
    return condition.operator in OPPOSITES


def row(condition: Condition, domain: Domain, alias: str) -> Comparison:
    """A condition, or what a negated one is the opposite of, on a row of properties."""
    operator = OPPOSITES.get(condition.operator, condition.operator)
    parts = [_compared(part, alias) for part in _parts(condition, domain, operator, "eq")]
    return Comparison(" AND ".join(part.sql for part in parts), [value for part in parts for value in part.parameters])


def other_row(condition: Condition, domain: Domain, alias: str) -> Comparison:
    """A negated condition on a row of properties: key or value is another; there may be none."""
    parts = [_compared(part, alias) for part in _parts(condition, domain, condition.operator, condition.operator)]
    joined = " OR ".join(part.sql for part in parts)
    return Comparison(f"({joined})", [value for part in parts for value in part.parameters])


def check(condition: Condition, domain: Domain) -> None:
    """Refuse what makes the server's SQL fail: it looks for properties of builds and modules among those of items.

    :raises QueryError: for such a condition
    """
    find_build_artifacts = domain.name != "properties"
    single = len(_parts(condition, domain, condition.operator, "eq")) == 1
    if (
        find_build_artifacts
        and single
        and (condition.operator == "nmatch" or (condition.operator, condition.value) == ("ne", None))
    ):
        raise QueryError("Failed to execute the following sql query")


def _parts(condition: Condition, domain: Domain, operator: str, of_key: str) -> list[Part]:
    """What is said of key and value; where both are meant, the key is compared by the operator `of_key`."""
    key, value = domain.by_name["key"], domain.by_name["value"]
    if condition.path.field is not None:
        return [Part(domain.by_name[condition.path.field], operator, condition.value)]
    # Behind a key even null is a text
    text = "null" if condition.value is None else condition.value
    if text.strip() == "*":
        return [Part(key, operator, condition.path.key)]
    if condition.path.key == "*":
        return [Part(value, operator, text)]
    return [Part(key, of_key, condition.path.key), Part(value, operator, text)]


def _compared(part: Part, alias: str) -> Comparison:
    column = part.field.column.format(t=alias)
    if _misses_empty(part):
        column = column.replace(f"nullif({alias}.value, '')", f"{alias}.value")
    return compare(part.operator, part.value, replace(part.field, nullable=True), column)


def _misses_empty(part: Part) -> bool:
    """Whether an empty text cannot meet it, be it kept as one or as nothing: an index has the values as they are."""
    if part.operator in ("eq", "gt", "gte"):
        return bool(part.value)
    return part.operator == "match" and bool((part.value or "").strip("*"))
