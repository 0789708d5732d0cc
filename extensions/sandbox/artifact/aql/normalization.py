# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Normalization of criteria before compilation: relative times become times, and the type `any` is removed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .conditions import ANY_TYPE
from .domains import Kind
from .errors import QueryError, QueryFailure
from .parser import Condition, Group
from .values import subtract_relative_time

TYPES = ("file", "folder", ANY_TYPE)
AGES = {"last": "gt", "before": "lt"}


def normalize(group: Group, now: float) -> Group:
    """Return the criteria without relative times and redundant types.

    :raises QueryError: if a relative time or a type is invalid
    :raises QueryFailure: if a type is null
    """
    group = _transform(group, lambda condition: _resolve_relative_time(condition, now))
    types = [condition.value for condition in iterate_conditions(group) if is_type_condition(condition)]
    if None in types:
        raise QueryFailure
    for value in types:
        if value not in TYPES:
            raise QueryError(f"Invalid file type: {value}, valid types are : file, folder, any")
    # Together with other types, `any` matches files and folders.
    if set(types) == {ANY_TYPE}:
        return _transform(group, lambda condition: None if is_type_condition(condition) else condition)
    return group


def iterate_conditions(group: Group) -> Iterator[Condition]:
    """Yield all conditions of a group and its subgroups."""
    for member in group.members:
        if isinstance(member, Group):
            yield from iterate_conditions(member)
        else:
            yield member


def is_type_condition(condition: Condition) -> bool:
    """Return whether a condition compares the type of items."""
    path = condition.path
    return path.field is not None and path.domain.by_name[path.field].kind is Kind.TYPE


def _resolve_relative_time(condition: Condition, now: float) -> Condition:
    if condition.operator not in AGES:
        return condition
    assert condition.value is not None
    millis = round(subtract_relative_time(condition.value, now) * 1000)
    return replace(condition, operator=AGES[condition.operator], value=str(millis))


def _transform(group: Group, change: Callable[[Condition], Condition | None]) -> Group:
    members = [_transform(member, change) if isinstance(member, Group) else change(member) for member in group.members]
    return Group(group.kind, tuple(member for member in members if member is not None))
