# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of promoting builds and images in Artifactory."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.session import Session
from support.wire.artifact import APP, error_of, properties_of

PROMOTE_BUILD = "/api/build/promote/app/1"
TO_RELEASE = {"status": "released", "targetRepo": "generic-release-local", "comment": "good", "ciUser": "builder"}
POM = "junit/junit/4.13/junit-4.13.pom"
PROMOTE_IMAGE = "/api/docker/docker-local/v2/promote"
MANIFEST = "/api/docker/{}/v2/{}/manifests/{}"


def promote_build(
    artifactory: Session, payload: dict[str, Any], path: str = PROMOTE_BUILD
) -> tuple[int, list[dict[str, str]]]:
    """Promote the build and return the status and the messages."""
    response = artifactory.post(path, json=payload)
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.build.PromotionResult+json"
    return response.status_code, response.json()["messages"]


def fetch_statuses(artifactory: Session) -> list[dict[str, Any]]:
    """Return the status history of the build."""
    return artifactory.get("/api/build/app/1").json()["buildInfo"]["statuses"]


def exists(artifactory: Session, path: str) -> bool:
    """Return whether an item exists."""
    return artifactory.head(f"/api/storage/{path}").status_code == 200


def test_promotion_moves_files(artifactory):
    assert promote_build(artifactory, TO_RELEASE) == (200, [])
    assert not exists(artifactory, f"generic-local/{APP}")
    assert properties_of(artifactory, f"generic-release-local/{APP}") == {"build.name": ["app"], "build.number": ["1"]}
    entry = fetch_statuses(artifactory)[-1]
    assert entry.pop("timestamp").endswith("+0000")
    assert isinstance(entry.pop("timestampDate"), int)
    assert entry == {
        "status": "released",
        "comment": "good",
        "repository": "generic-release-local",
        "user": "admin",
        "ciUser": "builder",
    }


def test_promotion_copies_files_and_sets_properties(artifactory):
    assert promote_build(artifactory, {**TO_RELEASE, "copy": True, "properties": {"qa": ["a", "b"]}}) == (200, [])
    assert exists(artifactory, f"generic-local/{APP}")
    properties = properties_of(artifactory, f"generic-release-local/{APP}")
    assert properties == {"build.name": ["app"], "build.number": ["1"], "qa": ["a", "b"]}


def test_promotion_only_adds_a_status_when_no_target_is_given(artifactory):
    assert promote_build(artifactory, {"status": "approved", "timestamp": "2026-05-03T08:00:00.000+0000"}) == (200, [])
    assert [(entry["status"], entry["timestamp"]) for entry in fetch_statuses(artifactory)] == [
        ("staged", "2026-05-02T08:00:00.000+0000"),
        ("approved", "2026-05-03T08:00:00.000+0000"),
    ]
    assert exists(artifactory, f"generic-local/{APP}")


def test_status_is_added_when_a_promotion_is_repeated(artifactory):
    for _time in range(2):
        promote_build(artifactory, {"status": "approved"})
    assert [entry["status"] for entry in fetch_statuses(artifactory)] == ["staged", "approved", "approved"]


def test_dry_run_changes_nothing(artifactory):
    assert promote_build(artifactory, {**TO_RELEASE, "dryRun": True}) == (200, [])
    assert exists(artifactory, f"generic-local/{APP}")
    assert len(fetch_statuses(artifactory)) == 1


@pytest.mark.parametrize(
    ("switch", "payload", "promotes"),
    [
        ("with_status", TO_RELEASE, True),
        ("with_status", {"targetRepo": "generic-release-local"}, False),
        ("always", {"targetRepo": "generic-release-local"}, True),
    ],
)
def test_dry_run_promotes_when_the_switch_is_set(artifactory, sandbox, switch, payload, promotes):
    sandbox.switch("artifact", dry_run_promotes=switch)
    sandbox.clear_journal()
    assert promote_build(artifactory, {**payload, "dryRun": True}) == (200, [])
    (entry,) = sandbox.journal("artifact")
    assert (entry["effect"], entry["label"]) == (
        ("write", "promote_build") if promotes else ("read", "rehearse_promotion")
    )
    assert exists(artifactory, f"generic-release-local/{APP}") is promotes


@pytest.mark.parametrize(("fail_fast", "status", "entries"), [(True, 400, 1), (False, 200, 2)])
def test_failures_are_reported_as_messages(artifactory, fail_fast, status, entries):
    """Without `failFast`, the HTTP status is 200 although the messages contain errors."""
    payload = {**TO_RELEASE, "dependencies": True, "sourceRepo": "generic-local", "failFast": fail_fast}
    actual, messages = promote_build(artifactory, payload)
    assert (actual, [message["level"] for message in messages]) == (status, ["ERROR"])
    assert "junit:junit:4.13" in messages[0]["message"]
    assert exists(artifactory, f"generic-local/{APP}") is fail_fast
    assert len(fetch_statuses(artifactory)) == entries


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize(
    ("blocking", "conflict"), [(f"{APP}/inside", APP), (APP.partition("/")[0], APP.partition("/")[0])]
)
def test_promotion_fails_when_the_target_path_conflicts(artifactory, dry_run, blocking, conflict):
    assert artifactory.put(f"/generic-release-local/{blocking}", data=b"x").status_code == 201
    status, messages = promote_build(artifactory, {**TO_RELEASE, "dryRun": dry_run})
    text = f"A folder and a file are in each other's way at 'generic-release-local:{conflict}'."
    assert (status, messages) == (400, [{"level": "ERROR", "message": text}])
    assert exists(artifactory, f"generic-local/{APP}")
    assert len(fetch_statuses(artifactory)) == 1


def test_promotion_fails_when_two_of_its_targets_conflict(artifactory):
    artifactory.put(f"/generic-local/{POM}", data=b"<project/>")
    mappings = [
        {"input": f"generic-local/{APP}", "output": "generic-release-local/x"},
        {"input": ".*[.]pom", "output": "generic-release-local/x/y"},
    ]
    status, messages = promote_build(artifactory, {"mappings": mappings, "dependencies": True, "copy": True})
    text = "A folder and a file are in each other's way at 'generic-release-local:x'."
    assert (status, messages) == (400, [{"level": "ERROR", "message": text}])


def test_promotion_includes_dependencies_of_the_given_scopes(artifactory):
    artifactory.put(f"/generic-local/{POM}", data=b"<project/>")
    payload = {**TO_RELEASE, "artifacts": False, "dependencies": True, "sourceRepo": "generic-local", "copy": True}
    assert promote_build(artifactory, {**payload, "scopes": ["compile"]}) == (200, [])
    assert not exists(artifactory, f"generic-release-local/{POM}")
    assert promote_build(artifactory, {**payload, "scopes": ["test"]}) == (200, [])
    assert exists(artifactory, f"generic-release-local/{POM}")
    assert not exists(artifactory, f"generic-release-local/{APP}")


def test_promotion_applies_mappings(artifactory):
    mapping = {"input": "generic-local/app/(.+)/(.+)", "output": "generic-release-local/$2/$1/x"}
    assert promote_build(artifactory, {"mappings": [mapping], "copy": True}) == (200, [])
    assert exists(artifactory, "generic-release-local/app-1.0.tar.gz/1.0/x")


@pytest.mark.parametrize("repository", [{"sourceRepo": "generic-local"}, {"targetRepo": "generic-release-local"}])
def test_mappings_are_refused_when_a_repository_is_given(artifactory, repository):
    response = artifactory.post(PROMOTE_BUILD, json={"mappings": [{"input": "a", "output": "b"}], **repository})
    message = "The use of both 'sourceRepo' or 'targetRepo' and 'mappings' fields is forbidden"
    assert error_of(response) == (400, message)


def test_promotion_is_404_when_the_build_is_unknown(artifactory):
    response = artifactory.post("/api/build/promote/app/9", json=TO_RELEASE)
    assert error_of(response) == (404, "Cannot find builds by the name 'app' and the number '9'.")


def test_promotion_fails_when_the_target_repository_is_unknown(artifactory):
    status, messages = promote_build(artifactory, {**TO_RELEASE, "targetRepo": "nothing"})
    assert (status, [message["level"] for message in messages]) == (400, ["ERROR"])


def test_promotion_fails_when_the_timestamp_is_invalid(artifactory):
    status, messages = promote_build(artifactory, {"status": "approved", "timestamp": "now"})
    assert status == 400
    assert messages[0]["message"].startswith("Skipping promotion status update: invalid unparsable timestamp now")


def test_promotion_fails_when_the_files_were_already_moved(artifactory):
    promote_build(artifactory, TO_RELEASE)
    status, messages = promote_build(artifactory, {**TO_RELEASE, "sourceRepo": "generic-local"})
    assert (status, [message["level"] for message in messages]) == (400, ["ERROR"])


def test_promotion_fails_when_deploy_permission_is_missing(artifactory_reader):
    status, messages = promote_build(artifactory_reader, {**TO_RELEASE, "copy": True})
    assert status == 400
    assert messages[0]["message"].startswith("The user: 'reader' is not permitted to deploy")


# --- Images -----------------------------------------------------------------------------------------------------------


def promote_image(artifactory: Session, **payload: Any) -> requests.Response:
    """Promote an image."""
    return artifactory.post(
        PROMOTE_IMAGE, json={"targetRepo": "docker-release-local", "dockerRepository": "acme/web", **payload}
    )


def list_tags(artifactory: Session, repo: str, image: str = "acme/web") -> list[str]:
    """Return the tags of an image."""
    response = artifactory.get(f"/api/docker/{repo}/v2/{image}/tags/list")
    return response.json()["tags"] if response.status_code == 200 else []


def fetch_digest(artifactory: Session, repo: str, image: str, tag: str) -> str:
    """Return the manifest digest of a tag."""
    return artifactory.head(MANIFEST.format(repo, image, tag)).headers["Docker-Content-Digest"]


def test_image_promotion_moves_a_tag(artifactory):
    before = fetch_digest(artifactory, "docker-local", "acme/web", "1.0.0")
    response = promote_image(artifactory, tag="1.0.0")
    assert (response.status_code, response.text) == (200, "Promotion ended successfully")
    assert list_tags(artifactory, "docker-local") == ["1.0.1", "latest"]
    assert list_tags(artifactory, "docker-release-local") == ["1.0.0"]
    assert fetch_digest(artifactory, "docker-release-local", "acme/web", "1.0.0") == before


def test_image_promotion_copies_a_tag_with_a_new_name(artifactory):
    promote_image(artifactory, tag="1.0.0", targetTag="stable", targetDockerRepository="public/web", copy=True)
    assert list_tags(artifactory, "docker-local") == ["1.0.0", "1.0.1", "latest"]
    assert list_tags(artifactory, "docker-release-local", "public/web") == ["stable"]
    source = fetch_digest(artifactory, "docker-local", "acme/web", "1.0.0")
    assert fetch_digest(artifactory, "docker-release-local", "public/web", "stable") == source
    properties = properties_of(artifactory, "docker-release-local/public/web/stable/manifest.json")
    assert properties is not None
    assert (properties["docker.repoName"], properties["docker.manifest"]) == (["public/web"], ["stable"])


def test_image_promotion_moves_all_tags(artifactory):
    assert promote_image(artifactory).status_code == 200
    assert list_tags(artifactory, "docker-local") == []
    assert list_tags(artifactory, "docker-release-local") == ["1.0.0", "1.0.1", "latest"]
    assert list_tags(artifactory, "docker-local", "acme/worker") == ["2.0"]


def test_repeated_image_promotion_is_404_unless_it_copies(artifactory):
    for status in (200, 200):
        assert promote_image(artifactory, tag="1.0.0", copy=True).status_code == status
    for status in (200, 404):
        assert promote_image(artifactory, tag="1.0.0").status_code == status


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        ({"tag": "9"}, 404),
        ({"dockerRepository": "acme/nothing"}, 404),
        ({"targetRepo": "nothing"}, 404),
        ({"targetRepo": "generic-local"}, 404),
        ({"targetRepo": None}, 400),
        ({"dockerRepository": None}, 400),
    ],
)
def test_image_promotion_is_refused_when_the_request_is_invalid(artifactory, payload, status):
    assert error_of(promote_image(artifactory, **payload))[0] == status
    assert list_tags(artifactory, "docker-release-local") == []


def test_image_promotion_is_404_when_the_source_repository_is_unknown(artifactory):
    payload = {"targetRepo": "docker-release-local", "dockerRepository": "acme/web"}
    assert error_of(artifactory.post("/api/docker/nothing/v2/promote", json=payload))[0] == 404


def test_image_promotion_is_403_when_permissions_are_missing(artifactory_reader):
    assert error_of(promote_image(artifactory_reader, tag="1.0.0", copy=True))[0] == 403


def test_image_promotion_is_409_when_the_target_path_conflicts(artifactory):
    artifactory.put("/docker-release-local/acme", data=b"x")
    response = promote_image(artifactory, tag="1.0.0")
    assert error_of(response) == (409, "A folder and a file are in each other's way at 'docker-release-local:acme'.")
