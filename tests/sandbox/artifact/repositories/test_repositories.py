# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of repositories in Artifactory: list, details, create, update, delete."""

from __future__ import annotations

import pytest

from support.wire.artifact import error_of


def test_repositories_are_listed(artifactory, sandbox):
    response = artifactory.get("/api/repositories")
    assert response.headers["Content-Type"].endswith("repositories.RepositoryDetailsList+json")
    assert response.headers["Cache-Control"] == "no-store"
    by_key = {entry["key"]: entry for entry in response.json()}
    assert list(by_key) == [
        "docker-local",
        "docker-release-local",
        "generic-local",
        "generic-release-local",
        "libs-release-local",
        "libs-remote",
        "libs-release",
    ]
    assert by_key["libs-release-local"] == {
        "key": "libs-release-local",
        "description": "Our own libraries",
        "type": "LOCAL",
        "url": f"{sandbox.url}/artifactory/libs-release-local",
        "packageType": "Maven",
    }
    assert by_key["libs-remote"] == {
        "key": "libs-remote",
        "type": "REMOTE",
        "url": "https://repo.maven.apache.org/maven2",
        "packageType": "Maven",
    }


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("type=Remote", ["libs-remote"]),
        ("type=virtual&packageType=maven", ["libs-release"]),
        ("packageType=docker", ["docker-local", "docker-release-local"]),
        ("type=strange", []),
    ],
)
def test_repository_list_is_filtered(artifactory, query, keys):
    assert [entry["key"] for entry in artifactory.get(f"/api/repositories?{query}").json()] == keys


def test_empty_list_has_the_format_of_jackson(artifactory):
    assert artifactory.get("/api/repositories?type=strange").text == "[ ]"


def test_repository_details(artifactory):
    response = artifactory.get("/api/repositories/libs-release")
    assert response.headers["Content-Type"].endswith("repositories.VirtualRepositoryConfiguration+json")
    detail = response.json()
    assert "type" not in detail
    assert (detail["rclass"], detail["packageType"]) == ("virtual", "maven")
    assert detail["repositories"] == ["libs-release-local", "libs-remote"]
    assert detail["defaultDeploymentRepo"] == "libs-release-local"
    assert "defaultDeploymentRepo" not in artifactory.get("/api/repositories/generic-local").json()
    assert artifactory.head("/api/repositories/generic-local").status_code == 200


def test_repository_details_are_400_when_the_key_is_unknown(artifactory):
    assert error_of(artifactory.get("/api/repositories/nothing")) == (400, "Bad Request")


def test_repository_details_are_reduced_when_the_caller_is_not_an_administrator(artifactory_reader):
    assert set(artifactory_reader.get("/api/repositories/libs-remote").json()) == {
        "key",
        "packageType",
        "description",
        "url",
        "rclass",
    }


def test_repository_is_created_updated_and_deleted(artifactory, artifactory_reader):
    created = artifactory.put("/api/repositories/new-local", json={"rclass": "local", "packageType": "npm"})
    assert created.status_code == 200
    assert created.text.startswith("Successfully created repository 'new-local'")
    assert artifactory.put("/api/repositories/New-local", json={"rclass": "local"}).status_code == 400
    assert artifactory.post("/api/repositories/new-local", json={"description": "new"}).status_code == 200
    assert artifactory.get("/api/repositories/new-local").json()["description"] == "new"
    assert artifactory_reader.delete("/api/repositories/new-local").status_code == 403
    deleted = artifactory.delete("/api/repositories/new-local")
    assert deleted.text == "Repository new-local and all its content have been removed successfully."
    assert artifactory.delete("/api/repositories/new-local").status_code == 404
    assert artifactory.get("/api/storage/new-local").status_code == 404
