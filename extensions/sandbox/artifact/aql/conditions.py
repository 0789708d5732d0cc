# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A field compared with a value, as SQL."""

from __future__ import annotations

import operator as python
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .domains import Field, Kind
from .errors import QueryError, QueryFailure
from .values import (
    LONGEST,
    glob,
    moment,
    number,
    virtual_name,
)

SIGNS = {"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
PATTERNS = {"match": "GLOB", "nmatch": "NOT GLOB"}
# The column tells folders from files by 1 and 0, the server files from folders
TYPE_SIGNS = {"eq": "=", "ne": "<>", "gt": "<", "gte": "<=", "lt": ">", "lte": ">="}
ANY_TYPE = "any"


@dataclass(frozen=True)
class Comparison:
    """A condition in SQL, with its parameters in order."""

    sql: str
    parameters: list[Any] = field(default_factory=list)


def compare(operator: str, value: str | None, described: Field, column: str) -> Comparison:
    """A field in its column compared with a value.

    :raises QueryError: for a value that the field cannot have
    :raises QueryFailure: where the server fails
    """
    if value is None:
        return _null(operator, column)
    if described.kind is Kind.TYPE:
        return _type(operator, value, column)
    if operator in ("eqic", "matchic"):
        return _any_case(operator, value, column)
    wanted = _value(described.kind, value)
    if operator in PATTERNS:
        if described.kind is not Kind.TEXT:
            raise QueryFailure
        return _with_nothing(operator == "nmatch", f"{column} {PATTERNS[operator]} ?", column, glob(value))
    # What is nothing differs from every value, but only where the field can be nothing
    return _with_nothing(operator == "ne" and described.nullable, f"{column} {SIGNS[operator]} ?", column, wanted)


def members_meant(operator: str, value: str | None, virtual: Mapping[str, Sequence[str]]) -> list[str]:
    """The members of all virtual repositories whose keys meet a condition, or are those that it excludes.

    :raises QueryFailure: where the server stumbles over null
    """
    meets = _key_test(operator, value, bool(virtual))
    return list(dict.fromkeys(member for key, members in virtual.items() if meets(key) for member in members))


def _key_test(operator: str, value: str | None, any_virtual: bool) -> Callable[[str], bool]:
    if operator in ("eq", "ne"):
        return lambda key: key == value
    if value is None:
        if operator in PATTERNS or any_virtual:
            raise QueryFailure
        return lambda key: False
    if operator in PATTERNS:
        pattern = virtual_name(value)
        return lambda key: bool(pattern.fullmatch(key))
    if operator in ("eqic", "matchic"):
        pattern = re.compile(virtual_name(value).pattern if operator == "matchic" else re.escape(value), re.IGNORECASE)
        return lambda key: bool(pattern.fullmatch(key))
    comes = {"gt": python.gt, "gte": python.ge, "lt": python.lt, "lte": python.le}[operator]
    return lambda key: bool(comes(key, value))


def _null(operator: str, column: str) -> Comparison:
    if operator not in ("eq", "ne"):
        raise QueryError(
            "Illegal syntax the 'null' values are allowed to use only with equals and not equals operators.\n"
        )
    return Comparison(f"{column} IS {'NOT ' if operator == 'ne' else ''}NULL")


def _type(operator: str, value: str, column: str) -> Comparison:
    if value == ANY_TYPE:
        return Comparison(f"{column} IN (0, 1)")
    if operator not in TYPE_SIGNS:
        raise QueryFailure
    return Comparison(f"{column} {TYPE_SIGNS[operator]} ?", [int(value == "folder")])


def _any_case(operator: str, value: str, column: str) -> Comparison:
    sign, wanted = ("=", value) if operator == "eqic" else ("GLOB", glob(value))
    return Comparison(f"lower({column}) {sign} lower(?)", [wanted])


def _value(kind: Kind, value: str) -> Any:
    if kind is Kind.LONG:
        return number(value, LONGEST, "long")
    if kind is Kind.INTEGER:
        return number(value, 2**31, "integer")
    if kind is Kind.DATE:
        return moment(value)
    return value


def _with_nothing(nothing_too: bool, sql: str, column: str, *parameters: Any) -> Comparison:
    return Comparison(f"({sql} OR {column} IS NULL)" if nothing_too else sql, list(parameters))
