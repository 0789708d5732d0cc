# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Authorization strategies as data of JCasC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from ..access.permissions import BY_ID, BY_TITLE
from ..java_patterns import PatternError, compile_pattern
from . import matrix_property, strategies
from .strategies import EITHER, GROUP, ROLE_TYPES, USER, Entry, Role, Sid, Strategy, find_permission

MATRICES = (strategies.GLOBAL_MATRIX, strategies.PROJECT_MATRIX)
SYMBOLS = (strategies.UNSECURED, strategies.LOGGED_IN)
_LOGGED_IN = {strategies.LOGGED_IN: {"allowAnonymousRead": False}}
SID_NAMES = {"user": USER, "group": GROUP, "userOrGroup": EITHER}
ROLE_SID_NAMES = {"user": USER, "group": GROUP, "either": EITHER}
ROLE_LISTS = dict(zip(("global", "items", "agents"), ROLE_TYPES, strict=True))
INHERITANCES = {
    "inheriting": matrix_property.FROM_PARENT,
    "inheritingGlobal": matrix_property.FROM_GLOBAL,
    "nonInheriting": matrix_property.NOT_INHERITED,
}
# Jenkins exports the least specific entries first
EXPORT_ORDER = (EITHER, GROUP, USER)


class CascError(ValueError):
    """Data that the plugins refuse."""


def read_strategy(data: Any) -> Strategy:
    """Return the strategy that data describes: a symbol, or an object with one member.

    :raises CascError: if the plugins refuse it
    """
    kind, members = (data, {}) if isinstance(data, str) else next(iter(data.items()))
    members = members or {}
    if kind in MATRICES:
        return Strategy(kind, strategies.list_entries(_list_grants(members)))
    if kind == strategies.ROLES:
        lists = members.get("roles") or {}
        roles = {kind: list(map(_read_role, lists.get(name) or [])) for name, kind in ROLE_LISTS.items()}
        templates = {
            template["name"]: _find_known(template.get("permissions") or [])
            for template in members.get("permissionTemplates") or []
        }
        return Strategy(kind, roles=roles, templates=templates)
    if kind in SYMBOLS:
        return Strategy(kind)
    raise CascError(f"No hudson.security.AuthorizationStrategy implementation found for {kind}")


def write_strategy(strategy: Strategy) -> Any:
    """Return the data that Jenkins exports for a strategy."""
    if strategy.kind in MATRICES:
        entries = _write_entries(strategy.entries)
        return {strategy.kind: {"entries": entries} if entries else {}}
    if strategy.kind == strategies.ROLES:
        lists = {
            name: [_write_role(role) for role in sorted(strategy.roles[kind], key=lambda role: role.name)]
            for name, kind in sorted(ROLE_LISTS.items())
        }
        members: dict[str, Any] = {"roles": {name: roles for name, roles in lists.items() if roles}}
        if strategy.templates:
            members["permissionTemplates"] = [
                {"name": name, "permissions": [BY_ID[identifier].title for identifier in permissions]}
                for name, permissions in sorted(strategy.templates.items())
            ]
        return {strategy.kind: members}
    return _LOGGED_IN if strategy.kind in (strategies.SEEDED, strategies.LOGGED_IN) else strategy.kind


def read_property(members: dict[str, Any]) -> etree._Element:
    """Return the property of a node that data describes.

    :raises CascError: if the plugin refuses it
    """
    element = etree.Element(matrix_property.NODE_PROPERTY)
    inheritance = INHERITANCES.get(str(members.get("inheritanceStrategy")), matrix_property.FROM_PARENT)
    etree.SubElement(element, "inheritanceStrategy", {"class": inheritance})
    for sid, identifier in _list_grants(members):
        prefix = "" if sid.type == EITHER else f"{sid.type}:"
        etree.SubElement(element, "permission").text = f"{prefix}{identifier}:{sid.name}"
    return element


def write_property(element: etree._Element) -> dict[str, Any]:
    """Return the data that Jenkins exports for the property of a node."""
    inheritance = matrix_property.read_inheritance(element)
    name = next(name for name, class_name in INHERITANCES.items() if class_name == inheritance)
    return {"entries": _write_entries(matrix_property.read_entries(element)), "inheritanceStrategy": name}


def _list_grants(members: dict[str, Any]) -> Iterator[tuple[Sid, str]]:
    for entry in members.get("entries") or []:
        (kind, described), *others = entry.items()
        if others or kind not in SID_NAMES or not isinstance(described, dict):
            raise CascError("Failed to set attribute 'entries'")
        for name in described.get("permissions") or []:
            yield Sid(SID_NAMES[kind], str(described["name"])), _find_required(name, kind)
    for row in [*(members.get("permissions") or []), *(members.get("grantedPermissions") or [])]:
        kind, _colon, rest = row.partition(":")
        if kind not in (USER, GROUP):
            kind, rest = EITHER, row
        name, _colon, sid = rest.partition(":")
        yield Sid(kind, sid), _find_required(name, "permissions")


def _find_required(name: str, attribute: str) -> str:
    permission = find_permission(name)
    if not permission:
        raise CascError(
            "authorizationStrategy: Failed to configure 'authorizationStrategy': Failed to configure 'entries': "
            f"Failed to set attribute '{attribute}'"
        )
    return permission.id


def _find_known(names: list[str]) -> list[str]:
    """Return the IDs of the known permissions. Role-strategy drops others silently, and IDs as well."""
    return sorted({BY_TITLE[name].id for name in names if name in BY_TITLE})


def check_patterns(strategy: Strategy) -> None:
    """Compile the patterns of roles, as the plugin does when it applies them.

    :raises CascError: if one is not a regular expression
    """
    for role in (role for roles in strategy.roles.values() for role in roles):
        try:
            compile_pattern(role.pattern)
        except PatternError as error:
            raise CascError(f"roles: {error}") from error


def _read_role(data: dict[str, Any]) -> Role:
    if "assignments" in data:
        raise CascError("'assignments' is deprecated")
    sids = [Sid(ROLE_SID_NAMES[kind], str(name)) for entry in data.get("entries") or [] for kind, name in entry.items()]
    return Role(
        name=str(data.get("name") or ""),
        permissions=_find_known(data.get("permissions") or []),
        pattern=str(data.get("pattern") or ".*"),
        sids=sorted(set(sids), key=lambda sid: ((USER, GROUP, EITHER).index(sid.type), sid.name)),
        description=data.get("description"),
        template=data.get("templateName"),
    )


def _write_entries(entries: list[Entry]) -> list[dict[str, Any]]:
    in_order = sorted(entries, key=lambda entry: (EXPORT_ORDER.index(entry.sid.type), entry.sid.name))
    return list(map(_write_entry, in_order))


def _write_entry(entry: Entry) -> dict[str, Any]:
    name = next(name for name, kind in SID_NAMES.items() if kind == entry.sid.type)
    titles = sorted(BY_ID[identifier].title for identifier in entry.permissions)
    return {name: {"name": entry.sid.name, "permissions": titles}}


def _write_role(role: Role) -> dict[str, Any]:
    names = {kind: name for name, kind in ROLE_SID_NAMES.items()}
    members = {
        "description": role.description,
        "entries": [{names[sid.type]: sid.name} for sid in role.sids],
        "name": role.name,
        "pattern": role.pattern,
        "permissions": [BY_ID[identifier].title for identifier in role.permissions],
        "templateName": role.template,
    }
    return {name: value for name, value in members.items() if value}
