# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of federated repositories in Artifactory: conversion, synchronization and status."""

from __future__ import annotations

import pytest

from support.wire.artifact import error_of

OTHER = "https://other.example/artifactory/generic-local"


@pytest.fixture(autouse=True)
def enterprise(sandbox):
    sandbox.switch("artifact", edition="enterprise")


def convert(artifactory, **members):
    assert artifactory.post("/api/federation/migrate/generic-local").status_code == 200
    if members:
        assert artifactory.post("/api/repositories/generic-local", json=members).status_code == 200


def test_local_repository_becomes_federated_and_keeps_its_content(artifactory, sandbox):
    convert(artifactory)
    converted = artifactory.get("/api/repositories/generic-local").json()
    own_url = f"{sandbox.url}/artifactory/generic-local"
    assert (converted["rclass"], converted["members"]) == ("federated", [{"url": own_url, "enabled": True}])
    assert artifactory.get("/generic-local/app/README.txt").status_code == 200
    assert error_of(artifactory.post("/api/federation/migrate/generic-local"))[0] == 400
    assert error_of(artifactory.post("/api/federation/migrate/libs-remote"))[0] == 400


def test_package_type_without_federated_repositories_is_not_converted(artifactory):
    artifactory.put("/api/repositories/models", json={"rclass": "local", "packageType": "machinelearning"})
    assert error_of(artifactory.post("/api/federation/migrate/models"))[0] == 400


def test_federated_repository_becomes_local_when_it_has_no_other_members(artifactory):
    convert(artifactory, members=[{"url": OTHER}])
    assert error_of(artifactory.post("/api/federation/convertToLocal", json=["generic-local"]))[0] == 400
    artifactory.post("/api/repositories/generic-local", json={"members": []})
    assert artifactory.post("/api/federation/convertToLocal", json=["generic-local"]).status_code == 200
    converted = artifactory.get("/api/repositories/generic-local").json()
    assert (converted["rclass"], "members" in converted) == ("local", False)


def test_synchronization_is_accepted_for_federated_repositories(artifactory):
    convert(artifactory, members=[{"url": OTHER}])
    for path in ("configSync/generic-local", "fullSync/generic-local", f"fullSync/generic-local?mirror={OTHER}"):
        assert artifactory.post(f"/api/federation/{path}").status_code == 200
    for path in ("configSync/docker-local", "fullSync/nothing", "fullSync/generic-local?mirror=https://x.example/a"):
        assert error_of(artifactory.post(f"/api/federation/{path}"))[0] == 400


def test_status_lists_the_other_members_in_older_versions(artifactory, sandbox):
    convert(artifactory, members=[{"url": OTHER, "enabled": False}])
    status = artifactory.get("/api/federation/status/repo/generic-local").json()
    (mirror,) = status["mirrorEventsStatusInfo"]
    assert (status["localKey"], mirror["remoteUrl"], mirror["remoteRepoKey"], mirror["status"]) == (
        "generic-local",
        "https://other.example/artifactory/",
        "generic-local",
        "DISABLED",
    )
    assert error_of(artifactory.get("/api/federation/status/repo/docker-local"))[0] == 404
    assert error_of(artifactory.get("/api/federation/status/stateList"))[0] == 404
    sandbox.switch("artifact", version="7.104.2")
    assert error_of(artifactory.get("/api/federation/status/repo/generic-local"))[0] == 405


def test_states_list_all_federated_repositories_in_newer_versions(artifactory, sandbox):
    sandbox.switch("artifact", version="7.104.2")
    assert artifactory.get("/api/federation/status/stateList").json() == {"federations": []}
    convert(artifactory, members=[{"url": OTHER}])
    (federation,) = artifactory.get("/api/federation/status/stateList").json()["federations"]
    assert federation["localRepoKey"] == "generic-local"
    assert [member["url"] for member in federation["memberInfoList"]] == [
        f"{sandbox.url}/artifactory",
        "https://other.example/artifactory",
    ]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "migrate/generic-local"),
        ("POST", "convertToLocal"),
        ("POST", "configSync/generic-local"),
        ("POST", "fullSync/generic-local"),
        ("GET", "status/repo/generic-local"),
        ("GET", "status/stateList"),
    ],
)
def test_federation_requires_enterprise_and_an_administrator(artifactory, artifactory_reader, sandbox, method, path):
    assert error_of(artifactory_reader.request(method, f"/api/federation/{path}")) == (403, "Forbidden")
    sandbox.switch("artifact", edition="pro")
    status, message = error_of(artifactory.request(method, f"/api/federation/{path}"))
    assert (status, message.split(" (")[0]) == (400, "This REST API is available only in Artifactory Enterprise")
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.request(method, f"/api/federation/{path}")) == (404, "Not Found")
