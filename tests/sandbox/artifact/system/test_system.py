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


@pytest.mark.parametrize(("version", "has_new_job"), [("4.4.2", False), ("5.4.6", True)])
def test_information_and_tasks_of_old_versions_are_as_recorded(artifactory, sandbox, version, has_new_job):
    sandbox.switch("artifact", edition="oss", version=version)
    dump = artifactory.get("/api/system")
    assert (dump.status_code, dump.headers["Content-Type"]) == (200, "text/plain")
    assert dump.text.startswith("\n\n SYSTEM INFORMATION DUMP\n =======================\n\n User Info\n")
    assert f"   artifactory.version{' ' * 51}| {version}\n" in dump.text
    information = artifactory.get("/api/system/info").json()
    assert len(information) == 17
    assert information["numberOfCores"] == 2
    tasks = artifactory.get("/api/tasks").json()["tasks"]
    assert {task["state"] for task in tasks} == {"scheduled"}
    assert "Backup - backup-daily" in [task["description"] for task in tasks]
    assert ("binary store error notification" in [task["description"] for task in tasks]) == has_new_job


def test_information_of_later_versions_is_not_known(artifactory):
    for path in ("/api/system", "/api/system/info", "/api/tasks"):
        assert artifactory.get(path).status_code == 501


@pytest.mark.parametrize(
    ("edition", "query", "refusal"),
    [
        (
            "oss",
            "",
            (400, "Archive type parameter must be one of: 'zip','tar','tar.gz','tgz'. You sent: null"),
        ),
        (
            "oss",
            "?archiveType=7z",
            (400, "Archive type parameter must be one of: 'zip','tar','tar.gz','tgz'. You sent: 7z"),
        ),
        ("oss", "?archiveType=ZIP", (400, "This REST API is available only in Artifactory Pro")),
        ("pro", "?archiveType=zip", (501, "The sandbox does not serve this call yet")),
    ],
)
def test_folder_download_is_refused_as_the_edition_does(artifactory, sandbox, edition, query, refusal):
    sandbox.switch("artifact", edition=edition, version="5.4.6")
    status, message = error_of(artifactory.get(f"/api/archive/download/generic-local/app{query}"))
    assert (status, message.startswith(refusal[1])) == (refusal[0], True)
