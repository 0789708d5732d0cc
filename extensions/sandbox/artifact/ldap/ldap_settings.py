# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""LDAP settings and group settings: the rules of the API, and storage in the central configuration."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..protocol.errors import AccessError
from ..state import State
from ..system.configuration.schema import LDAP_GROUP_SETTING, LDAP_SETTING, Text
from ..system.configuration.store import complete_document
from ..system.configuration.values import ViolatesSchema

SEARCH, PASSWORD = "search", "manager_password"
STRATEGIES = ("STATIC", "DYNAMIC", "HIERARCHICAL")


@dataclass(frozen=True)
class Kind:
    """A kind of object.

    :ivar name: its name in messages
    :ivar identity: name of the member with the key
    :ivar section: name of the member of the section `security` with these objects
    :ivar members: members in the central configuration, with their types or defaults
    """

    name: str
    identity: str
    section: str
    members: Mapping[str, Any]


SETTING = Kind("LDAP setting", "key", "ldapSettings", LDAP_SETTING)
GROUP = Kind("LDAP group setting", "name", "ldapGroupSettings", LDAP_GROUP_SETTING)


def load_all(state: State, kind: Kind) -> dict[str, dict[str, Any]]:
    """Return all objects of a kind by key, in the form of the API, with passwords."""
    stored = state.configuration.load_section("security")[kind.section]
    return {key: {kind.identity: key, **_to_api(kind.members, value)} for key, value in stored.items()}


def save(state: State, kind: Kind, value: dict[str, Any]) -> None:
    """Create or replace an object in the form of the API.

    :raises AccessError: if the central configuration does not permit it
    """
    key = value[kind.identity]
    _change(state, kind, {key: _to_configuration(kind.members, value)})


def delete(state: State, kind: Kind, key: str) -> None:
    """Delete an object."""
    _change(state, kind, {key: None})


def parse(state: State, kind: Kind, body: dict[str, Any]) -> dict[str, Any]:
    """Return the object in a request body. Members that are not known are dropped.

    :raises AccessError: if the server would refuse it
    """
    key = body.get(kind.identity)
    if not isinstance(key, str) or not key.strip():
        raise _refusal(kind, f"{kind.identity} must be provided")
    value = {kind.identity: key, **_select(kind, kind.members, body)}
    if kind is SETTING:
        _check_setting(value)
    else:
        _check_group(state, value)
    return value


def _check_setting(value: dict[str, Any]) -> None:
    if not str(value.get("ldap_url")).lower().startswith(("ldap://", "ldaps://")):
        raise _refusal(SETTING, "ldap_url must start with ldap:// or ldaps://")
    search = value[SEARCH]
    if not search.get("search_filter"):
        if any(search.get(name) for name in ("search_base", "manager_dn", PASSWORD)):
            raise _refusal(SETTING, "search_filter must be provided")
        if not value.get("user_dn_pattern"):
            raise _refusal(SETTING, "user_dn_pattern or search_filter must be provided")


def _check_group(state: State, value: dict[str, Any]) -> None:
    for member, kind in _list_members(LDAP_GROUP_SETTING).items():
        if isinstance(kind, Text) and kind.is_required and not value.get(member):
            raise _refusal(GROUP, f"{member} must be provided")
    if value.get("strategy", STRATEGIES[0]) not in STRATEGIES:
        raise _refusal(GROUP, f"strategy must be one of {', '.join(STRATEGIES)}")
    if value.get("strategy") == "HIERARCHICAL" and value.get("sub_tree") is not False:
        raise _refusal(GROUP, "sub_tree must be false with the strategy HIERARCHICAL")
    ldap = value.get("enabled_ldap")
    if ldap and state.get_switch("ldap_checks_names") and ldap not in load_all(state, SETTING):
        raise _refusal(GROUP, f"LDAP setting {ldap} not found")


def _change(state: State, kind: Kind, changes: dict[str, Any]) -> None:
    document = state.configuration.load()
    objects = {**document["security"][kind.section], **changes}
    objects = {key: value for key, value in objects.items() if value is not None}
    document["security"] = {**document["security"], kind.section: objects}
    try:
        completed = complete_document(document)
    except ViolatesSchema as error:
        raise _refusal(kind, str(error)) from None
    state.descriptor.begin_write()
    state.configuration.save(completed)


def _list_members(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members of the central configuration by their names in the API."""
    return {re.sub("[A-Z]", lambda match: f"_{match[0].lower()}", name): kind for name, kind in members.items()}


def _select(kind: Kind, members: Mapping[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """Return the members of a body that are not null, with their types checked."""
    selected: dict[str, Any] = {}
    for name, member in _list_members(members).items():
        value = body.get(name)
        if isinstance(member, Mapping):
            if not isinstance(value or {}, dict):
                raise _refusal(kind, f"{name} must be an object")
            selected[name] = _select(kind, member, value or {})
        elif value is not None:
            if not isinstance(value, bool if isinstance(member, bool) else str):
                raise _refusal(kind, f"invalid value of {name}")
            selected[name] = value
    return selected


def _to_api(members: Mapping[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    """Return a value of the central configuration in the form of the API, with null for members that are not set."""
    api: dict[str, Any] = {}
    for (name, kind), member in zip(_list_members(members).items(), members, strict=True):
        default = kind if isinstance(kind, (bool, str)) else None
        api[name] = _to_api(kind, value.get(member, {})) if isinstance(kind, Mapping) else value.get(member, default)
    return api


def _to_configuration(members: Mapping[str, Any], value: dict[str, Any]) -> dict[str, Any]:
    converted: dict[str, Any] = {}
    for (name, kind), member in zip(_list_members(members).items(), members, strict=True):
        if not isinstance(kind, Mapping):
            if value.get(name) is not None:
                converted[member] = value[name]
        elif any(inner for inner_name, inner in value[name].items() if inner_name != "search_sub_tree"):
            converted[member] = _to_configuration(kind, value[name])
    return converted


def _refusal(kind: Kind, problem: str) -> AccessError:
    return AccessError(400, f"Invalid {kind.name}: {problem}")
