# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The form of matrices and roles in options and results, and their form in JCasC.

Users, groups and names that can be both have permissions, such as `{"users": {"alice": ["Job/Read"]}}`.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.roles import (
    EVERYTHING,
    WITHOUT_EFFECT,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, add_removals, sort_unique

STRATEGIES = {"global_matrix": "globalMatrix", "project_matrix": "projectMatrix", "role_based": "roleBased"}
MATRICES = ("global_matrix", "project_matrix")
ROLE_TYPES = {"global": "global", "item": "items", "agent": "agents"}
# Kinds of holders of permissions, with their names in a matrix and in a role of JCasC
HOLDERS = {"users": ("user", "user"), "groups": ("group", "group"), "users_or_groups": ("userOrGroup", "either")}
_ROLE = (*HOLDERS, "description", "pattern", "permissions")

ToName = t.Callable[[str], str]


def parse_holders(params: Fields, to_name: ToName) -> Fields:
    """Return the declared permissions of users and groups, sorted. An empty list removes a user or group.

    :raises BadOption: if the permissions of one are not a list of names
    """
    holders: Fields = {}
    for kind in HOLDERS:
        if params[kind] is not None:
            holders[kind] = {
                _check_name(kind, name): _parse_permissions(f"{kind}.{name}", permissions, to_name) or None
                for name, permissions in params[kind].items()
            }
    return holders


def parse_roles(roles: Fields | None, to_name: ToName) -> Fields:
    """Return the declared roles by type and name. Null removes a role.

    :raises BadOption: if a role has another form
    """
    return {
        kind: {
            _check_name(f"roles.{kind}", name): _parse_role(f"roles.{kind}.{name}", kind, role, to_name)
            for name, role in named.items()
        }
        for kind, named in (roles or {}).items()
        if named is not None
    }


def purge(before: Fields, desired: Fields) -> Fields:
    """Return the desired fields, with null for each user, group or role that they do not contain."""
    purged = dict(desired)
    for kind in HOLDERS if any(kind in desired for kind in HOLDERS) else ():
        purged[kind] = add_removals(before.get(kind), desired.get(kind, {}))
    if "roles" in desired:
        purged["roles"] = {
            kind: add_removals(before.get("roles", {}).get(kind), desired["roles"].get(kind, {})) for kind in ROLE_TYPES
        }
    return purged


def read_matrix(entries: t.Iterable[tuple[str, str, str]]) -> Fields:
    """Return a matrix from its entries: the kind of the holder, its name, and a permission."""
    holders: Fields = {kind: {} for kind in HOLDERS}
    for kind, name, permission in entries:
        holders[kind].setdefault(name, []).append(permission)
    return {kind: {name: sort_unique(held) for name, held in named.items()} for kind, named in holders.items()}


def read_strategy(exported: t.Any, to_name: ToName) -> Fields:
    """Return the strategy that JCasC exports. Others than matrices and roles have only a name."""
    symbol, members = next(iter(exported.items())) if isinstance(exported, dict) else (exported, None)
    members = members if isinstance(members, dict) else {}
    strategy = next((name for name, other in STRATEGIES.items() if other == symbol), str(symbol))
    if strategy in MATRICES:
        return {"strategy": strategy, **read_matrix(_list_entries(members, to_name))}
    if strategy == "role_based":
        roles = members.get("roles") or {}
        return {
            "strategy": strategy,
            "roles": {
                kind: {str(role.get("name", "")): _read_role(kind, role, to_name) for role in roles.get(name) or []}
                for kind, name in ROLE_TYPES.items()
            },
        }
    return {"strategy": strategy}


def write_strategy(fields: Fields, exported: t.Any) -> Fields:
    """Return the strategy for JCasC.

    :arg exported: the exported strategy, whose templates are kept
    """
    symbol = STRATEGIES[fields["strategy"]]
    if fields["strategy"] in MATRICES:
        entries = [
            {name: {"name": holder, "permissions": permissions}}
            for kind, (name, _in_role) in HOLDERS.items()
            for holder, permissions in fields.get(kind, {}).items()
        ]
        return {symbol: {"entries": entries}}
    kept = exported.get(symbol) if isinstance(exported, dict) else None
    others = {name: value for name, value in (kept or {}).items() if name != "roles"}
    exported_roles = (kept or {}).get("roles") or {}
    roles = {
        name: [
            _write_role(role, fields["roles"][kind][role], exported_roles.get(name))
            for role in sorted(fields["roles"].get(kind, {}))
        ]
        for kind, name in ROLE_TYPES.items()
    }
    return {symbol: {**others, "roles": roles}}


def list_permissions(changes: Fields) -> t.Iterator[str]:
    """Yield the permissions that a change grants."""
    for kind in HOLDERS:
        for permissions in (changes.get(kind) or {}).values():
            yield from permissions or ()
    for roles in (changes.get("roles") or {}).values():
        for role in (roles or {}).values():
            yield from (role or {}).get("permissions") or ()


def list_patterns(changes: Fields) -> list[str]:
    """Return the patterns that a change sets."""
    roles = changes.get("roles") or {}
    return [role["pattern"] for named in roles.values() for role in named.values() if role and role.get("pattern")]


def _check_name(option: str, name: t.Any) -> str:
    if not isinstance(name, str) or not name.strip() or name != name.strip() or ":" in name:
        raise BadOption(option, f"must have names without colons and surrounding blanks, not {name!r}")
    return name


def _parse_permissions(option: str, permissions: t.Any, to_name: ToName) -> list[str]:
    if not isinstance(permissions, list) or not all(isinstance(name, str) and name.strip() for name in permissions):
        raise BadOption(option, "must be a list of permissions, such as [Job/Read, Job/Build]")
    return sort_unique(to_name(name) for name in permissions)


def _check_effect(option: str, kind: str, permissions: list[str]) -> None:
    for permission in permissions:
        if permission.partition("/")[0] in WITHOUT_EFFECT[kind]:
            raise BadOption(option, f"'{permission}' does not apply to roles of the type '{kind}'")


def _parse_role(option: str, kind: str, role: t.Any, to_name: ToName) -> Fields | None:
    if role is None:
        return None
    if not isinstance(role, dict) or set(role) - set(_ROLE):
        raise BadOption(option, f"must be a dictionary with the keys {', '.join(_ROLE)}")
    if "pattern" in role and kind == "global":
        raise BadOption(f"{option}.pattern", "must not be set, because global roles apply everywhere")
    parsed: Fields = {}
    for name, value in role.items():
        if name == "permissions":
            parsed[name] = _parse_permissions(f"{option}.{name}", value, to_name)
            _check_effect(f"{option}.{name}", kind, parsed[name])
        elif name in HOLDERS:
            if not isinstance(value, list) or not all(isinstance(entry, str) and entry for entry in value):
                raise BadOption(f"{option}.{name}", "must be a list of names")
            parsed[name] = sort_unique(value)
        elif not isinstance(value, str):
            raise BadOption(f"{option}.{name}", "must be a string")
        elif name == "pattern" and not value:
            raise BadOption(f"{option}.{name}", "must not be empty, because the role would then apply everywhere")
        else:
            parsed[name] = value
    return parsed


def _list_entries(members: Fields, to_name: ToName) -> t.Iterator[tuple[str, str, str]]:
    kinds = {name: kind for kind, (name, _in_role) in HOLDERS.items()}
    for entry in members.get("entries") or []:
        for name, holder in entry.items():
            for permission in holder.get("permissions") or []:
                yield kinds[name], str(holder["name"]), to_name(str(permission))


def _read_role(kind: str, role: Fields, to_name: ToName) -> Fields:
    fields: Fields = {
        "description": str(role.get("description") or ""),
        "permissions": sort_unique(to_name(str(name)) for name in role.get("permissions") or []),
    }
    if kind != "global":
        fields["pattern"] = str(role.get("pattern") or EVERYTHING)
    for holder, (_in_matrix, name) in HOLDERS.items():
        fields[holder] = sort_unique(str(entry[name]) for entry in role.get("entries") or [] if name in entry)
    return fields


def _write_role(name: str, role: Fields, exported: list[Fields] | None) -> Fields:
    """Return a role for JCasC, with the members of the exported role that the module does not manage."""
    kept: Fields = next((other for other in exported or [] if str(other.get("name", "")) == name), {})
    entries = [{in_role: holder} for kind, (_in_matrix, in_role) in HOLDERS.items() for holder in role.get(kind) or []]
    return {
        **kept,
        "name": name,
        "description": role.get("description") or "",
        "pattern": role.get("pattern") or EVERYTHING,
        "permissions": role.get("permissions") or [],
        "entries": entries,
    }
