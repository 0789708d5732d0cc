# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The authorization strategy in the configuration. The sandbox stores it."""

from __future__ import annotations

from typing import Any

import yaml

from ..access.permissions import BY_TITLE
from ..controller import Controller
from .configurators import Attribute, Context, symbol
from .documents import ConfiguratorError, to_data

STRATEGY_CLASS = "hudson.security.AuthorizationStrategy"
# Symbols of the strategies by the plugin that has them
STRATEGIES = {
    "": ("legacy", "loggedInUsersCanDoAnything", "unsecured"),
    "matrix-auth": ("globalMatrix", "projectMatrix"),
    "role-strategy": ("roleBased",),
}
MATRICES = STRATEGIES["matrix-auth"]
KINDS = ("userOrGroup", "group", "user")
DEFAULT = {"loggedInUsersCanDoAnything": {"allowAnonymousRead": False}}


def _convert(context: Context, node: yaml.Node, _label: str) -> Any:
    plugins = context.server.plugins
    known = [name for plugin, names in STRATEGIES.items() if not plugin or plugins.have((plugin,)) for name in names]
    name, members = symbol(context, node, "authorizationStrategy", STRATEGY_CLASS, known)
    if members is None:
        return {name: DEFAULT[name]} if name in DEFAULT else name
    value = to_data(members, context.resolver)
    return {name: _sort_matrix(value) if name in MATRICES else value}


def _sort_matrix(matrix: dict[str, Any]) -> dict[str, Any]:
    """Return a matrix in the order of the plugin.

    :raises ConfiguratorError: if a permission is unknown
    """
    entries: dict[tuple[int, str], set[str]] = {}
    for entry in matrix.get("entries", []):
        kind, members = next(iter(entry.items()))
        permissions = members.get("permissions", [])
        unknown = [title for title in permissions if title not in BY_TITLE]
        if unknown or kind not in KINDS:
            raise ConfiguratorError(
                f"{kind}: Cannot find permission for id: {', '.join(unknown)}, tried to grant to entry"
            )
        entries.setdefault((KINDS.index(kind), str(members.get("name"))), set()).update(permissions)
    return {
        "entries": [
            {KINDS[kind]: {"name": name, "permissions": sorted(permissions)}}
            for (kind, name), permissions in sorted(entries.items())
        ]
    }


def _read(server: Controller) -> Any:
    return server.storage.setting("authorization_strategy", DEFAULT)


def _write(server: Controller, strategy: Any) -> None:
    server.storage.set("authorization_strategy", strategy)


STRATEGY = Attribute("authorizationStrategy", _read, _write, _convert, {})
