# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the configurations of repositories in Artifactory: defaults by class and package type, and updates."""

from __future__ import annotations

import pytest

from sandbox.artifact.repositories.package_types import PACKAGE_TYPES
from support.wire.artifact import error_of

COMBINATIONS = [(rclass, name) for name, package_type in PACKAGE_TYPES.items() for rclass in package_type.classes]


@pytest.fixture(autouse=True)
def enterprise(sandbox):
    sandbox.switch("artifact", edition="enterprise")


def required_members(rclass, package_type):
    members = {"rclass": rclass, "packageType": package_type}
    if rclass == "remote":
        members["url"] = "https://upstream.example/repository"
    if (rclass, package_type) == ("remote", "hex"):
        members["hexPublicKey"] = "a key"
    return members


def create(artifactory, key="new", **members):
    response = artifactory.put(f"/api/repositories/{key}", json=members)
    assert response.status_code == 200, response.text


def read(artifactory, key="new"):
    return artifactory.get(f"/api/repositories/{key}").json()


def read_relevant(artifactory, key="new"):
    groups = artifactory.get("/api/repositories/configurations").json()
    return next(entry for group in groups.values() for entry in group if entry["key"] == key)


@pytest.mark.parametrize(("rclass", "package_type"), COMBINATIONS)
def test_every_package_type_is_created_read_and_updated_without_changes(artifactory, rclass, package_type):
    key = f"{package_type}-release-bundles-v2"
    create(artifactory, key, **required_members(rclass, package_type))
    created = read(artifactory, key)
    assert (created["key"], created["rclass"], created["packageType"]) == (key, rclass, package_type)
    assert created.get("repoLayoutRef") == (None if rclass == "virtual" else "maven-2-default")
    relevant = read_relevant(artifactory, key)
    assert relevant.items() <= created.items()
    assert artifactory.post(f"/api/repositories/{key}", json=relevant).status_code == 200
    assert read(artifactory, key) == created


def test_seed_contains_repositories_of_all_package_types_with_their_members(artifactory, sandbox):
    seeded = [
        {"key": f"{package_type}-{rclass}", "notes": "seeded", **required_members(rclass, package_type)}
        for rclass, package_type in COMBINATIONS
    ]
    seeded.append({"key": "tags", "rclass": "local", "packageType": "docker", "maxUniqueTags": 5, "projectKey": "team"})
    sandbox.seed({"artifact": {"repositories": seeded}})
    groups = artifactory.get("/api/repositories/configurations").json()
    found = {entry["key"]: entry for group in groups.values() for entry in group}
    assert all(repository.items() <= found[repository["key"]].items() for repository in seeded)
    assert (found["npm-local"]["repoLayoutRef"], found["go-virtual"]["repoLayoutRef"]) == ("npm-default", "go-default")


def test_seed_generates_numbered_repositories(artifactory, sandbox):
    local = {"key": "npm-{n}", "count": 1000, "rclass": "local", "packageType": "npm", "description": "Team {n}"}
    content = {"files": {"{n}.txt": "a"}, "generate": [{"path": "{n}.bin", "count": 2, "content": "b"}]}
    virtual = {"key": "all-{n}", "count": 2, "rclass": "virtual", "packageType": "npm", "repositories": ["npm-{n}"]}
    few = {"key": "few-{n}", "count": 1, "rclass": "local", **content}
    sandbox.seed({"artifact": {"repositories": [local, virtual, few]}})
    groups = artifactory.get("/api/repositories/configurations?packageType=npm").json()
    assert len(groups["LOCAL"]) == 1000
    assert read(artifactory, "npm-999")["description"] == "Team 999"
    assert [entry["repositories"] for entry in groups["VIRTUAL"]] == [["npm-0"], ["npm-1"]]
    files = artifactory.get("/api/storage/few-0?list").json()["files"]
    assert sorted(file["uri"] for file in files) == ["/0.bin", "/1.bin", "/{n}.txt"]


@pytest.mark.parametrize(
    ("rclass", "package_type"),
    [
        (rclass, name)
        for name, package_type in PACKAGE_TYPES.items()
        for rclass in ("local", "remote", "virtual", "federated")
        if rclass not in package_type.classes
    ],
)
def test_package_type_is_refused_in_a_class_that_does_not_have_it(artifactory, rclass, package_type):
    response = artifactory.put("/api/repositories/new", json=required_members(rclass, package_type))
    status, message = error_of(response)
    assert (status, message.split(" is ")[1]) == (400, f"unsupported in {rclass} repositories")


@pytest.mark.parametrize(
    ("rclass", "package_type", "expected"),
    [
        ("local", "maven", {"snapshotVersionBehavior": "unique", "maxUniqueSnapshots": 0, "handleReleases": True}),
        ("local", "docker", {"dockerApiVersion": "V2", "maxUniqueTags": 0, "dockerTagRetention": 1}),
        ("local", "debian", {"debianTrivialLayout": False, "optionalIndexCompressionFormats": ["bz2"]}),
        ("local", "generic", {"signedUrlTtl": 90, "xrayDataTtl": 90, "propertySets": [], "environments": []}),
        ("remote", "docker", {"retrievalCachePeriodSecs": 21600, "enableTokenAuthentication": False}),
        ("remote", "generic", {"retrievalCachePeriodSecs": 7200, "socketTimeoutMillis": 15000, "password": ""}),
        ("remote", "pypi", {"pyPIRegistryUrl": "https://pypi.org", "pyPIRepositorySuffix": "simple"}),
        ("remote", "nuget", {"feedContextPath": "api/v2", "downloadContextPath": "api/v2/package"}),
        ("remote", "go", {"vcsType": "GIT", "vcsGitProvider": "ARTIFACTORY"}),
        ("virtual", "maven", {"pomRepositoryReferencesCleanupPolicy": "discard_active_reference", "repositories": []}),
        ("virtual", "conan", {"forceConanAuthentication": False}),
        ("virtual", "npm", {"virtualRetrievalCachePeriodSecs": 7200, "externalDependenciesPatterns": ["**"]}),
        ("federated", "npm", {"xrayIndex": False, "blackedOut": False}),
    ],
)
def test_members_of_the_class_and_package_type_have_their_defaults(artifactory, rclass, package_type, expected):
    create(artifactory, **required_members(rclass, package_type))
    assert expected.items() <= read_relevant(artifactory).items()


def test_complete_configuration_has_members_of_other_package_types(artifactory):
    create(artifactory, rclass="local", packageType="docker")
    complete, relevant = read(artifactory), read_relevant(artifactory)
    assert (complete["enableDockerSupport"], complete["enableNpmSupport"]) == (True, False)
    assert complete["yumRootDepth"] == 0
    assert complete["checksumPolicyType"] == "client-checksums"
    assert not {"enableDockerSupport", "yumRootDepth", "checksumPolicyType", "url"} & relevant.keys()


def test_complete_configuration_of_a_virtual_repository_has_the_cache_period(artifactory):
    create(artifactory, rclass="virtual", packageType="generic", virtualRetrievalCachePeriodSecs=5)
    assert read(artifactory)["virtualRetrievalCachePeriodSecs"] == 5
    assert "virtualRetrievalCachePeriodSecs" not in read_relevant(artifactory)


def test_members_that_are_unknown_or_belong_to_other_classes_are_ignored(artifactory):
    create(artifactory, rclass="local", packageType="npm", nope=1, url="https://x.example", repositories=["a"])
    assert not {"nope", "url", "repositories"} & read(artifactory).keys()
    assert artifactory.post("/api/repositories/new", json={"nope": 1, "yumRootDepth": 3}).status_code == 200
    assert read(artifactory)["yumRootDepth"] == 0


@pytest.mark.parametrize(("version", "value"), [("7.93.0", True), ("7.94.0", False)])
def test_remote_folders_are_listed_by_default_only_in_older_versions(artifactory, sandbox, version, value):
    sandbox.switch("artifact", version=version)
    create(artifactory, **required_members("remote", "generic"))
    assert read(artifactory)["listRemoteFolderItems"] is value


def test_proxy_cannot_be_disabled_in_older_versions(artifactory, sandbox):
    sandbox.switch("artifact", version="7.38.10")
    create(artifactory, **required_members("remote", "generic"), disableProxy=True)
    assert "disableProxy" not in read(artifactory)


def test_update_changes_only_the_given_members(artifactory):
    create(artifactory, **required_members("remote", "npm"), description="d", notes="n", hardFail=True)
    before = read(artifactory)
    assert artifactory.post("/api/repositories/new", json={"notes": "", "retrievalCachePeriodSecs": 0}).text == (
        "Repository new update successfully.\n"
    )
    assert read(artifactory) == {**before, "notes": "", "retrievalCachePeriodSecs": 0}
    artifactory.post("/api/repositories/new", json={})
    assert read(artifactory) == {**before, "notes": "", "retrievalCachePeriodSecs": 0}


def test_null_clears_texts_in_version_7_only(artifactory, sandbox):
    create(artifactory, **required_members("remote", "npm"), username="me", password="hidden", notes="n")
    artifactory.post("/api/repositories/new", json={"username": None, "notes": None, "hardFail": None})
    cleared = read(artifactory)
    assert (cleared["username"], cleared["notes"], cleared["hardFail"]) == ("", "", False)
    assert cleared["password"] != ""
    artifactory.post("/api/repositories/new", json={"password": None})
    assert read(artifactory)["password"] == ""
    sandbox.switch("artifact", version="6.20.0")
    artifactory.post("/api/repositories/new", json={"username": "me"})
    artifactory.post("/api/repositories/new", json={"username": None})
    assert read(artifactory)["username"] == "me"


def test_synchronization_settings_are_replaced_as_a_whole(artifactory):
    both = {"statistics": {"enabled": True}, "properties": {"enabled": True}}
    create(artifactory, **required_members("remote", "generic"), contentSynchronisation=both)
    for change, expected in [
        (None, (True, True)),
        ({"statistics": {"enabled": True}, "properties": 1}, (True, False)),
        ({}, (False, False)),
    ]:
        artifactory.post("/api/repositories/new", json={"contentSynchronisation": change})
        settings = read(artifactory)["contentSynchronisation"]
        assert (settings["statistics"]["enabled"], settings["properties"]["enabled"]) == expected


def test_custom_headers_cannot_be_cleared(artifactory):
    headers = [{"name": "X-Team", "value": "a", "sensitive": False}]
    create(artifactory, **required_members("remote", "generic"), customHttpHeaders=headers)
    for empty in (None, []):
        artifactory.post("/api/repositories/new", json={"customHttpHeaders": empty})
        assert read(artifactory)["customHttpHeaders"] == headers


@pytest.mark.parametrize(
    ("member", "value", "status", "message"),
    [
        ("maxUniqueSnapshots", "seven", 500, "Error converting from 'String' to 'Integer' For input string: \"seven\""),
        ("blackedOut", "maybe", 400, "Can't convert value 'maybe' to type class java.lang.Boolean"),
        ("propertySets", "artifactory", 400, "Can't convert value 'artifactory' to type interface java.util.List"),
    ],
)
def test_value_of_another_type_is_refused(artifactory, member, value, status, message):
    response = artifactory.put("/api/repositories/new", json={"rclass": "local", member: value})
    assert error_of(response) == (status, message)


def test_texts_are_converted_to_numbers_and_booleans(artifactory):
    create(artifactory, rclass="local", packageType="maven", maxUniqueSnapshots="7", blackedOut="yes", notes=5)
    created = read(artifactory)
    assert (created["maxUniqueSnapshots"], created["blackedOut"], created["notes"]) == (7, True, "5")


@pytest.mark.parametrize(("rclass", "package_type"), [("remote", "npm"), ("federated", "npm"), ("local", "npm")])
def test_description_of_a_cache_has_a_suffix_in_responses(artifactory, sandbox, rclass, package_type):
    create(artifactory, **required_members(rclass, package_type), description="ours")
    suffix = "" if rclass == "local" else " (local file cache)"
    assert read(artifactory)["description"] == f"ours{suffix}"
    artifactory.post("/api/repositories/new", json={"description": f"theirs{suffix}"})
    assert read(artifactory)["description"] == f"theirs{suffix}"
    sandbox.switch("artifact", version="7.98.14")  # the default depends on the version
    assert read(artifactory)["description"] == "theirs"
    sandbox.switch("artifact", cache_suffix=True)
    assert read(artifactory)["description"] == f"theirs{suffix}"
    sandbox.switch("artifact", version="7.77.3", cache_suffix=False)
    assert read(artifactory)["description"] == "theirs"


def test_password_of_a_remote_repository_is_not_returned_in_clear(artifactory, sandbox):
    create(artifactory, **required_members("remote", "npm"), username="me", password="hidden")
    encrypted = read(artifactory)["password"]
    assert encrypted.startswith("AM.")
    artifactory.post("/api/repositories/new", json={"password": encrypted})
    assert read(artifactory)["password"] == encrypted
    assert read_relevant(artifactory)["password"] == encrypted
    sandbox.switch("artifact", remote_passwords="masked")
    assert read(artifactory)["password"] == "********"
    sandbox.switch("artifact", remote_passwords="absent")
    assert "password" not in read(artifactory)
    sandbox.switch("artifact", version="6.20.0")
    assert read(artifactory)["password"] == "hidden"


def test_sensitive_header_of_a_remote_repository_is_not_returned_in_clear(artifactory, sandbox):
    headers = [{"name": "A", "value": "open", "sensitive": False}, {"name": "B", "value": "hidden", "sensitive": True}]
    create(artifactory, **required_members("remote", "generic"), customHttpHeaders=headers)
    shown, hidden = read(artifactory)["customHttpHeaders"]
    assert (shown, hidden["name"], hidden["value"][:3]) == (headers[0], "B", "AM.")
    sandbox.switch("artifact", remote_passwords="absent")
    assert read(artifactory)["customHttpHeaders"] == [headers[0], {"name": "B", "sensitive": True}]


def test_environments_are_checked_only_when_they_are_given(artifactory, sandbox):
    seeded = {"key": "team-npm", "rclass": "local", "packageType": "npm", "projectKey": "team"}
    sandbox.seed({"artifact": {"repositories": [{**seeded, "environments": ["DEV", "PROD"]}]}})
    assert artifactory.post("/api/repositories/team-npm", json={"notes": "n"}).status_code == 200
    assert read(artifactory, "team-npm")["environments"] == ["DEV", "PROD"]
    assert artifactory.post("/api/repositories/team-npm", json={"environments": ["DEV", "QA"]}).status_code == 400


def test_external_dependencies_have_a_pattern_when_they_are_enabled(artifactory):
    create(artifactory, **required_members("remote", "docker"), externalDependenciesEnabled=True)
    assert read(artifactory)["externalDependenciesPatterns"] == ["**"]


def test_head_requests_are_bypassed_when_the_registry_does_not_support_them(artifactory):
    create(artifactory, rclass="remote", packageType="terraform", url="https://registry.terraform.io")
    assert read(artifactory)["bypassHeadRequests"] is True


@pytest.mark.parametrize(("version", "is_bypassed"), [("7.121.9", False), ("7.122", True)])
def test_head_requests_to_another_registry_are_bypassed_since_7_122(artifactory, sandbox, version, is_bypassed):
    sandbox.switch("artifact", version=version)
    registry = {"terraformRegistryUrl": "https://tf.app.wiz.io", "bypassHeadRequests": False}
    create(artifactory, rclass="remote", packageType="terraform", url="https://github.com", **registry)
    assert read(artifactory)["bypassHeadRequests"] is is_bypassed


def test_feed_addresses_are_returned_unless_they_are_empty(artifactory):
    create(artifactory, **required_members("remote", "nuget"), v3FeedUrl="https://feed.example", symbolServerUrl="")
    assert read(artifactory)["v3FeedUrl"] == "https://feed.example"
    assert "symbolServerUrl" not in read(artifactory)


@pytest.mark.parametrize(
    ("version", "environments", "outcome"),
    [
        ("7.50.3", ["DEV", "PROD"], ["DEV", "PROD"]),
        ("7.50.3", ["TEST"], "Environment TEST does not exist"),
        ("7.77.3", ["TEST"], ["TEST"]),
        ("7.77.3", ["DEV", "PROD"], "A repository can be assigned to one environment only"),
        ("7.111.4", ["DEV", "PROD"], ["DEV", "PROD"]),
    ],
)
def test_number_of_environments_depends_on_the_version(artifactory, sandbox, version, environments, outcome):
    sandbox.switch("artifact", version=version)
    members = {"rclass": "local", "packageType": "npm", "projectKey": "team", "environments": environments}
    response = artifactory.put("/api/repositories/team-npm", json=members)
    if isinstance(outcome, str):
        assert error_of(response) == (400, outcome)
    else:
        assert read(artifactory, "team-npm")["environments"] == outcome


def test_repository_without_a_project_has_environments(artifactory):
    create(artifactory, rclass="local", packageType="npm", projectKey="default", environments=["DEV"])
    created = read(artifactory)
    assert created["environments"] == ["DEV"]
    assert "projectKey" not in created


def test_project_is_not_changed_by_an_update(artifactory, sandbox):
    create(artifactory, "team-npm", rclass="local", packageType="npm", projectKey="team")
    artifactory.post("/api/repositories/team-npm", json={"projectKey": "other"})
    assert read(artifactory, "team-npm")["projectKey"] == "team"
    sandbox.switch("artifact", unassigned_project_key="default")
    assert read(artifactory, "generic-local")["projectKey"] == "default"


def test_configurations_are_grouped_and_filtered(artifactory):
    response = artifactory.get("/api/repositories/configurations")
    assert response.headers["Content-Type"].endswith("repositories.RepositoryConfigurationsList+json")
    assert response.headers["Cache-Control"] == "no-store"
    groups = response.json()
    assert list(groups) == ["LOCAL", "REMOTE", "VIRTUAL"]
    assert [entry["key"] for entry in groups["REMOTE"]] == ["libs-remote"]
    filtered = artifactory.get(
        "/api/repositories/configurations?repoType=local,virtual&packageType=maven,docker"
    ).json()
    assert {name: [entry["key"] for entry in group] for name, group in filtered.items()} == {
        "LOCAL": ["docker-local", "docker-release-local", "libs-release-local"],
        "VIRTUAL": ["libs-release"],
    }
    assert artifactory.get("/api/repositories/configurations?packageType=strange").text == "{ }"


def test_configurations_are_for_administrators(artifactory_reader):
    assert error_of(artifactory_reader.get("/api/repositories/configurations")) == (403, "Forbidden")


def test_configurations_are_an_unknown_key_in_older_versions(artifactory, sandbox):
    sandbox.switch("artifact", version="7.60.0")
    assert error_of(artifactory.get("/api/repositories/configurations")) == (400, "Bad Request")


def test_existence_of_classes_is_reported(artifactory, sandbox):
    assert error_of(artifactory.get("/api/repositories/existence")) == (400, "Bad Request")
    sandbox.switch("artifact", version="7.104.2")
    response = artifactory.get("/api/repositories/existence?projectKey=default&type=local&type=remote")
    assert response.json() == {"exists": True, "matchingRepoTypes": ["LOCAL", "REMOTE"], "projectKey": "default"}
    assert artifactory.get("/api/repositories/existence?type=federated").json()["exists"] is False
    assert artifactory.get("/api/repositories/existence?projectKey=nope").json()["exists"] is False
    assert error_of(artifactory.get("/api/repositories/existence?type=local,remote")) == (
        400,
        "Invalid repository type: local,remote",
    )


def test_users_see_few_members(artifactory_reader):
    virtual = artifactory_reader.get("/api/repositories/libs-release").json()
    assert set(virtual) == {"key", "packageType", "description", "rclass", "repositories"}
