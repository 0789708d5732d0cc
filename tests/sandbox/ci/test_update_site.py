# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: the update site and its metadata."""

from __future__ import annotations

import pytest

from support.plugin_site import URL, seed
from support.wire.ci import Ci

SITE = "/updateCenter/site/default"
ENTRY = [
    *["name", "sourceId", "url", "version", "categories", "compatible", "compatibleSinceVersion"],
    *["compatibleWithInstalledVersion", "dependencies", "excerpt", "installed", "neededDependencies"],
    *["optionalDependencies", "releaseTimestamp", "requiredCore", "title", "wiki"],
]


def errors(ci: Ci) -> bool:
    return "There were errors checking the update sites: " in ci.get("/pluginManager/available").text


def test_update_site_has_no_metadata_at_first(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"update_sites": [{"fetched": True, "plugins": []}]}})
    assert ci.members(SITE, "*") == {
        "availables": [],
        "connectionCheckUrl": "http://www.google.com/",
        "dataTimestamp": 0,
        "hasUpdates": False,
        "id": "default",
        "suggestedPluginsUrl": "https://updates.jenkins.io/platform-plugins.json",
        "updates": [],
        "url": "https://updates.jenkins.io/update-center.json",
    }
    assert ci.get("/updateCenter/plugin/git/api/json").status_code == 404


def test_available_plugins_are_listed(ci: Ci) -> None:
    ci.sandbox.seed(seed())
    listed = ci.members(SITE, "availables[name],updates[name,version],hasUpdates")
    assert {"name": "top"} in listed["availables"]
    assert {"name": "git"} not in listed["availables"]
    assert (listed["updates"], listed["hasUpdates"]) == ([{"name": "git", "version": "5.3.0"}], True)
    assert ci.members("/pluginManager/plugin/git", "hasUpdate") == {"hasUpdate": True}
    assert ci.json("/updateCenter")["availables"][0] == {}
    top = ci.members("/updateCenter/plugin/top", "*,neededDependencies[name,version,neededDependencies[name]]")
    assert list(top) == ENTRY
    assert (top["installed"], top["dependencies"]) == (None, {"middle": "1.0"})
    needed = {"name": "middle", "version": "1.0", "neededDependencies": [{"name": "base"}]}
    assert top["neededDependencies"] == [needed]
    assert ci.members(f"{SITE}/plugin/modern", "compatible,requiredCore") == {
        "compatible": False,
        "requiredCore": "9.0",
    }
    unknown = ci.members("/updateCenter/plugin/orphan", "neededDependencies[name]")
    assert unknown == {"neededDependencies": []}


def test_metadata_is_refreshed_on_request(ci: Ci) -> None:
    ci.sandbox.seed(seed(fetched=False))
    assert ci.get("/pluginManager/checkUpdatesServer").status_code == 405
    response = ci.post("/pluginManager/checkUpdatesServer")
    assert (response.status_code, response.headers["Location"]) == (302, "/ci/pluginManager/")
    assert ci.members(SITE, "dataTimestamp")["dataTimestamp"] > 0
    assert ci.members("/updateCenter/plugin/top", "version") == {"version": "1.0"}
    assert not errors(ci)
    ci.post("/restart")
    ci.later(2)
    assert ci.members(SITE, "dataTimestamp") == {"dataTimestamp": 0}
    assert ci.members("/updateCenter/plugin/top", "version") == {"version": "1.0"}
    ci.post("/pluginManager/checkUpdatesServer")
    assert ci.post("/updateCenter/invalidateData").status_code == 200
    assert ci.members(SITE, "dataTimestamp") == {"dataTimestamp": 0}


@pytest.mark.parametrize("broken", ["refused", "not found", "error", "page"])
def test_timestamp_is_unchanged_when_site_fails(ci: Ci, broken: str) -> None:
    ci.sandbox.seed(seed(broken=broken))
    answer = ci.post("/pluginManager/checkUpdatesServer", headers={"Referer": "/ci/elsewhere"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/elsewhere")
    assert ci.members(SITE, "dataTimestamp") == {"dataTimestamp": 0}
    assert errors(ci)
    assert ci.members("/updateCenter/plugin/top", "version") == {"version": "1.0"}


def test_timestamp_changes_when_signature_is_invalid(ci: Ci) -> None:
    ci.sandbox.seed(seed(broken="signature", fetched=False))
    ci.post("/pluginManager/checkUpdatesServer")
    assert ci.members(SITE, "dataTimestamp")["dataTimestamp"] > 0
    assert errors(ci)
    assert ci.get("/updateCenter/plugin/top/api/json").status_code == 404
    assert "No signature block found" in ci.post(f"{SITE}/verifySignature").text


def test_update_site_url_can_be_changed(ci: Ci) -> None:
    ci.sandbox.seed(seed())
    ci.post("/pluginManager/checkUpdatesServer")
    answer = ci.post("/pluginManager/siteConfigure", data={"site": "http://nowhere"})
    assert (answer.status_code, answer.headers["Location"]) == (302, "/ci/pluginManager/advanced")
    assert ci.members(SITE, "dataTimestamp,url") == {"dataTimestamp": 0, "url": "http://nowhere"}
    assert ci.members("/updateCenter/plugin/top", "version") == {"version": "1.0"}
    check = "/pluginManager/checkUpdateSiteUrl"
    assert ci.post(check, data={"value": URL}).text == "<div/>"
    assert "Unable to connect to the URL." in ci.post(check, data={"value": "http://nowhere"}).text
    assert ci.get("/updateCenter/connectionStatus").json()["data"] == {"updatesite": "OK", "internet": "OK"}


def test_refresh_requires_system_read_only(ci: Ci) -> None:
    permissions = ["Overall/Read", "Overall/SystemRead"]
    ci.sandbox.seed({"ci": {"users": [{"name": "eye", "password": "eye", "permissions": permissions}]}})
    crumb = ci.get("/crumbIssuer/api/json", auth=("eye", "eye"))
    sent = {"Jenkins-Crumb": crumb.json()["crumb"]}
    response = ci.post("/pluginManager/checkUpdatesServer", auth=("eye", "eye"), headers=sent, cookies=crumb.cookies)
    assert response.status_code == 302
    refused = ci.post("/pluginManager/installPlugins", auth=("eye", "eye"), headers=sent, cookies=crumb.cookies)
    assert refused.headers["X-Required-Permission"] == "hudson.model.Hudson.Administer"
