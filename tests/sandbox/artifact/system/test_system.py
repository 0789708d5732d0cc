# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the Artifactory system calls: service id, status, usage."""

from __future__ import annotations

import re

import pytest

from support.wire.artifact import error_of


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
