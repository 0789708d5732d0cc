# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of permissions in Artifactory's three APIs."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox import client
from support.session import Session
from support.wire.artifact import error_of

PERMISSIONS = "/api/v2/permissions"
TARGETS_2, TARGETS_1 = "/api/v2/security/permissions", "/api/security/permissions"
ITEM = "/api/storage/generic-local/app/1.0"
ALL = {"include_patterns": ["**"], "exclude_patterns": []}
ARTIFACT = {
    "actions": {"users": {"dev": ["READ", "SCAN"]}, "groups": {"web": ["READ", "WRITE", "ANNOTATE"]}},
    "targets": {"generic-local": {"include_patterns": ["app/**"], "exclude_patterns": []}},
}


@pytest.fixture
def access(sandbox: client.Sandbox) -> Session:
    """Return an administrator's session for the Access API, with the users and groups of the tests."""
    sandbox.seed(
        {
            "artifact": {
                "groups": [{"name": "web"}],
                "users": [{"name": "dev", "password": "dev"}, {"name": "boss", "password": "boss", "groups": ["web"]}],
            }
        }
    )
    return Session(f"{sandbox.url}/access", sandbox.environment["JFROG_ACCESS_TOKEN"])


def create(access: Session, name: str = "web-team", **resources: Any) -> None:
    """Create a permission."""
    response = access.post(PERMISSIONS, json={"name": name, "resources": resources or {"artifact": ARTIFACT}})
    assert response.status_code == 201


def platform_error(response: Any) -> tuple[int, str]:
    """Return status and message of an error of the Access API."""
    (error,) = response.json()["errors"]
    return response.status_code, error["message"]


def test_permission_is_created_read_and_deleted(access, sandbox):
    create(access)
    detail = access.get(f"{PERMISSIONS}/web-team").json()
    assert detail["resources"] == {"artifact": ARTIFACT}
    assert (detail["name"], detail["created_by"], detail["modified_by"]) == ("web-team", "admin", "admin")
    uri = f"{sandbox.url}/access/api/v2/permissions/web-team"
    assert access.get(PERMISSIONS).json() == {"permissions": [{"name": "web-team", "uri": uri}]}
    assert (access.delete(f"{PERMISSIONS}/web-team").status_code, access.get(PERMISSIONS).json()) == (
        204,
        {"permissions": []},
    )
    for method in ("GET", "DELETE"):
        assert platform_error(access.request(method, f"{PERMISSIONS}/web-team")) == (
            404,
            "Permission web-team not found",
        )


def test_resource_is_replaced_updated_and_deleted(access):
    create(access)
    build = {"actions": {"groups": {"web": ["READ"]}}, "targets": {"artifactory-build-info": {}}}
    path = f"{PERMISSIONS}/web-team/build"
    stored = {"actions": {"users": {}, "groups": {"web": ["READ"]}}, "targets": {"artifactory-build-info": ALL}}
    replaced = access.put(path, json=build)
    assert (replaced.status_code, replaced.json()) == (200, stored)
    updated = access.patch(path, json={"actions": {"users": {"dev": ["WRITE"]}, "groups": {"web": []}}})
    assert updated.json() == {**stored, "actions": {"users": {"dev": ["WRITE"]}, "groups": {}}}
    assert access.get(path).json() == updated.json()
    assert access.get(f"{PERMISSIONS}/web-team").json()["resources"].keys() == {"artifact", "build"}
    deleted = access.delete(path)
    assert (deleted.status_code, deleted.text) == (200, "Ok")
    for method in ("GET", "DELETE"):
        assert access.request(method, path).status_code == 404


def test_list_of_permissions_has_pages(access):
    for number in range(5):
        create(access, f"p{number}")
    names, cursor = [], ""
    while cursor is not None:
        page = access.get(PERMISSIONS, params={"limit": "2", "cursor": cursor}).json()
        names += [entry["name"] for entry in page["permissions"]]
        cursor = page.get("cursor")
    assert names == ["p0", "p1", "p2", "p3", "p4"]


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ({}, "Permission resources must be provided"),
        ({"nope": ARTIFACT}, "Invalid resource type: nope"),
        ({"artifact": {"actions": {}}}, "At least one target must be provided for artifact"),
        ({"artifact": {**ARTIFACT, "targets": {}}}, "At least one target must be provided for artifact"),
        (
            {"artifact": {"targets": {"missing": {}}}},
            "Permission target contains a reference to a non-existing repository 'missing'.",
        ),
        (
            {"artifact": {**ARTIFACT, "actions": {"users": {"nobody": ["READ"]}}}},
            "The user 'nobody' does not exist",
        ),
        ({"artifact": {**ARTIFACT, "actions": {"groups": {"none": ["READ"]}}}}, "The group 'none' does not exist"),
        ({"artifact": {**ARTIFACT, "actions": {"groups": {"web": ["FLY"]}}}}, "Invalid action: FLY"),
        ({"build": {"targets": {"a": {}, "b": {}}}}, "Exactly one target must be provided for build"),
    ],
)
def test_permission_is_400_when_it_is_invalid(access, resources, message):
    response = access.post(PERMISSIONS, json={"name": "web-team", "resources": resources})
    assert platform_error(response) == (400, message)


def test_permission_is_409_when_the_name_is_taken(access, artifactory):
    create(access)
    response = access.post(PERMISSIONS, json={"name": "web-team", "resources": {"artifact": ARTIFACT}})
    assert platform_error(response) == (409, "Permission web-team already exists")
    body = {"repo": {"repositories": ["generic-local"]}}
    assert error_of(artifactory.post(f"{TARGETS_2}/web-team", json=body)) == (
        409,
        "Can't create permission target 'web-team' for type repo. It already exists.",
    )


def test_older_apis_return_what_they_can_express(access, artifactory):
    destination = {"actions": {"groups": {"web": ["EXECUTE"]}}, "targets": {"*": {}}}
    create(access, artifact=ARTIFACT, destination=destination)
    assert artifactory.get(f"{TARGETS_2}/web-team").json() == {
        "name": "web-team",
        "repo": {
            "include-patterns": ["app/**"],
            "exclude-patterns": [],
            "repositories": ["generic-local"],
            "actions": {
                "users": {"dev": ["read", "managedXrayMeta"]},
                "groups": {"web": ["read", "write", "annotate"]},
            },
        },
    }
    assert artifactory.get(f"{TARGETS_1}/web-team").json() == {
        "name": "web-team",
        "includesPattern": "app/**",
        "excludesPattern": "",
        "repositories": ["generic-local"],
        "principals": {"users": {"dev": ["r", "mxm"]}, "groups": {"web": ["r", "w", "n"]}},
    }
    for path in (TARGETS_2, TARGETS_1):
        assert [entry["name"] for entry in artifactory.get(path).json()] == ["web-team"]


def test_target_of_version_2_is_created_replaced_and_deleted(access, artifactory):
    section = {"repositories": ["generic-local"], "actions": {"groups": {"web": ["read"]}}}
    build = {"repositories": ["artifactory-build-info"], "actions": {"users": {"dev": ["read"]}}}
    created = artifactory.post(f"{TARGETS_2}/team", json={"repo": section, "build": build})
    assert (created.status_code, created.content) == (201, b"")
    assert access.get(f"{PERMISSIONS}/team").json()["resources"].keys() == {"artifact", "build"}
    replaced = artifactory.put(f"{TARGETS_2}/team", json={"repo": section})
    assert (replaced.status_code, replaced.content) == (200, b"")
    assert artifactory.get(f"{TARGETS_2}/team").json().keys() == {"name", "repo"}
    assert artifactory.head(f"{TARGETS_2}/team").status_code == 200
    assert artifactory.delete(f"{TARGETS_2}/team").status_code == 200
    for method in ("GET", "PUT", "DELETE"):
        response = artifactory.request(method, f"{TARGETS_2}/team", json={"repo": section})
        assert error_of(response) == (404, "No such permission target 'team'")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({}, "Permission target request missing repositories, builds and release bundles."),
        ({"repo": {}}, "Permission target request missing repositories."),
        (
            {"repo": {"repositories": ["missing"]}},
            "Permission target contains a reference to a non-existing repository 'missing'.",
        ),
        (
            {"repo": {"repositories": ["generic-local"], "include-patterns": [], "exclude-patterns": [""]}},
            "Permission target team must contain at least one include or exclude pattern",
        ),
        (
            {"repo": {"repositories": ["generic-local"], "actions": {"users": {"nobody": ["read"]}}}},
            "Unable to find user 'nobody'",
        ),
        (
            {"repo": {"repositories": ["generic-local"], "actions": {"users": {"dev": ["READ"]}}}},
            "Invalid permission 'READ'",
        ),
    ],
)
def test_target_of_version_2_is_400_when_it_is_invalid(access, artifactory, body, message):
    assert error_of(artifactory.post(f"{TARGETS_2}/team", json=body)) == (400, message)


def test_empty_exclude_patterns_contain_an_empty_text_in_old_versions(access, artifactory, sandbox):
    create(access)
    sandbox.switch("artifact", version="6.23.42")
    assert artifactory.get(f"{TARGETS_2}/web-team").json()["repo"]["exclude-patterns"] == [""]


@pytest.mark.parametrize(("version", "platform", "second"), [("7.71.9", 404, 200), ("6.5.0", 404, 404)])
def test_api_is_404_when_the_version_lacks_it(access, artifactory, sandbox, version, platform, second):
    sandbox.switch("artifact", version=version)
    assert access.get(PERMISSIONS).status_code == platform
    assert artifactory.get(TARGETS_2).status_code == second
    assert artifactory.get(TARGETS_1).status_code == 200


def test_remote_repository_is_stored_as_its_cache(access, artifactory, sandbox):
    targets = {"libs-remote": {}}
    create(access, artifact={"actions": {"users": {"dev": ["READ"]}}, "targets": targets})
    assert access.get(f"{PERMISSIONS}/web-team/artifact").json()["targets"] == {"libs-remote-cache": ALL}
    keys = [
        entry["key"] for entry in Session(f"{sandbox.url}/artifactory", ("dev", "dev")).get("/api/repositories").json()
    ]
    assert "libs-remote" in keys and "generic-local" not in keys


def test_targets_have_patterns_of_their_own(access, sandbox):
    create(access)
    dev, boss = (Session(f"{sandbox.url}/artifactory", (name, name)) for name in ("dev", "boss"))
    assert dev.get(ITEM).status_code == 200
    assert (dev.put(f"{ITEM}?properties=a=b").status_code, boss.put(f"{ITEM}?properties=a=b").status_code) == (403, 204)
    access.patch(
        f"{PERMISSIONS}/web-team/artifact", json={"targets": {"generic-local": {"include_patterns": ["x/**"]}}}
    )
    assert dev.get(ITEM).status_code == 403


def test_wildcards_are_returned_as_repositories_when_the_switch_is_set(access, artifactory, sandbox):
    create(access, artifact={"targets": {"ANY REMOTE": {}}})
    assert access.get(f"{PERMISSIONS}/web-team/artifact").json()["targets"] == {"ANY REMOTE": ALL}
    sandbox.switch("artifact", expanded_wildcards=True)
    targets = access.get(f"{PERMISSIONS}/web-team/artifact").json()["targets"]
    assert "ANY REMOTE" not in targets and targets["libs-remote-cache"] == ALL
    assert artifactory.get(f"{TARGETS_1}/web-team").json()["repositories"] == list(targets)


def test_destinations_are_returned_when_the_switch_is_set(access, sandbox):
    create(access)
    sandbox.switch("artifact", permission_destinations=True)
    section = access.get(f"{PERMISSIONS}/web-team").json()["resources"]["destination"]
    assert section["targets"] == {"*": {"include_patterns": ["**/undefined"], "exclude_patterns": []}}


def test_manager_may_only_change_actions(access, sandbox):
    managed = {**ARTIFACT, "actions": {"groups": {"web": ["READ", "MANAGE"]}}}
    create(access, artifact=managed)
    create(access, "other")
    boss = Session(f"{sandbox.url}/access", ("boss", "boss"))
    assert [entry["name"] for entry in boss.get(PERMISSIONS).json()["permissions"]] == ["web-team"]
    assert boss.get(f"{PERMISSIONS}/other").status_code == 403
    path = f"{PERMISSIONS}/web-team/artifact"
    changed = {**managed, "actions": {"users": {"dev": ["READ"]}, "groups": {"web": ["MANAGE"]}}}
    assert boss.put(path, json=changed).status_code == 200
    refusal = (403, "Manager user cannot modify targets in a permission target")
    assert platform_error(boss.put(path, json={**changed, "targets": {"ANY": {}}})) == refusal
    only_administrators = (403, "Only an admin user can create permission targets.")
    body = {"name": "mine", "resources": {"artifact": ARTIFACT}}
    assert platform_error(boss.post(PERMISSIONS, json=body)) == only_administrators
    assert platform_error(boss.delete(f"{PERMISSIONS}/web-team")) == only_administrators


def test_manager_may_only_change_actions_in_version_2(access, sandbox):
    create(access, artifact={**ARTIFACT, "actions": {"users": {"boss": ["MANAGE"]}}})
    boss = Session(f"{sandbox.url}/artifactory", ("boss", "boss"))
    body = boss.get(f"{TARGETS_2}/web-team").json()
    body["repo"]["actions"]["users"]["dev"] = ["read"]
    assert boss.put(f"{TARGETS_2}/web-team", json=body).status_code == 200
    body["repo"]["repositories"] = ["ANY"]
    assert error_of(boss.put(f"{TARGETS_2}/web-team", json=body)) == (
        403,
        "Manager user cannot modify repositories in a permission target",
    )
    assert error_of(boss.post(f"{TARGETS_2}/mine", json=body)) == (
        403,
        "Only an admin user can create permission targets.",
    )


def test_deleted_principals_are_removed_from_permissions(access):
    create(access)
    access.delete("/api/v2/groups/web")
    access.delete("/api/v2/users/dev")
    assert access.get(f"{PERMISSIONS}/web-team/artifact").json()["actions"] == {"users": {}, "groups": {}}


def test_permissions_of_a_seed_are_effective(access, sandbox):
    resources = {"artifact": {"actions": {"users": {"dev": ["READ"]}}, "targets": {"ANY LOCAL": None}}}
    sandbox.seed({"artifact": {"permissions": [{"name": f"p{n}", "resources": resources} for n in range(200)]}})
    assert len(access.get(PERMISSIONS).json()["permissions"]) == 200
    assert Session(f"{sandbox.url}/artifactory", ("dev", "dev")).get(ITEM).status_code == 200


@pytest.mark.parametrize("name", ["with blank", "a+b", "ünï🙂", "per%cent", "a/b"])
def test_names_with_special_characters_are_accepted(access, name):
    create(access, name)
    (entry,) = access.get(PERMISSIONS).json()["permissions"]
    path = entry["uri"].partition("/access")[2]
    assert access.get(path).json()["name"] == name
