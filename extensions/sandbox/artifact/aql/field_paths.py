# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolution of names in a query: `artifact.module.build.name`, `@os`, `*`."""

from __future__ import annotations

from dataclasses import dataclass

from .domains import DOMAINS, Domain, Kind

# In this domain, unknown names are treated as property keys. It has no properties, so the real server fails.
PROMOTIONS = "build.promotions"


@dataclass(frozen=True)
class Path:
    """A resolved name: the links to follow from the query's domain, and a field, a property key or `*`.

    A path without field and key stands for the whole domain.
    """

    steps: tuple[str, ...]
    domain: Domain
    field: str | None = None
    key: str | None = None

    @property
    def is_about_property(self) -> bool:
        """Whether the path leads to a property or to a field of properties."""
        return self.key is not None or self.domain.owner is not None


class UnknownName(Exception):
    """A name that cannot be resolved; `known` is the number of its characters that were valid."""

    def __init__(self, known_length: int) -> None:
        """Create the error."""
        super().__init__()
        self.known_length = known_length


def resolve_in_condition(domain: Domain, name: str) -> Path:
    """Resolve a name in a condition.

    :raises UnknownName: if it cannot be resolved
    """
    if not domain.owner and domain.name != PROMOTIONS:
        return resolve_in_sort(domain, name)
    try:
        path = resolve_in_sort(domain, name)
    except UnknownName:
        return Path((), domain, key=name)
    return path if path.steps or path.field else Path((), domain, key=name)


def resolve_in_include(domain: Domain, name: str) -> Path:
    """Resolve a name in `include`: a field, a domain, all fields of a domain, or a property key.

    :raises UnknownName: if it cannot be resolved
    """
    return _resolve(domain, name, (), 0, is_include=True)


def resolve_in_sort(domain: Domain, name: str) -> Path:
    """Resolve a name in `sort`. Conditions of most domains use the same names.

    :raises UnknownName: if it cannot be resolved
    """
    path = _resolve(domain, name, (), 0)
    if path.field and path.domain.by_name[path.field].kind is Kind.VIRTUAL_REPOS:
        raise UnknownName(0)
    return path


def _resolve(domain: Domain, rest: str, steps: tuple[str, ...], known_length: int, is_include: bool = False) -> Path:
    try:
        return _resolve_segment(domain, rest, steps, known_length, is_include)
    except UnknownName:
        if not (is_include and domain.owner):
            raise
        return Path(steps, domain, key=rest)  # in `include`, any other name in a property domain is a key


def _resolve_segment(domain: Domain, rest: str, steps: tuple[str, ...], known_length: int, is_include: bool) -> Path:
    if rest.startswith("@") and not (is_include and domain.owner):
        if "property" not in domain.links and not domain.owner:
            raise UnknownName(known_length)
        return Path(steps, domain, key=rest[1:].lstrip())
    name = rest.rstrip()
    if name in domain.by_name or (is_include and name == "*"):
        return Path(steps, domain, field=name)
    step, dot, remainder = rest.partition(".")
    step = step.rstrip()
    if step not in domain.links or not (dot or is_include):
        raise UnknownName(known_length + _known_length(domain, rest))
    target = DOMAINS[domain.links[step].domain]
    if not dot:
        return Path((*steps, step), target)
    return _resolve(target, remainder, (*steps, step), known_length + len(step) + 1, is_include)


def _known_length(domain: Domain, rest: str) -> int:
    names = [name for name in (*domain.by_name, *domain.links) if rest.startswith(name)]
    return max(map(len, names), default=0)
