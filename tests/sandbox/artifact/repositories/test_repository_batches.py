# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the second version of the API of repositories in Artifactory: one configuration, and batches."""

from __future__ import annotations

import pytest

from support.wire.artifact import error_of

BATCH = "/api/v2/repositories/batch"
NPM = {"rclass": "local", "packageType": "npm"}
PAIR = [{"key": "a", **NPM}, {"key": "b", **NPM}]


@pytest.fixture(autouse=True)
def new_version(sandbox):
    sandbox.switch("artifact", version="7.104.2")


def list_keys(artifactory):
    return {entry["key"] for entry in artifactory.get("/api/repositories").json()}


def test_repositories_are_created_together(artifactory):
    response = artifactory.put(BATCH, json=PAIR)
    assert (response.status_code, response.headers["Content-Type"]) == (201, "text/plain; charset=utf-8")
    assert response.text == "Successfully created repository 'a' \n\nSuccessfully created repository 'b' \n"
    assert {"a", "b"} <= list_keys(artifactory)


@pytest.mark.parametrize(
    ("extra", "status", "message"),
    [
        ({"key": "generic-local", **NPM}, 409, "generic-local : Repository key already exists"),
        ({"key": "a", **NPM}, 409, "a : Repository key already exists"),
        (NPM, 400, "Repository key are missing in configuration"),
        ({"key": "c"}, 400, "Missing repository type"),
        (
            {"key": "c", "rclass": "virtual", "packageType": "npm", "repositories": ["a"]},
            400,
            "Repository a does not exist\n",
        ),
    ],
)
def test_no_repository_is_created_when_one_is_refused(artifactory, extra, status, message):
    actual_status, actual_message = error_of(artifactory.put(BATCH, json=[*PAIR, extra]))
    assert (actual_status, actual_message.endswith(message)) == (status, True)
    assert not {"a", "b", "c"} & list_keys(artifactory)


def test_conflict_is_400_in_the_recorded_version(artifactory, sandbox):
    sandbox.switch("artifact", version="7.161.15")
    assert error_of(artifactory.put(BATCH, json=[{"key": "generic-local", **NPM}])) == (
        400,
        "error when validating repository name: generic-local : Repository key already exists",
    )


def test_all_errors_of_a_batch_are_reported(artifactory):
    batch = [{"key": "a", **NPM, "repoLayoutRef": "x"}, {"key": "b", **NPM, "propertySets": ["y"]}]
    assert error_of(artifactory.put(BATCH, json=batch)) == (
        400,
        "Unable to find repository layout by the name: x\nProperty set y doesn't exist",
    )


def test_batch_is_limited(artifactory):
    batch = [{"key": f"r{number}", **NPM} for number in range(101)]
    message = "Repository item limit exceeded: 101. Limit: 100"
    assert error_of(artifactory.put(BATCH, json=batch)) == (400, message)
    assert error_of(artifactory.post(BATCH, json=batch)) == (400, message)
    assert artifactory.put(BATCH, json=batch[:100]).status_code == 201


def test_body_must_be_a_list_of_objects(artifactory):
    for body in ({}, "a", ["a"]):
        assert error_of(artifactory.put(BATCH, json=body))[0] == 400


def test_no_repository_is_created_when_the_descriptor_cannot_be_merged(artifactory, sandbox):
    sandbox.switch("artifact", merge_refusals=1)
    assert error_of(artifactory.put(BATCH, json=PAIR))[0] == 400
    assert not {"a", "b"} & list_keys(artifactory)
    assert artifactory.put(BATCH, json=PAIR).status_code == 201


def test_repositories_are_updated_together(artifactory):
    changes = [{"key": "generic-local", "notes": "n"}, {"key": "docker-local", "description": "d"}]
    response = artifactory.post(BATCH, json=changes)
    assert (response.status_code, response.text) == (200, "Repositories updated successfully.")
    updated = artifactory.get("/api/repositories/generic-local").json()
    assert (updated["notes"], updated["description"]) == ("n", "Everything else")


def test_no_repository_is_updated_when_one_is_refused(artifactory):
    notes = {"key": "generic-local", "notes": "n"}
    unknown = artifactory.post(BATCH, json=[notes, {"key": "x"}, {"key": "y"}])
    assert (unknown.status_code, unknown.text) == (404, "No repositories found for the following keys: x, y")
    assert error_of(artifactory.post(BATCH, json=[notes, {"key": "docker-local", "rclass": "remote"}]))[0] == 400
    assert artifactory.get("/api/repositories/generic-local").json()["notes"] == ""


def test_repositories_are_deleted_together(artifactory, sandbox):
    assert error_of(artifactory.delete(BATCH, json=["generic-local"])) == (404, "Not Found")
    sandbox.switch("artifact", version="7.161.15")
    response = artifactory.delete(BATCH, json=["generic-local", "nothing", "generic-local", "libs-release"])
    assert response.status_code == 200
    assert response.json()["statusMessage"] == "All repositories were removed successfully"
    assert [(report["statusMsg"], report["deletedArtifactsCount"]) for report in response.json()["reports"]] == [
        ("Repository 'generic-local' and all its content have been removed successfully.", 3),
        ("Cannot delete repository: 'nothing', repository config does not exist", 0),
        ("Repository 'libs-release' has been removed successfully.", 0),
    ]
    empty = artifactory.delete(BATCH, json=[])
    assert (empty.status_code, empty.json()) == (
        400,
        {"statusMessage": "No repository keys were provided for deletion"},
    )


def test_batch_is_read_by_names(artifactory):
    batch = artifactory.get(f"{BATCH}?names=generic-local&names=nothing&names=libs-release").json()
    assert list(batch) == ["generic-local", "libs-release"]
    assert batch["generic-local"] == artifactory.get("/api/repositories/generic-local").json()
    assert artifactory.get(f"{BATCH}?names=generic-local,libs-release").text == "{ }"
    assert error_of(artifactory.get(BATCH)) == (400, "Repository keys are missing.")


def test_configuration_has_the_members_of_the_package_type(artifactory, artifactory_reader):
    configuration = artifactory.get("/api/v2/repositories/docker-local").json()
    assert (configuration["type"], configuration["dockerApiVersion"]) == ("local", "V2")
    assert not {"rclass", "yumRootDepth"} & configuration.keys()
    assert error_of(artifactory.get("/api/v2/repositories/nothing")) == (404, "The repository nothing was not found")
    assert set(artifactory_reader.get("/api/v2/repositories/docker-local").json()) == {
        "key",
        "packageType",
        "description",
        "type",
    }


@pytest.mark.parametrize(
    ("method", "version"), [("GET", "7.84.2"), ("PUT", "7.84.2"), ("POST", "7.104.1"), ("POST", "7.84.3")]
)
def test_older_versions_have_no_batches(artifactory, sandbox, method, version):
    sandbox.switch("artifact", version=version)
    assert error_of(artifactory.request(method, BATCH, json=PAIR)) == (404, "Not Found")


def test_batches_are_for_administrators_and_require_pro(artifactory, artifactory_reader, sandbox):
    for method in ("PUT", "POST"):
        assert error_of(artifactory_reader.request(method, BATCH, json=PAIR)) == (403, "Forbidden")
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.put(BATCH, json=PAIR))[0] == 400
