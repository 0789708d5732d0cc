# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plugins of a CI server."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_PLUGIN = (
    "active,dependencies[optional,shortName,version],enabled,hasUpdate,longName,"
    "requiredCoreVersion,shortName,url,version"
)


def listed(ci: CiService) -> list[dict[str, t.Any]]:
    """The installed plugins, by name.

    :raises ToolchainError: when the server does not offer the listing, or names no plugin in it
    """
    response = ci.view("/pluginManager", f"plugins[{_PLUGIN}]", accept=(200, 404))
    if response.status == 404:
        raise ToolchainError(
            "This server does not offer the listing of its plugins (Hudson does not). Or is the path in 'url' right?"
        )
    found = response.record().records("plugins")
    if not all("shortName" in plugin for plugin in found):
        raise ToolchainError("The server listed plugins without their names: something in between cut off the query.")
    return sorted(map(_plugin, found), key=lambda plugin: plugin["name"])


def _plugin(listed: Record) -> dict[str, t.Any]:
    return {
        "name": listed.text("shortName"),
        "title": listed.maybe_text("longName"),
        "version": listed.maybe_text("version"),
        "enabled": listed.maybe_flag("enabled"),
        "active": listed.maybe_flag("active"),
        "has_update": listed.maybe_flag("hasUpdate"),
        "required_core": listed.maybe_text("requiredCoreVersion"),
        "url": listed.maybe_text("url"),
        "dependencies": [
            {
                "name": needed.text("shortName"),
                "version": needed.maybe_text("version"),
                "optional": needed.maybe_flag("optional"),
            }
            for needed in listed.maybe_records("dependencies")
            if "shortName" in needed
        ],
    }
