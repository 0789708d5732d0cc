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

MATRICES, ROLE_BASED = ("globalMatrix", "projectMatrix"), "roleBased"
_NODE_MATRIX = "authorizationMatrix"
_MATRICES = (*MATRICES, _NODE_MATRIX)
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


def normalize_matrices(value: t.Any) -> t.Any:
    """Return a value in which the matrices have the form that Jenkins exports.

    Jenkins merges entries of the same holder and drops those without permissions. A matrix that it would refuse is not
    changed. See org.jenkinsci.plugins.matrixauth.integrations.casc.MatrixAuthorizationStrategyConfigurator.
    """
    if isinstance(value, list):
        return [normalize_matrices(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        name: _normalize_matrix(members) if name in _MATRICES else normalize_matrices(members)
        for name, members in value.items()
    }


def _normalize_matrix(matrix: t.Any) -> t.Any:
    if not isinstance(matrix, dict) or not _is_valid(matrix):
        return matrix
    held: dict[tuple[str, str], list[str]] = {}
    for kind, holder, permission in list_grants(matrix):
        held.setdefault((kind, holder), []).append(permission)
    entries = [
        {kind: {"name": holder, "permissions": sort_unique(permissions)}}
        for (kind, holder), permissions in held.items()
    ]
    others = {name: value for name, value in matrix.items() if name not in (*_ROWS, "entries")}
    return {**others, "entries": entries} if matrix.keys() - others.keys() else matrix


def _is_valid(matrix: Fields) -> bool:
    """Return whether a matrix has nothing that Jenkins would refuse."""
    entries = matrix.get("entries") or []
    rows = [row for name in _ROWS for row in list_texts(matrix.get(name))]
    return (
        isinstance(entries, list)
        and all(isinstance(entry, dict) and len(entry) == 1 and entry.keys() < set(_KINDS) for entry in entries)
        and all(isinstance(holder, dict) and "name" in holder for entry in entries for holder in entry.values())
        and all(map(_ROW.fullmatch, rows))
    )


def list_node_grants(value: t.Any) -> t.Iterator[Grant]:
    """Yield what the matrices of nodes in a value grant."""
    for inner in value if isinstance(value, list) else ():
        yield from list_node_grants(inner)
    for name, inner in value.items() if isinstance(value, dict) else ():
        if name == _NODE_MATRIX and isinstance(inner, dict):
            yield from list_grants(inner)
        else:
            yield from list_node_grants(inner)


def normalize_roles(strategy: t.Any) -> t.Any:
    """Return a strategy in which the members of roles have the form that Jenkins exports.

    Versions of the plugin that accept the member `assignments` export it as entries, and each entry once. See
    org.jenkinsci.plugins.rolestrategy.casc.RoleDefinition.
    """
    symbol, members = split_symbol(strategy)
    lists = members.get("roles")
    if symbol != ROLE_BASED or not isinstance(lists, dict):
        return strategy
    roles = {
        name: [_normalize_role(role) for role in named] if isinstance(named, list) else named
        for name, named in lists.items()
    }
    return {symbol: {**members, "roles": roles}}


def _normalize_role(role: t.Any) -> t.Any:
    if not isinstance(role, dict) or not {"assignments", "entries"} & role.keys():
        return role
    entries = [*(role.get("entries") or []), *({"either": name} for name in list_texts(role.get("assignments")))]
    others = {name: value for name, value in role.items() if name != "assignments"}
    unique = [entry for number, entry in enumerate(entries) if entry not in entries[:number]]
    return {**others, "entries": unique}


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
