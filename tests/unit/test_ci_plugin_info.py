# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.ci_server import basic, deny_permission, page
from support.conversation import Call, call, conversation
from support.plugin_server import failed_script
from support.running import run

SNAPSHOT_VARIABLES = Path(__file__).parents[2] / "roles" / "snapshot" / "vars" / "main.yml"
TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
LISTING = (
    "/pluginManager/api/json?tree=plugins%5Bactive%2Cdependencies%5Boptional%2CshortName%2Cversion%5D%2Cenabled%2C"
    "hasUpdate%2ClongName%2CrequiredCoreVersion%2CshortName%2Curl%2Cversion%5D"
)
GIT = {
    "active": True,
    "dependencies": [{"optional": False, "shortName": "credentials", "version": "1319.v7eb_51b_3a_c97b_"}],
    "enabled": True,
    "hasUpdate": True,
    "longName": "Git plugin",
    "requiredCoreVersion": "2.426.3",
    "shortName": "git",
    "url": "https://plugins.jenkins.io/git",
    "version": "5.2.1",
}
CREDENTIALS = {
    **GIT,
    "dependencies": [],
    "hasUpdate": False,
    "longName": "Credentials Plugin",
    "shortName": "credentials",
}
ANT = {**CREDENTIALS, "active": False, "enabled": False, "longName": "Ant Plugin", "shortName": "ant"}


def listing(*plugins: dict[str, Any]) -> Call:
    answer = {"_class": "hudson.LocalPluginManager", "plugins": plugins}
    return call("GET", LISTING, json=answer, sent_headers={"Authorization": basic("admin", TOKEN["api_token"])})


def names(**parameters: Any) -> list[str]:
    """Return the names of the plugins of a task; missing ones are in brackets."""
    with conversation(listing(GIT, CREDENTIALS, ANT)) as server:
        result = run("ci_plugin_info", url=server.url, **TOKEN, **parameters)
    return [plugin["name"] for plugin in result["plugins"]] + [f"({name})" for name in result["missing"]]


def test_plugins_are_listed_with_one_request() -> None:
    with conversation(listing(GIT)) as server:
        result = run("ci_plugin_info", url=server.url, **TOKEN)
    assert result == {
        "changed": False,
        "plugins": [
            {
                "name": "git",
                "title": "Git plugin",
                "version": "5.2.1",
                "enabled": True,
                "active": True,
                "has_update": True,
                "required_core": "2.426.3",
                "url": "https://plugins.jenkins.io/git",
                "dependencies": [{"name": "credentials", "version": "1319.v7eb_51b_3a_c97b_", "optional": False}],
            }
        ],
        "missing": [],
    }


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, ["ant", "credentials", "git"]),
        ({"names": ["git", "zulip", "ant", "blueocean"]}, ["ant", "git", "(blueocean)", "(zulip)"]),
        ({"names": []}, []),
        ({"enabled": True}, ["credentials", "git"]),
        ({"enabled": False}, ["ant"]),
        ({"has_update": True}, ["git"]),
        ({"has_update": False}, ["ant", "credentials"]),
        ({"has_update": False, "enabled": True}, ["credentials"]),
        ({"names": ["ant"], "enabled": True}, []),
    ],
)
def test_plugins_are_filtered(parameters: dict[str, Any], expected: list[str]) -> None:
    assert names(**parameters) == expected


def test_plugins_that_failed_to_load_are_returned() -> None:
    ssh = (
        "java.io.IOException: Failed to load: SSH (ssh 1.0)\n - Plugin is missing: trilead (1)\n - Update required: ant"
    )
    script = failed_script(ssh=ssh, git="java.lang.Error: before", odd="")
    with conversation(listing(GIT), script) as server:
        result = run("ci_plugin_info", url=server.url, check_mode=True, failed_to_load=True, **TOKEN)
    assert result["failed_to_load"] == [
        {"name": "odd", "reason": "Jenkins gave no reason"},
        {"name": "ssh", "reason": "Plugin is missing: trilead (1); Update required: ant"},
    ]


def test_missing_permission_for_failed_plugins_is_reported() -> None:
    refused = call("POST", "/scriptText", 403, text=deny_permission("reader", "Overall/Administer"))
    with conversation(listing(GIT), refused) as server:
        result = run("ci_plugin_info", url=server.url, failed_to_load=True, **TOKEN)
    assert "403 reader is missing the Overall/Administer permission." in result["msg"]


def test_list_is_empty_when_server_has_no_plugins() -> None:
    with conversation(listing()) as server:
        assert run("ci_plugin_info", url=server.url, **TOKEN)["plugins"] == []


def test_task_fails_when_plugins_have_no_names() -> None:
    with conversation(listing({}, {})) as server:
        result = run("ci_plugin_info", url=server.url, **TOKEN)
    assert result["failed"]
    assert "the response contains no names" in result["msg"]


def test_task_fails_when_server_does_not_list_plugins() -> None:
    with conversation(call("GET", LISTING, 404, text=page("Error 404", "Not Found"))) as server:
        result = run("ci_plugin_info", url=server.url, **TOKEN)
    assert result["failed"]
    assert "the server does not provide the list" in result["msg"]
    # the role snapshot skips the list because of this message
    assert re.search(yaml.safe_load(SNAPSHOT_VARIABLES.read_text())["snapshot_refused"], result["msg"])


def test_missing_permission_is_reported() -> None:
    with conversation(call("GET", LISTING, 403, text=deny_permission("reader", "Overall/Administer"))) as server:
        result = run("ci_plugin_info", url=server.url, **TOKEN)
    assert "403 reader is missing the Overall/Administer permission." in result["msg"]


def test_incomplete_response_is_read_again() -> None:
    cut_off = call("GET", LISTING, text='{"_class":"hudson.LocalPlu', headers={"Content-Length": "5000"})
    with conversation(cut_off, listing(GIT)) as server:
        result = run("ci_plugin_info", url=server.url, **TOKEN)
    assert [plugin["name"] for plugin in result["plugins"]] == ["git"]
    assert "1 request(s) were retried" in result["warnings"][0]
