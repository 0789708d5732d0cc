# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of Maven repositories in Artifactory: snapshot names, layouts, metadata, POM checks."""

from __future__ import annotations

import hashlib
import io
import socket
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from xml.etree import ElementTree

import pytest

from support.wire.artifact import APP, error_of, properties_of

LOCAL = {"rclass": "local", "packageType": "maven"}
NOW = datetime(2026, 11, 23, 2, 29, 30, tzinfo=UTC).timestamp()
BUILD = "20261123.022930"
FOLDER = "org/q/w/1.1-SNAPSHOT"
POLICY = "snapshot/release handling policy"


def _pom(version: str) -> bytes:
    coordinates = f"<groupId>org.q</groupId><artifactId>w</artifactId><version>{version}</version>"
    return f'<project xmlns="http://maven.apache.org/POM/4.0.0">{coordinates}</project>'.encode()


@pytest.fixture(autouse=True)
def repositories(sandbox):
    local = {"rclass": "local", "packageType": "maven"}
    releases = {**local, "handleSnapshots": False, "snapshotVersionBehavior": "deployer"}
    snapshots = {**local, "handleReleases": False}
    names = ("unique", "non-unique", "deployer")
    definitions = [{"key": "releases", **releases}]
    definitions += [{"key": name, "snapshotVersionBehavior": name, **snapshots} for name in names]
    sandbox.seed({"artifact": {"repositories": definitions}})
    sandbox.clock(set=NOW)
    sandbox.clock(frozen=True)


def test_snapshot_gets_timestamp_and_number_when_snapshots_are_unique(artifactory, sandbox):
    path = f"{FOLDER}/w-1.1-{BUILD}-1.jar"
    response = artifactory.put(f"/unique/{FOLDER}/w-1.1-SNAPSHOT.jar", b"jar")
    assert (response.status_code, response.json()["path"]) == (201, f"/{path}")
    assert response.headers["Location"] == response.json()["uri"] == f"{sandbox.url}/artifactory/unique/{path}"
    assert response.json()["downloadUri"] == response.json()["uri"]
    assert artifactory.get(f"/unique/{path}").content == b"jar"
    assert artifactory.get(f"/unique/{FOLDER}/w-1.1-SNAPSHOT.jar").content == b"jar"


@pytest.mark.parametrize(
    ("path", "caching"),
    [
        ("org/q/w/maven-metadata.xml", "no-store"),
        ("free/w-1.1-SNAPSHOT.txt", "no-store"),
        ("free/w-1.1-SNAPSHOT-sources.txt", "no-store"),
        (f"{FOLDER}/w-1.1-{BUILD}-1.jar", None),
        ("x-SNAPSHOT/w.txt", None),
        ("free/w-SNAPSHOT", None),
    ],
)
@pytest.mark.parametrize("suffix", ["", ".sha1"])
def test_mutable_files_are_not_cacheable(artifactory, path, caching, suffix):
    artifactory.put(f"/deployer/{path}", b"<metadata/>")
    for method in ("GET", "HEAD"):
        response = artifactory.request(method, f"/deployer/{path}{suffix}")
        assert (response.status_code, response.headers.get("Cache-Control")) == (200, caching)


def test_files_of_one_build_share_timestamp_and_number(artifactory, sandbox):
    for build in (1, 2):
        sandbox.clock(set=NOW + build)
        jar = _upload(artifactory, "unique", "w-1.1-SNAPSHOT.jar", str(build))
        sandbox.clock(set=NOW + build + 0.5)
        pom = _upload(artifactory, "unique", "w-1.1-SNAPSHOT.pom", f"<project>{build}</project>")
        sources = _upload(artifactory, "unique", "w-1.1-SNAPSHOT-sources.jar", f"sources {build}")
        revision = f"20261123.02293{build}-{build}"
        assert [jar, pom, sources] == [f"w-1.1-{revision}{end}" for end in (".jar", ".pom", "-sources.jar")]


def test_snapshot_name_uses_the_build_timestamp_of_the_client(artifactory):
    parameter = ";build.timestamp=1767225661000"
    assert _upload(artifactory, "unique", f"w-1.1-SNAPSHOT.jar{parameter}", "jar") == "w-1.1-20260101.000101-1.jar"
    assert _upload(artifactory, "unique", f"w-1.1-SNAPSHOT.pom{parameter}", "pom") == "w-1.1-20260101.000101-1.pom"


@pytest.mark.parametrize("timestamp", ["²", "-", "9" * 18, "9" * 400])
def test_build_timestamp_is_ignored_when_it_is_invalid(artifactory, sandbox, timestamp):
    sandbox.clock(set=NOW, frozen=True)
    path = _upload(artifactory, "unique", f"w-1.1-SNAPSHOT.jar;build.timestamp={timestamp}", "x")
    assert path == f"w-1.1-{BUILD}-1.jar"


def test_file_keeps_its_name_when_the_build_number_is_too_long(artifactory):
    name = f"w-1.1-{BUILD}-{'9' * 4400}.pom"
    assert _upload(artifactory, "unique", name, "<project/>") == name


@pytest.mark.parametrize("encoding", ["x-unknown", "idna", "utf-7"])
def test_poms_and_metadata_are_ignored_when_the_encoding_is_unknown(artifactory, merging, encoding):
    document = f'<?xml version="1.0" encoding="{encoding}"?><project/>'
    assert artifactory.put("/releases/org/q/w/1.0/w-1.0.pom", document).status_code == 201
    assert artifactory.put("/second/org/q/w/maven-metadata.xml", document).status_code == 201
    assert artifactory.get("/merging/org/q/w/maven-metadata.xml").status_code == 404


@pytest.mark.parametrize("repo", ["unique", "deployer"])
def test_unique_snapshot_keeps_its_name(artifactory, repo):
    assert _upload(artifactory, repo, "w-1.1-20260101.010101-7.jar", "jar") == "w-1.1-20260101.010101-7.jar"


def test_unique_snapshot_is_renamed_when_the_repository_is_non_unique(artifactory):
    assert _upload(artifactory, "non-unique", "w-1.1-20260101.010101-7.jar", "jar") == "w-1.1-SNAPSHOT.jar"
    assert _upload(artifactory, "non-unique", "w-1.1-SNAPSHOT.jar", "jar") == "w-1.1-SNAPSHOT.jar"
    assert artifactory.get(f"/non-unique/{FOLDER}/w-1.1-20260101.010101-7.jar").status_code == 404


def test_snapshot_keeps_its_name_when_the_behavior_is_deployer(artifactory):
    assert _upload(artifactory, "deployer", "w-1.1-SNAPSHOT.jar", "jar") == "w-1.1-SNAPSHOT.jar"


@pytest.mark.parametrize("name", ["other.txt", "w-1.2-SNAPSHOT.jar", "maven-metadata-x.xml"])
def test_file_keeps_its_name_when_it_does_not_match_the_layout(artifactory, name):
    assert _upload(artifactory, "unique", name, "x") == name


def test_properties_are_set_on_the_renamed_snapshot(artifactory):
    name = _upload(artifactory, "unique", "w-1.1-SNAPSHOT.jar;qa=passed", "jar")
    assert properties_of(artifactory, f"unique/{FOLDER}/{name}") == {"qa": ["passed"]}


@pytest.mark.parametrize(("repo", "name"), [("unique", "w-1.1-SNAPSHOT"), ("non-unique", "w-1.1-20260101.010101-7")])
def test_checksum_file_applies_to_the_renamed_snapshot(artifactory, repo, name):
    stored = _upload(artifactory, repo, f"{name}.jar", "jar")
    response = artifactory.put(f"/{repo}/{FOLDER}/{name}.jar.sha1", hashlib.sha1(b"jar").hexdigest())
    assert response.status_code == 201
    info = artifactory.get(f"/api/storage/{repo}/{FOLDER}/{stored}").json()
    assert info["originalChecksums"]["sha1"] == info["checksums"]["sha1"]


@pytest.mark.parametrize(
    ("repo", "path", "rejected"),
    [
        ("releases", f"{FOLDER}/w-1.1-SNAPSHOT.jar", True),
        ("releases", f"{FOLDER}/w-1.1-20260101.010101-1.jar", True),
        ("releases", f"{FOLDER}/other.txt", False),
        ("releases", "free/file-SNAPSHOT.txt", False),
        ("releases", "x-SNAPSHOT/y.txt", False),
        ("unique", "org/q/w/1.0/w-1.0.jar", True),
        ("unique", "org/q/w/1.0/other.txt", False),
        ("unique", "free/file.txt", False),
        ("generic-local", f"{FOLDER}/w-1.1-SNAPSHOT.jar", False),
    ],
)
def test_release_policies_apply_to_paths_that_match_the_layout(artifactory, repo, path, rejected):
    message = f"The repository '{repo}' rejected the artifact '{repo}:{path}' due to its {POLICY}."
    if rejected:
        assert error_of(artifactory.put(f"/{repo}/{path}", b"x")) == (409, message)
        assert error_of(artifactory.get(f"/{repo}/{path}")) == (409, message)
        assert artifactory.head(f"/{repo}/{path}").status_code == 409
        assert artifactory.get(f"/api/storage/{repo}/{path}").status_code == 404
    else:
        assert artifactory.put(f"/{repo}/{path}", b"x").status_code == 201
        assert artifactory.get(f"/{repo}/{path}").content == b"x"


def test_release_policies_use_the_layout_of_the_repository(artifactory, sandbox):
    repository = {"key": "by-layout", "rclass": "local", "repoLayoutRef": "maven-2-default", "handleReleases": False}
    gradle = {**repository, "key": "gradle", "repoLayoutRef": "gradle-default"}
    simple = {**repository, "key": "flat", "repoLayoutRef": "simple-default"}
    sandbox.seed({"artifact": {"repositories": [repository, gradle, simple]}})
    assert artifactory.put("/by-layout/org/q/w/1.0/w-1.0.jar", b"x").status_code == 409
    assert artifactory.put("/gradle/org.q/w/1.0/w-1.0.jar", b"x").status_code == 409
    assert artifactory.put("/gradle/org.q/w/1.0/w-1.0-20260101010101.jar", b"x").status_code == 201
    assert artifactory.put("/gradle/org/q/w/1.0/w-1.0.jar", b"x").status_code == 201
    assert artifactory.put("/flat/org/w/w-1.0.jar", b"x").status_code == 409


def test_repository_has_non_unique_snapshots_when_an_old_version_created_it_over_rest(artifactory, sandbox):
    sandbox.switch("artifact", version="7.38.10")
    artifactory.put("/api/repositories/by-rest", json={"rclass": "local", "packageType": "maven"})
    created = artifactory.get("/api/repositories/by-rest").json()
    assert (created["snapshotVersionBehavior"], created["repoLayoutRef"]) == ("non-unique", "maven-2-default")
    assert (created["handleReleases"], created["handleSnapshots"]) == (True, True)
    assert _upload(artifactory, "by-rest", "w-1.1-20260101.010101-7.jar", "jar") == "w-1.1-SNAPSHOT.jar"


def test_snapshot_metadata_matches_that_of_a_real_server(artifactory):
    for name in ("w-1.1-SNAPSHOT.jar", "w-1.1-20260101.010101-1.jar", "w-1.1-SNAPSHOT.pom"):
        _upload(artifactory, "unique", name, name)
        _upload(artifactory, "non-unique", name, name)
    assert _metadata_sha1(artifactory, "unique") == "c2e99932f9ca4404c8a0e5f919aae5c08db7c0ea"
    assert _metadata_sha1(artifactory, "non-unique") == "7438bdce730041a267e9e1d87963008df64a73ae"


@pytest.mark.parametrize(("repo", "status"), [("unique", 202), ("non-unique", 202), ("deployer", 201)])
def test_uploaded_snapshot_metadata_is_stored_only_when_the_behavior_is_deployer(artifactory, repo, status):
    _upload(artifactory, repo, "w-1.1-SNAPSHOT.pom", "<project/>")
    metadata = b"<metadata/>"
    assert artifactory.put(f"/{repo}/{FOLDER}/maven-metadata.xml", metadata).status_code == status
    assert (artifactory.get(f"/{repo}/{FOLDER}/maven-metadata.xml").content == metadata) is (status == 201)
    assert artifactory.put(f"/{repo}/{FOLDER}/maven-metadata.xml.sha1", "0" * 40).status_code == 200


def test_snapshot_metadata_is_read_when_the_client_expects_100_continue(sandbox, artifactory):
    host, port = sandbox.url.removeprefix("http://").split(":")
    head = (
        f"PUT /artifactory/unique/{FOLDER}/maven-metadata.xml HTTP/1.1\r\nHost: {host}:{port}\r\n"
        f"Authorization: {artifactory.headers['Authorization']}\r\nContent-Length: 11\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(head.encode())
        assert connection.recv(65536).startswith(b"HTTP/1.1 100 ")
        connection.sendall(b"<metadata/>")
        accepted = connection.recv(65536)
        assert accepted.startswith(b"HTTP/1.1 202 ")
        assert b"connection: close" not in accepted.lower()


def test_snapshot_metadata_is_not_created_when_a_pom_is_missing(artifactory):
    _upload(artifactory, "unique", "w-1.1-SNAPSHOT.jar", "jar")
    assert artifactory.get(f"/unique/{FOLDER}/maven-metadata.xml").status_code == 404


def test_module_metadata_lists_the_versions_with_poms(artifactory):
    for version in ("1.10", "1.9", "2.0-rc-1"):
        artifactory.put(f"/releases/org/q/w/{version}/w-{version}.pom", version)
    artifactory.put("/releases/org/q/w/3.0/w-3.0.jar", b"no pom")
    assert _versions(artifactory, "releases") == ("2.0-rc-1", "2.0-rc-1", ["1.9", "1.10", "2.0-rc-1"])
    artifactory.delete("/releases/org/q/w/2.0-rc-1")
    assert _versions(artifactory, "releases") == ("1.10", "1.10", ["1.9", "1.10"])
    artifactory.delete("/releases/org/q/w/1.10/w-1.10.pom")
    assert _versions(artifactory, "releases") == ("1.9", "1.9", ["1.9"])
    artifactory.delete("/releases/org/q/w/1.9/w-1.9.pom")
    assert artifactory.get("/releases/org/q/w/maven-metadata.xml").status_code == 404


def test_module_metadata_is_complete_when_uploads_are_concurrent(artifactory):
    versions = [f"1.{number}" for number in range(20)]
    with ThreadPoolExecutor(8) as pool:
        responses = pool.map(
            lambda version: artifactory.put(f"/releases/org/q/w/{version}/w-{version}.pom", version), versions
        )
        assert {response.status_code for response in responses} == {201}
    assert _versions(artifactory, "releases") == ("1.19", "1.19", versions)


def test_folder_is_kept_when_it_is_named_like_the_metadata(artifactory):
    artifactory.put("/releases/org/q/w/maven-metadata.xml/")
    assert artifactory.put("/releases/org/q/w/1.0/w-1.0.pom", b"pom").status_code == 201
    assert artifactory.get("/api/storage/releases/org/q/w/maven-metadata.xml").json()["children"] == []


def test_module_metadata_has_no_release_when_all_versions_are_snapshots(artifactory):
    _upload(artifactory, "unique", "w-1.1-SNAPSHOT.pom", "<project/>")
    assert _versions(artifactory, "unique") == ("1.1-SNAPSHOT", None, ["1.1-SNAPSHOT"])


@pytest.fixture
def virtual(sandbox):
    members = ["releases", "non-unique"]
    virtual = {"key": "virtual", "rclass": "virtual", "packageType": "maven", "repositories": members}
    sandbox.seed({"artifact": {"repositories": [{**virtual, "defaultDeploymentRepo": "non-unique"}]}})


def test_snapshot_name_follows_the_local_repository_when_uploaded_to_a_virtual_one(artifactory, virtual):
    response = artifactory.put(f"/virtual/{FOLDER}/w-1.1-20260101.010101-7.jar", b"jar")
    assert (response.json()["repo"], response.json()["path"]) == ("non-unique", f"/{FOLDER}/w-1.1-SNAPSHOT.jar")
    assert artifactory.get(f"/virtual/{FOLDER}/w-1.1-SNAPSHOT.jar").content == b"jar"


def test_virtual_repository_skips_members_that_reject_a_file(artifactory, virtual):
    artifactory.post("/api/repositories/releases", json={"handleSnapshots": True})
    for repo in ("releases", "non-unique"):
        _upload(artifactory, repo, "w-1.1-SNAPSHOT.jar", repo)
    assert artifactory.get(f"/virtual/{FOLDER}/w-1.1-SNAPSHOT.jar").text == "releases"
    artifactory.post("/api/repositories/releases", json={"handleSnapshots": False})
    assert artifactory.get(f"/virtual/{FOLDER}/w-1.1-SNAPSHOT.jar").text == "non-unique"


def test_metadata_is_updated_when_a_version_is_copied_moved_or_restored(artifactory, sandbox):
    sandbox.seed({"artifact": {"repositories": [{"key": "stable", "rclass": "local", "packageType": "maven"}]}})
    for version in ("1.0", "1.1"):
        artifactory.put(f"/releases/org/q/w/{version}/w-{version}.pom", _pom(version))
    artifactory.post("/api/copy/releases/org/q/w/1.0?to=/stable/org/q/w/1.0")
    assert _versions(artifactory, "stable") == ("1.0", "1.0", ["1.0"])
    artifactory.post("/api/move/releases/org/q/w/1.1/w-1.1.pom?to=/stable/org/q/w/1.1/w-1.1.pom")
    assert _versions(artifactory, "stable") == ("1.1", "1.1", ["1.0", "1.1"])
    assert _versions(artifactory, "releases") == ("1.0", "1.0", ["1.0"])
    artifactory.delete("/stable/org/q/w/1.1")
    assert _versions(artifactory, "stable") == ("1.0", "1.0", ["1.0"])
    assert artifactory.post("/api/trash/restore/stable/org/q/w/1.1").status_code == 202
    assert _versions(artifactory, "stable") == ("1.1", "1.1", ["1.0", "1.1"])


def test_metadata_is_updated_when_a_group_is_copied(artifactory, sandbox):
    sandbox.seed({"artifact": {"repositories": [{"key": "stable", "rclass": "local", "packageType": "maven"}]}})
    artifactory.put("/unique/org/q/w/1.1-SNAPSHOT/w-1.1-SNAPSHOT.pom", b"<project/>")
    artifactory.delete("/unique/org/q/w/1.1-SNAPSHOT/maven-metadata.xml")
    artifactory.post("/api/copy/unique/org?to=/stable/org")
    assert _versions(artifactory, "stable") == ("1.1-SNAPSHOT", None, ["1.1-SNAPSHOT"])
    assert artifactory.get(f"/stable/{FOLDER}/maven-metadata.xml").status_code == 200


def test_metadata_is_recalculated_when_it_is_deleted(artifactory):
    artifactory.put("/releases/org/q/w/1.0/w-1.0.pom", _pom("1.0"))
    assert artifactory.delete("/releases/org/q/w/maven-metadata.xml").status_code == 204
    assert _versions(artifactory, "releases") == ("1.0", "1.0", ["1.0"])


def test_metadata_is_updated_when_an_archive_is_exploded(artifactory):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for version in ("1.0", "1.1"):
            archive.writestr(f"q/w/{version}/w-{version}.pom", _pom(version))
    explode = {"X-Explode-Archive": "true"}
    artifactory.put("/api/repositories/strict", json=LOCAL)
    refused = artifactory.put("/strict/com/all.zip", content.getvalue(), headers=explode)
    assert (refused.status_code, artifactory.get("/api/storage/strict/com").status_code) == (409, 404)
    assert artifactory.put("/releases/org/all.zip", content.getvalue(), headers=explode).status_code == 200
    assert _versions(artifactory, "releases") == ("1.1", "1.1", ["1.0", "1.1"])


def test_metadata_is_updated_when_a_build_is_promoted(artifactory, sandbox):
    sandbox.seed({"artifact": {"repositories": [{"key": "stable", "rclass": "local", "packageType": "maven"}]}})
    sha1 = artifactory.put("/releases/org/q/w/1.0/w-1.0.pom", _pom("1.0")).json()["checksums"]["sha1"]
    run = {"name": "w", "number": "1", "started": "2026-11-23T00:00:00.000+0000"}
    record = {**run, "modules": [{"id": "org.q:w:1.0", "artifacts": [{"name": "w-1.0.pom", "sha1": sha1}]}]}
    artifactory.put("/api/build", json=record)
    artifactory.post("/api/build/promote/w/1", json={"targetRepo": "stable"})
    assert _versions(artifactory, "stable") == ("1.0", "1.0", ["1.0"])
    assert artifactory.get("/releases/org/q/w/maven-metadata.xml").status_code == 404


def test_group_metadata_lists_maven_plugins(artifactory):
    artifactory.put("/api/repositories/plugins", json=LOCAL)
    for artifact, name in (("maven-first-plugin", "<name>The first</name>"), ("second-maven-plugin", "")):
        coordinates = f"<groupId>org.q</groupId><artifactId>{artifact}</artifactId><version>1.0</version>"
        pom = f"<project>{coordinates}<packaging>maven-plugin</packaging>{name}</project>"
        artifactory.put(f"/plugins/org/q/{artifact}/1.0/{artifact}-1.0.pom", pom.encode())
    artifactory.put("/plugins/org/q/w/1.0/w-1.0.pom", _pom("1.0"))
    pom = "plugins/org/q/second-maven-plugin/1.0/second-maven-plugin-1.0.pom"
    assert properties_of(artifactory, pom) == {"artifactory.maven.mavenPlugin": ["true"]}
    root = ElementTree.fromstring(artifactory.get("/plugins/org/q/maven-metadata.xml").content)
    assert [[element.text for element in plugin] for plugin in root.iterfind("plugins/plugin")] == [
        ["The first", "first", "maven-first-plugin"],
        ["Unnamed - org.q:second-maven-plugin:maven-plugin:1.0", "second", "second-maven-plugin"],
    ]


def test_group_metadata_is_rebuilt_from_poms_when_it_is_too_large(artifactory):
    artifactory.put("/api/repositories/plugins", json=LOCAL)
    _deploy_plugin(artifactory, "one")
    plugin_entry = "<plugin><name>Other</name><prefix>x</prefix><artifactId>one-maven-plugin</artifactId></plugin>"
    metadata = f"<!--{'x' * 8 * 1024 * 1024}--><metadata><plugins>{plugin_entry}</plugins></metadata>"
    assert artifactory.put("/plugins/org/q/maven-metadata.xml", metadata.encode()).status_code == 201
    _deploy_plugin(artifactory, "two")
    root = ElementTree.fromstring(artifactory.get("/plugins/org/q/maven-metadata.xml").content)
    assert [plugin.findtext("prefix") for plugin in root.iterfind("plugins/plugin")] == ["one", "two"]


def _deploy_plugin(artifactory, prefix):
    artifact = f"{prefix}-maven-plugin"
    coordinates = f"<groupId>org.q</groupId><artifactId>{artifact}</artifactId><version>1.0</version>"
    pom = f"<project>{coordinates}<packaging>maven-plugin</packaging></project>"
    artifactory.put(f"/plugins/org/q/{artifact}/1.0/{artifact}-1.0.pom", pom.encode())


CALCULATE = "/api/maven/calculateMetadata"


def test_metadata_is_calculated_on_request(artifactory, sandbox):
    files = {f"org/q/{module}/1.0/{module}-1.0.pom": "<project/>" for module in ("v", "w")}
    sandbox.seed({"artifact": {"repositories": [{"key": "planted", **LOCAL, "files": files}]}})
    non_recursive = artifactory.post(f"{CALCULATE}/planted/org/q?nonRecursive=true")
    assert (non_recursive.status_code, non_recursive.content) == (200, b"")
    assert artifactory.get("/planted/org/q/w/maven-metadata.xml").status_code == 404
    assert artifactory.post(f"{CALCULATE}/planted/org").status_code == 200
    assert _versions(artifactory, "planted") == ("1.0", "1.0", ["1.0"])
    assert artifactory.get("/planted/org/q/v/maven-metadata.xml").status_code == 200


def test_metadata_is_deleted_when_it_is_calculated_without_poms(artifactory, sandbox):
    files = {"org/q/w/maven-metadata.xml": "<metadata/>", "org/q/w/1.0/w-1.0.jar": "jar"}
    misplaced = {"org/q/v/maven-metadata.xml": "<metadata><x><snapshotVersion>1</snapshotVersion></x></metadata>"}
    sandbox.seed({"artifact": {"repositories": [{"key": "planted", **LOCAL, "files": {**files, **misplaced}}]}})
    artifactory.post(f"{CALCULATE}/planted/org")
    assert artifactory.get("/planted/org/q/w/maven-metadata.xml").status_code == 404
    assert artifactory.get("/planted/org/q/v/maven-metadata.xml").status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("releases/nothing", 404, "Could not find path 'releases/nothing'"),
        ("nothing/org", 404, "Could not find path 'nothing/org'"),
        ("generic-local/app", 400, "Repository 'generic-local' is not a maven repository."),
    ],
)
def test_metadata_calculation_is_refused_when_the_path_is_invalid(artifactory, path, status, message):
    assert error_of(artifactory.post(f"{CALCULATE}/{path}")) == (status, message)


def test_metadata_calculation_is_refused_when_permissions_are_missing(artifactory_reader, artifactory_anonymous):
    assert artifactory_reader.post(f"{CALCULATE}/libs-release-local/org").status_code == 403
    assert artifactory_anonymous.post(f"{CALCULATE}/libs-release-local/org").status_code == 401


@pytest.mark.parametrize(
    ("path", "pom", "message"),
    [
        ("org/q/w/1.0/w-1.0.pom", _pom("1.0"), None),
        ("org/q/w/1.0/w-1.0.pom", b"<project/>", None),
        ("org/q/w/1.0/w-1.0.pom", _pom("${revision}"), None),
        ("org/q/w/1.1-SNAPSHOT/w-1.1-SNAPSHOT.pom", _pom("1.0"), None),
        ("org/q/w/1.1-SNAPSHOT/w-1.1-SNAPSHOT.pom", _pom("1.1-SNAPSHOT"), None),
        ("org/q/w/1.1-SNAPSHOT/w-1.1-SNAPSHOT.pom", _pom("1.2-SNAPSHOT"), "does not match"),
        ("org/q/w/1.1/w-1.1.pom", _pom("1.0"), "does not match the POM's expected path prefix 'org/q/w/1.0'. Please"),
        ("org/q/w/1.1/w-1.1.pom", b"<project><groupId>org.q</groupId></project>", "The Pom version of "),
        ("org/q/w/1.1/w-1.1.pom", b"no XML", "Failed to read POM for 'org/q/w/1.1/w-1.1.pom': "),
    ],
)
def test_pom_is_refused_when_it_does_not_match_its_path(artifactory, path, pom, message):
    artifactory.put("/api/repositories/strict", json=LOCAL)
    artifactory.put("/api/repositories/lax", json={**LOCAL, "suppressPomConsistencyChecks": True})
    response = artifactory.put(f"/strict/{path}", pom)
    if message is None:
        assert response.status_code == 201
    else:
        status, text = error_of(response)
        assert (status, message in text) == (409, True)
        assert artifactory.get(f"/strict/{path}").status_code == 404
    assert artifactory.put(f"/lax/{path}", pom).status_code == 201


@pytest.mark.parametrize("act", ["copy", "move"])
def test_file_is_kept_when_the_target_repository_rejects_it(artifactory, act):
    artifactory.put("/api/repositories/strict", json={**LOCAL, "handleReleases": False, "excludesPattern": "secret/**"})
    artifactory.put("/releases/org/q/w/1.0/w-1.0.jar", b"jar")
    artifactory.put("/unique/org/q/w/1.1-SNAPSHOT/w-1.1-SNAPSHOT.pom", _pom("1.1-SNAPSHOT"))
    snapshot = f"{FOLDER}/w-1.1-{BUILD}-1.pom"
    for source, target, reason in (
        ("releases/org/q/w/1.0/w-1.0.jar", "strict/org/q/w/1.0/w-1.0.jar", f"due to a conflict with its {POLICY}."),
        ("releases/org/q/w/1.0/w-1.0.jar", "strict/secret/x", "a conflict with its include/exclude patterns."),
        (f"unique/{snapshot}", f"strict/{snapshot.replace('w', 'v')}", "Failed to validate target path of pom: "),
    ):
        refused = artifactory.post(f"/api/{act}/{source}?to=/{target}")
        assert (refused.status_code, reason in refused.json()["messages"][0]["message"]) == (409, True)
        assert artifactory.get(f"/api/storage/{target}").status_code == 404
        assert artifactory.get(f"/api/storage/{source}").status_code == 200
    assert artifactory.post(f"/api/{act}/unique/{snapshot}?to=/strict/{snapshot}").status_code == 200


@pytest.fixture
def merging(sandbox):
    members = [{"key": key, **LOCAL} for key in ("first", "second")]
    virtual = {"key": "merging", "rclass": "virtual", "packageType": "maven", "repositories": ["first", "second"]}
    sandbox.seed({"artifact": {"repositories": [*members, virtual]}})


def test_merged_metadata_contains_the_versions_of_all_members(artifactory, sandbox, merging):
    for repo, version in (("first", "1.10"), ("second", "1.9"), ("second", "2.0-SNAPSHOT")):
        artifactory.put(f"/{repo}/org/q/w/{version}/w-{version}.pom", _pom(version))
    sandbox.clock(advance=60)
    artifactory.put("/second/org/q/w/1.2/w-1.2.pom", _pom("1.2"))
    root = ElementTree.fromstring(artifactory.get("/merging/org/q/w/maven-metadata.xml").content)
    versions = [version.text for version in root.findall("versioning/versions/version")]
    assert versions == ["1.2", "1.9", "1.10", "2.0-SNAPSHOT"]
    assert root.findtext("versioning/latest") == "2.0-SNAPSHOT"
    assert root.findtext("versioning/release") == "1.10"
    assert root.findtext("versioning/lastUpdated") == "20261123023030"


def test_merged_metadata_contains_the_latest_snapshot_of_all_members(artifactory, merging):
    for repo, revision in (("first", "20260101.010101-1"), ("second", "20260202.020202-2")):
        for extension in ("jar", "pom"):
            artifactory.put(f"/{repo}/{FOLDER}/w-1.1-{revision}.{extension}", _pom("1.1-SNAPSHOT"))
    artifactory.put(f"/first/{FOLDER}/w-1.1-20260101.010101-1-sources.jar", b"sources")
    merged = artifactory.get(f"/merging/{FOLDER}/maven-metadata.xml")
    root = ElementTree.fromstring(merged.content)
    assert root.findtext("versioning/snapshot/buildNumber") == "2"
    assert [value.text for value in root.iterfind("versioning/snapshotVersions/snapshotVersion/value")] == [
        "1.1-20260202.020202-2",
        "1.1-20260202.020202-2",
        "1.1-20260101.010101-1",
    ]
    sha1 = hashlib.sha1(merged.content).hexdigest()
    assert artifactory.get(f"/merging/{FOLDER}/maven-metadata.xml.sha1").text == sha1
    assert merged.headers["Cache-Control"] == "no-store"
    assert merged.headers["ETag"] == merged.headers["X-Checksum-Sha1"] == sha1
    old = artifactory.get(f"/merging/{FOLDER}/maven-metadata.xml", headers={"User-Agent": "Apache-Maven/2.2.1"})
    assert b"<buildNumber>2<" in old.content
    assert b"snapshotVersion" not in old.content


def test_merged_metadata_is_404_when_no_member_has_metadata(artifactory, merging):
    path = "org/q/w/maven-metadata.xml"
    assert error_of(artifactory.get(f"/merging/{path}")) == (404, f"Maven metadata not found for '{path}'.")
    assert artifactory.get(f"/merging/{path}.sha1").status_code == 404


def test_virtual_repository_serves_the_latest_snapshot_of_all_members(artifactory, sandbox, merging):
    for repo in ("first", "second"):
        artifactory.post(f"/api/repositories/{repo}", json={"snapshotVersionBehavior": "non-unique"})
        artifactory.put(f"/{repo}/{FOLDER}/w-1.1-SNAPSHOT.jar", repo)
        sandbox.clock(advance=1)
    assert artifactory.get(f"/merging/{FOLDER}/w-1.1-SNAPSHOT.jar").text == "second"
    sha1 = artifactory.get(f"/merging/{FOLDER}/w-1.1-SNAPSHOT.jar.sha1").text
    assert sha1 == hashlib.sha1(b"second").hexdigest()


def test_name_without_a_revision_serves_the_latest_unique_snapshot(artifactory, sandbox, merging):
    for repo, revision in (
        ("first", "20260101.010101-9"),
        ("first", "20260102.010101-10"),
        ("second", "20260103.010101-2"),
    ):
        artifactory.put(f"/{repo}/{FOLDER}/w-1.1-{revision}.jar", f"{repo} {revision}")
    for repo, served in (("first", "first 20260102.010101-10"), ("merging", "second 20260103.010101-2")):
        latest = artifactory.get(f"/{repo}/{FOLDER}/w-1.1-SNAPSHOT.jar")
        assert latest.text == served
        assert latest.headers["X-Artifactory-Filename"] == f"w-1.1-{served.split()[1]}.jar"
        sha1 = artifactory.get(f"/{repo}/{FOLDER}/w-1.1-SNAPSHOT.jar.sha1").text
        assert sha1 == hashlib.sha1(latest.content).hexdigest()
        assert artifactory.get(f"/api/storage/{repo}/{FOLDER}/w-1.1-SNAPSHOT.jar").status_code == 404
        assert artifactory.get(f"/{repo}/{FOLDER}/w-1.1-SNAPSHOT.pom").status_code == 404
    sandbox.switch("artifact", edition="oss")
    assert artifactory.get(f"/first/{FOLDER}/w-1.1-SNAPSHOT.jar").status_code == 404


def test_merged_metadata_skips_members_that_reject_snapshots(artifactory, merging):
    artifactory.put(f"/first/{FOLDER}/w-1.1-20260101.010101-1.pom", _pom("1.1-SNAPSHOT"))
    artifactory.post("/api/repositories/first", json={"handleSnapshots": False})
    assert artifactory.get(f"/merging/{FOLDER}/maven-metadata.xml").status_code == 404


def test_metadata_is_not_created_when_the_repository_is_generic(artifactory):
    artifactory.put("/generic-local/org/q/w/1.0/w-1.0.pom", b"<project/>")
    artifactory.delete(f"/generic-local/{APP}")
    assert artifactory.get("/generic-local/org/q/w/maven-metadata.xml").status_code == 404


def _upload(artifactory, repo: str, name: str, content: str) -> str:
    """Upload a file of the snapshot and return the name under which it is stored."""
    response = artifactory.put(f"/{repo}/{FOLDER}/{name}", content.encode())
    assert response.status_code == 201
    return str(response.json()["path"]).removeprefix(f"/{FOLDER}/")


def _metadata_sha1(artifactory, repo: str) -> str:
    return artifactory.head(f"/{repo}/{FOLDER}/maven-metadata.xml").headers["X-Checksum-Sha1"]


def _versions(artifactory, repo: str) -> tuple[str | None, str | None, list[str | None]]:
    """Return the latest version, the latest release and all versions in the module metadata."""
    root = ElementTree.fromstring(artifactory.get(f"/{repo}/org/q/w/maven-metadata.xml").content)
    assert (root.findtext("groupId"), root.findtext("artifactId")) == ("org.q", "w")
    latest = root.findtext("versioning/latest")
    assert root.findtext("version") == latest
    versions = [version.text for version in root.findall("versioning/versions/version")]
    return latest, root.findtext("versioning/release"), versions
