# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: plugins."""

from __future__ import annotations

from support.wire.ci import Ci


def test_plugins_are_listed(ci: Ci) -> None:
    plugins = ci.json("/pluginManager", depth="1")["plugins"]
    text = f'{{"_class":"hudson.LocalPluginManager","plugins":[{",".join(["{}"] * len(plugins))}]}}'
    assert ci.get("/pluginManager/api/json").text == text
    first = plugins[0]
    assert list(first)[:5] == ["active", "backupVersion", "bundled", "deleted", "dependencies"]
    assert (first["shortName"], first["version"], first["dependencies"]) == ("git", "5.2.1", [{}, {}])
    dependencies = ci.json("/pluginManager", depth="2")["plugins"][0]["dependencies"]
    assert dependencies[0] == {"optional": False, "shortName": "credentials", "version": "1319.v7eb_51b_3a_c97b_"}
    named = ci.json("/pluginManager", tree="plugins[shortName,longName,version]{1}")["plugins"]
    assert named == [{"longName": "Pipeline", "shortName": "workflow-aggregator", "version": "596.v8c21c963d92d"}]
    assert ci.json("/pluginManager/plugin/git")["_class"] == "hudson.PluginWrapper"


def test_changes_take_effect_after_restart(ci: Ci) -> None:
    plugin = "/pluginManager/plugin/git"
    assert ci.get(plugin + "/makeDisabled").status_code == 405
    assert ci.post(plugin + "/makeDisabled", "manager").status_code == 403
    assert ci.post(plugin + "/makeDisabled").status_code == 200
    answer = ci.post("/pluginManager/plugin/credentials/doUninstall")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/manage/pluginManager/installed")
    assert ci.members(plugin, "active,enabled") == {"active": True, "enabled": False}
    assert ci.members("/pluginManager/plugin/credentials", "active,deleted") == {"active": True, "deleted": True}
    assert ci.members("/updateCenter", "restartRequiredForCompletion") == {"restartRequiredForCompletion": False}
    ci.post("/restart")
    ci.later(2)
    assert ci.members(plugin, "active,enabled") == {"active": False, "enabled": False}
    assert ci.get("/pluginManager/plugin/credentials/api/json").status_code == 404


def test_list_requires_system_read_only(ci: Ci) -> None:
    permissions = ["Overall/Read", "Overall/SystemRead"]
    ci.sandbox.seed({"ci": {"users": [{"name": "eye", "password": "eye", "permissions": permissions}]}})
    assert ci.get("/pluginManager/api/json", auth=("eye", "eye")).status_code == 200
    refused = ci.get("/pluginManager/api/json", "manager")
    assert refused.headers["X-Required-Permission"] == "hudson.model.Hudson.Administer"
