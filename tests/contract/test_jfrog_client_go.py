# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""jfrog-client-go, JFrog's client library in Go, administers the Artifactory sandbox."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import Sandbox
from support.clients.platform import Platform, platform_client
from support.servers.process import fetch_or_skip

UPSTREAM = "https://registry.example.com"
# Package types by class that the client has a method for
STORED_TYPES = (
    *("alpine", "bower", "cargo", "chef", "cocoapods", "composer", "conan", "conda", "cran", "debian", "docker"),
    *("gems", "generic", "gitlfs", "go", "gradle", "helm", "ivy", "maven", "npm", "nuget", "opkg", "puppet", "pypi"),
    *("rpm", "sbt", "swift", "terraform", "vagrant", "yum"),
)
REMOTE_TYPES = (*(name for name in STORED_TYPES if name != "vagrant"), "p2", "vcs")
VIRTUAL_TYPES = tuple(name for name in REMOTE_TYPES if name not in ("cargo", "cocoapods", "opkg", "vcs"))


@pytest.fixture
def platform(sandbox: Sandbox) -> Platform:
    program = fetch_or_skip(platform_client)
    return Platform(program, sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])


def configuration(rclass: str, package_type: str) -> dict[str, Any]:
    """Return the body for a new repository."""
    identity = {"key": f"new-{package_type}-{rclass}", "rclass": rclass, "packageType": package_type}
    body: dict[str, Any] = {**identity, "description": "of the client"}
    if rclass == "remote":
        body["url"] = UPSTREAM
    if package_type == "terraform" and rclass in ("local", "federated"):
        body["terraformType"] = "module"
    return body


def create(platform: Platform, rclass: str, package_type: str, **members: Any) -> str:
    """Create a repository and return its key."""
    body = {**configuration(rclass, package_type), **members}
    platform.run("create_repository", **{"class": rclass}, type=package_type, body=body)
    return str(body["key"])


def change(platform: Platform, rclass: str, package_type: str, **members: Any) -> None:
    """Change members of a repository."""
    body = {"rclass": rclass, "packageType": package_type, **members}
    platform.run("update_repository", **{"class": rclass}, type=package_type, body=body)


@pytest.mark.parametrize(
    ("rclass", "package_types"),
    [("local", STORED_TYPES), ("remote", REMOTE_TYPES), ("virtual", VIRTUAL_TYPES), ("federated", STORED_TYPES)],
)
def test_repositories_of_all_package_types_are_created_changed_and_deleted(
    sandbox: Sandbox, platform: Platform, rclass: str, package_types: tuple[str, ...]
) -> None:
    sandbox.switch("artifact", edition="enterprise")
    for package_type in package_types:
        key = create(platform, rclass, package_type)
        change(platform, rclass, package_type, key=key, notes="changed", url=UPSTREAM)
        stored = platform.run("get_repository", key)
        expected_type = "rpm" if package_type == "yum" else package_type
        assert (stored["rclass"], stored["packageType"]) == (rclass, expected_type)
        assert (stored["description"].removesuffix(" (local file cache)"), stored["notes"]) == (
            "of the client",
            "changed",
        )
    listed = platform.run("list_repositories", **{"class": rclass})
    keys = [f"new-{package_type}-{rclass}" for package_type in package_types]
    assert set(keys) <= {entry["Key"] for entry in listed}
    for key in keys:
        platform.run("delete_repository", key)
    assert "400" in platform.fail("get_repository", keys[0])


def test_repositories_are_created_and_changed_in_batches(sandbox: Sandbox, platform: Platform) -> None:
    sandbox.switch("artifact", version="7.111.4")
    bodies = [configuration("local", name) for name in ("npm", "conan")]
    platform.run("create_repositories", body=bodies)
    platform.run("update_repositories", body=[{**body, "notes": "changed"} for body in bodies])
    assert [platform.run("get_repository", body["key"])["notes"] for body in bodies] == ["changed", "changed"]
    assert "409" in platform.fail("create_repositories", body=bodies)


def test_virtual_repository_keeps_the_order_of_its_members(platform: Platform) -> None:
    members = [create(platform, rclass, "npm") for rclass in ("remote", "local")]
    key = create(platform, "virtual", "npm", repositories=members, defaultDeploymentRepo="new-npm-local")
    assert platform.run("get_repository", key)["repositories"] == members
    change(platform, "virtual", "npm", key=key, repositories=members[::-1])
    stored = platform.run("get_repository", key)
    assert (stored["repositories"], stored["defaultDeploymentRepo"]) == (members[::-1], "new-npm-local")


def test_federated_repository_is_created_and_a_local_one_is_converted(sandbox: Sandbox, platform: Platform) -> None:
    sandbox.switch("artifact", edition="enterprise")
    create(platform, "federated", "generic", members=[])
    create(platform, "local", "npm")
    platform.run("federate_repository", "new-npm-local")
    assert [platform.run("get_repository", key)["rclass"] for key in ("new-generic-federated", "new-npm-local")] == [
        "federated",
        "federated",
    ]


def test_class_of_a_repository_is_not_changed(platform: Platform) -> None:
    create(platform, "local", "npm", key="npm")
    body = {**configuration("remote", "npm"), "key": "npm"}
    assert "400" in platform.fail("update_repository", **{"class": "remote"}, type="npm", body=body)


def test_users_are_created_changed_and_deleted(platform: Platform) -> None:
    platform.run("create_group", body={"name": "web", "description": "Web team"})
    user = {"name": "carol", "email": "carol@example.com", "password": "Passw0rd!", "groups": ["web"]}
    platform.run("create_user", body=user)
    assert "already exists" in platform.fail("create_user", body=user)
    platform.run("update_user", body={"name": "carol", "email": "c@example.com", "admin": True})
    stored = platform.run("get_user", "carol")
    assert (stored["email"], stored["admin"], stored["groups"]) == ("c@example.com", True, ["web"])
    assert "password" not in stored
    assert "carol" in {entry["name"] for entry in platform.run("list_users")}
    assert platform.run("locked_users") is None or platform.run("locked_users") == []
    platform.run("delete_user", "carol")
    assert platform.run("get_user", "carol") is None


def test_groups_are_created_changed_and_deleted(platform: Platform) -> None:
    platform.run("create_group", body={"name": "web", "description": "Web team", "userNames": ["reader"]})
    platform.run("update_group", body={"name": "web", "autoJoin": True})
    stored = platform.run("get_group", "web")
    assert (stored["description"], stored["autoJoin"], stored["userNames"]) == ("Web team", True, ["reader"])
    platform.run("delete_group", "web")
    assert platform.run("get_group", "web") is None


def test_permission_targets_are_created_changed_and_deleted(platform: Platform) -> None:
    actions = {"users": {"reader": ["read", "write"]}, "groups": {}}
    section = {"include-patterns": ["app/**"], "repositories": ["generic-local"], "actions": actions}
    permission = {"name": "web", "repo": section}
    platform.run("create_permission", body=permission)
    assert "already exists" in platform.fail("create_permission", body=permission)
    platform.run("update_permission", body={"name": "web", "repo": {**section, "repositories": ["ANY LOCAL"]}})
    stored = platform.run("get_permission", "web")
    assert stored["repo"]["repositories"] == ["ANY LOCAL"]
    assert sorted(stored["repo"]["actions"]["users"]["reader"]) == ["read", "write"]
    assert "web" in {entry["name"] for entry in platform.run("list_permissions")}
    platform.run("delete_permission", "web")
    assert platform.run("get_permission", "web") is None


def test_replication_is_created_changed_and_deleted(sandbox: Sandbox, platform: Platform) -> None:
    sandbox.switch("artifact", edition="enterprise")  # the client expects the list of several targets
    key = create(platform, "local", "generic")
    target = {"url": f"{UPSTREAM}/artifactory/{key}", "username": "replicator", "password": "s3cret"}
    replication = {"repoKey": key, **target}
    platform.run("create_replication", body={**replication, "cronExp": "0 0 2 * * ?", "enabled": True})
    platform.run("update_replication", body={**replication, "cronExp": "0 0 3 * * ?", "enabled": True})
    (stored,) = platform.run("get_replication", key)
    assert (stored["CronExp"], stored["Url"], stored["Enabled"]) == ("0 0 3 * * ?", target["url"], True)
    platform.run("delete_replication", key)
    assert "404" in platform.fail("get_replication", key)


def create_project(platform: Platform, key: str, **members: Any) -> None:
    """Create a project."""
    platform.run("create_project", body={"project_key": key, "display_name": f"Team {key}", **members})


def test_projects_are_created_changed_and_deleted(platform: Platform) -> None:
    quota = 100 * 1024**3
    create_project(platform, "web", description="Web team", storage_quota_bytes=quota)
    assert "already exists" in platform.fail("create_project", body={"project_key": "web", "display_name": "Web"})
    privileges = {"manage_members": False}
    platform.run("update_project", body={"project_key": "web", "soft_limit": True, "admin_privileges": privileges})
    stored = platform.run("get_project", "web")
    assert (stored["display_name"], stored["description"]) == ("Team web", "Web team")
    assert (stored["soft_limit"], stored["storage_quota_bytes"]) == (True, quota)
    assert stored["admin_privileges"] == {"manage_members": False, "manage_resources": True, "index_resources": True}
    assert "web" in {project["project_key"] for project in platform.run("list_projects")}
    platform.run("delete_project", "web")
    assert platform.run("get_project", "web") is None
    assert "404" in platform.fail("delete_project", "web")


def test_repository_is_moved_between_projects(platform: Platform) -> None:
    for key in ("web", "shop"):
        create_project(platform, key)
    platform.run("assign_to_project", "generic-local", other="web")
    assert "already assigned" in platform.fail("assign_to_project", "generic-local", other="shop")
    assert "400" in platform.fail("delete_project", "web")
    platform.run("assign_to_project", "generic-local", other="shop", force=True)
    assert platform.run("get_repository", "generic-local")["projectKey"] == "shop"
    platform.run("unassign_from_project", "generic-local")
    platform.run("delete_project", "shop")


def test_groups_are_members_of_projects(platform: Platform) -> None:
    create_project(platform, "web")
    for roles in (["Viewer"], ["Developer", "Viewer"]):
        platform.run("update_project_group", "web", other="readers", body={"name": "readers", "roles": roles})
        assert platform.run("list_project_groups", "web") == [{"name": "readers", "roles": roles}]
    missing = {"name": "nobody", "roles": ["Viewer"]}
    assert "404" in platform.fail("update_project_group", "web", other="nobody", body=missing)
    platform.run("delete_project_group", "web", other="readers")
    assert platform.run("list_project_groups", "web") == []


def create_bundle(platform: Platform, kind: str, source: Any, version: str = "1.0", **options: Any) -> None:
    """Create a version of a release bundle, and wait for it."""
    platform.run("create_bundle", "app", other=version, type=kind, body=source, **{"force": True, **options})


def list_artifacts(platform: Platform, version: str = "1.0") -> list[str]:
    """Return the paths of the artifacts of a version."""
    artifacts = platform.run("get_bundle", "app", other=version)["artifacts"]
    return [f"{artifact['source_repository_key']}/{artifact['path']}" for artifact in artifacts]


def test_release_bundle_is_created_promoted_and_deleted(sandbox: Sandbox, platform: Platform) -> None:
    sandbox.switch("artifact", edition="enterprise")
    path = "app/1.0/app-1.0.tar.gz"
    artifacts = {"artifacts": [{"path": f"generic-local/{path}"}]}
    assert platform.run("exists_bundle", "app", other="1.0") is False
    create_bundle(platform, "artifacts", artifacts)
    assert "409" in platform.fail("create_bundle", "app", other="1.0", type="artifacts", body=artifacts, force=True)
    assert platform.run("exists_bundle", "app", other="1.0") is True
    assert platform.run("status_of_bundle", "app", other="1.0")["status"] == "COMPLETED"
    record = platform.run("get_bundle", "app", other="1.0")
    assert (record["created_by"], record["artifacts"][0]["size"]) == ("admin", len("the first release"))
    body = {"Environment": "DEV", "IncludedRepositoryKeys": ["generic-release-local"]}
    promoted = platform.run("promote_bundle", "app", other="1.0", body=body, force=True)
    assert (promoted["environment"], promoted["repository_key"]) == ("DEV", "release-bundles-v2")
    (promotion,) = platform.run("promotions_of_bundle", "app", other="1.0")["promotions"]
    assert (promotion["status"], promotion["created_by"]) == ("COMPLETED", "admin")
    created = str(promotion["created_millis"])
    status = platform.run("promotion_status_of_bundle", "app", other="1.0", type=created, force=True)
    assert status["status"] == "COMPLETED"
    platform.run("delete_promotion_of_bundle", "app", other="1.0", type=created, force=True)
    assert "promotions" not in platform.run("promotions_of_bundle", "app", other="1.0")
    platform.run("delete_bundle", "app", other="1.0", force=True)
    assert platform.run("exists_bundle", "app", other="1.0") is False
    assert "404" in platform.fail("delete_bundle", "app", other="1.0", force=True)


def test_release_bundles_have_sources_of_all_kinds(sandbox: Sandbox, platform: Platform) -> None:
    sandbox.switch("artifact", edition="enterprise")
    first, second = (f"generic-local/app/{version}/app-{version}.tar.gz" for version in ("1.0", "1.1"))
    create_bundle(platform, "aql", {"aql": 'items.find({"repo":"generic-local","name":{"$match":"*.gz"}})'}, "aql")
    create_bundle(platform, "builds", {"builds": [{"build_name": "app", "build_number": "2"}]}, "builds")
    source = {"release_bundle_name": "app", "release_bundle_version": "builds", "project": "default"}
    create_bundle(platform, "release_bundles", {"release_bundles": [source]}, "bundles")
    sources = [
        {"source_type": "artifacts", "artifacts": [{"path": first}]},
        {"source_type": "release_bundles", "release_bundles": [source]},
    ]
    create_bundle(platform, "sources", sources, "sources")
    assert [list_artifacts(platform, version) for version in ("aql", "builds", "bundles", "sources")] == [
        [first, second],
        [second],
        [second],
        [first, second],
    ]


def test_operations_on_release_bundles_take_time_and_can_fail(sandbox: Sandbox, platform: Platform) -> None:
    sandbox.switch("artifact", edition="enterprise", release_bundle_seconds=0.5)
    create_bundle(platform, "artifacts", {"artifacts": [{"path": "generic-local/none"}]}, force=False)
    assert platform.run("status_of_bundle", "app", other="1.0")["status"] == "PROCESSING"
    sandbox.clock(advance=1)
    status = platform.run("status_of_bundle", "app", other="1.0", force=True)
    assert (status["status"], status["messages"][0]["text"]) == ("FAILED", "Artifact not found: generic-local/none")
    platform.run("delete_bundle", "app", other="1.0")
    sandbox.clock(advance=1)
    assert "404" in platform.fail("status_of_bundle", "app", other="1.0")


def test_release_bundles_belong_to_projects(sandbox: Sandbox, platform: Platform) -> None:
    sandbox.switch("artifact", edition="enterprise")
    create_project(platform, "web")
    artifacts = {"artifacts": [{"path": "generic-local/app/README.txt"}]}
    create_bundle(platform, "artifacts", artifacts, **{"class": "web"})
    assert platform.run("exists_bundle", "app", other="1.0", **{"class": "web"}) is True
    assert platform.run("exists_bundle", "app", other="1.0") is False
