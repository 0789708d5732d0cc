# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the names in a query lead to: `artifact.module.build.name`, `@os`, `*`."""

from __future__ import annotations

from dataclasses import dataclass

from .domains import DOMAINS, Domain, Kind

# Names that this domain does not know are read as keys of properties; it has none, so the server's SQL fails
LOOSE = "build.promotions"


@dataclass(frozen=True)
class Path:
    """A field as a query names it: the way from the query's domain, and a field's name, a property's key, or `*`.

    A path without either stands for the whole domain that it leads to.
    """

    steps: tuple[str, ...]
    domain: Domain
    field: str | None = None
    key: str | None = None

    @property
    def is_about_property(self) -> bool:
        """Whether it leads to properties: to one by its key, or to a field of them."""
        return self.key is not None or self.domain.owner is not None


class UnknownName(Exception):
    """Nothing has this name; `known` is how many of its characters still made sense."""

    def __init__(self, known: int) -> None:
        super().__init__()
        self.known = known


def in_condition(domain: Domain, name: str) -> Path:
    """What a name in a condition leads to.

    :raises UnknownName: when it leads nowhere
    """
    if not domain.owner and domain.name != LOOSE:
        return in_sort(domain, name)
    try:
        path = in_sort(domain, name)
    except UnknownName:
        return Path((), domain, key=name)
    return path if path.steps or path.field else Path((), domain, key=name)


def in_include(domain: Domain, name: str) -> Path:
    """What a name in `include` leads to: a field, a whole domain, all its fields, or a property's key.

    :raises UnknownName: when it leads nowhere
    """
    return _walk(domain, name, (), 0, whole=True)


def in_sort(domain: Domain, name: str) -> Path:
    """What a name in `sort` leads to; a condition has the same ones from most domains.

    :raises UnknownName: when it leads nowhere
    """
    path = _walk(domain, name, (), 0)
    if path.field and path.domain.by_name[path.field].kind is Kind.VIRTUAL_REPOS:
        raise UnknownName(0)
    return path


def _walk(domain: Domain, rest: str, steps: tuple[str, ...], known: int, whole: bool = False) -> Path:
    try:
        return _named(domain, rest, steps, known, whole)
    except UnknownName:
        if not (whole and domain.owner):
            raise
        return Path(steps, domain, key=rest)  # in `include`, what is nothing else of properties is a key


def _named(domain: Domain, rest: str, steps: tuple[str, ...], known: int, whole: bool) -> Path:
    if rest.startswith("@") and not (whole and domain.owner):
        if "property" not in domain.links and not domain.owner:
            raise UnknownName(known)
        return Path(steps, domain, key=rest[1:].lstrip())
    name = rest.rstrip()
    if name in domain.by_name or (whole and name == "*"):
        return Path(steps, domain, field=name)
    step, dot, below = rest.partition(".")
    step = step.rstrip()
    if step not in domain.links or not (dot or whole):
        raise UnknownName(known + _known_part(domain, rest))
    there = DOMAINS[domain.links[step].domain]
    if not dot:
        return Path((*steps, step), there)
    return _walk(there, below, (*steps, step), known + len(step) + 1, whole)


def _known_part(domain: Domain, rest: str) -> int:
    names = [name for name in (*domain.by_name, *domain.links) if rest.startswith(name)]
    return max(map(len, names), default=0)
