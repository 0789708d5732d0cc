# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a CI server says of itself, of the account and of its plugins."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.java import java_releases
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError

_STATE = "mode,numExecutors,quietingDown,quietDownReason,useCrumbs,useSecurity"
_PLUGIN = (
    "active,dependencies[optional,shortName,version],enabled,hasUpdate,longName,"
    "requiredCoreVersion,shortName,url,version"
)


def server(ci: CiService) -> dict[str, t.Any]:
    """The server. Its version and session id are headers of the login page, which nobody needs a permission for."""
    page = ci.http.read("GET", "/login", anonymous=True)
    version = page.headers.get("X-Jenkins")
    product = "jenkins" if version else "hudson"
    if version is None:
        version = _hudson_version(ci)
    state = ci.view("", _STATE).json()
    csrf_protection = state.get("useCrumbs")
    if csrf_protection is None:
        csrf_protection = ci.http.read("GET", "/crumbIssuer/api/json", accept=(200, 404)).status == 200
    return {
        "product": product,
        "version": version,
        "session_id": page.headers.get("X-Jenkins-Session"),
        "mode": state.get("mode"),
        "quieting_down": state.get("quietingDown"),
        "quiet_down_reason": state.get("quietDownReason"),
        "csrf_protection": csrf_protection,
        "security": state.get("useSecurity"),
        "executors": state.get("numExecutors"),
        "ssh_endpoint": page.headers.get("X-SSH-Endpoint"),
        "java": java_releases(version),
    }


def _hudson_version(ci: CiService) -> str:
    version = ci.http.read("GET", "/").headers.get("X-Hudson")
    if version is None:
        raise ToolchainError(f"What answers at {ci.http.base_url} is no CI server: it names no version of one.")
    return version


def user(ci: CiService) -> dict[str, t.Any] | None:
    """The account as the server sees it."""
    answer = ci.view("/whoAmI", "anonymous,authorities,name", accept=(200, 404))
    if answer.status == 404:
        return None
    who = answer.json()
    return {"name": who["name"], "anonymous": who["anonymous"], "authorities": sorted(who["authorities"])}


def plugins(ci: CiService) -> list[dict[str, t.Any]]:
    """The installed plugins, by name.

    :raises ToolchainError: when the server does not offer the listing, or names no plugin in it
    """
    answer = ci.view("/pluginManager", f"plugins[{_PLUGIN}]", accept=(200, 404))
    if answer.status == 404:
        raise ToolchainError("This server does not offer the listing of its plugins (Hudson does not).")
    listed = answer.member("plugins")
    if not all("shortName" in plugin for plugin in listed):
        raise ToolchainError("The server listed plugins without their names: something in between cut off the query.")
    return sorted(map(_plugin, listed), key=lambda plugin: plugin["name"])


def _plugin(listed: dict[str, t.Any]) -> dict[str, t.Any]:
    return {
        "name": listed["shortName"],
        "title": listed.get("longName"),
        "version": listed.get("version"),
        "enabled": listed.get("enabled"),
        "active": listed.get("active"),
        "has_update": listed.get("hasUpdate"),
        "required_core": listed.get("requiredCoreVersion"),
        "url": listed.get("url"),
        "dependencies": [
            {"name": needed["shortName"], "version": needed.get("version"), "optional": needed.get("optional")}
            for needed in listed.get("dependencies") or []
            if "shortName" in needed
        ],
    }
