# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Artifactory on the wire: what is asked of the server itself."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest

from support.wire.artifact import error_of

CONFIGURATION = "/api/system/configuration"


def test_the_service_id_is_text(artifactory):
    answer = artifactory.get("/api/system/service_id")
    assert answer.headers["Content-Type"] == "text/plain"
    assert re.fullmatch("jfrt@[0-9a-z]+", answer.text)


def test_the_status_names_the_node_that_answers(artifactory, sandbox):
    answer = artifactory.get("/api/system/status")
    (node,) = answer.json()["nodes"]
    assert (answer.json()["isHa"], node["state"]) == (False, "RUNNING")
    assert node["id"] == answer.headers["X-Artifactory-Node-Id"]
    assert f"Artifactory/{node['version']}" == answer.headers["Server"]
    assert len(node["licenceHash"]) == 40
    sandbox.switch("artifact", edition="oss")
    assert "licenceHash" not in artifactory.get("/api/system/status").json()["nodes"][0]


def test_the_usage_that_a_client_reports_is_accepted(artifactory, artifactory_reader):
    report = {"productId": "jfrog-cli-go/2.50.0", "features": [{"featureId": "rt_upload"}]}
    for caller in (artifactory, artifactory_reader):
        answer = caller.post("/api/system/usage", json=report)
        assert (answer.status_code, answer.content) == (200, b"")
    assert (
        error_of(artifactory.post("/api/system/usage", data="text", headers={"Content-Type": "text/plain"}))[0] == 415
    )
    assert error_of(artifactory.get("/api/system/usage"))[0] == 405


@pytest.mark.parametrize("path", ["service_id", "status", "configuration"])
def test_the_system_is_shown_to_administrators_only(artifactory_reader, path):
    assert error_of(artifactory_reader.get(f"/api/system/{path}")) == (403, "Forbidden")


def test_the_configuration_has_the_repositories_in_the_order_of_the_schema(artifactory, sandbox):
    virtual = {"rclass": "virtual", "repositories": ["generic-local"], "defaultDeploymentRepo": "generic-local"}
    artifactory.put("/api/repositories/all", json=virtual)
    sandbox.switch("artifact", anonymous=False, trashcan=False)
    answer = artifactory.get(CONFIGURATION)
    assert answer.headers["Content-Type"] == "application/xml"
    root = ET.fromstring(answer.content)
    space = root.tag.partition("}")[0] + "}"
    names = [element.tag.removeprefix(space) for element in root]
    order = ["offlineMode", "security", "localRepositories", "remoteRepositories", "virtualRepositories"]
    assert [name for name in names if name in order] == order
    keys = {element.text for element in root.iterfind(f"{space}localRepositories/{space}localRepository/{space}key")}
    assert keys == {entry["key"] for entry in artifactory.get("/api/repositories?type=local").json()}
    assert root.find(f"{space}security/{space}anonAccessEnabled").text == "false"
    assert root.find(f"{space}trashcanConfig/{space}enabled").text == "false"
    made = next(element for element in root.iter(f"{space}virtualRepository") if element[0].text == "all")
    assert [element.text for element in made.iter(f"{space}repositoryRef")] == ["generic-local"]
    assert made.find(f"{space}defaultDeploymentRepo").text == "generic-local"


def test_the_configuration_has_no_password(artifactory):
    remote = {"rclass": "remote", "url": "http://127.0.0.1:9/", "username": "me", "password": "hidden"}
    artifactory.put("/api/repositories/far", json=remote)
    text = artifactory.get(CONFIGURATION).text
    assert "<username>me</username>" in text
    assert "hidden" not in text


@pytest.mark.parametrize("method", ["POST", "PATCH"])
def test_a_change_of_the_configuration_is_501(artifactory, method):
    assert error_of(artifactory.request(method, CONFIGURATION))[0] == 501
