# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the Artifactory searches: coordinates, properties, checksums, dates, versions, archive entries."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
import requests

from support.session import Session
from support.wire.artifact import APP, MD5, SHA1, SHA256, error_of

SEARCH = "/api/search/"
JAR = "libs-release-local/org/acme/app/1.0/app-1.0.jar"
POM = "libs-release-local/org/acme/app/1.0/app-1.0.pom"
JUNIT = "libs-remote-cache/junit/junit/4.13/junit-4.13.pom"
NOT_FOUND = (404, "No results found.")
ANONYMOUS = (401, "This resource is available to authenticated users only.")


def search(artifactory: Session, kind: str, **arguments: Any) -> requests.Response:
    """Run a search."""
    return artifactory.get(SEARCH + kind, params=arguments)


def find_paths(artifactory: Session, kind: str, **arguments: Any) -> list[str]:
    """Run a search and return the paths of its results."""
    response = search(artifactory, kind, **arguments)
    assert response.status_code == 200, response.text
    return [result["uri"].partition("/api/storage/")[2] for result in response.json()["results"]]


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"g": "org.acme"}, [JAR, POM]),
        ({"g": "org.acme", "a": "app", "v": "1.0"}, [JAR, POM]),
        ({"g": "*.acme", "v": "1.?"}, [JAR, POM]),
        ({"a": "junit"}, [JUNIT]),
        ({"a": "junit", "repos": "libs-release-local"}, []),
        ({"g": "org", "a": "app"}, []),
        ({"a": "app", "c": "sources"}, []),
    ],
)
def test_search_by_coordinates(artifactory, arguments, paths):
    assert find_paths(artifactory, "gavc", **arguments) == paths


def test_search_by_classifier(artifactory):
    artifactory.put("/libs-release-local/org/acme/app/1.0/app-1.0-sources.jar", b"x")
    response = search(artifactory, "gavc", g="org.acme", c="sources")
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.search.GavcSearchResult+json"
    (result,) = response.json()["results"]
    assert result == {"uri": f"{artifactory.base}/api/storage/libs-release-local/org/acme/app/1.0/app-1.0-sources.jar"}


@pytest.mark.parametrize(
    ("kind", "arguments", "message"),
    [
        ("gavc", {}, "Missing groupId or artifactId or version or classifier"),
        ("gavc", {"g": "*"}, "Search term containing only wildcards is not permitted"),
        ("archive", {}, "The search term cannot be empty"),
        ("archive", {"name": "*"}, "Search term containing only wildcards is not permitted"),
        ("prop", {"repos": "generic-local"}, "The search term cannot be empty"),
        ("creation", {}, "'from' parameter cannot be empty!"),
        ("dates", {"from": "0"}, "'dateFields' parameter cannot be empty!"),
    ],
)
def test_search_is_400_when_the_criteria_are_insufficient(artifactory, kind, arguments, message):
    assert error_of(search(artifactory, kind, **arguments)) == (400, message)


@pytest.mark.parametrize(
    ("arguments", "paths"),
    [
        ({"build.name": "app"}, [f"generic-local/{APP}"]),
        ({"build.name": "a*", "build.number": "?"}, [f"generic-local/{APP}"]),
        ({"build.name": ""}, [f"generic-local/{APP}"]),
        ({"build.name": "web,app"}, []),
        ({"build.name": "app", "build.number": "2"}, []),
        ({"build.name": "app", "repos": "libs-release-local"}, []),
        ({"qa": "passed"}, ["generic-local/app"]),
        ({"list": "a,b"}, ["generic-local/app"]),
        ({"list": "a"}, []),
    ],
)
def test_search_by_properties(artifactory, arguments, paths):
    artifactory.put("/api/storage/generic-local/app?properties=qa=passed;list=a%5C,b&recursive=0")
    assert find_paths(artifactory, "prop", **arguments) == paths


def test_result_has_folder_info_when_details_are_requested(artifactory):
    artifactory.put("/api/storage/generic-local/app?properties=qa=passed&recursive=0")
    detail = {"X-Result-Detail": "info"}
    (result,) = artifactory.get("/api/search/prop?qa=passed", headers=detail).json()["results"]
    assert result == artifactory.get("/api/storage/generic-local/app").json()
    assert result["children"]


def test_property_search_is_404_when_no_property_is_given(artifactory):
    assert error_of(search(artifactory, "prop")) == NOT_FOUND


@pytest.mark.parametrize("name", ["x", "xy", "*xy*", " xy "])
def test_archive_search_is_404_when_the_name_is_too_short(artifactory, name):
    refusal = "Search term must be at least 3 characters long."
    assert error_of(search(artifactory, "archive", name=name)) == (404, refusal)


@pytest.mark.parametrize("checksum", [{"sha1": SHA1}, {"sha256": SHA256}, {"md5": MD5.upper()}])
def test_search_by_checksum(artifactory, checksum):
    assert find_paths(artifactory, "checksum", **checksum) == [f"generic-local/{APP}"]
    assert find_paths(artifactory, "checksum", **checksum, repos="generic-release-local") == []


@pytest.mark.parametrize("checksum", [{}, {"sha1": ""}, {"sha1": "x" * 40}, {"md5": "a"}])
def test_checksum_search_is_400_when_the_checksum_is_invalid(artifactory, checksum):
    assert error_of(search(artifactory, "checksum", **checksum))[0] == 400


def test_bad_checksum_search_compares_client_and_server_checksums(artifactory):
    artifactory.put(
        "/generic-release-local/good.txt", b"x", headers={"X-Checksum-Md5": "9dd4e461268c8034f5c8564e155c67a6"}
    )
    artifactory.put("/generic-release-local/bad.txt", b"x")
    response = search(artifactory, "badChecksum", type="md5", repos="generic-release-local")
    uri = f"{artifactory.base}/api/storage/generic-release-local/bad.txt"
    assert response.json()["results"] == [
        {"uri": uri, "serverMd5": "9dd4e461268c8034f5c8564e155c67a6", "clientMd5": ""}
    ]
    assert error_of(search(artifactory, "badChecksum", type="crc"))[0] == 400


def test_search_by_archive_entry(artifactory):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("org/acme/Logger.class", b"x")
        archive.writestr("README", b"x")
    for path in ("a.jar", "b.zip"):
        artifactory.put(f"/generic-local/{path}", content.getvalue())
    assert search(artifactory, "archive", name="*ogger.class").json() == {
        "results": [
            {
                "entry": "org/acme/Logger.class",
                "archiveUris": [f"{artifactory.base}/api/storage/generic-local/{path}" for path in ("a.jar", "b.zip")],
            }
        ]
    }
    assert error_of(search(artifactory, "archive", name="ogger.class")) == NOT_FOUND


def test_search_for_unused_files(sandbox, artifactory, artifactory_anonymous):
    used = sandbox.clock(frozen=True, advance=1000)["now"]
    artifactory.get(f"/generic-local/{APP}")
    after = int((used + 1) * 1000)
    (last,) = (
        result
        for result in search(artifactory, "usage", notUsedSince=after, repos="generic-local").json()["results"]
        if result["uri"].endswith(APP)
    )
    assert (last["downloadCount"], last["remoteDownloadCount"]) == (1, 0)
    assert last["remoteLastDownloaded"] == "1970-01-01T00:00:00.000Z"
    unused = find_paths(artifactory, "usage", notUsedSince=int((used - 1) * 1000), repos="generic-local")
    assert unused == ["generic-local/app/1.1/app-1.1.tar.gz", "generic-local/app/README.txt"]
    assert error_of(search(artifactory, "usage", notUsedSince=after, createdBefore=1)) == NOT_FOUND
    assert error_of(search(artifactory, "usage")) == NOT_FOUND
    sandbox.switch("artifact", anonymous=True)
    assert error_of(search(artifactory_anonymous, "usage", notUsedSince=after)) == ANONYMOUS


def test_search_by_dates(sandbox, artifactory, artifactory_anonymous):
    now = sandbox.clock(frozen=True, set=1_800_000_000)["now"]
    artifactory.put("/generic-local/new.txt", b"x")
    interval = {"from": int(now * 1000) - 1, "to": int(now * 1000)}
    uri = f"{artifactory.base}/api/storage/generic-local/new.txt"
    time = "2027-01-15T08:00:00.000Z"
    assert search(artifactory, "creation", **interval).json()["results"] == [{"uri": uri, "created": time}]
    response = search(artifactory, "dates", dateFields="created,lastDownloaded", **interval)
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.search.ArtifactResult+json"
    assert response.json()["results"] == [{"uri": uri, "created": time, "lastDownloaded": ""}]
    assert find_paths(artifactory, "dates", dateFields="lastModified", **{"from": "2027-01-15T07:59:59Z"}) == [
        "generic-local/new.txt"
    ]
    assert error_of(search(artifactory, "creation", **{"from": int(now * 1000)})) == NOT_FOUND
    assert error_of(search(artifactory, "dates", dateFields="made", **interval)) == (
        400,
        "Date field name 'made' unknown!, possible values are:"
        " [lastModified, created, lastDownloaded, remote_last_downloaded]",
    )
    sandbox.switch("artifact", anonymous=True)
    assert error_of(search(artifactory_anonymous, "creation", **interval)) == ANONYMOUS


def test_search_for_versions_of_a_module(artifactory):
    artifactory.post("/api/repositories/libs-release-local", json={"handleSnapshots": True})
    for version in ("1.9", "1.10", "2.0-SNAPSHOT", "1.10-rc1"):
        artifactory.put(f"/libs-release-local/org/acme/app/{version}/app-{version}.pom", b"<project/>")
    module = {"g": "org.acme", "a": "app"}
    entries = search(artifactory, "versions", **module).json()["results"]
    assert entries[0] == {"version": "2.0-SNAPSHOT", "integration": True}
    assert [entry["version"] for entry in entries[1:]] == ["1.10", "1.10-rc1", "1.9", "1.0"]
    assert [entry["version"] for entry in search(artifactory, "versions", **module, v="1.1*").json()["results"]] == [
        "1.10",
        "1.10-rc1",
    ]
    for version, latest in (("", "1.10"), ("2.0-SNAPSHOT", "2.0-SNAPSHOT"), ("1.?", "1.9")):
        response = search(artifactory, "latestVersion", **module, v=version)
        assert (response.text, response.headers["Content-Type"]) == (latest, "text/plain")
    assert error_of(search(artifactory, "latestVersion", **module, v="3*")) == (
        404,
        "Latest integration version not found",
    )
    unknown = (404, "Unable to find artifact versions")
    assert error_of(search(artifactory, "versions", g="org.acme", a="none")) == unknown


@pytest.mark.parametrize("criteria", [{"buildNumber": "1"}, {"buildStatus": "staged"}, {"buildNumber": "LAST_RELEASE"}])
def test_search_for_artifacts_of_a_build(artifactory, criteria):
    response = artifactory.post(f"{SEARCH}buildArtifacts", json={"buildName": "app", **criteria})
    assert response.json() == {"results": [{"downloadUri": f"{artifactory.base}/generic-local/{APP}"}]}


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({}, 400),
        ({"buildName": "app"}, 400),
        ({"buildName": "app", "buildNumber": "1", "buildStatus": "staged"}, 400),
        ({"buildName": "app", "buildNumber": "9"}, 404),
        ({"buildName": "app", "buildNumber": "1", "repos": ["libs-release-local"]}, 404),
    ],
)
def test_search_for_artifacts_of_a_build_is_refused_when_the_request_is_invalid(artifactory, payload, status):
    assert error_of(artifactory.post(f"{SEARCH}buildArtifacts", json=payload))[0] == status


def test_search_returns_only_readable_items(sandbox, artifactory):
    rights = {"libs-release-local": "r"}
    sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "ci", "permissions": rights}]}})
    ci = Session(artifactory.base, ("ci", "ci"))
    assert find_paths(ci, "gavc", a="*", v="*.*", g="*u*") == []
    assert find_paths(ci, "prop", **{"build.name": "app"}) == []
    assert find_paths(ci, "checksum", sha1=SHA1) == []
    assert find_paths(ci, "gavc", g="org.acme") == [JAR, POM]
