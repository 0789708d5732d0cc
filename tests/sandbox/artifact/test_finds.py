# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: searches by coordinates, properties, checksums, dates and builds."""

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
NONE = (404, "No results found.")
NOBODY = (401, "This resource is available to authenticated users only.")


def search(artifactory: Session, kind: str, **arguments: Any) -> requests.Response:
    """The answer to a search."""
    return artifactory.get(SEARCH + kind, params=arguments)


def found(artifactory: Session, kind: str, **arguments: Any) -> list[str]:
    """Where the items lie that a search finds."""
    answer = search(artifactory, kind, **arguments)
    assert answer.status_code == 200, answer.text
    return [result["uri"].partition("/api/storage/")[2] for result in answer.json()["results"]]


@pytest.mark.parametrize(
    ("arguments", "files"),
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
def test_coordinates(artifactory, arguments, files):
    assert found(artifactory, "gavc", **arguments) == files


def test_a_classifier(artifactory):
    artifactory.put("/libs-release-local/org/acme/app/1.0/app-1.0-sources.jar", b"x")
    answer = search(artifactory, "gavc", g="org.acme", c="sources")
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.search.GavcSearchResult+json"
    (result,) = answer.json()["results"]
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
def test_what_is_asked_too_little(artifactory, kind, arguments, message):
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
def test_properties(artifactory, arguments, paths):
    artifactory.put("/api/storage/generic-local/app?properties=qa=passed;list=a%5C,b&recursive=0")
    assert found(artifactory, "prop", **arguments) == paths


def test_result_has_the_info_of_a_folder_when_a_folder_is_found(artifactory):
    artifactory.put("/api/storage/generic-local/app?properties=qa=passed&recursive=0")
    detail = {"X-Result-Detail": "info"}
    (result,) = artifactory.get("/api/search/prop?qa=passed", headers=detail).json()["results"]
    assert result == artifactory.get("/api/storage/generic-local/app").json()
    assert result["children"]


def test_no_properties(artifactory):
    assert error_of(search(artifactory, "prop")) == NONE


@pytest.mark.parametrize("name", ["x", "xy", "*xy*", " xy "])
def test_entries_of_archives_are_not_searched_when_the_name_is_short(artifactory, name):
    refusal = "Search term must be at least 3 characters long."
    assert error_of(search(artifactory, "archive", name=name)) == (404, refusal)


@pytest.mark.parametrize("checksum", [{"sha1": SHA1}, {"sha256": SHA256}, {"md5": MD5.upper()}])
def test_checksums(artifactory, checksum):
    assert found(artifactory, "checksum", **checksum) == [f"generic-local/{APP}"]
    assert found(artifactory, "checksum", **checksum, repos="generic-release-local") == []


@pytest.mark.parametrize("checksum", [{}, {"sha1": ""}, {"sha1": "x" * 40}, {"md5": "a"}])
def test_what_is_no_checksum(artifactory, checksum):
    assert error_of(search(artifactory, "checksum", **checksum))[0] == 400


def test_checksums_that_clients_told_otherwise(artifactory):
    artifactory.put(
        "/generic-release-local/good.txt", b"x", headers={"X-Checksum-Md5": "9dd4e461268c8034f5c8564e155c67a6"}
    )
    artifactory.put("/generic-release-local/bad.txt", b"x")
    answer = search(artifactory, "badChecksum", type="md5", repos="generic-release-local")
    uri = f"{artifactory.base}/api/storage/generic-release-local/bad.txt"
    assert answer.json()["results"] == [{"uri": uri, "serverMd5": "9dd4e461268c8034f5c8564e155c67a6", "clientMd5": ""}]
    assert error_of(search(artifactory, "badChecksum", type="crc"))[0] == 400


def test_entries_of_archives(artifactory):
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
    assert error_of(search(artifactory, "archive", name="ogger.class")) == NONE


def test_what_is_not_used(sandbox, artifactory, artifactory_anonymous):
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
    unused = found(artifactory, "usage", notUsedSince=int((used - 1) * 1000), repos="generic-local")
    assert unused == ["generic-local/app/1.1/app-1.1.tar.gz", "generic-local/app/README.txt"]
    assert error_of(search(artifactory, "usage", notUsedSince=after, createdBefore=1)) == NONE
    assert error_of(search(artifactory, "usage")) == NONE
    sandbox.switch("artifact", anonymous=True)
    assert error_of(search(artifactory_anonymous, "usage", notUsedSince=after)) == NOBODY


def test_dates(sandbox, artifactory, artifactory_anonymous):
    now = sandbox.clock(frozen=True, set=1_800_000_000)["now"]
    artifactory.put("/generic-local/new.txt", b"x")
    asked = {"from": int(now * 1000) - 1, "to": int(now * 1000)}
    uri = f"{artifactory.base}/api/storage/generic-local/new.txt"
    time = "2027-01-15T08:00:00.000Z"
    assert search(artifactory, "creation", **asked).json()["results"] == [{"uri": uri, "created": time}]
    answer = search(artifactory, "dates", dateFields="created,lastDownloaded", **asked)
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.search.ArtifactResult+json"
    assert answer.json()["results"] == [{"uri": uri, "created": time, "lastDownloaded": ""}]
    assert found(artifactory, "dates", dateFields="lastModified", **{"from": "2027-01-15T07:59:59Z"}) == [
        "generic-local/new.txt"
    ]
    assert error_of(search(artifactory, "creation", **{"from": int(now * 1000)})) == NONE
    assert error_of(search(artifactory, "dates", dateFields="made", **asked)) == (
        400,
        "Date field name 'made' unknown!, possible values are:"
        " [lastModified, created, lastDownloaded, remote_last_downloaded]",
    )
    sandbox.switch("artifact", anonymous=True)
    assert error_of(search(artifactory_anonymous, "creation", **asked)) == NOBODY


def test_versions(artifactory):
    artifactory.post("/api/repositories/libs-release-local", json={"handleSnapshots": True})
    for version in ("1.9", "1.10", "2.0-SNAPSHOT", "1.10-rc1"):
        artifactory.put(f"/libs-release-local/org/acme/app/{version}/app-{version}.pom", b"<project/>")
    asked = {"g": "org.acme", "a": "app"}
    entries = search(artifactory, "versions", **asked).json()["results"]
    assert entries[0] == {"version": "2.0-SNAPSHOT", "integration": True}
    assert [entry["version"] for entry in entries[1:]] == ["1.10", "1.10-rc1", "1.9", "1.0"]
    assert [entry["version"] for entry in search(artifactory, "versions", **asked, v="1.1*").json()["results"]] == [
        "1.10",
        "1.10-rc1",
    ]
    for wanted, latest in (("", "1.10"), ("2.0-SNAPSHOT", "2.0-SNAPSHOT"), ("1.?", "1.9")):
        answer = search(artifactory, "latestVersion", **asked, v=wanted)
        assert (answer.text, answer.headers["Content-Type"]) == (latest, "text/plain")
    assert error_of(search(artifactory, "latestVersion", **asked, v="3*")) == (
        404,
        "Latest integration version not found",
    )
    unknown = (404, "Unable to find artifact versions")
    assert error_of(search(artifactory, "versions", g="org.acme", a="none")) == unknown


@pytest.mark.parametrize("which", [{"buildNumber": "1"}, {"buildStatus": "staged"}, {"buildNumber": "LAST_RELEASE"}])
def test_artifacts_of_a_build(artifactory, which):
    answer = artifactory.post(f"{SEARCH}buildArtifacts", json={"buildName": "app", **which})
    assert answer.json() == {"results": [{"downloadUri": f"{artifactory.base}/generic-local/{APP}"}]}


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ({}, 400),
        ({"buildName": "app"}, 400),
        ({"buildName": "app", "buildNumber": "1", "buildStatus": "staged"}, 400),
        ({"buildName": "app", "buildNumber": "9"}, 404),
        ({"buildName": "app", "buildNumber": "1", "repos": ["libs-release-local"]}, 404),
    ],
)
def test_no_artifacts_of_a_build(artifactory, order, status):
    assert error_of(artifactory.post(f"{SEARCH}buildArtifacts", json=order))[0] == status


def test_only_what_may_be_read_is_found(sandbox, artifactory):
    rights = {"libs-release-local": "r"}
    sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "ci", "permissions": rights}]}})
    ci = Session(artifactory.base, ("ci", "ci"))
    assert found(ci, "gavc", a="*", v="*.*", g="*u*") == []
    assert found(ci, "prop", **{"build.name": "app"}) == []
    assert found(ci, "checksum", sha1=SHA1) == []
    assert found(ci, "gavc", g="org.acme") == [JAR, POM]
