# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The independent client pyartifactory works with the Artifactory sandbox."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyartifactory import Artifactory
from pyartifactory.exception import (
    ArtifactNotFoundError,
    BadPropertiesError,
    BuildNotFoundError,
    InvalidTokenDataError,
    PropertyNotFoundError,
    RepositoryNotFoundError,
)
from pyartifactory.models import BuildDeleteRequest, BuildPromotionRequest, LocalRepository, VirtualRepository
from pydantic import SecretStr
from requests import HTTPError

from sandbox import client

ADMIN = ("admin", SecretStr("sandbox-admin"))


@pytest.fixture
def repository(sandbox: client.Sandbox) -> Artifactory:
    """Return the client of the Artifactory service."""
    return Artifactory(f"{sandbox.url}/artifactory", auth=ADMIN, api_version=2)


@pytest.fixture
def platform(sandbox: client.Sandbox) -> Artifactory:
    """Return the client of the platform, which includes the token service."""
    return Artifactory(sandbox.url, access_token=sandbox.environment["JFROG_ACCESS_TOKEN"])


def test_repositories_are_listed(repository):
    assert {(entry.key, entry.type, entry.packageType) for entry in repository.repositories.list()} == {
        ("docker-local", "LOCAL", "Docker"),
        ("docker-release-local", "LOCAL", "Docker"),
        ("generic-local", "LOCAL", "Generic"),
        ("generic-release-local", "LOCAL", "Generic"),
        ("libs-release-local", "LOCAL", "Maven"),
        ("libs-remote", "REMOTE", "Maven"),
        ("libs-release", "VIRTUAL", "Maven"),
    }


@pytest.mark.parametrize(
    ("key", "rclass"),
    [("generic-local", "local"), ("libs-remote", "remote"), ("libs-release", "virtual"), ("docker-local", "local")],
)
def test_repository_is_returned(repository, key, rclass):
    details = repository.repositories.get_repo(key)
    assert (details.key, details.rclass) == (key, rclass)


def test_repository_is_not_found_when_it_does_not_exist(repository):
    with pytest.raises(RepositoryNotFoundError):
        repository.repositories.get_repo("nothing")


def test_repositories_are_created_changed_and_deleted(repository):
    created = repository.repositories.create_repo(LocalRepository(key="new-local", packageType="generic"))
    assert created.key == "new-local"
    virtual = VirtualRepository(key="new", packageType="generic", repositories=["new-local"])
    repository.repositories.create_repo(virtual)
    virtual.description = "of all"
    assert repository.repositories.update_repo(virtual).description == "of all"
    repository.repositories.delete("new")
    with pytest.raises(RepositoryNotFoundError):
        repository.repositories.get_repo("new")


def test_info_of_file_and_folder_is_returned(repository):
    file = repository.artifacts.info("generic-local/app/1.0/app-1.0.tar.gz")
    assert (file.repo, file.path, file.size, file.createdBy) == (
        "generic-local",
        "/app/1.0/app-1.0.tar.gz",
        len("the first release"),
        "admin",
    )
    folder = repository.artifacts.info("generic-local/app")
    assert [child.uri for child in folder.children if child.folder] == ["/1.0", "/1.1"]
    with pytest.raises(ArtifactNotFoundError):
        repository.artifacts.info("generic-local/nothing")


def test_folder_is_listed(repository):
    entries = repository.artifacts.list("generic-local/app", recursive=True, list_folders=False)
    assert sorted(file.uri for file in entries.files) == ["/1.0/app-1.0.tar.gz", "/1.1/app-1.1.tar.gz", "/README.txt"]


def test_files_are_uploaded_downloaded_and_deleted(repository, tmp_path):
    (tmp_path / "up").mkdir()
    for name in ("one.txt", "two words.txt"):
        (tmp_path / "up" / name).write_text(f"content of {name}")
    repository.artifacts.deploy(tmp_path / "up" / "one.txt", "generic-local/new/one.txt", {"qa": ["passed", "twice"]})
    repository.artifacts.deploy(tmp_path / "up" / "two words.txt", "generic-local/new/two words.txt")
    properties = repository.artifacts.properties("generic-local/new/one.txt").properties
    assert {name: sorted(values) for name, values in properties.items()} == {"qa": ["passed", "twice"]}
    (tmp_path / "down").mkdir()
    folder: Path = repository.artifacts.download("generic-local/new", str(tmp_path / "down"))
    assert {file.name: file.read_text() for file in folder.iterdir()} == {
        "one.txt": "content of one.txt",
        "two words.txt": "content of two words.txt",
    }
    repository.artifacts.delete("generic-local/new")
    with pytest.raises(ArtifactNotFoundError):
        repository.artifacts.info("generic-local/new")


def test_file_is_uploaded_by_checksum(repository, tmp_path):
    (tmp_path / "file").write_text("only here")
    with pytest.raises(ArtifactNotFoundError):
        repository.artifacts.deploy(tmp_path / "file", "generic-local/a", checksum_enabled=True)
    repository.artifacts.deploy(tmp_path / "file", "generic-local/a")
    copy = repository.artifacts.deploy(tmp_path / "file", "generic-local/b", checksum_enabled=True)
    assert copy.checksums == repository.artifacts.info("generic-local/a").checksums


def test_properties_are_managed(repository):
    path = "generic-local/app/README.txt"
    with pytest.raises(PropertyNotFoundError):
        repository.artifacts.properties(path)
    assert repository.artifacts.set_properties(path, {"a": ["1", "2"], "b": ["3"]}).properties.keys() == {"a", "b"}
    assert repository.artifacts.properties(path, ["b"]).properties == {"b": ["3"]}
    changed = repository.artifacts.update_properties(path, {"a": ["x,y|z=;\\"]}, recursive=False)
    assert changed.properties == {"a": ["x,y|z=;\\"], "b": ["3"]}
    with pytest.raises(BadPropertiesError):
        repository.artifacts.set_properties(path, {"1a": ["x"]})
    with pytest.raises(ArtifactNotFoundError):
        repository.artifacts.set_properties("generic-local/nothing", {"a": ["x"]})


def test_tokens_are_managed(platform, sandbox):
    token = platform.security.create_access_token("admin", expires_in=20000, refreshable=True)
    assert (token.token_type, token.expires_in, token.scope) == ("Bearer", 20000, "applied-permissions/user")
    assert token.refresh_token
    as_token = Artifactory(f"{sandbox.url}/artifactory", access_token=token.access_token)
    assert as_token.repositories.list()
    assert platform.security.revoke_access_token(token.access_token)
    with pytest.raises(HTTPError, match="401"):
        as_token.repositories.list()
    with pytest.raises(InvalidTokenDataError):
        platform.security.create_access_token("admin", scope="nonsense")


def test_items_are_copied_and_moved_with_statistics(repository):
    source, target = "generic-local/app/README.txt", "generic-release-local/README.txt"
    assert repository.artifacts.copy(source, target).path == "/README.txt"
    assert repository.artifacts.move(target, "generic-release-local/moved.txt").path == "/moved.txt"
    with pytest.raises(ArtifactNotFoundError):
        repository.artifacts.info(target)
    assert b"".join(repository.artifacts.stream(source)) == b"Releases of app"
    assert repository.artifacts.stats(source).downloadCount == 1


def test_builds_are_managed(repository, sandbox):
    checksums = repository.artifacts.info("generic-local/app/1.0/app-1.0.tar.gz").checksums.model_dump()
    file = {"name": "app-1.0.tar.gz", "type": "gz", "path": "app/1.0/app-1.0.tar.gz", **checksums}
    build = {
        "name": "app",
        "number": "1",
        "started": "2026-05-01T10:11:12Z",
        "modules": [{"id": "m", "artifacts": [file]}],
    }
    sandbox.seed({"artifact": {"builds": [build]}})
    assert [build.uri for build in repository.builds.list().builds] == ["/acme%2Fnightly%20of%20web", "/app"]
    assert [run.uri for run in repository.builds.get_build_runs("app").buildsNumbers] == ["/2", "/1"]
    assert repository.builds.get_build_info("app", "1").buildInfo.name == "app"
    repository.builds.build_rename("app", "renamed")
    promotion = BuildPromotionRequest(sourceRepo="generic-local", targetRepo="generic-release-local", status="released")
    repository.builds.promote_build("renamed", "1", promotion)
    assert repository.artifacts.info("generic-release-local/app/1.0/app-1.0.tar.gz").size == len("the first release")
    repository.builds.delete(BuildDeleteRequest(buildName="renamed", buildNumbers=["1", "2"]))
    with pytest.raises(BuildNotFoundError):
        repository.builds.get_build_runs("renamed")
