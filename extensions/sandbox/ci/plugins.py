# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Installed plugins, and whether they wait for a restart."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from . import pages
from .call import Call, Route
from .exposition import Bean, Property
from .permissions import ADMINISTER
from .remote_api import API, serve


def _dependency(dependency: dict[str, Any]) -> Bean:
    return Bean(
        "hudson.PluginWrapper$Dependency",
        Property("optional", dependency.get("optional", False)),
        Property("shortName", dependency["name"]),
        Property("version", dependency["version"]),
        typed=False,
    )


def _bean(plugin: dict[str, Any]) -> Bean:
    return Bean(
        "hudson.PluginWrapper",
        Property("active", plugin.get("active", True)),
        Property("backupVersion", plugin.get("backup_version")),
        Property("bundled", False),
        Property("deleted", plugin.get("deleted", False)),
        Property("dependencies", [_dependency(dependency) for dependency in plugin.get("dependencies", [])]),
        Property("detached", False),
        Property("downgradable", "backup_version" in plugin),
        Property("enabled", plugin.get("enabled", True)),
        Property("hasUpdate", plugin.get("has_update", False)),
        Property("longName", plugin.get("long_name", plugin["name"])),
        Property("minimumJavaVersion", plugin.get("minimum_java_version")),
        Property("pinned", plugin.get("pinned", False)),
        Property("requiredCoreVersion", plugin.get("required_core_version")),
        Property("shortName", plugin["name"]),
        Property("supportsDynamicLoad", plugin.get("supports_dynamic_load", "MAYBE")),
        Property("url", plugin.get("url", f"https://plugins.jenkins.io/{plugin['name']}")),
        Property("version", plugin["version"]),
        typed=False,
    )


def _show_all(call: Call, form: str) -> Response:
    call.require(ADMINISTER)
    plugins = Property("plugins", lambda: [_bean(plugin) for plugin in call.store.plugins()])
    return serve(call, Bean("hudson.LocalPluginManager", plugins), form)


def _show(call: Call, name: str, form: str) -> Response:
    call.require(ADMINISTER)
    found = next((plugin for plugin in call.store.plugins() if plugin["name"] == name), None)
    if not found:
        raise pages.NotFound
    return serve(call, _bean(found), form)


def _update_center(call: Call, form: str) -> Response:
    call.require(ADMINISTER)
    site = Bean(
        "hudson.model.UpdateSite",
        Property("availables", []),
        Property("connectionCheckUrl", None),
        Property("dataTimestamp", 0),
        Property("hasUpdates", False),
        Property("id", "default"),
        Property("updates", []),
        Property("url", "https://updates.jenkins.io/update-center.json"),
        typed=False,
    )
    center = Bean(
        "hudson.model.UpdateCenter",
        Property("availables", []),
        Property("jobs", []),
        Property("restartRequiredForCompletion", call.switch("restart_required")),
        Property("sites", [site]),
    )
    return serve(call, center, form)


ROUTES = (
    Route("/pluginManager" + API, _show_all, "plugins", reads=True),
    Route("/pluginManager/plugin/{name}" + API, _show, "plugin", reads=True),
    Route("/updateCenter" + API, _update_center, "update_center", reads=True),
)
