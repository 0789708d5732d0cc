# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plugins of the authorization strategy and the security realm. Jenkins does not start without them."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.inventory import PluginInventory
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.plan import Plan
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError, join_names

LIST_PROVIDERS = """
def manager = Jenkins.instance.pluginManager
return [Jenkins.instance.authorizationStrategy, Jenkins.instance.securityRealm].collect {
    manager.whichPlugin(it.class)?.shortName
}.findAll { it != null }
"""


def check_lockout(ci: CiService, inventory: PluginInventory, plan: Plan) -> None:
    """Refuse a plan after which the next start of Jenkins lacks a plugin of its security settings.

    :raises ToolchainError: if it would
    """
    removed = {step.name for step in plan.select("disable", "uninstall")}
    if not removed:
        return
    providers: list[str] = run_internal(ci, "list plugins of the security settings", LIST_PROVIDERS, read_only=True)
    lost = set(providers) & _find_unloadable(inventory, removed)
    if lost:
        raise ToolchainError(
            f"Disabling or uninstalling {join_names(removed)} would lock out all users: Jenkins could not load "
            f"{join_names(lost)}, which provides its authorization strategy or security realm. Change these first, "
            "or set 'allow_lockout: true' to allow the change."
        )


def _find_unloadable(inventory: PluginInventory, removed: t.Iterable[str]) -> set[str]:
    """Return plugins that are removed, and all plugins that require them."""
    unloadable: set[str] = set()
    remaining = set(removed)
    while remaining:
        unloadable |= remaining
        remaining = {other for name in remaining for other in inventory.find_dependents(name, unloadable)}
    return unloadable
