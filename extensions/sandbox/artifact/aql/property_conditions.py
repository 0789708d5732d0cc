# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conditions on properties, as SQL for a row of properties."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from .conditions import Comparison, compare_field
from .domains import Domain, Field
from .errors import QueryError
from .parser import Condition

OPPOSITES = {"ne": "eq", "nmatch": "match"}


class Part(NamedTuple):
    """The part of a condition that concerns the key or the value."""

    field: Field
    operator: str
    value: str | None


def is_negated(condition: Condition) -> bool:
    """Return whether a condition has a negated operator."""
    return condition.operator in OPPOSITES


def compile_row(condition: Condition, domain: Domain, alias: str) -> Comparison:
    """Return the condition on a row of properties; for a negated condition, its opposite."""
    operator = OPPOSITES.get(condition.operator, condition.operator)
    parts = [_compare_part(part, alias) for part in _split_condition(condition, domain, operator, "eq")]
    return Comparison(" AND ".join(part.sql for part in parts), [value for part in parts for value in part.parameters])


def compile_negated_row(condition: Condition, domain: Domain, alias: str) -> Comparison:
    """Return a negated condition on a row of properties that may be missing: key or value differs."""
    parts = [
        _compare_part(part, alias)
        for part in _split_condition(condition, domain, condition.operator, condition.operator)
    ]
    joined = " OR ".join(part.sql for part in parts)
    return Comparison(f"({joined})", [value for part in parts for value in part.parameters])


def validate(condition: Condition, domain: Domain) -> None:
    """Fail for conditions on which the real server fails.

    The server searches properties of builds and modules among those of items.

    :raises QueryError: if the server fails on the condition
    """
    is_build_property = domain.name != "properties"
    is_single = len(_split_condition(condition, domain, condition.operator, "eq")) == 1
    if (
        is_build_property
        and is_single
        and (condition.operator == "nmatch" or (condition.operator, condition.value) == ("ne", None))
    ):
        raise QueryError("Failed to execute the following sql query")


def _split_condition(condition: Condition, domain: Domain, operator: str, key_operator: str) -> list[Part]:
    """Return the parts that concern key and value. If both are compared, the key is compared with `key_operator`."""
    key, value = domain.by_name["key"], domain.by_name["value"]
    if condition.path.field is not None:
        return [Part(domain.by_name[condition.path.field], operator, condition.value)]
    # The value of a property key is a string even if it is null.
    value_text = "null" if condition.value is None else condition.value
    if value_text.strip() == "*":
        return [Part(key, operator, condition.path.key)]
    if condition.path.key == "*":
        return [Part(value, operator, value_text)]
    return [Part(key, key_operator, condition.path.key), Part(value, operator, value_text)]


def _compare_part(part: Part, alias: str) -> Comparison:
    column = part.field.column.format(t=alias)
    if _excludes_empty(part):
        column = column.replace(f"nullif({alias}.value, '')", f"{alias}.value")
    return compare_field(part.operator, part.value, replace(part.field, nullable=True), column)


def _excludes_empty(part: Part) -> bool:
    """Return whether a condition cannot match an empty value, so that the index on plain values is usable."""
    if part.operator in ("eq", "gt", "gte"):
        return bool(part.value)
    return part.operator == "match" and bool((part.value or "").strip("*"))
