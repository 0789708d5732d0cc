# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plugins that a module requires."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec

SHORT_NAME = ("[A-Za-z0-9_-]+", "a short name: letters, digits, '-' and '_'")
# The plugins that earlier tasks install, see `CiService.predicted_plugins`
PREDICTED_PLUGINS = ArgumentSpec(
    dict(predicted_plugins=dict(type="list", elements="str", each_element=dict(matches=SHORT_NAME)))
)


def require_plugin(ci: CiService, name: str, purpose: str) -> None:
    """Check that a plugin is installed and active, unless check mode predicts it.

    An account that may not list plugins passes.

    :arg name: short name, such as `cloudbees-folder`
    :arg purpose: what requires the plugin, such as `Managing folders`
    :raises ToolchainError: if the plugin is missing or disabled
    """
    if name not in ci.predicted_plugins:
        check_required(list_plugins(ci), name, purpose)


def predicts_plugin(ci: CiService, name: str) -> bool:
    """Return whether check mode predicts a plugin that is not active yet."""
    if name not in ci.predicted_plugins:
        return False
    plugins = list_plugins(ci)
    return plugins is not None and not plugins.get(name)


def list_plugins(ci: CiService) -> dict[str, bool] | None:
    """Return whether each installed plugin is active, or `None` if the account may not list them."""
    response = ci.view("/pluginManager", "plugins[active,shortName]", accept=(200, 403, 404))
    if response.status != 200:
        return None
    return {plugin.text("shortName"): plugin.flag("active") for plugin in response.record().records("plugins")}


def check_required(plugins: dict[str, bool] | None, name: str, purpose: str) -> None:
    """Check that a plugin is among the active ones that `list_plugins` returned.

    :raises ToolchainError: if the plugin is missing or disabled
    """
    if plugins is None:
        return
    if name not in plugins:
        raise ToolchainError(
            f"{purpose} requires the Jenkins plugin '{name}', which is not installed or failed to load. Install it, or "
            "check the log of Jenkins."
        )
    if not plugins[name]:
        raise ToolchainError(f"{purpose} requires the Jenkins plugin '{name}', which is not active. Enable it.")
