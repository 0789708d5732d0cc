# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the rules for repositories in Artifactory: keys, references, identity, deletion, editions and faults."""

from __future__ import annotations

import pytest

from sandbox.artifact.repositories.package_types import PACKAGE_TYPES, TERRAFORM_LAYOUTS
from support.wire.artifact import error_of

NPM = {"rclass": "local", "packageType": "npm"}
REMOTE = {"rclass": "remote", "packageType": "npm", "url": "https://registry.npmjs.org"}


def put(artifactory, key="new", **members):
    return artifactory.put(f"/api/repositories/{key}", json=members)


def post(artifactory, key="new", **members):
    return artifactory.post(f"/api/repositories/{key}", json=members)


def read(artifactory, key="new"):
    return artifactory.get(f"/api/repositories/{key}").json()


def list_keys(artifactory):
    return [entry["key"] for entry in artifactory.get("/api/repositories").json()]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("a" * 65, f"Repository key '{'a' * 65}' exceed maximum length"),
        ("API", "Repository key 'API' is a reserved name"),
        ("favicon.ico", "Repository key 'favicon.ico' is a reserved name"),
        ("a:b", "Illegal character: ':'"),
        ("1st", 'Invalid Repository name: XML names cannot begin with the character "1"'),
        ("-a", 'Invalid Repository name: XML names cannot begin with the character "-"'),
        ("a%20b", 'Invalid Repository name: XML names cannot contain the character " "'),
        ("a%26b", 'Invalid Repository name: XML names cannot contain the character "&"'),
        ("%26", "Invalid Repository name"),
    ],
)
def test_key_is_refused(artifactory, key, message):
    assert error_of(put(artifactory, key, **NPM)) == (400, message)


@pytest.mark.parametrize("key", ["aäb", "a_b.c-d", "team-cache", "a" * 64, "_x"])
def test_key_is_accepted(artifactory, key):
    assert put(artifactory, key, **NPM).status_code == 200
    assert key in list_keys(artifactory)


@pytest.mark.parametrize(
    ("version", "key", "message"),
    [
        ("7.77.3", "generic-local", "Case insensitive repository key already exists"),
        ("7.77.3", "Generic-Local", "Case insensitive repository key already exists"),
        (
            "7.161.15",
            "generic-local",
            "error when validating repository name: generic-local : Repository key already exists",
        ),
    ],
)
def test_key_is_refused_when_it_exists(artifactory, sandbox, version, key, message):
    sandbox.switch("artifact", version=version)
    before = read(artifactory, "generic-local")
    assert error_of(put(artifactory, key, **NPM)) == (400, message)
    assert read(artifactory, "generic-local") == before


def test_class_is_required_before_the_key_is_checked(artifactory):
    assert error_of(put(artifactory, "generic-local", packageType="npm")) == (400, "Missing repository type")
    assert error_of(put(artifactory, rclass="strange")) == (400, "Invalid repository type: strange")
    assert error_of(put(artifactory, rclass="local", packageType="x")) == (400, "Invalid package type: x")


def test_package_type_is_generic_when_it_is_not_set(artifactory):
    assert put(artifactory, rclass="local").status_code == 200
    assert read(artifactory)["packageType"] == "generic"


def test_key_in_the_body_must_match_the_path(artifactory):
    path = "/api/repositories/new"
    assert error_of(artifactory.put(path, json={**NPM, "key": "other"}))[0] == 400
    assert artifactory.put(path, json={**NPM, "key": "new"}).status_code == 200
    assert error_of(artifactory.post(path, json={"key": "other"}))[0] == 409


def test_class_and_package_type_never_change(artifactory):
    put(artifactory, **NPM)
    assert error_of(post(artifactory, rclass="remote")) == (400, "Repository 'new' class cannot be updated")
    assert error_of(post(artifactory, packageType="pypi")) == (
        400,
        "Changing a repository's type once it's set is not supported",
    )
    assert post(artifactory, rclass="LOCAL", packageType="npm").status_code == 200


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({**NPM, "repoLayoutRef": "nope"}, "Unable to find repository layout by the name: nope"),
        ({**NPM, "propertySets": ["artifactory", "nope"]}, "Property set nope doesn't exist"),
        ({**REMOTE, "remoteRepoLayoutRef": "nope"}, "Invalid remote repository layout"),
        ({**REMOTE, "proxy": "nope"}, "Invalid proxy configuration"),
        ({**REMOTE, "url": ""}, "URL cannot be empty"),
        ({"rclass": "remote", "packageType": "npm"}, "URL cannot be empty"),
        (
            {**REMOTE, "url": "ftp://x.example"},
            "Invalid URL: Scheme 'ftp' is not allowed. The following schemes are allowed: [http, https]",
        ),
        (
            {"rclass": "virtual", "packageType": "npm", "repositories": ["nope"]},
            "Repository nope does not exist\n",
        ),
        (
            {"rclass": "virtual", "packageType": "npm", "repositories": ["new"]},
            "Repository new does not exist\n",
        ),
        (
            {"rclass": "virtual", "packageType": "npm", "repositories": ["generic-local"]},
            "Repository 'new' aggregates another repository 'generic-local' that has a mismatching package type"
            " Generic",
        ),
    ],
)
def test_reference_is_refused(artifactory, members, message):
    assert error_of(put(artifactory, **members)) == (400, message)
    assert "new" not in list_keys(artifactory)


@pytest.mark.parametrize("layout", sorted({*TERRAFORM_LAYOUTS.values(), *(t.layout for t in PACKAGE_TYPES.values())}))
def test_layouts_of_all_package_types_exist(artifactory, layout):
    assert put(artifactory, rclass="local", repoLayoutRef=layout).status_code == 200


def test_references_are_accepted_when_they_exist(artifactory):
    assert put(artifactory, **NPM, repoLayoutRef="npm-default", propertySets=["artifactory"]).status_code == 200
    assert error_of(post(artifactory, repoLayoutRef="nope"))[0] == 400
    assert post(artifactory, repoLayoutRef="").status_code == 200
    assert read(artifactory)["repoLayoutRef"] == "npm-default"


def test_virtual_repositories_aggregate_related_package_types(artifactory):
    every_type = ["generic-local", "docker-local", "libs-release-local"]
    assert put(artifactory, rclass="virtual", packageType="generic", repositories=every_type).status_code == 200
    assert (
        put(artifactory, "g", rclass="virtual", packageType="gradle", repositories=["libs-remote"]).status_code == 200
    )


def test_members_of_a_virtual_repository_keep_their_order(artifactory):
    order = ["libs-remote", "libs-release-local", "libs-release"]
    put(artifactory, rclass="virtual", packageType="maven", repositories=order)
    assert read(artifactory)["repositories"] == order
    post(artifactory, repositories=order[::-1])
    assert read(artifactory)["repositories"] == order[::-1]
    post(artifactory, repositories=[])
    assert read(artifactory)["repositories"] == []


def test_virtual_repository_can_contain_itself_after_an_update(artifactory):
    put(artifactory, rclass="virtual", packageType="maven", repositories=["libs-release-local"])
    assert post(artifactory, repositories=["new", "libs-release-local"]).status_code == 200
    path = "/new/org/acme/app/1.0/app-1.0.jar"
    assert artifactory.get(path).status_code == 200


def test_default_deployment_repository_is_cleared_only_by_an_unknown_key(artifactory):
    virtual = {"rclass": "virtual", "packageType": "maven", "repositories": ["libs-release-local"]}
    put(artifactory, **virtual, defaultDeploymentRepo="libs-release-local")
    for empty in ("", None):
        assert post(artifactory, defaultDeploymentRepo=empty).status_code == 200
        assert read(artifactory)["defaultDeploymentRepo"] == "libs-release-local"
    assert post(artifactory, defaultDeploymentRepo="nope").status_code == 200
    assert "defaultDeploymentRepo" not in read(artifactory)


def test_remote_layout_cannot_be_cleared(artifactory):
    put(artifactory, **REMOTE, remoteRepoLayoutRef="npm-default")
    post(artifactory, remoteRepoLayoutRef="")
    assert read(artifactory)["remoteRepoLayoutRef"] == "npm-default"


def test_deletion_removes_the_repository_from_virtual_ones(artifactory):
    assert artifactory.delete("/api/repositories/libs-release-local").status_code == 200
    virtual = read(artifactory, "libs-release")
    assert virtual["repositories"] == ["libs-remote"]
    assert "defaultDeploymentRepo" not in virtual
    assert artifactory.delete("/api/repositories/libs-release").text == (
        "Repository libs-release has been removed successfully."
    )


def test_last_local_repository_cannot_be_deleted(artifactory):
    local_keys = [entry["key"] for entry in artifactory.get("/api/repositories?type=local").json()]
    for key in local_keys[1:]:
        assert artifactory.delete(f"/api/repositories/{key}").status_code == 200
    assert error_of(artifactory.delete(f"/api/repositories/{local_keys[0]}")) == (
        403,
        "Deleting the last local repository is not allowed",
    )


def test_new_versions_report_deletions(artifactory, sandbox):
    sandbox.switch("artifact", version="7.161.15")
    assert artifactory.delete("/api/repositories/generic-local").json() == {
        "repoKey": "generic-local",
        "statusMsg": "Repository 'generic-local' and all its content have been removed successfully.",
        "deletedArtifactsCount": 3,
        "success": True,
    }
    absent = artifactory.delete("/api/repositories/generic-local")
    assert (absent.status_code, absent.json()["statusMsg"]) == (
        404,
        "Cannot delete repository: 'generic-local', repository config does not exist",
    )
    assert error_of(artifactory.get("/api/repositories/generic-local")) == (
        404,
        "The repository generic-local was not found",
    )


@pytest.mark.parametrize("method", ["put", "post", "delete"])
def test_changes_require_pro(artifactory, sandbox, method):
    sandbox.switch("artifact", edition="oss")
    status, message = error_of(getattr(artifactory, method)("/api/repositories/generic-local"))
    assert (status, message.split(" (")[0]) == (400, "This REST API is available only in Artifactory Pro")


@pytest.mark.parametrize(("edition", "version"), [("pro", "7.77.3"), ("enterprise", "7.18.2")])
def test_federated_repositories_require_enterprise(artifactory, sandbox, edition, version):
    sandbox.switch("artifact", edition=edition, version=version)
    status, message = error_of(put(artifactory, rclass="federated", packageType="npm"))
    assert (status, message.split(" (")[0]) == (400, "This REST API is available only in Artifactory Enterprise")


def test_federated_repository_lists_its_own_address(artifactory, sandbox):
    sandbox.switch("artifact", edition="enterprise")
    own, other = f"{sandbox.url}/artifactory/new", "https://other.example/artifactory/new"
    put(artifactory, rclass="federated", packageType="npm", members=[{"url": other, "enabled": False}])
    members = [{"url": own, "enabled": True}, {"url": other, "enabled": False}]
    assert read(artifactory)["members"] == members
    post(artifactory, members=[{"url": own}, {"url": other}])
    assert read(artifactory)["members"] == [members[0], {"url": other, "enabled": True}]
    assert error_of(post(artifactory, members=[{"enabled": True}])) == (400, "URL cannot be empty")


@pytest.mark.parametrize("status", [400, 500])
def test_changes_fail_when_the_descriptor_cannot_be_merged(artifactory, sandbox, status):
    sandbox.switch("artifact", merge_refusals=3, merge_refusal_status=status)
    refused = [put(artifactory, **NPM), post(artifactory, "generic-local", notes="n")]
    refused.append(artifactory.delete("/api/repositories/docker-local"))
    for response in refused:
        actual, message = error_of(response)
        assert actual == status
        assert message.startswith("Could not merge and save new descriptor")
        assert "Should update revision" in message
    assert "docker-local" in list_keys(artifactory)
    assert put(artifactory, **NPM).status_code == 200
    assert read(artifactory, "generic-local")["notes"] == ""


def test_changes_become_visible_after_a_delay(artifactory, sandbox):
    sandbox.clock(frozen=True)
    sandbox.switch("artifact", repository_visibility_seconds=5)
    put(artifactory, **NPM, notes="n")
    post(artifactory, "generic-local", notes="changed")
    artifactory.delete("/api/repositories/docker-local")
    assert artifactory.head("/api/repositories/new").status_code == 400
    assert read(artifactory, "generic-local")["notes"] == ""
    assert {"docker-local"} <= set(list_keys(artifactory))
    assert "new" not in list_keys(artifactory)
    assert error_of(put(artifactory, **NPM))[0] == 400
    sandbox.clock(advance=5)
    assert read(artifactory)["notes"] == "n"
    assert read(artifactory, "generic-local")["notes"] == "changed"
    keys = list_keys(artifactory)
    assert "new" in keys
    assert "docker-local" not in keys
