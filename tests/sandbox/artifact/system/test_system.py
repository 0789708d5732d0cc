# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the Artifactory system calls: service id, status, usage, configuration."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from support.wire.artifact import error_of

CONFIGURATION = "/api/system/configuration"


def test_service_id_is_plain_text(artifactory):
    response = artifactory.get("/api/system/service_id")
    assert response.headers["Content-Type"] == "text/plain"
    assert re.fullmatch("jfrt@[0-9a-z]+", response.text)


def test_status_describes_the_node(artifactory, sandbox):
    response = artifactory.get("/api/system/status")
    (node,) = response.json()["nodes"]
    assert (response.json()["isHa"], node["state"]) == (False, "RUNNING")
    assert node["id"] == response.headers["X-Artifactory-Node-Id"]
    assert f"Artifactory/{node['version']}" == response.headers["Server"]
    assert len(node["licenceHash"]) == 40
    sandbox.switch("artifact", edition="oss")
    assert "licenceHash" not in artifactory.get("/api/system/status").json()["nodes"][0]


def test_usage_report_is_accepted(artifactory, artifactory_reader):
    report = {"productId": "jfrog-cli-go/2.50.0", "features": [{"featureId": "rt_upload"}]}
    for caller in (artifactory, artifactory_reader):
        response = caller.post("/api/system/usage", json=report)
        assert (response.status_code, response.content) == (200, b"")
    assert (
        error_of(artifactory.post("/api/system/usage", data="text", headers={"Content-Type": "text/plain"}))[0] == 415
    )
    assert error_of(artifactory.get("/api/system/usage"))[0] == 405


@pytest.mark.parametrize("path", ["service_id", "status", "configuration"])
def test_system_calls_require_an_administrator(artifactory_reader, path):
    assert error_of(artifactory_reader.get(f"/api/system/{path}")) == (403, "Forbidden")


def test_configuration_lists_repositories_in_the_order_of_the_schema(artifactory, sandbox):
    virtual = {"rclass": "virtual", "repositories": ["generic-local"], "defaultDeploymentRepo": "generic-local"}
    artifactory.put("/api/repositories/all", json=virtual)
    sandbox.switch("artifact", anonymous=False, trashcan=False)
    response = artifactory.get(CONFIGURATION)
    assert response.headers["Content-Type"] == "application/xml"
    root = ET.fromstring(response.content)
    namespace = root.tag.partition("}")[0] + "}"
    names = [element.tag.removeprefix(namespace) for element in root]
    order = ["offlineMode", "security", "localRepositories", "remoteRepositories", "virtualRepositories"]
    assert [name for name in names if name in order] == order
    keys = {
        element.text
        for element in root.iterfind(f"{namespace}localRepositories/{namespace}localRepository/{namespace}key")
    }
    assert keys == {entry["key"] for entry in artifactory.get("/api/repositories?type=local").json()}
    assert root.find(f"{namespace}security/{namespace}anonAccessEnabled").text == "false"
    assert root.find(f"{namespace}trashcanConfig/{namespace}enabled").text == "false"
    repository = next(element for element in root.iter(f"{namespace}virtualRepository") if element[0].text == "all")
    assert [element.text for element in repository.iter(f"{namespace}repositoryRef")] == ["generic-local"]
    assert repository.find(f"{namespace}defaultDeploymentRepo").text == "generic-local"


def test_configuration_contains_no_password(artifactory):
    remote = {"rclass": "remote", "url": "http://127.0.0.1:9/", "username": "me", "password": "hidden"}
    artifactory.put("/api/repositories/far", json=remote)
    text = artifactory.get(CONFIGURATION).text
    assert "<username>me</username>" in text
    assert "hidden" not in text


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_changing_the_configuration_is_501(artifactory, method):
    assert error_of(artifactory.request(method, CONFIGURATION))[0] == 501
