# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of item information in Artifactory."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime

import pytest

from support.wire.artifact import APP, CONTENT, ISO_TIME, MD5, SHA1, SHA256, error_of


def test_file_info(artifactory, sandbox):
    response = artifactory.get(f"/api/storage/generic-local/{APP}")
    assert response.headers["Content-Type"].endswith("storage.FileInfo+json")
    info = response.json()
    assert ISO_TIME.fullmatch(info["created"])
    assert ISO_TIME.fullmatch(info["lastModified"])
    assert ISO_TIME.fullmatch(info["lastUpdated"])
    assert {name: info[name] for name in info if name not in ("created", "lastModified", "lastUpdated")} == {
        "repo": "generic-local",
        "path": f"/{APP}",
        "createdBy": "admin",
        "modifiedBy": "admin",
        "downloadUri": f"{sandbox.url}/artifactory/generic-local/{APP}",
        "mimeType": "application/x-gzip",
        "size": "17",
        "checksums": {"sha1": SHA1, "md5": MD5, "sha256": SHA256},
        "originalChecksums": {"sha256": SHA256},
        "uri": f"{sandbox.url}/artifactory/api/storage/generic-local/{APP}",
    }


def test_folder_info(artifactory, sandbox):
    response = artifactory.get("/api/storage/generic-local/app/")
    assert response.headers["Content-Type"].endswith("storage.FolderInfo+json")
    assert response.headers["Cache-Control"] == "no-store"
    info = response.json()
    assert (info["repo"], info["path"]) == ("generic-local", "/app")
    assert info["children"] == [
        {"uri": "/1.0", "folder": True},
        {"uri": "/1.1", "folder": True},
        {"uri": "/README.txt", "folder": False},
    ]
    assert info["uri"] == f"{sandbox.url}/artifactory/api/storage/generic-local/app"
    assert "size" not in info


def test_repository_root_has_no_creator(artifactory):
    info = artifactory.get("/api/storage/generic-local").json()
    assert info["path"] == "/"
    assert info.keys() & {"createdBy", "modifiedBy"} == set()


def test_storageinfo_equals_item_info_except_for_a_remote_key(artifactory):
    for path in (f"generic-local/{APP}", "generic-local/app", "libs-release/junit"):
        info, storage_info = (artifactory.get(f"/api/storage/{path}{query}") for query in ("", "?storageinfo"))
        assert (storage_info.status_code, storage_info.content) == (info.status_code, info.content)
    assert artifactory.get("/api/storage/libs-remote").status_code == 200
    assert error_of(artifactory.get("/api/storage/libs-remote?storageinfo")) == (404, "Unable to find item")


def test_empty_folder_has_an_empty_list_of_children(artifactory):
    assert artifactory.get("/api/storage/generic-local").json()["path"] == "/"
    artifactory.put("/generic-local/empty/")
    assert '"children" : [ ]' in artifactory.get("/api/storage/generic-local/empty").text


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("generic-local/nothing", "Unable to find item"),
        ("nothing/nothing", "Unable to find item"),
        ("libs-release/nothing", "Not Found"),
    ],
)
def test_info_is_404_when_the_item_is_missing(artifactory, path, message):
    assert error_of(artifactory.get(f"/api/storage/{path}")) == (404, message)


def test_remote_key_resolves_to_its_cache(artifactory):
    for key in ("libs-remote", "libs-remote-cache"):
        info = artifactory.get(f"/api/storage/{key}/junit/junit/4.13/junit-4.13.pom").json()
        assert info["repo"] == "libs-remote-cache"
        assert info["remoteUrl"] == "https://repo.maven.apache.org/maven2/junit/junit/4.13/junit-4.13.pom"
        assert "/libs-remote-cache/junit" in info["downloadUri"]
    assert artifactory.get("/api/storage/libs-remote/never/fetched").status_code == 404


def test_virtual_key_is_kept_and_merges_folders(artifactory):
    info = artifactory.get("/api/storage/libs-release/junit/junit/4.13/junit-4.13.pom").json()
    assert info["repo"] == "libs-release"
    children = artifactory.get("/api/storage/libs-release").json()["children"]
    assert [child["uri"] for child in children] == ["/junit", "/org"]


def _black_out_repository(artifactory, key):
    assert artifactory.post(f"/api/repositories/{key}", json={"blackedOut": True}).status_code == 200


def _blacked_out_error(key, path):
    return (404, f"The repository '{key}' is blacked out and cannot serve artifact '{key}:{path}'.")


def test_only_info_is_available_when_a_repository_is_blacked_out(artifactory, artifactory_reader):
    _black_out_repository(artifactory, "generic-local")
    for session in (artifactory, artifactory_reader):
        assert error_of(session.get(f"/generic-local/{APP}")) == _blacked_out_error("generic-local", APP)
        assert session.head(f"/generic-local/{APP}").status_code == 404
    assert error_of(artifactory.put("/generic-local/new", b"")) == _blacked_out_error("generic-local", "new")
    assert error_of(artifactory.put("/generic-local/new/")) == _blacked_out_error("generic-local", "new")
    assert error_of(artifactory.get("/api/storage/generic-local/app?list")) == _blacked_out_error(
        "generic-local", "app"
    )
    for path in (APP, "app"):
        assert artifactory.get(f"/api/storage/generic-local/{path}").status_code == 200


def test_cached_content_is_unavailable_when_the_remote_repository_is_blacked_out(artifactory):
    pom = "junit/junit/4.13/junit-4.13.pom"
    _black_out_repository(artifactory, "libs-remote")
    for key in ("libs-remote", "libs-remote-cache"):
        assert error_of(artifactory.get(f"/{key}/{pom}")) == _blacked_out_error("libs-remote", pom)
        assert artifactory.get(f"/api/storage/{key}/{pom}").status_code == 200
    assert artifactory.get(f"/libs-release/{pom}").status_code == 404


@pytest.mark.parametrize("metadata", [":properties", "%3Aproperties", ":x"])
def test_info_ignores_a_metadata_suffix_of_the_path(artifactory, metadata):
    for path in (APP, "app"):
        info = artifactory.get(f"/api/storage/generic-local/{path}{metadata}").json()
        assert info == artifactory.get(f"/api/storage/generic-local/{path}").json()


def test_names_with_special_characters_are_preserved(artifactory):
    path = "/generic-local/a%20b+c/%C3%BC%E2%82%AC%25%23%3B%2C%3D%5B%5D%7B%7D.txt"
    assert artifactory.put(path, b"odd").status_code == 201
    info = artifactory.get(f"/api/storage{path}").json()
    assert info["path"] == "/a b+c/ü€%#;,=[]{}.txt"
    assert artifactory.get(path).content == b"odd"
    assert artifactory.delete(path).status_code == 204


def test_encoded_slash_separates_path_segments(artifactory):
    expected = artifactory.get("/api/storage/generic-local/app/1.0").json()
    assert artifactory.get("/api/storage/generic-local%2Fapp%2f1.0").json() == expected
    assert artifactory.get(f"/generic-local/{APP.replace('/', '%2F')}").content == CONTENT


def test_last_modified_returns_the_newest_file(artifactory, sandbox):
    response = artifactory.get(f"/api/storage/generic-local/{APP}?lastModified")
    assert response.headers["Content-Type"].endswith("storage.ItemLastModified+json")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000", response.json()["lastModified"])
    assert abs(parsedate_to_datetime(response.headers["Last-Modified"]).timestamp() - time.time()) < 60
    sandbox.clock(advance=100)
    artifactory.put("/generic-local/app/1.0/newest.txt", b"")
    newest = artifactory.get("/api/storage/generic-local/app?lastModified").json()
    assert newest["uri"] == f"{sandbox.url}/artifactory/api/storage/generic-local/app/1.0/newest.txt"


def test_last_modified_of_a_remote_key_uses_its_cache(artifactory, sandbox):
    newest = artifactory.get("/api/storage/libs-remote/junit?lastModified").json()["uri"]
    expected = "api/storage/libs-remote-cache/junit/junit/4.13/junit-4.13.pom"
    assert newest == f"{sandbox.url}/artifactory/{expected}"


@pytest.mark.parametrize("key", ["libs-release", "libs-remote", "none"])
@pytest.mark.parametrize("argument", ["lastModified", "permissions"])
def test_argument_is_refused_when_the_repository_stores_no_items(artifactory, sandbox, key, argument):
    artifactory.post("/api/repositories/libs-remote", json={"storeArtifactsLocally": False})
    refusal = (400, "This method can only be invoked on local/cached repositories.")
    assert error_of(artifactory.get(f"/api/storage/{key}/org?{argument}")) == refusal
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.get(f"/api/storage/{key}/org?{argument}")) == refusal


def test_first_recognized_argument_decides_regardless_of_its_value(artifactory):
    response = artifactory.get("/api/storage/generic-local/app?properties&lastModified&list=0")
    assert response.headers["Content-Type"].endswith("storage.FileList+json")
