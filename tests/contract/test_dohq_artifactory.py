# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The independent client dohq-artifactory works with the Artifactory sandbox."""

from __future__ import annotations

import hashlib

import pytest
from artifactory import ArtifactoryException, ArtifactoryPath

from sandbox import client

APP = "generic-local/app/1.0/app-1.0.tar.gz"


@pytest.fixture
def repository(sandbox: client.Sandbox) -> ArtifactoryPath:
    """Return the root of the Artifactory service."""
    return ArtifactoryPath(f"{sandbox.url}/artifactory", token=sandbox.environment["JFROG_ACCESS_TOKEN"])


@pytest.fixture
def app(repository: ArtifactoryPath) -> ArtifactoryPath:
    """Return a file."""
    return repository / APP


def names(paths) -> list[str]:
    """Return the names of items."""
    return sorted(path.name for path in paths)


def test_folders_are_traversed(repository):
    assert names(repository / "generic-local" / "app") == ["1.0", "1.1", "README.txt"]
    assert names((repository / "generic-local").rglob("*.tar.gz")) == ["app-1.0.tar.gz", "app-1.1.tar.gz"]
    assert names((repository / "generic-local" / "app").glob("*.txt")) == ["README.txt"]


def test_item_is_returned(app):
    stat = app.stat()
    assert (stat.size, stat.created_by, stat.sha1, stat.is_dir) == (
        len("the first release"),
        "admin",
        hashlib.sha1(b"the first release").hexdigest(),
        False,
    )
    assert stat.ctime.year >= 2026
    assert (app.exists(), app.is_file(), app.parent.is_dir(), (app.parent / "nothing").exists()) == (
        True,
        True,
        True,
        False,
    )


def test_files_are_uploaded_and_deleted(repository, tmp_path):
    (tmp_path / "two words.txt").write_text("content")
    target = repository / "generic-local" / "new" / "two words.txt"
    target.deploy_file(tmp_path / "two words.txt", parameters={"qa": ["passed", "twice"]})
    with target.open() as content:
        assert content.read() == b"content"
    assert {key: sorted(values) for key, values in target.properties.items()} == {"qa": ["passed", "twice"]}
    target.unlink()
    assert not target.exists()
    with pytest.raises(FileNotFoundError):
        target.stat()


def test_file_is_uploaded_by_checksum(repository, app):
    copy = repository / "generic-local" / "copy.tar.gz"
    copy.deploy_by_checksum(sha1=app.stat().sha1)
    assert copy.stat().sha256 == app.stat().sha256
    with pytest.raises(ArtifactoryException):
        copy.deploy_by_checksum(sha1="a" * 40)


def test_folders_are_created(repository):
    folder = repository / "generic-local" / "made"
    folder.mkdir()
    assert folder.is_dir()
    folder.rmdir()
    assert not folder.exists()


def test_properties_are_managed(app):
    app.properties = {"a": ["1"], "odd": ["x,y|z=;\\"]}
    assert app.properties == {"a": ["1"], "odd": ["x,y|z=;\\"]}
    app.update_properties({"b": ["2"]})
    assert app.properties.keys() == {"a", "b", "odd"}
    app.del_properties(["a", "odd"])
    assert app.properties == {"b": ["2"]}


@pytest.mark.parametrize("act", ["copy", "move"])
def test_items_are_copied_and_moved(repository, app, act):
    target = repository / "generic-release-local" / "app.tar.gz"
    getattr(app, act)(target)
    assert target.stat().size == len("the first release")
    assert app.exists() is (act == "copy")


def test_statistics_are_returned(app):
    with app.open() as content:
        content.read()
    assert app.download_stats().download_count == 1
    assert app.download_stats().last_downloaded_by == "admin"


def test_queries_return_items(repository):
    condition = {"repo": "generic-local", "name": {"$match": "*.gz"}}
    rows = repository.aql(
        "items.find", condition, ".include", ["name", "repo", "path", "type"], ".sort", {"$asc": ["name"]}
    )
    assert [row["name"] for row in rows] == ["app-1.0.tar.gz", "app-1.1.tar.gz"]
    assert repository.from_aql(rows[0]).exists()


def test_repositories_are_found(repository):
    kinds = {item.name: type(item).__name__ for item in repository.get_repositories(lazy=True)}
    assert kinds["generic-local"] == "RepositoryLocal"
    assert kinds["libs-release"] == "RepositoryVirtual"
    assert kinds["libs-remote"] == "RepositoryRemote"


@pytest.mark.parametrize("copied", [True, False])
def test_image_is_promoted(repository, copied):
    repository.promote_docker_image("docker-local", "docker-release-local", "acme/web", "1.0.0", copy=copied)
    assert (repository / "docker-release-local/acme/web/1.0.0/manifest.json").exists()
    assert (repository / "docker-local/acme/web/1.0.0/manifest.json").exists() is copied
