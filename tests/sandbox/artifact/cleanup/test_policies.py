# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the clean-up policies."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import Sandbox, SandboxError
from support.session import Session
from support.wire.artifact import error_of

POLICIES = "/api/cleanup/packages/policies"
POLICY = f"{POLICIES}/old-builds"
CRITERIA = {"packageTypes": ["generic"], "repos": ["generic-local"], "includedPackages": ["**"]}
BODY = {"enabled": False, "searchCriteria": {**CRITERIA, "createdBeforeInDays": 90}}
COMPLETE = {
    "key": "old-builds",
    "description": "",
    "cronExp": "",
    "enabled": False,
    "skipTrashcan": False,
    "searchCriteria": {
        **CRITERIA,
        "includeAllProjects": False,
        "includedProjects": [],
        "createdBeforeInDays": 90,
    },
}


@pytest.fixture(autouse=True)
def enterprise(sandbox: Sandbox) -> None:
    """Emulate a server with clean-up policies."""
    sandbox.switch("artifact", version="7.111.4", edition="enterprise")


def with_criteria(**criteria: Any) -> dict[str, Any]:
    """Return a policy with other criteria."""
    return {**BODY, "searchCriteria": {**CRITERIA, **criteria}}


def test_policy_has_the_optional_members_that_were_sent(artifactory: Session) -> None:
    optional = {
        "excludedRepos": [],
        "excludedPackages": ["a"],
        "includedProperties": {"k": ["v"]},
        "excludedProperties": {},
    }
    created = artifactory.post(POLICY, json={**with_criteria(keepLastNVersions=1, **optional), "durationInMinutes": 0})
    assert created.json()["searchCriteria"].items() >= optional.items()
    assert created.json()["durationInMinutes"] == 0


def test_policy_is_created_replaced_and_deleted(artifactory: Session) -> None:
    created = artifactory.post(POLICY, json=BODY)
    assert (created.status_code, created.json()) == (201, COMPLETE)
    assert artifactory.get(POLICIES).json() == [artifactory.get(POLICY).json()] == [COMPLETE]
    replaced = artifactory.put(POLICY, json={**BODY, "cronExp": "0 0 2 * * ?"})
    assert (replaced.status_code, replaced.json()["cronExp"]) == (200, "0 0 2 * * ?")
    assert artifactory.put(POLICY, json=BODY).json() == COMPLETE
    assert artifactory.delete(POLICY).status_code == 200
    for response in (artifactory.get(POLICY), artifactory.put(POLICY, json=BODY), artifactory.delete(POLICY)):
        assert error_of(response) == (404, "Policy with key old-builds does not exist")


@pytest.mark.parametrize("status", [409, 400])
def test_existing_policy_is_not_created_again(artifactory: Session, sandbox: Sandbox, status: int) -> None:
    sandbox.switch("artifact", cleanup_conflict_status=status)
    artifactory.post(POLICY, json=BODY)
    assert error_of(artifactory.post(POLICY, json=BODY)) == (status, "Policy with key old-builds already exists")


def test_only_a_separate_call_enables_a_policy(artifactory: Session) -> None:
    enabled = {**BODY, "enabled": True}
    assert artifactory.post(POLICY, json=enabled).status_code == 400
    artifactory.post(POLICY, json=BODY)
    assert artifactory.put(POLICY, json=enabled).status_code == 400
    assert artifactory.post(f"{POLICY}/enablement", json={"enabled": True}).status_code == 200
    assert artifactory.get(POLICY).json()["enabled"]
    assert artifactory.put(POLICY, json=enabled).status_code == 200
    assert artifactory.put(POLICY, json=BODY).status_code == 400
    assert artifactory.post(f"{POLICY}/enablement", json={}).status_code == 400
    assert artifactory.post(f"{POLICY}/enablement", json={"enabled": False}).status_code == 200


def test_running_policy_is_not_changed(artifactory: Session, sandbox: Sandbox) -> None:
    artifactory.post(POLICY, json=BODY)
    sandbox.switch("artifact", cleanup_policies_run=True)
    for response in (artifactory.put(POLICY, json=BODY), artifactory.delete(POLICY)):
        status, message = error_of(response)
        assert (status, "currently running" in message) == (400, True)


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({**BODY, "key": "other"}, "key differs from the key in the path"),
        ({**BODY, "description": "x" * 257}, "description must have"),
        ({**BODY, "cronExp": "0 0 2 * *"}, "cronExp is not"),
        ({**BODY, "durationInMinutes": -1}, "durationInMinutes must not be"),
        ({**BODY, "projectKey": "none"}, "project none does not exist"),
        ({}, "searchCriteria is required"),
        (with_criteria(packageTypes=[]), "searchCriteria.packageTypes is required"),
        (with_criteria(repos=None), "searchCriteria.repos is required"),
        (with_criteria(includedPackages=[]), "searchCriteria.includedPackages is required"),
        (with_criteria(excludedRepos="x"), "searchCriteria.excludedRepos must be"),
        (with_criteria(repos=["none"]), "repository none is not"),
        (with_criteria(repos=["libs-remote"]), "repository libs-remote is not"),
        (with_criteria(keepLastNVersions=-1), "searchCriteria.keepLastNVersions must be"),
        (with_criteria(includedProperties={"a": "b"}), "searchCriteria.includedProperties must be"),
        (with_criteria(createdBeforeInDays=1, lastDownloadedBeforeInMonths=1), "mutually exclusive"),
        (with_criteria(createdBeforeInMonths=1, keepLastNVersions=1), "mutually exclusive"),
    ],
)
def test_invalid_policy_is_refused(artifactory: Session, body: dict[str, Any], problem: str) -> None:
    status, message = error_of(artifactory.post(POLICY, json=body))
    assert (status, problem in message) == (400, True)
    assert artifactory.get(POLICIES).json() == []


def test_missing_repository_is_accepted_when_names_are_not_checked(artifactory: Session, sandbox: Sandbox) -> None:
    assert artifactory.post(POLICY, json=with_criteria(repos=["**"])).status_code == 201
    sandbox.switch("artifact", cleanup_checks_names=False)
    assert artifactory.put(POLICY, json=with_criteria(repos=["none"])).status_code == 200


@pytest.mark.parametrize("key", ["ab", "a%20b", "%C3%A4%C3%A4%C3%A4"])
def test_invalid_key_is_refused(artifactory: Session, key: str) -> None:
    assert artifactory.post(f"{POLICIES}/{key}", json=BODY).status_code == 400


def test_policies_require_an_enterprise_license(artifactory: Session, sandbox: Sandbox) -> None:
    for edition, status in (("pro", 400), ("oss", 404)):
        sandbox.switch("artifact", edition=edition)
        for method, path in (("GET", POLICIES), ("GET", POLICY), ("POST", POLICY), ("DELETE", POLICY)):
            assert error_of(artifactory.request(method, path))[0] == status


def test_policies_are_missing_in_older_versions(artifactory: Session, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", version="7.90.1")
    assert error_of(artifactory.get(POLICIES)) == (404, "Not Found")


def test_policies_are_for_administrators(artifactory_reader: Session, artifactory_anonymous: Session) -> None:
    assert error_of(artifactory_reader.get(POLICIES)) == (403, "Forbidden")
    assert error_of(artifactory_anonymous.get(POLICIES))[0] == 401


def test_policies_of_a_seed_are_exported(artifactory: Session, sandbox: Sandbox) -> None:
    project = {"project_key": "web", "display_name": "Web"}
    policy = {
        "key": "web-old",
        "projectKey": "web",
        "enabled": True,
        "searchCriteria": {**CRITERIA, "keepLastNVersions": 3},
    }
    seed = {"projects": [project], "cleanup_policies": [policy]}
    sandbox.seed({"artifact": seed})
    artifactory.post(POLICY, json=BODY)
    assert [entry["key"] for entry in artifactory.get(f"{POLICIES}?projectKey=web").json()] == ["web-old"]
    before = artifactory.get(POLICIES).json()
    sandbox.seed({**sandbox.export_seed()["seed"]}, reset=True)
    assert artifactory.get(POLICIES).json() == before
    assert sandbox.state()["artifact"]["cleanup_policies"]["rows"] == [
        {"key": "old-builds", "enabled": "no", "schedule": "", "project": ""},
        {"key": "web-old", "enabled": "yes", "schedule": "", "project": "web"},
    ]


def test_invalid_policy_of_a_seed_is_refused(sandbox: Sandbox) -> None:
    policy = {"key": "old", "searchCriteria": {}}
    with pytest.raises(SandboxError, match=r"cleanup_policies, old: .*packageTypes is required"):
        sandbox.seed({"artifact": {"cleanup_policies": [policy]}})


def test_policy_for_release_bundles_is_created_replaced_and_deleted(artifactory: Session, sandbox: Sandbox) -> None:
    path = "/api/cleanup/bundles/policies/old-bundles"
    criteria = {
        "includeAllProjects": True,
        "includedProjects": [],
        "releaseBundles": [{"name": "**", "projectKey": ""}],
    }
    body = {"itemType": "releaseBundle", "durationInMinutes": 60, "searchCriteria": criteria}
    created = {"key": "old-bundles", "description": "", "cronExp": "", "enabled": False, **body}
    response = artifactory.post(path, json={**body, "enabled": True})
    assert (response.status_code, response.json()) == (201, created)
    assert artifactory.post(path, json=body).status_code == 409
    assert artifactory.post(f"{path}/enablement", json={"enabled": True}).status_code == 200
    assert artifactory.put(path, json={**body, "cronExp": "nope"}).status_code == 400
    replaced = artifactory.put(path, json={**body, "cronExp": "0 0 2 ? * MON-SAT *"})
    assert (
        replaced.json()
        == artifactory.get(path).json()
        == {**created, "enabled": True, "cronExp": "0 0 2 ? * MON-SAT *"}
    )
    assert artifactory.delete(path).status_code == 200
    assert artifactory.get(path).status_code == 404
    sandbox.switch("artifact", version="7.103.0")
    assert artifactory.post(path, json=body).status_code == 404
