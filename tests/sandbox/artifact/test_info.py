# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: what is known of a file and of a folder."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime

import pytest

from support.wire.artifact import APP, CONTENT, ISO_TIME, MD5, SHA1, SHA256, error_of


def test_file(artifactory, sandbox):
    answer = artifactory.get(f"/api/storage/generic-local/{APP}")
    assert answer.headers["Content-Type"].endswith("storage.FileInfo+json")
    info = answer.json()
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


def test_folder(artifactory, sandbox):
    answer = artifactory.get("/api/storage/generic-local/app/")
    assert answer.headers["Content-Type"].endswith("storage.FolderInfo+json")
    assert answer.headers["Cache-Control"] == "no-store"
    info = answer.json()
    assert (info["repo"], info["path"]) == ("generic-local", "/app")
    assert info["children"] == [
        {"uri": "/1.0", "folder": True},
        {"uri": "/1.1", "folder": True},
        {"uri": "/README.txt", "folder": False},
    ]
    assert info["uri"] == f"{sandbox.url}/artifactory/api/storage/generic-local/app"
    assert "size" not in info


def test_who_made_it_is_told_only_where_somebody_did(artifactory):
    info = artifactory.get("/api/storage/generic-local").json()
    assert info["path"] == "/"
    assert info.keys() & {"createdBy", "modifiedBy"} == set()


def test_storage_info_is_the_info_but_not_by_the_name_of_a_remote(artifactory):
    for path in (f"generic-local/{APP}", "generic-local/app", "libs-release/junit"):
        info, storage_info = (artifactory.get(f"/api/storage/{path}{query}") for query in ("", "?storageinfo"))
        assert (storage_info.status_code, storage_info.content) == (info.status_code, info.content)
    assert artifactory.get("/api/storage/libs-remote").status_code == 200
    assert error_of(artifactory.get("/api/storage/libs-remote?storageinfo")) == (404, "Unable to find item")


def test_root_and_empty_folder(artifactory):
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
def test_missing(artifactory, path, message):
    assert error_of(artifactory.get(f"/api/storage/{path}")) == (404, message)


def test_a_remote_key_shows_its_cache(artifactory):
    for key in ("libs-remote", "libs-remote-cache"):
        info = artifactory.get(f"/api/storage/{key}/junit/junit/4.13/junit-4.13.pom").json()
        assert info["repo"] == "libs-remote-cache"
        assert info["remoteUrl"] == "https://repo.maven.apache.org/maven2/junit/junit/4.13/junit-4.13.pom"
        assert "/libs-remote-cache/junit" in info["downloadUri"]
    assert artifactory.get("/api/storage/libs-remote/never/fetched").status_code == 404


def test_a_virtual_key_stays_and_merges_folders(artifactory):
    info = artifactory.get("/api/storage/libs-release/junit/junit/4.13/junit-4.13.pom").json()
    assert info["repo"] == "libs-release"
    children = artifactory.get("/api/storage/libs-release").json()["children"]
    assert [child["uri"] for child in children] == ["/junit", "/org"]


def _black_out(artifactory, key):
    assert artifactory.post(f"/api/repositories/{key}", json={"blackedOut": True}).status_code == 200


def _refusal(key, path):
    return (404, f"The repository '{key}' is blacked out and cannot serve artifact '{key}:{path}'.")


def test_content_is_refused_and_items_are_shown_when_a_repository_is_blacked_out(artifactory, artifactory_reader):
    _black_out(artifactory, "generic-local")
    for session in (artifactory, artifactory_reader):
        assert error_of(session.get(f"/generic-local/{APP}")) == _refusal("generic-local", APP)
        assert session.head(f"/generic-local/{APP}").status_code == 404
    assert error_of(artifactory.put("/generic-local/new", b"")) == _refusal("generic-local", "new")
    assert error_of(artifactory.put("/generic-local/new/")) == _refusal("generic-local", "new")
    assert error_of(artifactory.get("/api/storage/generic-local/app?list")) == _refusal("generic-local", "app")
    for path in (APP, "app"):
        assert artifactory.get(f"/api/storage/generic-local/{path}").status_code == 200


def test_cached_content_is_refused_when_a_remote_repository_is_blacked_out(artifactory):
    pom = "junit/junit/4.13/junit-4.13.pom"
    _black_out(artifactory, "libs-remote")
    for key in ("libs-remote", "libs-remote-cache"):
        assert error_of(artifactory.get(f"/{key}/{pom}")) == _refusal("libs-remote", pom)
        assert artifactory.get(f"/api/storage/{key}/{pom}").status_code == 200
    assert artifactory.get(f"/libs-release/{pom}").status_code == 404


@pytest.mark.parametrize("metadata", [":properties", "%3Aproperties", ":x"])
def test_info_is_that_of_the_item_when_a_path_names_its_metadata(artifactory, metadata):
    for path in (APP, "app"):
        info = artifactory.get(f"/api/storage/generic-local/{path}{metadata}").json()
        assert info == artifactory.get(f"/api/storage/generic-local/{path}").json()


def test_names_with_everything_in_them(artifactory):
    path = "/generic-local/a%20b+c/%C3%BC%E2%82%AC%25%23%3B%2C%3D%5B%5D%7B%7D.txt"
    assert artifactory.put(path, b"odd").status_code == 201
    info = artifactory.get(f"/api/storage{path}").json()
    assert info["path"] == "/a b+c/ü€%#;,=[]{}.txt"
    assert artifactory.get(path).content == b"odd"
    assert artifactory.delete(path).status_code == 204


def test_an_encoded_slash_is_a_slash(artifactory):
    whole = artifactory.get("/api/storage/generic-local/app/1.0").json()
    assert artifactory.get("/api/storage/generic-local%2Fapp%2f1.0").json() == whole
    assert artifactory.get(f"/generic-local/{APP.replace('/', '%2F')}").content == CONTENT


def test_last_modified(artifactory, sandbox):
    answer = artifactory.get(f"/api/storage/generic-local/{APP}?lastModified")
    assert answer.headers["Content-Type"].endswith("storage.ItemLastModified+json")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000", answer.json()["lastModified"])
    assert abs(parsedate_to_datetime(answer.headers["Last-Modified"]).timestamp() - time.time()) < 60
    sandbox.clock(advance=100)
    artifactory.put("/generic-local/app/1.0/newest.txt", b"")
    newest = artifactory.get("/api/storage/generic-local/app?lastModified").json()
    assert newest["uri"] == f"{sandbox.url}/artifactory/api/storage/generic-local/app/1.0/newest.txt"


def test_last_modified_of_a_remote_key_is_that_of_its_cache(artifactory, sandbox):
    newest = artifactory.get("/api/storage/libs-remote/junit?lastModified").json()["uri"]
    expected = "api/storage/libs-remote-cache/junit/junit/4.13/junit-4.13.pom"
    assert newest == f"{sandbox.url}/artifactory/{expected}"


@pytest.mark.parametrize("key", ["libs-release", "libs-remote", "none"])
@pytest.mark.parametrize("argument", ["lastModified", "permissions"])
def test_argument_is_refused_when_the_repository_keeps_no_items(artifactory, sandbox, key, argument):
    artifactory.post("/api/repositories/libs-remote", json={"storeArtifactsLocally": False})
    refusal = (400, "This method can only be invoked on local/cached repositories.")
    assert error_of(artifactory.get(f"/api/storage/{key}/org?{argument}")) == refusal
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.get(f"/api/storage/{key}/org?{argument}")) == refusal


def test_the_first_argument_decides_whatever_its_value(artifactory):
    answer = artifactory.get("/api/storage/generic-local/app?properties&lastModified&list=0")
    assert answer.headers["Content-Type"].endswith("storage.FileList+json")
