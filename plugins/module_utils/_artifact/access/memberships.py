# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Groups of a user and members of a group: at least or exactly the declared ones.

With `purge`, a membership is a sorted list, so that it is compared exactly. Otherwise it is a dictionary with the value
`True` for each name, of which only the declared ones are compared.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique

WITHHOLD_GRANTS = ArgumentSpec(dict(withhold_grants=dict(type="bool", default=False, narrows_scope=True)))

Membership = t.Union[list[str], dict[str, bool]]


def build(names: t.Iterable[str], purge: bool) -> Membership:
    """Return names in the form in which they are compared."""
    return sort_unique(names) if purge else dict.fromkeys(sort_unique(names), True)


def respell(names: t.Iterable[str], declared: t.Iterable[str]) -> list[str]:
    """Return names in the spelling in which they are declared, because the server changes upper case to lower case."""
    spellings = {name.lower(): name for name in declared}
    return [spellings.get(name.lower(), name) for name in names]


def find_changes(current: t.Iterable[str], desired: Membership) -> tuple[list[str], list[str]]:
    """Return the names to add and the names to remove."""
    added = sorted(set(desired) - set(current))
    return added, sorted(set(current) - set(desired)) if isinstance(desired, list) else []


def withhold_grants(desired: t.Mapping[str, t.Any], current: Fields | None, kind: str, grants: Fields) -> Fields:
    """Return the desired fields without those that give access.

    :arg kind: the field with the membership, of which only removals are kept
    :arg grants: the values of fields that give access
    """
    kept = {name: value for name, value in desired.items() if name != kind and grants.get(name) is not value}
    names = desired.get(kind)
    if isinstance(names, list) and current is not None:
        kept[kind] = sorted({*names} & {*current[kind]})
    return kept


def to_list(membership: Membership | None) -> list[str] | None:
    """Return the names in sorted order."""
    return None if membership is None else sorted(membership)


def check_spelling(option: str, names: t.Iterable[str]) -> None:
    """Refuse names that differ only in case.

    :raises BadOption: if there are such names
    """
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.lower(), name)
        if other != name:
            raise BadOption(option, f"must not contain names that differ only in case, such as '{other}' and '{name}'")
