# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The authorization strategy in the configuration."""

from __future__ import annotations

from typing import Any

import yaml

from ..authorization import casc, strategies
from ..controller import Controller
from .configurators import Attribute, Context, symbol
from .documents import ConfiguratorError, to_data

STRATEGY_CLASS = "hudson.security.AuthorizationStrategy"
# Symbols of the strategies by the plugin that has them
STRATEGIES = {
    "": ("legacy", *casc.SYMBOLS),
    "matrix-auth": casc.MATRICES,
    "role-strategy": (strategies.ROLES,),
}


def _convert(context: Context, node: yaml.Node, _label: str) -> strategies.Strategy:
    plugins = context.server.plugins
    known = [name for plugin, names in STRATEGIES.items() if not plugin or plugins.have((plugin,)) for name in names]
    name, members = symbol(context, node, "authorizationStrategy", STRATEGY_CLASS, known)
    try:
        return casc.read_strategy({name: None if members is None else to_data(members, context.resolver)})
    except casc.CascError as error:
        raise ConfiguratorError(str(error)) from None


def _read(server: Controller) -> Any:
    strategy = strategies.load_strategy(server.storage)
    if strategy.kind == strategies.SEEDED and server.plugins.have(("matrix-auth",)):
        strategy = strategies.list_seeded_permissions(server.storage)
    return casc.write_strategy(strategy)


def _write(server: Controller, strategy: strategies.Strategy) -> None:
    casc.check_patterns(strategy)
    strategies.save_strategy(server.storage, strategy)


STRATEGY = Attribute("authorizationStrategy", _read, _write, _convert, {})
