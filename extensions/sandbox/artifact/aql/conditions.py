# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparisons of a field with a value, as SQL."""

from __future__ import annotations

import operator as python
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .domains import Field, Kind
from .errors import QueryError, QueryFailure
from .values import LONG_LIMIT, compile_virtual_pattern, parse_date, parse_number, to_sqlite_glob

SQL_OPERATORS = {"eq": "=", "ne": "<>", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
PATTERN_OPERATORS = {"match": "GLOB", "nmatch": "NOT GLOB"}
# The column is 1 for folders and 0 for files; the server's order is the reverse.
TYPE_OPERATORS = {"eq": "=", "ne": "<>", "gt": "<", "gte": "<=", "lt": ">", "lte": ">="}
ANY_TYPE = "any"


@dataclass(frozen=True)
class Comparison:
    """An SQL condition with its parameters."""

    sql: str
    parameters: list[Any] = field(default_factory=list)


def compare_field(operator: str, value: str | None, field: Field, column: str) -> Comparison:
    """Return the comparison of a field's column with a value.

    :raises QueryError: if the field cannot have the value
    :raises QueryFailure: if the real server fails
    """
    if value is None:
        return _compare_null(operator, column)
    if field.kind is Kind.TYPE:
        return _compare_type(operator, value, column)
    if operator in ("eqic", "matchic"):
        return _compare_ignoring_case(operator, value, column)
    operand = _convert_value(field.kind, value)
    if operator in PATTERN_OPERATORS:
        if field.kind is not Kind.TEXT:
            raise QueryFailure
        return _include_null(
            operator == "nmatch", f"{column} {PATTERN_OPERATORS[operator]} ?", column, to_sqlite_glob(value)
        )
    # For nullable fields, null differs from every value.
    return _include_null(operator == "ne" and field.nullable, f"{column} {SQL_OPERATORS[operator]} ?", column, operand)


def select_members(operator: str, value: str | None, virtual: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the members of all virtual repositories whose keys satisfy a condition.

    For negated operators these are the members that the condition excludes.

    :raises QueryFailure: if the real server fails on null
    """
    predicate = _create_key_predicate(operator, value, bool(virtual))
    return list(dict.fromkeys(member for key, members in virtual.items() if predicate(key) for member in members))


def _create_key_predicate(operator: str, value: str | None, has_virtual: bool) -> Callable[[str], bool]:
    if operator in ("eq", "ne"):
        return lambda key: key == value
    if value is None:
        if operator in PATTERN_OPERATORS or has_virtual:
            raise QueryFailure
        return lambda _key: False
    if operator in PATTERN_OPERATORS:
        pattern = compile_virtual_pattern(value)
        return lambda key: bool(pattern.fullmatch(key))
    if operator in ("eqic", "matchic"):
        pattern = re.compile(
            compile_virtual_pattern(value).pattern if operator == "matchic" else re.escape(value), re.IGNORECASE
        )
        return lambda key: bool(pattern.fullmatch(key))
    compare = {"gt": python.gt, "gte": python.ge, "lt": python.lt, "lte": python.le}[operator]
    return lambda key: bool(compare(key, value))


def _compare_null(operator: str, column: str) -> Comparison:
    if operator not in ("eq", "ne"):
        raise QueryError(
            "Illegal syntax the 'null' values are allowed to use only with equals and not equals operators.\n"
        )
    return Comparison(f"{column} IS {'NOT ' if operator == 'ne' else ''}NULL")


def _compare_type(operator: str, value: str, column: str) -> Comparison:
    if value == ANY_TYPE:
        return Comparison(f"{column} IN (0, 1)")
    if operator not in TYPE_OPERATORS:
        raise QueryFailure
    return Comparison(f"{column} {TYPE_OPERATORS[operator]} ?", [int(value == "folder")])


def _compare_ignoring_case(operator: str, value: str, column: str) -> Comparison:
    sign, operand = ("=", value) if operator == "eqic" else ("GLOB", to_sqlite_glob(value))
    return Comparison(f"lower({column}) {sign} lower(?)", [operand])


def _convert_value(kind: Kind, value: str) -> Any:
    if kind is Kind.LONG:
        return parse_number(value, LONG_LIMIT, "long")
    if kind is Kind.INTEGER:
        return parse_number(value, 2**31, "integer")
    if kind is Kind.DATE:
        return parse_date(value)
    return value


def _include_null(includes_null: bool, sql: str, column: str, *parameters: Any) -> Comparison:
    return Comparison(f"({sql} OR {column} IS NULL)" if includes_null else sql, list(parameters))
