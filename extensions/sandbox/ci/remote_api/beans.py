# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported beans, and the selection of their members."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

ALWAYS = 999


@dataclass(frozen=True)
class Property:
    """An exported member. It is shown if its visibility is at least the level of the pruner."""

    name: str
    value: Any
    visibility: int = 1
    inline: bool = False


class Bean:
    """An exported object.

    :arg typed: whether `_class` is exported where the object is a member of another one
    """

    def __init__(self, class_name: str, *properties: Property, typed: bool = True) -> None:
        self.class_name = class_name
        self.properties = properties
        self.typed = typed

    @property
    def simple_name(self) -> str:
        """Return the name of the XML root element: the decapitalized simple class name."""
        name = re.split(r"[.$]", self.class_name)[-1]
        return name if name[:2].isupper() else name[0].lower() + name[1:]


def opaque_bean() -> Bean:
    """Return an object of a class without exported members: `{}`."""
    return Bean("java.lang.Object", typed=False)


class DepthPruner:
    """Select members by their visibility."""

    def __init__(self, level: int) -> None:
        self._level = level

    def accept(self, member: Property) -> DepthPruner | None:
        """Return the pruner for the value of a member, or None if the member is hidden."""
        if member.visibility < self._level:
            return None
        return self if member.inline else DepthPruner(self._level + 1)

    def cut(self, items: list[Any]) -> list[Any]:
        """Return the selected part of a list."""
        return items


@dataclass
class TreePruner:
    """Select members with a `tree` expression."""

    children: dict[str, TreePruner] = field(default_factory=dict)
    start: int = 0
    end: int | None = None

    def accept(self, member: Property) -> TreePruner | None:
        """Return the pruner for the value of a member, or None if the tree does not name it."""
        return self.children.get(member.name) or self.children.get("*")

    def cut(self, items: list[Any]) -> list[Any]:
        """Return the range of a list that the tree selects."""
        return items[self.start : self.end]


Pruner = DepthPruner | TreePruner


def export(bean: Bean, pruner: Pruner) -> dict[str, Any]:
    """Return the selected members as plain data."""
    return {"_class": bean.class_name, **_members(bean, pruner)}


def _members(bean: Bean, pruner: Pruner) -> dict[str, Any]:
    data = {}
    for member in bean.properties:
        inner = pruner.accept(member)
        if inner is not None:
            value = member.value() if callable(member.value) else member.value
            data[member.name] = _to_plain_data(value, inner)
    return data


def _to_plain_data(value: Any, pruner: Pruner) -> Any:
    if isinstance(value, Bean):
        return export(value, pruner) if value.typed else _members(value, pruner)
    if isinstance(value, dict):
        return {name: _to_plain_data(item, pruner) for name, item in value.items()}
    if isinstance(value, list):
        return [_to_plain_data(item, pruner) for item in pruner.cut(value)]
    return value
