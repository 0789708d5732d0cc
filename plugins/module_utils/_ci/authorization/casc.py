# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Matrices of the Configuration as Code plugin (JCasC), which accepts more forms than it exports."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import (
    find_common_name,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique

MATRICES = ("globalMatrix", "projectMatrix")
USER, GROUP, EITHER = "user", "group", "userOrGroup"
_KINDS = (USER, GROUP, EITHER)
_ROWS = ("permissions", "grantedPermissions")
# The old form: type, name or ID of a permission, user or group
_ROW = re.compile(r"(?s)(?:(USER|GROUP|EITHER):)?([^:]*):(.*)")
_TYPES = {"USER": USER, "GROUP": GROUP, "EITHER": EITHER, None: EITHER}


class Grant(t.NamedTuple):
    """A permission that a matrix grants.

    :ivar kind: whether the holder is a user, a group, or can be both
    :ivar permission: its name; of permissions that few servers have, its name or ID
    """

    kind: str
    holder: str
    permission: str


def list_grants(matrix: Fields) -> t.Iterator[Grant]:
    """Yield what a matrix grants. Entries that Jenkins would refuse are omitted.

    :arg matrix: the members of a matrix
    """
    for entry in list_objects(matrix.get("entries")):
        for kind, holder in entry.items():
            if kind in _KINDS and isinstance(holder, dict):
                for permission in list_texts(holder.get("permissions")):
                    yield Grant(kind, str(holder.get("name")), find_common_name(permission))
    for name in _ROWS:
        for row in filter(None, map(_ROW.fullmatch, list_texts(matrix.get(name)))):
            yield Grant(_TYPES[row[1]], row[3], find_common_name(row[2]))


def normalize(strategy: t.Any) -> t.Any:
    """Return a strategy in the form in which Jenkins exports it. Strategies other than matrices are not changed."""
    symbol, matrix = split_symbol(strategy)
    if symbol not in MATRICES or not _has_other_form(matrix):
        return strategy
    held: dict[tuple[str, str], list[str]] = {}
    for kind, holder, permission in list_grants(matrix):
        held.setdefault((kind, holder), []).append(permission)
    entries = [
        {kind: {"name": holder, "permissions": sort_unique(permissions)}}
        for (kind, holder), permissions in held.items()
    ]
    others = {name: value for name, value in matrix.items() if name not in _ROWS}
    return {symbol: {**others, "entries": entries}}


def _has_other_form(matrix: Fields) -> bool:
    """Return whether a matrix has another form than the exported one, and nothing that Jenkins would refuse."""
    entries = [*list_objects(matrix.get("entries"))]
    rows = [row for name in _ROWS for row in list_texts(matrix.get(name))]
    permissions = [
        name
        for entry in entries
        for holder in entry.values()
        if isinstance(holder, dict)
        for name in list_texts(holder.get("permissions"))
    ]
    return bool(rows or any(find_common_name(name) != name for name in permissions)) and (
        all(entry.keys() < set(_KINDS) and len(entry) == 1 for entry in entries) and all(map(_ROW.fullmatch, rows))
    )


def split_symbol(value: t.Any) -> tuple[str, Fields]:
    """Return the symbol of an object and its members."""
    if isinstance(value, dict) and len(value) == 1:
        symbol, members = next(iter(value.items()))
        return str(symbol), members if isinstance(members, dict) else {}
    return str(value), {}


def list_objects(value: t.Any) -> list[Fields]:
    """Return the objects in a list, if it is one."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def list_texts(value: t.Any) -> list[str]:
    """Return the texts in a list, if it is one."""
    return [entry for entry in value if isinstance(entry, str)] if isinstance(value, list) else []
