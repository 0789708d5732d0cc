# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: records of builds."""

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
    """Publish the record, changed."""
    answer = artifactory.put("/api/build", json={**RECORD, **changes})
    assert (answer.status_code, answer.content) == (204, b"")


def numbers(artifactory: Session, path: str = ENCODED) -> list[str]:
    """The numbers of a build's runs."""
    return sorted(run["uri"][1:] for run in artifactory.get(path).json()["buildsNumbers"])


def test_names(artifactory):
    answer = artifactory.get("/api/build")
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.build.Builds+json"
    assert answer.json() == {
        "uri": f"{artifactory.base}/api/build",
        "builds": [
            {"uri": "/acme%2Fnightly%20of%20web", "lastStarted": "2026-05-04T01:00:00.000+0000"},
            {"uri": "/app", "lastStarted": "2026-05-02T10:11:12.000+0000"},
        ],
    }


def test_no_names(artifactory):
    assert error_of(artifactory.get("/api/build?project=other")) == (404, "No builds were found")


def test_runs(artifactory):
    answer = artifactory.get("/api/build/app")
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.build.BuildsByName+json"
    assert answer.json() == {
        "uri": f"{artifactory.base}/api/build/app",
        "buildsNumbers": [
            {"uri": "/2", "started": "2026-05-02T10:11:12.000+0000"},
            {"uri": "/1", "started": "2026-05-01T10:11:12.000+0000"},
        ],
    }


def test_no_runs(artifactory):
    assert error_of(artifactory.get("/api/build/nothing")) == (404, "No build was found for build name: nothing")


def test_a_record_is_published_and_shown(artifactory):
    publish(artifactory)
    answer = artifactory.get(f"{ENCODED}/7")
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.build.BuildInfo+json"
    filled_in = {"version": "1.0.1", "durationMillis": 0, "artifactoryPrincipal": "admin"}
    assert answer.json() == {"uri": f"{artifactory.base}{ENCODED}/7", "buildInfo": filled_in | RECORD}


def test_a_record_keeps_its_version_and_duration_but_not_its_principal(artifactory):
    publish(artifactory, version="2.0", durationMillis=5, artifactoryPrincipal="somebody")
    record = artifactory.get(f"{ENCODED}/7").json()["buildInfo"]
    assert (record["version"], record["durationMillis"], record["artifactoryPrincipal"]) == ("2.0", 5, "admin")


def test_a_number_is_a_text(artifactory):
    publish(artifactory, number=7)
    assert artifactory.get(f"{ENCODED}/7").json()["buildInfo"]["number"] == "7"


def test_the_same_run_again_is_replaced(artifactory):
    publish(artifactory)
    publish(artifactory, properties={"env.A": "c"})
    assert numbers(artifactory) == ["7"]
    assert artifactory.get(f"{ENCODED}/7").json()["buildInfo"]["properties"] == {"env.A": "c"}


def test_the_same_number_started_later_is_another_run(artifactory):
    publish(artifactory)
    later = "2026-06-02T10:11:12.345+0000"
    publish(artifactory, started=later)
    assert numbers(artifactory) == ["7", "7"]
    assert artifactory.get(f"{ENCODED}/7").json()["buildInfo"]["started"] == later
    first = artifactory.get(f"{ENCODED}/7", params={"started": STARTED})
    assert first.json()["buildInfo"]["started"] == STARTED


@pytest.mark.parametrize(
    ("path", "name", "number"), [("/api/build/app/9", "app", "9"), (f"{ENCODED}/1", "new / build", "1")]
)
def test_an_unknown_run(artifactory, path, name, number):
    message = f"No build was found for build name: {name}, build number: {number} "
    assert error_of(artifactory.get(path)) == (404, message)


def test_an_unknown_start(artifactory):
    message = "No build was found for build name: app, build number: 1 , build started: 2020-01-01T00:00:00.000+0000"
    asked = artifactory.get("/api/build/app/1", params={"started": "2020-01-01T00:00:00.000+0000"})
    assert error_of(asked) == (404, message)


def test_slash_in_a_name_must_be_encoded_when_a_build_is_deleted(artifactory):
    record = artifactory.get("/api/build/acme/nightly of web/3").json()["buildInfo"]
    assert (record["name"], record["number"]) == ("acme/nightly of web", "3")
    promoted = artifactory.post("/api/build/promote/acme/nightly of web/3", json={"status": "fine"})
    assert promoted.status_code == 200
    # That of a build is another resource than that of a name.
    assert artifactory.delete("/api/build/acme/nightly of web?buildNumbers=3").status_code == 405
    assert artifactory.delete("/api/build/acme%2Fnightly of web?buildNumbers=3").status_code == 200


def test_two_runs_are_compared(artifactory):
    file = {"type": "gz", "module": "m", "name": "app-1.0.tar.gz"}
    log, gone = ({"id": name, "type": "jar", "sha1": "1" * 40} for name in ("log", "gone"))
    publish(
        artifactory, modules=[{**RECORD["modules"][0], "dependencies": [log, gone]}], properties={"a": "b", "c": "d"}
    )
    later = [
        {"id": "m", "artifacts": [{"name": "app-1.0.tar.gz", "type": "gz", "sha1": "2" * 40}], "dependencies": [log]}
    ]
    publish(
        artifactory, number="8", started="2026-06-02T00:00:00.000+0000", modules=later, properties={"a": "x", "e": "f"}
    )
    answer = artifactory.get(f"{ENCODED}/8?diff=7")
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.build.BuildsDiff+json"
    assert answer.json() == {
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
            "removed": [{**gone, "module": "m"}],
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


def test_builds_of_a_project(artifactory):
    artifactory.put("/api/build?project=acme", json=RECORD)
    assert artifactory.get(ENCODED).status_code == 404
    assert numbers(artifactory, f"{ENCODED}?project=acme") == ["7"]
    assert numbers(artifactory, f"{ENCODED}?buildRepo=acme-build-info") == ["7"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b'"a"', b'{"name": "a", "started": "x"}', b'{"name": "a", "number": "1", "started": "now"}'],
)
def test_what_is_no_record(artifactory, body):
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
def test_a_record_has_a_type(artifactory, content_type, status):
    answer = artifactory.put("/api/build", data=json.dumps(RECORD), headers={"Content-Type": content_type})
    assert answer.status_code == status


def test_modules_are_appended(artifactory):
    publish(artifactory)
    path = "/api/build/append/new%20%2F%20build/7"
    assert artifactory.post(path, json=[{"id": "more"}]).status_code == 204
    assert [module["id"] for module in artifactory.get(f"{ENCODED}/7").json()["buildInfo"]["modules"]] == ["m", "more"]
    assert error_of(artifactory.post("/api/build/append/app/9", json=[])) == (404, "No builds were found")
    assert error_of(artifactory.post(path, json={}))[0] == 400


def test_a_build_is_renamed(artifactory):
    answer = artifactory.post("/api/build/rename/app?to=new%20name")
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (200, "text/plain")
    assert artifactory.get("/api/build/app").status_code == 404
    assert numbers(artifactory, "/api/build/new%20name") == ["1", "2"]
    assert artifactory.get("/api/build/new%20name/1").json()["buildInfo"]["name"] == "new name"
    assert error_of(artifactory.post("/api/build/rename/nothing?to=a"))[0] == 404


def test_runs_are_deleted(artifactory):
    answer = artifactory.delete("/api/build/app?buildNumbers=1,2")
    assert (answer.status_code, answer.headers["Content-Type"].partition(";")[0]) == (200, "text/plain")
    assert answer.text.strip() == "The following builds has been deleted successfully: 'app#1', 'app#2'."
    assert artifactory.get("/api/build/app").status_code == 404
    assert artifactory.get(f"/generic-local/{APP}").status_code == 200
    trashed = artifactory.get("/api/storage/auto-trashcan/artifactory-build-info/app").json()
    assert len(trashed["children"]) == 2


def test_all_runs_are_deleted(artifactory):
    answer = artifactory.delete("/api/build/acme%2Fnightly%20of%20web?deleteAll=1")
    assert answer.text.strip() == "All 'acme/nightly of web' builds have been deleted successfully."


def test_files_go_with_their_run(artifactory):
    artifactory.delete("/api/build/app?buildNumbers=1&artifacts=1")
    assert artifactory.get(f"/generic-local/{APP}").status_code == 404
    assert artifactory.get("/generic-local/app/1.1/app-1.1.tar.gz").status_code == 200


def test_one_of_the_runs_is_unknown(artifactory):
    answer = artifactory.delete("/api/build/app?buildNumbers=1,9")
    assert answer.status_code == 200
    assert "'app#1'" in answer.text
    assert "'app#9'" in answer.text
    assert numbers(artifactory, "/api/build/app") == ["2"]


@pytest.mark.parametrize("path", ["/api/build/app?buildNumbers=9", "/api/build/nothing?deleteAll=1"])
def test_nothing_is_there_to_be_deleted(artifactory, path):
    assert error_of(artifactory.delete(path))[0] == 404


def test_no_number_is_said(artifactory):
    answer = artifactory.delete("/api/build/app")
    assert error_of(answer) == (400, "Please provide at least one build number to delete.")


def test_runs_are_deleted_by_a_body(artifactory):
    order = {"buildName": "app", "buildNumbers": ["1"], "deleteArtifacts": True}
    assert artifactory.post("/api/build/delete", json=order).status_code == 200
    assert numbers(artifactory, "/api/build/app") == ["2"]
    assert artifactory.get(f"/generic-local/{APP}").status_code == 404


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ({}, "Missing build name"),
        ({"buildName": "app"}, "Missing build numbers"),
        ({"buildNumbers": ["1"]}, "Missing build name"),
    ],
)
def test_an_incomplete_order(artifactory, order, message):
    assert error_of(artifactory.post("/api/build/delete", json=order)) == (400, message)


def test_who_may_not(artifactory_reader):
    assert artifactory_reader.get("/api/build/app/1").status_code == 200
    assert error_of(artifactory_reader.put("/api/build", json=RECORD)) == (403, NOT_ALLOWED.format("publish", "Deploy"))
    answer = artifactory_reader.delete("/api/build/app?buildNumbers=1")
    assert error_of(answer) == (403, NOT_ALLOWED.format("delete", "Delete"))
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
    ("order", "kept"),
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
def test_retention(artifactory, order, kept):
    """Promoted runs, as the second one, are spared."""
    answer = artifactory.post(f"/api/build/retention/{NIGHTLY}?async=false", json=order)
    assert (answer.status_code, answer.content) == (204, b"")
    assert numbers(artifactory, f"/api/build/{NIGHTLY}") == kept


@pytest.mark.parametrize("spared", [2, "1", {"1": True}])
def test_no_run_is_discarded_when_the_spared_runs_are_no_list(artifactory, spared):
    order = {"count": 1, "buildNumbersNotToBeDiscarded": spared}
    answer = artifactory.post(f"/api/build/retention/{NIGHTLY}?async=false", json=order)
    assert error_of(answer) == (400, "Error parsing json body")
    assert numbers(artifactory, f"/api/build/{NIGHTLY}") == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("arguments", "body"),
    [("", b""), ("?async=true", b'{"count": 0}'), ("", b'{"count": "0"}'), ("", b'{"count": null}')],
)
def test_nothing_is_to_be_kept(artifactory, arguments, body):
    answer = artifactory.post(f"/api/build/retention/app{arguments}", data=body, headers=JSON)
    assert error_of(answer) == (400, "Max count retention needs to be a positive number")


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
def test_what_is_no_order(artifactory, body):
    assert error_of(artifactory.post("/api/build/retention/app", data=body, headers=JSON))[0] == 400


def test_files_go_with_discarded_runs(artifactory):
    artifactory.put("/api/storage/generic-local/app/1.1/app-1.1.tar.gz?properties=build.name=app;build.number=0")
    artifactory.put("/api/build", json={"name": "app", "number": "0", "started": "2020-01-01T00:00:00.000+0000"})
    artifactory.post("/api/build/retention/app", json={"count": 1, "deleteBuildArtifacts": True})
    assert numbers(artifactory, "/api/build/app") == ["1", "2"]
    assert artifactory.get("/generic-local/app/1.1/app-1.1.tar.gz").status_code == 404
    assert artifactory.get(f"/generic-local/{APP}").status_code == 200


@pytest.mark.parametrize(("wait", "status"), [("false", 403), ("true", 204)])
def test_files_that_may_not_be_deleted(sandbox, artifactory, wait, status):
    user = {"name": "ci", "password": "ci", "permissions": {"artifactory-build-info": "rwd", "generic-local": "r"}}
    sandbox.seed({"artifact": {"users": [user]}})
    artifactory.put("/api/storage/generic-local/app/README.txt?properties=build.name=old;build.number=1")
    for number in ("1", "2"):
        record = {"name": "old", "number": number, "started": f"2020-01-0{number}T00:00:00.000+0000"}
        artifactory.put("/api/build", json=record)
    ci = Session(artifactory.base, ("ci", "ci"))
    answer = ci.post(f"/api/build/retention/old?async={wait}", json={"count": 1, "deleteBuildArtifacts": True})
    assert answer.status_code == status
    assert numbers(artifactory, "/api/build/old") == ["2"]
    assert artifactory.get("/generic-local/app/README.txt").status_code == 200
    if status != 204:
        assert answer.json()["errors"][0]["status"] == status
        assert [message["level"] for message in answer.json()["error massages"]] == ["ERROR"]


def test_builds_are_kept_when_delete_all_is_the_text_false(artifactory):
    order = {"buildName": "app", "buildNumbers": ["1"], "deleteAll": "false", "deleteArtifacts": "false"}
    artifactory.post("/api/build/delete", json=order)
    assert numbers(artifactory, "/api/build/app") == ["2"]
    assert artifactory.get(f"/generic-local/{APP}").status_code == 200


# --- Files by patterns ------------------------------------------------------------------------------------------------

PATTERNS = "/api/build/patternArtifacts"


def test_the_latest_run_is_found_when_its_number_is_not_known(artifactory):
    asked = [{"buildName": "app", "buildNumber": "LATEST"}, {"buildName": "app", "buildNumber": "1"}]
    asked += [
        {"buildName": "app", "buildNumber": "99"},
        {"buildName": "acme/nightly of web", "buildNumber": "LAST_RELEASE"},
    ]
    answer = artifactory.post(PATTERNS, json=asked)
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.build.BuildPatternArtifactsResult+json"
    latest, first, nothing, released = answer.json()
    assert [entry["buildNumber"] for entry in (latest, first, released)] == ["2", "1", "2"]
    assert nothing is None
    assert first["patternResults"] == []
    assert first["started"] == artifactory.get("/api/build/app/1").json()["buildInfo"]["started"]


def test_files_of_a_run_are_found_when_they_fit_a_pattern(artifactory):
    patterns = [{"pattern": "*:app/**/*.tar.gz"}, {"pattern": "other:**"}]
    answer = artifactory.post(PATTERNS, json=[{"buildName": "app", "buildNumber": "1", "patterns": patterns}])
    of_first, of_second = answer.json()[0]["patternResults"]
    (file,) = of_first["patternArtifacts"]
    assert (file["uri"], file["size"]) == (f"generic-local/{APP}", 17)
    assert file["artifactoryUrl"] == artifactory.base
    assert of_second == {"patternArtifacts": []}


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
def test_a_pattern_is_refused_when_it_is_not_served_or_wrong(artifactory, request_, status):
    answer = artifactory.post(PATTERNS, json=[{"buildName": "app", "buildNumber": "1", **request_}])
    assert error_of(answer)[0] == status
    assert error_of(artifactory.post(PATTERNS, json={}))[0] == 400
