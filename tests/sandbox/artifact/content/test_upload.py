# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of uploading files and folders to Artifactory."""

from __future__ import annotations

import hashlib
import socket
import time
from urllib.parse import quote

import pytest

from support.servers.process import wait_for
from support.session import Session
from support.wire.artifact import APP, CONTENT, ISO_TIME, MD5, SHA1, SHA256, error_of, properties_of


def test_upload_creates_a_file(artifactory, sandbox):
    response = artifactory.put("/generic-local/new/a b.txt", b"new", headers={"X-Checksum-Sha1": _sha1(b"new")})
    assert response.status_code == 201
    assert response.headers["Location"] == f"{sandbox.url}/artifactory/generic-local/new/a b.txt"
    assert response.headers["Content-Type"].endswith("storage.ItemCreated+json;charset=ISO-8859-1")
    created = response.json()
    assert ISO_TIME.fullmatch(created.pop("created"))
    assert created == {
        "repo": "generic-local",
        "path": "/new/a b.txt",
        "createdBy": "admin",
        "downloadUri": f"{sandbox.url}/artifactory/generic-local/new/a b.txt",
        "mimeType": "text/plain",
        "size": "3",
        "checksums": {
            "sha1": _sha1(b"new"),
            "md5": hashlib.md5(b"new").hexdigest(),
            "sha256": hashlib.sha256(b"new").hexdigest(),
        },
        "originalChecksums": {"sha1": _sha1(b"new"), "sha256": hashlib.sha256(b"new").hexdigest()},
        "uri": f"{sandbox.url}/artifactory/generic-local/new/a b.txt",
    }


def test_response_has_question_marks_when_latin_1_lacks_a_character(artifactory):
    created = artifactory.put(f"/generic-local/{quote('ä/日本.txt')}", b"new")
    assert (created.json()["path"], b"\xe4/??.txt" in created.content) == ("/ä/??.txt", True)
    assert artifactory.get(f"/api/storage/generic-local/{quote('ä/日本.txt')}").json()["path"] == "/ä/日本.txt"


def test_upload_keeps_properties_when_the_content_is_unchanged(artifactory):
    assert artifactory.put(f"/generic-local/{APP}", CONTENT).status_code == 201
    assert properties_of(artifactory, f"generic-local/{APP}") == {"build.name": ["app"], "build.number": ["1"]}
    assert artifactory.put(f"/generic-local/{APP}", b"other").status_code == 201
    assert properties_of(artifactory, f"generic-local/{APP}") is None


def test_upload_accepts_a_large_chunked_body(artifactory):
    chunk = b"x" * 65536
    response = artifactory.put("/generic-local/large.bin", (chunk for _unused in range(160)))
    assert response.json()["size"] == str(160 * 65536)
    assert artifactory.head("/generic-local/large.bin").headers["Content-Length"] == str(160 * 65536)


@pytest.mark.parametrize("algorithm", ["sha1", "md5", "sha256"])
def test_upload_is_refused_when_a_checksum_of_the_client_is_wrong(artifactory, algorithm):
    wrong = "0" * len(hashlib.new(algorithm, b"new").hexdigest())
    response = artifactory.put("/generic-local/new.txt", b"new", headers={f"X-Checksum-{algorithm}": wrong})
    infos = ", ".join(
        f"{label}=ChecksumInfo{{type={label}, original='{wrong if name == algorithm else 'null'}',"
        f" actual='{hashlib.new(name, b'new').hexdigest()}'}}"
        for label, name in (("SHA-1", "sha1"), ("MD5", "md5"), ("SHA-256", "sha256"))
    )
    assert error_of(response) == (
        409,
        "Checksum policy 'LocalRepoChecksumPolicy: CLIENT' rejected the artifact 'generic-local:new.txt'."
        f" Checksums info: ChecksumsInfo{{checksums={{{infos}}}}}",
    )
    assert artifactory.get("/api/storage/generic-local/new.txt").status_code == 404


def test_wrong_checksums_are_accepted_when_the_policy_is_server_generated(artifactory):
    artifactory.post("/api/repositories/generic-local", json={"checksumPolicyType": "server-generated-checksums"})
    response = artifactory.put("/generic-local/new.txt", b"new", headers={"X-Checksum-Sha1": "0" * 40})
    assert response.status_code == 201
    assert response.json()["checksums"]["sha1"] == _sha1(b"new")
    assert response.json()["originalChecksums"]["sha1"] == "0" * 40
    assert artifactory.put("/generic-local/new.txt.md5", "0" * 32).status_code == 201


def test_checksum_deploy_ignores_other_checksums_when_the_content_exists(artifactory):
    headers = {"X-Checksum-Deploy": "true", "X-Checksum-Sha1": SHA1, "X-Checksum-Md5": "0" * 32}
    response = artifactory.put("/generic-local/copy.tgz", headers=headers)
    assert response.status_code == 201
    assert response.json()["originalChecksums"]["md5"] == MD5


def test_checksum_deploy_requires_existing_content(artifactory):
    headers = {"X-Checksum-Deploy": "true"}
    response = artifactory.put("/generic-local/copy.tgz", headers={**headers, "X-Checksum-Sha256": SHA256})
    assert response.status_code == 201
    assert artifactory.get("/generic-local/copy.tgz").content == CONTENT
    for checksums, message in (
        ({"X-Checksum-Sha256": "0" * 64}, f"No existing file with SHA-256: {'0' * 64}"),
        (
            {"X-Checksum-Sha1": "0" * 40, "X-Checksum-Sha256": "1" * 64},
            f"No existing file with SHA-256: {'1' * 64}",
        ),
        ({"X-Checksum-Sha256": "0" * 63}, f"Invalid SHA-256: {'0' * 63}"),
        ({}, "no checksum header 'X-Checksum-Sha1/X-Checksum-Sha256' was found."),
    ):
        response = artifactory.put("/generic-local/copy2.tgz", headers={**headers, **checksums})
        assert error_of(response) == (404, f"Checksum deploy failed. {message}")


def test_upload_with_properties_replaces_them_when_the_content_is_unchanged(artifactory):
    artifactory.put("/generic-local/new.txt;a=1;b=2", b"new")
    artifactory.put("/generic-local/new.txt", b"new")
    assert properties_of(artifactory, "generic-local/new.txt") == {"a": ["1"], "b": ["2"]}
    artifactory.put("/generic-local/new.txt;c=3", b"new")
    assert properties_of(artifactory, "generic-local/new.txt") == {"c": ["3"]}


@pytest.mark.parametrize(("path", "parent"), [("new.txt", APP), ("n/e/w.txt", f"{APP}/n/e")])
def test_upload_is_refused_when_the_parent_is_a_file(artifactory, path, parent):
    response = artifactory.put(f"/generic-local/{APP}/{path}", b"new")
    assert error_of(response) == (400, f"Parent {parent} must be a folder")


def test_upload_is_refused_when_the_path_is_a_folder(artifactory):
    for path in ("app/1.0", "app//1.0"):
        message = f"Expected a file but found a folder, at: generic-local:{path}"
        assert error_of(artifactory.put(f"/generic-local/{path}", b"new")) == (500, message)
    assert artifactory.get(f"/generic-local/{APP}").content == CONTENT


def test_folder_is_refused_when_the_path_or_its_parent_is_a_file(artifactory):
    message = f"Expected a folder but found a file, at: generic-local:{APP}"
    assert error_of(artifactory.put(f"/generic-local/{APP}/")) == (500, message)
    assert error_of(artifactory.put(f"/generic-local/{APP}/new/")) == (500, "Could not create fsItem")


def test_upload_is_refused_when_the_path_is_a_repository_root(artifactory):
    message = "Cannot save resource, no parent repo path exists"
    assert error_of(artifactory.put("/generic-local", b"new")) == (500, message)


EXCLUDED = "a~ ~ .DS_Store x/.DS_Store CVS/x CVS SCCS/x .svn/x/y ._x .#x #x# %x% .cvsignore vssver.scc"
INCLUDED = ".git/x thumbs.db a~b xCVS x.DS_Store x%y% x.#y % # a#b# x._y"


@pytest.mark.parametrize("path", EXCLUDED.split())
def test_default_exclude_patterns_apply_to_uploads_and_downloads(artifactory, path):
    message = (
        f"The repository 'generic-local' rejected the artifact 'generic-local:ex/{path}' due to its"
        " include/exclude pattern settings."
    )
    assert error_of(artifactory.put(f"/generic-local/ex/{quote(path)}", b"e")) == (409, message)
    assert error_of(artifactory.get(f"/generic-local/ex/{quote(path)}")) == (404, message)


@pytest.mark.parametrize("path", INCLUDED.split())
def test_default_exclude_patterns_do_not_match_similar_names(artifactory, path):
    assert artifactory.put(f"/generic-local/ex/{quote(path)}", b"e").status_code == 201


def test_exclude_pattern_matches_whole_path_segments(artifactory):
    artifactory.post("/api/repositories/generic-local", json={"excludesPattern": "**/secret/**"})
    assert artifactory.put("/generic-local/topsecret/a", b"").status_code == 201
    for path in ("secret/a", "x/secret/a"):
        assert artifactory.put(f"/generic-local/{path}", b"").status_code == 409


@pytest.mark.parametrize(
    ("includes", "folder", "status"),
    [
        ("ok/**", "ok", 201),
        ("ok/a/*.txt", "ok", 201),
        ("ok/a/*.txt", "ok/a", 201),
        ("o?/a/*.txt,x", "ok/a", 201),
        ("ok/a/*.txt", "ok/b", 409),
        ("ok/*.txt", "ok/a/b", 409),
        ("ok/*.txt", "other", 409),
        ("ok/**/a", "ok/x/y", 201),
    ],
)
def test_folder_is_accepted_when_an_include_pattern_matches_below_it(artifactory, includes, folder, status):
    artifactory.post("/api/repositories/generic-local", json={"includesPattern": includes})
    assert artifactory.put(f"/generic-local/{folder}/").status_code == status


def test_repository_root_is_served_when_no_include_pattern_matches_it(artifactory):
    artifactory.post("/api/repositories/generic-local", json={"includesPattern": "ok/**"})
    assert artifactory.get("/generic-local/").status_code == 200
    assert artifactory.put("/generic-local/").status_code == 201


def test_pattern_with_two_asterisks_matches_the_folder_itself(artifactory):
    artifactory.post("/api/repositories/generic-local", json={"excludesPattern": "secret/**"})
    assert artifactory.put("/generic-local/secret/").status_code == 409
    assert artifactory.put("/generic-local/secrets/").status_code == 201


def test_matrix_parameters_are_ignored_when_annotate_permission_is_missing(sandbox, artifactory):
    user = {"name": "ci", "password": "ci", "permissions": {"generic-local": "rw"}}
    sandbox.seed({"artifact": {"users": [user]}})
    ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
    assert ci.put("/generic-local/new.txt;a=b", b"new").status_code == 201
    assert properties_of(artifactory, "generic-local/new.txt") is None
    assert error_of(ci.put("/generic-local/new.txt", b"other")) == (
        403,
        "Not enough permissions to delete/overwrite artifact 'generic-local:new.txt'"
        " (user: 'ci' needs DELETE permission).",
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("plus+%2B%25%23&'.txt", "plus++%#&'.txt"),
        ("%C3%A4%E2%82%AC.txt", "ä?.txt"),
        ("a//b.txt", "a//b.txt"),
        ("a%2F%2Fb.txt", "a//b.txt"),
        ("tab%09nl%0D%0AX:y.txt", None),
        ("nl%0D%0AX.txt", "nl  X.txt"),
    ],
)
def test_location_is_not_encoded_when_a_name_has_special_characters(artifactory, path, expected):
    response = artifactory.put(f"/generic-local/odd/{path}", b"x")
    location = f"{artifactory.base}/generic-local/odd/{expected}" if expected else None
    assert response.headers.get("Location") == location


def test_location_ends_with_a_slash_when_the_path_is_a_repository_root(artifactory):
    assert artifactory.put("/generic-local/").headers["Location"] == f"{artifactory.base}/generic-local/"


def test_upload_creates_a_folder_when_the_path_ends_with_a_slash(artifactory, sandbox):
    response = artifactory.put("/generic-local/some/folder/", b"ignored")
    assert response.status_code == 201
    url = f"{sandbox.url}/artifactory/generic-local/some/folder"
    assert response.headers["Location"] == url
    created = response.json()
    assert ISO_TIME.fullmatch(created.pop("created"))
    assert created == {
        "repo": "generic-local",
        "path": "/some/folder/",
        "uri": f"{url}/",
    }
    assert artifactory.put("/generic-local/some/folder/").json() == {**response.json(), "createdBy": "admin"}
    assert artifactory.get("/api/storage/generic-local/some/folder").json()["children"] == []
    assert artifactory.put("/generic-local/").json()["path"] == "/"


def test_matrix_parameters_are_set_on_a_folder(artifactory):
    assert artifactory.put("/generic-local/some/;a=b+c;d").status_code == 201
    assert properties_of(artifactory, "generic-local/some") == {"a": ["b c"], "d": [""]}


def test_upload_does_not_read_the_body_when_the_content_exists(sandbox, artifactory):
    """A client that sends `Expect: 100-continue` gets the final response at once and can skip the body."""
    host, port = sandbox.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(
            b"PUT /artifactory/generic-local/known.tgz HTTP/1.1\r\nHost: localhost\r\nContent-Length: 17\r\n"
            b"Expect: 100-continue\r\nX-Checksum-Sha256: " + SHA256.encode() + b"\r\n"
            b"Authorization: " + artifactory.headers["Authorization"].encode() + b"\r\n\r\n"
        )
        assert connection.recv(65536).startswith(b"HTTP/1.1 201 ")
    assert artifactory.get("/generic-local/known.tgz").content == CONTENT


def test_upload_stores_nothing_when_the_connection_breaks(sandbox, artifactory):
    host, port = sandbox.url.removeprefix("http://").split(":")
    sandbox.clear_journal()
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(
            b"PUT /artifactory/generic-local/half.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n"
            b"Authorization: " + artifactory.headers["Authorization"].encode() + b"\r\n\r\nhalf"
        )
        time.sleep(0.1)
    wait_for(lambda: bool(sandbox.journal()), "the upload to be given up")
    assert [entry["status"] for entry in sandbox.journal()] == [None]
    assert artifactory.get("/generic-local/half.txt").status_code == 404


def test_snapshot_metadata_is_accepted_but_not_stored(artifactory):
    artifactory.post("/api/repositories/libs-release-local", json={"handleSnapshots": True})
    response = artifactory.put("/libs-release-local/a/b/1-SNAPSHOT/maven-metadata.xml", b"<metadata/>")
    assert (response.status_code, response.content) == (202, b"")
    assert artifactory.get("/libs-release-local/a/b/1-SNAPSHOT/maven-metadata.xml").status_code == 404


def test_checksum_file_sets_the_original_checksum(artifactory):
    stored = artifactory.put(f"/generic-local/{APP}.sha1", SHA1)
    assert (stored.status_code, stored.headers["Location"]) == (201, f"{artifactory.base}/generic-local/{APP}")
    info = artifactory.get(f"/api/storage/generic-local/{APP}").json()
    assert info["originalChecksums"] == {"sha1": SHA1, "sha256": SHA256}
    assert error_of(artifactory.put(f"/generic-local/{APP}.md5", "0" * 32)) == (
        409,
        f"Checksum error for '{APP}.md5': received '{'0' * 32}' but actual is '{MD5}'",
    )
    assert error_of(artifactory.put("/generic-local/nothing.md5", MD5))[0] == 404


def test_upload_to_a_virtual_repository_requires_a_default_deployment_repository(artifactory, sandbox):
    response = artifactory.put("/libs-release/org/acme/x/1/x-1.jar", b"x")
    assert (response.status_code, response.json()["repo"]) == (201, "libs-release-local")
    artifactory.post("/api/repositories/libs-release", json={"defaultDeploymentRepo": "nothing"})
    response = artifactory.put("/libs-release/org/acme/x/1/x-1.jar", b"x")
    assert error_of(response) == (
        405,
        "No local repository was configured as local deployment repository for the (libs-release) virtual repository.",
    )
    assert response.headers["Allow"] == "GET"


@pytest.mark.parametrize("key", ["nothing", "libs-remote", "libs-remote-cache", "storage"])
def test_upload_is_404_when_the_repository_is_not_local(artifactory, key):
    response = artifactory.put(f"/{key}/a/b?properties=a=b", b"")
    assert error_of(response) == (404, f"Could not find a local repository named {key} to deploy to.")


def test_upload_is_refused_for_permissions_policies_and_disk_space(artifactory, artifactory_reader, sandbox):
    assert error_of(artifactory_reader.put("/generic-local/new.txt", b"new")) == (
        403,
        "The user: 'reader' is not permitted to deploy 'new.txt' into 'generic-local:new.txt'.",
    )
    assert error_of(artifactory.put("/libs-release-local/g/a/1-SNAPSHOT/a-1-SNAPSHOT.jar", b""))[0] == 409
    artifactory.post("/api/repositories/generic-local", json={"excludesPattern": "secret/**"})
    assert error_of(artifactory.put("/generic-local/secret/a", b""))[0] == 409
    assert artifactory.put("/generic-local/public/a", b"").status_code == 201
    sandbox.switch("artifact", disk_full=True)
    assert error_of(artifactory.put("/generic-local/new.txt", b"new"))[0] == 413


def _sha1(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()
