# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: calls that it does not serve."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.ci import Ci

PAGES = [
    "/about/",
    "/cloud/",
    "/computer/configure",
    "/computer/(built-in)/systemInfo",
    "/config.xml",
    "/configureSecurity/",
    "/credentials/store/system/domain/_/newCredentials",
    "/descriptorByName/hudson.tasks.Shell/checkCommand?value=x",
    "/job/app/buildTimeTrend",
    "/job/app/checkNewName",
    "/job/app/credentials/",
    "/job/app/descriptorByName/hudson.tasks.Shell/checkCommand",
    "/job/app/1/parameters/",
    "/log",
    "/pluginManager/plugins",
    "/rssAll",
    "/securityRealm/user/admin/builds",
    "/unlabeledLoad/api/json",
    "/user/admin/security/",
    "/view/all/builds",
    "/view/all/rssLatest",
]
ACTIONS = [
    "/configSubmit",
    "/job/app/configSubmit",
    "/job/app/reload",
    "/job/app/1/configSubmit",
    "/pipeline-model-converter/validate",
    "/queue/clearQueue",
    "/updateCenter/upgrade",
    "/view/all/configSubmit",
]
OF_ABSENT_PLUGINS = ["/blue/rest/", "/prometheus/", "/metrics/api"]


@pytest.mark.parametrize(("method", "path"), [("GET", path) for path in PAGES] + [("POST", path) for path in ACTIONS])
def test_a_known_path_is_501_when_it_is_not_served(ci: Ci, method: str, path: str) -> None:
    answer = ci.request(method, path)
    assert (answer.status_code, "does not serve" in answer.text) == (501, True)
    assert ci.request(method, path, user=None).status_code == 403


@pytest.mark.parametrize("path", ACTIONS)
def test_an_action_that_is_not_served_is_405_when_it_is_no_post(ci: Ci, path: str) -> None:
    assert ci.get(path).status_code == 405


def test_a_page_that_is_not_served_is_403_when_the_permission_is_missing(ci: Ci) -> None:
    for path in ("/config.xml", "/configureSecurity/", "/securityRealm/"):
        answer = ci.get(path, user="reader")
        assert (answer.status_code, answer.headers["X-Required-Permission"]) == (
            403,
            "hudson.model.Hudson.Administer",
        )


@pytest.mark.parametrize(
    "path",
    [
        *("/people/", "/securityRealm/api/json", "/user/admin/config.xml", "/user/admin/configSubmit", "/rssMany"),
        *("/job/nope/buildTimeTrend", "/job/app/9/parameters/", "/computer/nope/systemInfo", *OF_ABSENT_PLUGINS),
    ],
)
def test_a_path_is_404_when_the_real_server_has_none(ci: Ci, path: str) -> None:
    assert ci.get(path).status_code == 404


def test_a_path_of_a_plugin_is_501_when_the_plugin_is_active(ci: Ci, sandbox: Any) -> None:
    plugins = [{"name": name, "version": "1"} for name in ("blueocean-rest", "prometheus", "metrics")]
    sandbox.seed({"ci": {"plugins": plugins}})
    assert [ci.get(path).status_code for path in OF_ABSENT_PLUGINS] == [501] * 3


def test_a_part_of_pipelines_is_unknown_when_the_build_is_freestyle(ci: Ci) -> None:
    for part in ("replay", "input", "wfapi"):
        assert ci.get(f"/job/app/1/{part}").status_code == 302
        assert ci.get(f"/job/app/1/{part}/").status_code == 404
        assert ci.get(f"/job/app/1/{part}/x").status_code == 404


def test_pipeline_part_is_501_when_build_is_a_pipeline(ci: Ci) -> None:
    ci.start("nightly")
    ci.later(60)
    for part in ("replay", "input/x/proceedEmpty", "flowGraphTable/"):
        assert ci.get(f"/job/nightly/1/{part}").status_code == 501
    assert ci.get("/job/nightly/1/wfapi/").status_code == 404  # needs a plugin that is not installed


@pytest.mark.parametrize(
    ("method", "path"), [("GET", "indexing/consoleText"), ("GET", "computation/"), ("POST", "build")]
)
def test_scan_of_branches_is_501_only_for_a_multibranch_pipeline(ci: Ci, method: str, path: str) -> None:
    root = "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject"
    created = ci.post("/createItem?name=lib", data=f"<{root}/>".encode(), headers={"Content-Type": "application/xml"})
    assert created.status_code == 200
    assert ci.request(method, f"/job/lib/{path}").status_code == 501
    assert ci.request(method, f"/job/app/{path}").status_code == (201 if path == "build" else 404)
    assert ci.request(method, f"/job/missing/{path}").status_code == 404


def test_slash_at_the_end_of_a_path_is_ignored(ci: Ci) -> None:
    ci.post("/job/app/build?delay=0sec")
    ci.later(60)
    tag = "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl"
    text = f"<{tag}><scope>GLOBAL</scope><id>deploy</id><username>u</username><password>p</password></{tag}>"
    domain = "/credentials/store/system/domain/_"
    created = ci.post(f"{domain}/createCredentials", data=text.encode(), headers={"Content-Type": "application/xml"})
    assert created.status_code == 200
    for path in (
        "/api/json",
        "/job/app/api/json",
        "/job/app/config.xml",
        "/job/app/1/api/json",
        "/view/all/config.xml",
        "/whoAmI/api/json",
        f"{domain}/api/json",
        f"{domain}/credential/deploy/config.xml",
        "/computer/(built-in)/api/json",
    ):
        plain, slash = ci.get(path), ci.get(f"{path}/")
        assert (slash.status_code, slash.content) == (200, plain.content), path
    assert ci.get("/job/missing/config.xml/").status_code == 404
    assert ci.post("/job/app/disable/").status_code == 302
    assert "<disabled>true</disabled>" in ci.get("/job/app/config.xml/").text
