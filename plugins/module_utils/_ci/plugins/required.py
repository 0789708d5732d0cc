# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plugins that a module requires."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError


def require_plugin(ci: CiService, name: str, purpose: str) -> None:
    """Check that a plugin is installed and active. An account that may not list plugins passes.

    :arg name: short name, such as `cloudbees-folder`
    :arg purpose: what requires the plugin, such as `Managing folders`
    :raises ToolchainError: if the plugin is missing or disabled
    """
    response = ci.view("/pluginManager", "plugins[active,shortName]", accept=(200, 403, 404))
    if response.status != 200:
        return
    plugins = {plugin.text("shortName"): plugin for plugin in response.record().records("plugins")}
    if name not in plugins:
        raise ToolchainError(f"{purpose} requires the Jenkins plugin '{name}', which is not installed. Install it.")
    if not plugins[name].flag("active"):
        raise ToolchainError(f"{purpose} requires the Jenkins plugin '{name}', which is not active. Enable it.")
