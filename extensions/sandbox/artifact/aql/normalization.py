# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Criteria as the server settles them before it asks its database: ages become times, and the type `any` vanishes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from .conditions import ANY_TYPE
from .domains import Kind
from .errors import QueryError, QueryFailure
from .parser import Condition, Group
from .values import before

TYPES = ("file", "folder", ANY_TYPE)
AGES = {"last": "gt", "before": "lt"}


def criteria(group: Group, now: float) -> Group:
    """The criteria with times for ages, and with no more types than matter.

    :raises QueryError: for ages and types that are none
    :raises QueryFailure: for a type that is null
    """
    group = _mapped(group, lambda condition: _dated(condition, now))
    types = [condition.value for condition in conditions_in(group) if is_type(condition)]
    if None in types:
        raise QueryFailure
    for value in types:
        if value not in TYPES:
            raise QueryError(f"Invalid file type: {value}, valid types are : file, folder, any")
    # Beside files and folders, `any` stays, as files or folders
    if set(types) == {ANY_TYPE}:
        return _mapped(group, lambda condition: None if is_type(condition) else condition)
    return group


def conditions_in(group: Group) -> Iterator[Condition]:
    """All conditions of a group and the groups in it."""
    for member in group.members:
        if isinstance(member, Group):
            yield from conditions_in(member)
        else:
            yield member


def is_type(condition: Condition) -> bool:
    """Whether it asks for files or folders."""
    path = condition.path
    return path.field is not None and path.domain.by_name[path.field].kind is Kind.TYPE


def _dated(condition: Condition, now: float) -> Condition:
    if condition.operator not in AGES:
        return condition
    assert condition.value is not None
    then = round(before(condition.value, now) * 1000)
    return replace(condition, operator=AGES[condition.operator], value=str(then))


def _mapped(group: Group, change: Callable[[Condition], Condition | None]) -> Group:
    members = [_mapped(member, change) if isinstance(member, Group) else change(member) for member in group.members]
    return Group(group.kind, tuple(member for member in members if member is not None))
