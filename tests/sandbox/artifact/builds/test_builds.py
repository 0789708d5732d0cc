# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of build records in Artifactory: publish, compare, rename, delete, retention, pattern search."""

from __future__ import annotations

import json
from typing import Any

import pytest

from support.session import Session
from support.wire.artifact import APP, SHA1, error_of

STARTED = "2026-06-01T10:11:12.345+0000"
RECORD = {
    "version": "1.0.1",
    "name": "new / build",
    "number": "7",
    "started": STARTED,
    "modules": [{"id": "m", "artifacts": [{"name": "app-1.0.tar.gz", "type": "gz", "sha1": SHA1}]}],
    "properties": {"env.A": "b"},
}
JSON = {"Content-Type": "application/json"}
ENCODED = "/api/build/new%20%2F%20build"
NOT_ALLOWED = "The user: 'reader' is not authorized to {} build info. {} permission is needed."


def publish(artifactory: Session, **changes: Any) -> None:
    """Publish `RECORD` with changed fields."""
    response = artifactory.put("/api/build", json={**RECORD, **changes})
    assert (response.status_code, response.content) == (204, b"")


def build_numbers(artifactory: Session, path: str = ENCODED) -> list[str]:
    """Return the sorted numbers of a build's runs."""
    return sorted(run["uri"][1:] for run in artifactory.get(path).json()["buildsNumbers"])


def test_builds_are_listed(artifactory):
    response = artifactory.get("/api/build")
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.build.Builds+json"
    assert response.json() == {
        "uri": f"{artifactory.base}/api/build",
        "builds": [
            {"uri": "/acme%2Fnightly%20of%20web", "lastStarted": "2026-05-04T01:00:00.000+0000"},
            {"uri": "/app", "lastStarted": "2026-05-02T10:11:12.000+0000"},
        ],
    }


def test_build_list_is_404_when_the_project_has_no_builds(artifactory):
    assert error_of(artifactory.get("/api/build?project=other")) == (404, "No builds were found")


def test_runs_of_a_build_are_listed(artifactory):
    response = artifactory.get("/api/build/app")
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.build.BuildsByName+json"
    assert response.json() == {
        "uri": f"{artifactory.base}/api/build/app",
        "buildsNumbers": [
            {"uri": "/2", "started": "2026-05-02T10:11:12.000+0000"},
            {"uri": "/1", "started": "2026-05-01T10:11:12.000+0000"},
        ],
    }


def test_runs_are_404_when_the_build_is_unknown(artifactory):
    assert error_of(artifactory.get("/api/build/nothing")) == (404, "No build was found for build name: nothing")


def test_published_record_is_returned_with_defaults(artifactory):
    publish(artifactory)
    response = artifactory.get(f"{ENCODED}/7")
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.build.BuildInfo+json"
    filled_in = {"version": "1.0.1", "durationMillis": 0, "artifactoryPrincipal": "admin"}
    assert response.json() == {"uri": f"{artifactory.base}{ENCODED}/7", "buildInfo": filled_in | RECORD}


def test_record_keeps_version_and_duration_but_not_the_principal(artifactory):
    publish(artifactory, version="2.0", durationMillis=5, artifactoryPrincipal="somebody")
    record = artifactory.get(f"{ENCODED}/7").json()["buildInfo"]
    assert (record["version"], record["durationMillis"], record["artifactoryPrincipal"]) == ("2.0", 5, "admin")


def test_build_number_is_returned_as_a_string(artifactory):
    publish(artifactory, number=7)
    assert artifactory.get(f"{ENCODED}/7").json()["buildInfo"]["number"] == "7"


def test_run_is_replaced_when_it_is_published_again(artifactory):
    publish(artifactory)
    publish(artifactory, properties={"env.A": "c"})
    assert build_numbers(artifactory) == ["7"]
    assert artifactory.get(f"{ENCODED}/7").json()["buildInfo"]["properties"] == {"env.A": "c"}


def test_run_is_added_when_its_start_time_differs(artifactory):
    publish(artifactory)
    later = "2026-06-02T10:11:12.345+0000"
    publish(artifactory, started=later)
    assert build_numbers(artifactory) == ["7", "7"]
    assert artifactory.get(f"{ENCODED}/7").json()["buildInfo"]["started"] == later
    first = artifactory.get(f"{ENCODED}/7", params={"started": STARTED})
    assert first.json()["buildInfo"]["started"] == STARTED


@pytest.mark.parametrize(
    ("path", "name", "number"), [("/api/build/app/9", "app", "9"), (f"{ENCODED}/1", "new / build", "1")]
)
def test_record_is_404_when_the_run_is_unknown(artifactory, path, name, number):
    message = f"No build was found for build name: {name}, build number: {number} "
    assert error_of(artifactory.get(path)) == (404, message)


def test_record_is_404_when_the_start_time_is_unknown(artifactory):
    message = "No build was found for build name: app, build number: 1 , build started: 2020-01-01T00:00:00.000+0000"
    response = artifactory.get("/api/build/app/1", params={"started": "2020-01-01T00:00:00.000+0000"})
    assert error_of(response) == (404, message)


def test_slash_in_a_name_must_be_encoded_when_a_build_is_deleted(artifactory):
    record = artifactory.get("/api/build/acme/nightly of web/3").json()["buildInfo"]
    assert (record["name"], record["number"]) == ("acme/nightly of web", "3")
    promoted = artifactory.post("/api/build/promote/acme/nightly of web/3", json={"status": "fine"})
    assert promoted.status_code == 200
    # With an unencoded slash the path is that of a run, which has no DELETE.
    assert artifactory.delete("/api/build/acme/nightly of web?buildNumbers=3").status_code == 405
    assert artifactory.delete("/api/build/acme%2Fnightly of web?buildNumbers=3").status_code == 200


def test_two_runs_are_compared(artifactory):
    file = {"type": "gz", "module": "m", "name": "app-1.0.tar.gz"}
    log, removed = ({"id": name, "type": "jar", "sha1": "1" * 40} for name in ("log", "gone"))
    publish(
        artifactory, modules=[{**RECORD["modules"][0], "dependencies": [log, removed]}], properties={"a": "b", "c": "d"}
    )
    later = [
        {"id": "m", "artifacts": [{"name": "app-1.0.tar.gz", "type": "gz", "sha1": "2" * 40}], "dependencies": [log]}
    ]
    publish(
        artifactory, number="8", started="2026-06-02T00:00:00.000+0000", modules=later, properties={"a": "x", "e": "f"}
    )
    response = artifactory.get(f"{ENCODED}/8?diff=7")
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.build.BuildsDiff+json"
    assert response.json() == {
        "artifacts": {
            "new": [],
            "updated": [{**file, "sha1": "2" * 40, "diffName": "app-1.0.tar.gz"}],
            "unchanged": [],
            "removed": [],
        },
        "dependencies": {
            "new": [],
            "updated": [],
            "unchanged": [{**log, "module": "m"}],
            "removed": [{**removed, "module": "m"}],
        },
        "properties": {
            "new": [{"key": "e", "value": "f"}],
            "updated": [{"key": "a", "value": "x", "diffValue": "b"}],
            "unchanged": [],
            "removed": [{"key": "c", "value": "d"}],
        },
    }
    older = "Build number should be greater than the build number to compare against."
    assert error_of(artifactory.get(f"{ENCODED}/7?diff=8")) == (400, older)
    assert error_of(artifactory.get(f"{ENCODED}/7?diff=1"))[0] == 404


def test_builds_are_separated_by_project(artifactory):
    artifactory.put("/api/build?project=acme", json=RECORD)
    assert artifactory.get(ENCODED).status_code == 404
    assert build_numbers(artifactory, f"{ENCODED}?project=acme") == ["7"]
    assert build_numbers(artifactory, f"{ENCODED}?buildRepo=acme-build-info") == ["7"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"a"', b'{"name": "a", "started": "x"}', b'{"name": "a", "number": "1", "started": "now"}'],
)
def test_publish_is_refused_when_the_record_is_invalid(artifactory, body):
    assert error_of(artifactory.put("/api/build", data=body, headers=JSON))[0] == 400


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/vnd.org.jfrog.build.BuildInfo+json", 204),
        ("application/json; charset=utf-8", 204),
        ("application/x-www-form-urlencoded", 415),
        ("text/plain", 415),
        (None, 415),
    ],
)
def test_publish_depends_on_the_content_type(artifactory, content_type, status):
    response = artifactory.put("/api/build", data=json.dumps(RECORD), headers={"Content-Type": content_type})
    assert response.status_code == status


def test_modules_are_appended(artifactory):
    publish(artifactory)
    path = "/api/build/append/new%20%2F%20build/7"
    assert artifactory.post(path, json=[{"id": "more"}]).status_code == 204
    assert [module["id"] for module in artifactory.get(f"{ENCODED}/7").json()["buildInfo"]["modules"]] == ["m", "more"]
    assert error_of(artifactory.post("/api/build/append/app/9", json=[])) == (404, "No builds were found")
    assert error_of(artifactory.post(path, json={}))[0] == 400


def test_rename_moves_all_runs(artifactory):
    response = artifactory.post("/api/build/rename/app?to=new%20name")
    assert (response.status_code, response.headers["Content-Type"].partition(";")[0]) == (200, "text/plain")
    assert artifactory.get("/api/build/app").status_code == 404
    assert build_numbers(artifactory, "/api/build/new%20name") == ["1", "2"]
    assert artifactory.get("/api/build/new%20name/1").json()["buildInfo"]["name"] == "new name"
    assert error_of(artifactory.post("/api/build/rename/nothing?to=a"))[0] == 404


def test_deleted_runs_are_moved_to_the_trash_can(artifactory):
    response = artifactory.delete("/api/build/app?buildNumbers=1,2")
    assert (response.status_code, response.headers["Content-Type"].partition(";")[0]) == (200, "text/plain")
    assert response.text.strip() == "The following builds has been deleted successfully: 'app#1', 'app#2'."
    assert artifactory.get("/api/build/app").status_code == 404
    assert artifactory.get(f"/generic-local/{APP}").status_code == 200
    trashed = artifactory.get("/api/storage/auto-trashcan/artifactory-build-info/app").json()
    assert len(trashed["children"]) == 2


def test_all_runs_are_deleted_when_delete_all_is_set(artifactory):
    response = artifactory.delete("/api/build/acme%2Fnightly%20of%20web?deleteAll=1")
    assert response.text.strip() == "All 'acme/nightly of web' builds have been deleted successfully."


def test_artifacts_are_deleted_with_their_run(artifactory):
    artifactory.delete("/api/build/app?buildNumbers=1&artifacts=1")
    assert artifactory.get(f"/generic-local/{APP}").status_code == 404
    assert artifactory.get("/generic-local/app/1.1/app-1.1.tar.gz").status_code == 200


def test_message_names_the_runs_when_one_is_unknown(artifactory):
    response = artifactory.delete("/api/build/app?buildNumbers=1,9")
    assert response.status_code == 200
    assert "'app#1'" in response.text
    assert "'app#9'" in response.text
    assert build_numbers(artifactory, "/api/build/app") == ["2"]


@pytest.mark.parametrize("path", ["/api/build/app?buildNumbers=9", "/api/build/nothing?deleteAll=1"])
def test_delete_is_404_when_the_run_is_unknown(artifactory, path):
    assert error_of(artifactory.delete(path))[0] == 404


def test_delete_is_400_when_no_number_is_given(artifactory):
    response = artifactory.delete("/api/build/app")
    assert error_of(response) == (400, "Please provide at least one build number to delete.")


def test_runs_are_deleted_by_a_post_request(artifactory):
    payload = {"buildName": "app", "buildNumbers": ["1"], "deleteArtifacts": True}
    assert artifactory.post("/api/build/delete", json=payload).status_code == 200
    assert build_numbers(artifactory, "/api/build/app") == ["2"]
    assert artifactory.get(f"/generic-local/{APP}").status_code == 404


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ({}, "Missing build name"),
        ({"buildName": "app"}, "Missing build numbers"),
        ({"buildNumbers": ["1"]}, "Missing build name"),
    ],
)
def test_delete_is_400_when_the_request_is_incomplete(artifactory, payload, message):
    assert error_of(artifactory.post("/api/build/delete", json=payload)) == (400, message)


def test_changes_are_403_when_permissions_are_missing(artifactory_reader):
    assert artifactory_reader.get("/api/build/app/1").status_code == 200
    assert error_of(artifactory_reader.put("/api/build", json=RECORD)) == (403, NOT_ALLOWED.format("publish", "Deploy"))
    response = artifactory_reader.delete("/api/build/app?buildNumbers=1")
    assert error_of(response) == (403, NOT_ALLOWED.format("delete", "Delete"))
    assert error_of(artifactory_reader.post("/api/build/rename/app?to=b"))[0] == 403


def test_artifacts_of_builds_have_the_checksums_of_their_files(artifactory):
    for number, path in (("1", APP), ("2", "app/1.1/app-1.1.tar.gz")):
        (module,) = artifactory.get(f"/api/build/app/{number}").json()["buildInfo"]["modules"]
        (file,) = module["artifacts"]
        stored = artifactory.get(f"/api/storage/generic-local/{path}").json()["checksums"]
        assert {name: file[name] for name in ("sha1", "sha256", "md5")} == stored


# --- Retention --------------------------------------------------------------------------------------------------------

NIGHTLY = "acme%2Fnightly%20of%20web"


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        ({"count": 1}, ["2", "4"]),
        ({"count": "1"}, ["2", "4"]),
        ({"count": " 3 ", "deleteBuildArtifacts": "false"}, ["2", "3", "4"]),
        ({"count": 3.9}, ["2", "3", "4"]),
        ({"count": 3}, ["2", "3", "4"]),
        ({"count": 10}, ["1", "2", "3", "4"]),
        ({"minimumBuildDate": 1777766400000}, ["2", "3", "4"]),
        ({"minimumBuildDate": "2026-05-03T04:00:00.000+0000"}, ["2", "4"]),
        ({"count": 1, "buildNumbersNotToBeDiscarded": ["1"]}, ["1", "2", "4"]),
        ({"count": 1, "buildNumbersNotToBeDiscarded": [3]}, ["2", "3", "4"]),
        ({"count": -1}, ["1", "2", "3", "4"]),
        ({}, ["1", "2", "3", "4"]),
    ],
)
def test_retention_keeps_the_expected_runs(artifactory, payload, expected):
    """Promoted runs, here the second, are always kept."""
    response = artifactory.post(f"/api/build/retention/{NIGHTLY}?async=false", json=payload)
    assert (response.status_code, response.content) == (204, b"")
    assert build_numbers(artifactory, f"/api/build/{NIGHTLY}") == expected


@pytest.mark.parametrize("excluded", [2, "1", {"1": True}])
def test_retention_is_refused_when_the_excluded_runs_are_not_a_list(artifactory, excluded):
    payload = {"count": 1, "buildNumbersNotToBeDiscarded": excluded}
    response = artifactory.post(f"/api/build/retention/{NIGHTLY}?async=false", json=payload)
    assert error_of(response) == (400, "Error parsing json body")
    assert build_numbers(artifactory, f"/api/build/{NIGHTLY}") == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("arguments", "body"),
    [("", b""), ("?async=true", b'{"count": 0}'), ("", b'{"count": "0"}'), ("", b'{"count": null}')],
)
def test_retention_is_refused_when_the_count_is_not_positive(artifactory, arguments, body):
    response = artifactory.post(f"/api/build/retention/app{arguments}", data=body, headers=JSON)
    assert error_of(response) == (400, "Max count retention needs to be a positive number")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b"{",
        b'{"count": "many"}',
        b'{"count": true}',
        b'{"deleteBuildArtifacts": "yes"}',
        b'{"minimumBuildDate": "then"}',
    ],
)
def test_retention_is_refused_when_the_body_is_invalid(artifactory, body):
    assert error_of(artifactory.post("/api/build/retention/app", data=body, headers=JSON))[0] == 400


def test_artifacts_are_deleted_with_discarded_runs(artifactory):
    artifactory.put("/api/storage/generic-local/app/1.1/app-1.1.tar.gz?properties=build.name=app;build.number=0")
    artifactory.put("/api/build", json={"name": "app", "number": "0", "started": "2020-01-01T00:00:00.000+0000"})
    artifactory.post("/api/build/retention/app", json={"count": 1, "deleteBuildArtifacts": True})
    assert build_numbers(artifactory, "/api/build/app") == ["1", "2"]
    assert artifactory.get("/generic-local/app/1.1/app-1.1.tar.gz").status_code == 404
    assert artifactory.get(f"/generic-local/{APP}").status_code == 200


@pytest.mark.parametrize(("wait", "status"), [("false", 403), ("true", 204)])
def test_artifacts_are_kept_when_delete_permission_is_missing(sandbox, artifactory, wait, status):
    user = {"name": "ci", "password": "ci", "permissions": {"artifactory-build-info": "rwd", "generic-local": "r"}}
    sandbox.seed({"artifact": {"users": [user]}})
    artifactory.put("/api/storage/generic-local/app/README.txt?properties=build.name=old;build.number=1")
    for number in ("1", "2"):
        record = {"name": "old", "number": number, "started": f"2020-01-0{number}T00:00:00.000+0000"}
        artifactory.put("/api/build", json=record)
    ci = Session(artifactory.base, ("ci", "ci"))
    response = ci.post(f"/api/build/retention/old?async={wait}", json={"count": 1, "deleteBuildArtifacts": True})
    assert response.status_code == status
    assert build_numbers(artifactory, "/api/build/old") == ["2"]
    assert artifactory.get("/generic-local/app/README.txt").status_code == 200
    if status != 204:
        assert response.json()["errors"][0]["status"] == status
        assert [message["level"] for message in response.json()["error massages"]] == ["ERROR"]


def test_only_the_named_run_is_deleted_when_delete_all_is_the_string_false(artifactory):
    payload = {"buildName": "app", "buildNumbers": ["1"], "deleteAll": "false", "deleteArtifacts": "false"}
    artifactory.post("/api/build/delete", json=payload)
    assert build_numbers(artifactory, "/api/build/app") == ["2"]
    assert artifactory.get(f"/generic-local/{APP}").status_code == 200


# --- Artifacts by pattern ---------------------------------------------------------------------------------------------

PATTERN_ARTIFACTS = "/api/build/patternArtifacts"


def test_pattern_search_resolves_latest_and_last_release(artifactory):
    queries = [{"buildName": "app", "buildNumber": "LATEST"}, {"buildName": "app", "buildNumber": "1"}]
    queries += [
        {"buildName": "app", "buildNumber": "99"},
        {"buildName": "acme/nightly of web", "buildNumber": "LAST_RELEASE"},
    ]
    response = artifactory.post(PATTERN_ARTIFACTS, json=queries)
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.build.BuildPatternArtifactsResult+json"
    latest, first, unknown, released = response.json()
    assert [entry["buildNumber"] for entry in (latest, first, released)] == ["2", "1", "2"]
    assert unknown is None
    assert first["patternResults"] == []
    assert first["started"] == artifactory.get("/api/build/app/1").json()["buildInfo"]["started"]


def test_pattern_search_returns_the_matching_artifacts(artifactory):
    patterns = [{"pattern": "*:app/**/*.tar.gz"}, {"pattern": "other:**"}]
    response = artifactory.post(
        PATTERN_ARTIFACTS, json=[{"buildName": "app", "buildNumber": "1", "patterns": patterns}]
    )
    first, second = response.json()[0]["patternResults"]
    (file,) = first["patternArtifacts"]
    assert (file["uri"], file["size"]) == (f"generic-local/{APP}", 17)
    assert file["artifactoryUrl"] == artifactory.base
    assert second == {"patternArtifacts": []}


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"patterns": [{"pattern": "*:**;status+=prod"}]}, 501),
        ({"patterns": [{"pattern": "*:**"}], "transitive": True}, 501),
        ({"patterns": [{"pattern": "everything"}]}, 400),
        ({"patterns": "everything"}, 400),
        ({"patterns": {"pattern": "*:**"}}, 400),
        ({"patterns": ["*:**"]}, 400),
        ({"patterns": True}, 400),
    ],
)
def test_pattern_search_is_refused_when_the_pattern_is_invalid_or_unsupported(artifactory, request_, status):
    response = artifactory.post(PATTERN_ARTIFACTS, json=[{"buildName": "app", "buildNumber": "1", **request_}])
    assert error_of(response)[0] == status
    assert error_of(artifactory.post(PATTERN_ARTIFACTS, json={}))[0] == 400
