# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The list of installed plugins."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_PLUGIN = (
    "active,dependencies[optional,shortName,version],enabled,hasUpdate,longName,"
    "requiredCoreVersion,shortName,url,version"
)


def list_plugins(ci: CiService) -> list[dict[str, t.Any]]:
    """Return the installed plugins, sorted by name.

    :raises ToolchainError: if the server does not provide the list, or the list has no names
    """
    response = ci.view("/pluginManager", f"plugins[{_PLUGIN}]", accept=(200, 404))
    if response.status == 404:
        raise ToolchainError(
            "Listing the plugins failed: the server does not provide the list. Hudson is not supported; for Jenkins, "
            "check the path in 'url'."
        )
    plugins = response.record().records("plugins")
    if not all("shortName" in plugin for plugin in plugins):
        raise ToolchainError(
            "Listing the plugins failed: the response contains no names. Check whether a proxy removes query strings."
        )
    return sorted(map(_to_result, plugins), key=lambda plugin: plugin["name"])


def _to_result(plugin: Record) -> dict[str, t.Any]:
    return {
        "name": plugin.text("shortName"),
        "title": plugin.maybe_text("longName"),
        "version": plugin.maybe_text("version"),
        "enabled": plugin.maybe_flag("enabled"),
        "active": plugin.maybe_flag("active"),
        "has_update": plugin.maybe_flag("hasUpdate"),
        "required_core": plugin.maybe_text("requiredCoreVersion"),
        "url": plugin.maybe_text("url"),
        "dependencies": [
            {
                "name": dependency.text("shortName"),
                "version": dependency.maybe_text("version"),
                "optional": dependency.maybe_flag("optional"),
            }
            for dependency in plugin.maybe_records("dependencies")
            if "shortName" in dependency
        ],
    }
