# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of the own database in the configuration.

The plugin writes them while it only checks a document, and even if it refuses the document.
"""

from __future__ import annotations

import contextlib
from typing import Any

import yaml

from ..access import accounts
from ..controller import Controller
from ..storage import User
from .configurators import (
    Attribute,
    Context,
    Structure,
    data,
    find_symbol,
    flag,
    mapping,
    match_names,
    sequence,
    symbol,
    text,
)
from .documents import ConfiguratorError, is_null, read_members

REALM_CLASS = "hudson.security.SecurityRealm"
REALMS = ("local", "none")
DEFAULTS = {"allowsSignup": False, "enableCaptcha": False, "passwordComplexityRule": "nonePasswordComplexity"}
PROPERTIES: list[Any] = [
    "apiToken",
    "consoleUrlProvider",
    "viewsTabBar",
    {"myView": {"viewsTabBar": "standard"}},
    "timezone",
    "experimentalFlags",
]
TOKENS = "apiToken"
PATH = ("jenkins", "securityRealm", "local", "users")


def write_users(context: Context, roots: dict[str, yaml.Node]) -> None:
    """Create and change the users that a document names, whether or not the rest of it is valid."""
    entries = find_users(roots)
    with contextlib.suppress(ConfiguratorError):
        for entry in entries:
            USER.convert(context, entry)
        for entry in entries:
            _write_user(context, match_names(mapping(context, entry), USER.members))


def find_users(roots: dict[str, yaml.Node]) -> list[yaml.Node]:
    """Return the users in a document. Upper and lower case and other names of the class do not matter."""
    node = _get(roots, PATH[0])
    for name in PATH[1:]:
        node = _get(read_members(node), name) if isinstance(node, yaml.MappingNode) else None
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _get(members: dict[str, yaml.Node], name: str) -> yaml.Node | None:
    return next((inner for other, inner in members.items() if find_symbol(other, (name,))), None)


def list_names(context: Context, roots: dict[str, yaml.Node]) -> list[str]:
    """Return the IDs of the users in a document, in lower case."""
    return [text(context, mapping(context, entry)["id"]).lower() for entry in find_users(roots)]


def _write_user(context: Context, members: dict[str, yaml.Node]) -> None:
    values = {name: text(context, members[name]) for name in ("id", "name", "password") if _has(members, name)}
    if "id" not in values:
        return
    storage = context.server.storage
    # without a password, an object without an account
    user = storage.user(values["id"]) or User(values["id"], None, values["id"], [], [])
    user.full_name = values.get("name", user.full_name)
    user.password = values.get("password", user.password)
    if _has(members, "properties") and TOKENS in _list_symbols(members["properties"]):
        user.tokens = []
    storage.put_user(user)


def _has(members: dict[str, yaml.Node], name: str) -> bool:
    return name in members and not is_null(members[name])


def _list_symbols(node: yaml.Node) -> list[str]:
    elements = node.value if isinstance(node, yaml.SequenceNode) else []
    return [
        str(element.value) if isinstance(element, yaml.ScalarNode) else next(iter(read_members(element)), "")
        for element in elements
        if not isinstance(element, yaml.SequenceNode)
    ]


def list_properties(server: Controller) -> list[str]:
    """Return the symbols of the properties that users can have."""
    known = [entry if isinstance(entry, str) else next(iter(entry)) for entry in PROPERTIES]
    return [*known, "mailer"] if server.plugins.have(("mailer",)) else known


def _convert_properties(context: Context, node: yaml.Node, _label: str) -> None:
    """Check the classes of properties. The sandbox exports the same properties of each user."""
    known = list_properties(context.server)
    for entry in sequence(context, node):
        symbol(context, entry, "properties", "hudson.model.UserProperty", known)


def _convert_users(context: Context, node: yaml.Node, _label: str) -> None:
    """Check the members of users. `write_users` has written them."""
    for entry in sequence(context, node):
        USER.convert(context, entry)


def _convert_realm(context: Context, node: yaml.Node, _label: str) -> Any:
    name, members = symbol(context, node, "securityRealm", REALM_CLASS, REALMS)
    if name != "local":
        return name
    given = LOCAL.convert(context, members)
    return {"local": {**DEFAULTS, **{member: value for member, value in given.items() if member != "users"}}}


def _read_realm(server: Controller) -> Any:
    realm = server.storage.setting("security_realm", {"local": DEFAULTS})
    return {"local": {**realm["local"], "users": _list_users(server)}} if isinstance(realm, dict) else realm


def _list_users(server: Controller) -> list[dict[str, Any]]:
    return [
        {"id": user.name, "name": user.full_name, "properties": PROPERTIES}
        for user in accounts.list_accounts(server.storage)
    ]


USER = Structure(
    "users",
    "hudson.security.HudsonPrivateSecurityRealm$UserWithPassword",
    {"description": text, "id": text, "name": text, "password": text, "properties": _convert_properties},
)
LOCAL = Structure(
    "local",
    "hudson.security.HudsonPrivateSecurityRealm",
    {
        "allowsSignup": flag,
        "captchaSupport": data,
        "enableCaptcha": flag,
        "passwordComplexityRule": data,
        "users": _convert_users,
    },
)


def _write_realm(server: Controller, realm: Any) -> None:
    server.storage.set("security_realm", realm)
    server.set_switch("security_realm", accounts.OWN_DATABASE if isinstance(realm, dict) else accounts.NO_REALM)


SECURITY_REALM = Attribute(
    "securityRealm",
    _read_realm,
    _write_realm,
    _convert_realm,
    {},
)
