# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: builds and images promoted."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.session import Session
from support.wire.artifact import APP, error_of, properties_of

BUILD = "/api/build/promote/app/1"
TO_RELEASE = {"status": "released", "targetRepo": "generic-release-local", "comment": "good", "ciUser": "builder"}
POM = "junit/junit/4.13/junit-4.13.pom"
IMAGE = "/api/docker/docker-local/v2/promote"
DIGESTS = "/api/docker/{}/v2/{}/manifests/{}"


def promoted(artifactory: Session, order: dict[str, Any], path: str = BUILD) -> tuple[int, list[dict[str, str]]]:
    """The status and the messages of a promotion."""
    answer = artifactory.post(path, json=order)
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.build.PromotionResult+json"
    return answer.status_code, answer.json()["messages"]


def statuses(artifactory: Session) -> list[dict[str, Any]]:
    """The status history of the build."""
    return artifactory.get("/api/build/app/1").json()["buildInfo"]["statuses"]


def exists(artifactory: Session, path: str) -> bool:
    """Whether there is an item."""
    return artifactory.head(f"/api/storage/{path}").status_code == 200


def test_files_are_moved(artifactory):
    assert promoted(artifactory, TO_RELEASE) == (200, [])
    assert not exists(artifactory, f"generic-local/{APP}")
    assert properties_of(artifactory, f"generic-release-local/{APP}") == {"build.name": ["app"], "build.number": ["1"]}
    last = statuses(artifactory)[-1]
    assert last.pop("timestamp").endswith("+0000")
    assert isinstance(last.pop("timestampDate"), int)
    assert last == {
        "status": "released",
        "comment": "good",
        "repository": "generic-release-local",
        "user": "admin",
        "ciUser": "builder",
    }


def test_files_are_copied_with_properties(artifactory):
    assert promoted(artifactory, {**TO_RELEASE, "copy": True, "properties": {"qa": ["a", "b"]}}) == (200, [])
    assert exists(artifactory, f"generic-local/{APP}")
    properties = properties_of(artifactory, f"generic-release-local/{APP}")
    assert properties == {"build.name": ["app"], "build.number": ["1"], "qa": ["a", "b"]}


def test_without_a_target_only_the_status_is_noted(artifactory):
    assert promoted(artifactory, {"status": "approved", "timestamp": "2026-05-03T08:00:00.000+0000"}) == (200, [])
    assert [(one["status"], one["timestamp"]) for one in statuses(artifactory)] == [
        ("staged", "2026-05-02T08:00:00.000+0000"),
        ("approved", "2026-05-03T08:00:00.000+0000"),
    ]
    assert exists(artifactory, f"generic-local/{APP}")


def test_each_time_is_an_entry(artifactory):
    for _time in range(2):
        promoted(artifactory, {"status": "approved"})
    assert [one["status"] for one in statuses(artifactory)] == ["staged", "approved", "approved"]


def test_a_dry_run_changes_nothing(artifactory):
    assert promoted(artifactory, {**TO_RELEASE, "dryRun": True}) == (200, [])
    assert exists(artifactory, f"generic-local/{APP}")
    assert len(statuses(artifactory)) == 1


@pytest.mark.parametrize(
    ("switch", "order", "promotes"),
    [
        ("with_status", TO_RELEASE, True),
        ("with_status", {"targetRepo": "generic-release-local"}, False),
        ("always", {"targetRepo": "generic-release-local"}, True),
    ],
)
def test_a_dry_run_of_some_servers_promotes(artifactory, sandbox, switch, order, promotes):
    sandbox.switch("artifact", dry_run_promotes=switch)
    sandbox.clear_journal()
    assert promoted(artifactory, {**order, "dryRun": True}) == (200, [])
    (entry,) = sandbox.journal("artifact")
    assert (entry["effect"], entry["label"]) == (
        ("write", "promote_build") if promotes else ("read", "rehearse_promotion")
    )
    assert exists(artifactory, f"generic-release-local/{APP}") is promotes


@pytest.mark.parametrize(("fail_fast", "status", "entries"), [(True, 400, 1), (False, 200, 2)])
def test_what_cannot_be_done_is_told_by_messages(artifactory, fail_fast, status, entries):
    """Without `failFast` the status is a success that has errors in it."""
    order = {**TO_RELEASE, "dependencies": True, "sourceRepo": "generic-local", "failFast": fail_fast}
    found, messages = promoted(artifactory, order)
    assert (found, [message["level"] for message in messages]) == (status, ["ERROR"])
    assert "junit:junit:4.13" in messages[0]["message"]
    assert exists(artifactory, f"generic-local/{APP}") is fail_fast
    assert len(statuses(artifactory)) == entries


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize(("blocking", "at"), [(f"{APP}/inside", APP), (APP.partition("/")[0], APP.partition("/")[0])])
def test_a_file_is_not_moved_when_a_folder_or_a_file_is_in_its_way(artifactory, dry_run, blocking, at):
    assert artifactory.put(f"/generic-release-local/{blocking}", data=b"x").status_code == 201
    status, messages = promoted(artifactory, {**TO_RELEASE, "dryRun": dry_run})
    text = f"A folder and a file are in each other's way at 'generic-release-local:{at}'."
    assert (status, messages) == (400, [{"level": "ERROR", "message": text}])
    assert exists(artifactory, f"generic-local/{APP}")
    assert len(statuses(artifactory)) == 1


def test_a_file_is_not_moved_when_one_of_the_same_promotion_is_in_its_way(artifactory):
    artifactory.put(f"/generic-local/{POM}", data=b"<project/>")
    mappings = [
        {"input": f"generic-local/{APP}", "output": "generic-release-local/x"},
        {"input": ".*[.]pom", "output": "generic-release-local/x/y"},
    ]
    status, messages = promoted(artifactory, {"mappings": mappings, "dependencies": True, "copy": True})
    text = "A folder and a file are in each other's way at 'generic-release-local:x'."
    assert (status, messages) == (400, [{"level": "ERROR", "message": text}])


def test_dependencies_of_a_scope(artifactory):
    artifactory.put(f"/generic-local/{POM}", data=b"<project/>")
    order = {**TO_RELEASE, "artifacts": False, "dependencies": True, "sourceRepo": "generic-local", "copy": True}
    assert promoted(artifactory, {**order, "scopes": ["compile"]}) == (200, [])
    assert not exists(artifactory, f"generic-release-local/{POM}")
    assert promoted(artifactory, {**order, "scopes": ["test"]}) == (200, [])
    assert exists(artifactory, f"generic-release-local/{POM}")
    assert not exists(artifactory, f"generic-release-local/{APP}")


def test_mappings(artifactory):
    mapping = {"input": "generic-local/app/(.+)/(.+)", "output": "generic-release-local/$2/$1/x"}
    assert promoted(artifactory, {"mappings": [mapping], "copy": True}) == (200, [])
    assert exists(artifactory, "generic-release-local/app-1.0.tar.gz/1.0/x")


@pytest.mark.parametrize("other", [{"sourceRepo": "generic-local"}, {"targetRepo": "generic-release-local"}])
def test_mappings_go_with_no_repository(artifactory, other):
    answer = artifactory.post(BUILD, json={"mappings": [{"input": "a", "output": "b"}], **other})
    message = "The use of both 'sourceRepo' or 'targetRepo' and 'mappings' fields is forbidden"
    assert error_of(answer) == (400, message)


def test_an_unknown_build(artifactory):
    answer = artifactory.post("/api/build/promote/app/9", json=TO_RELEASE)
    assert error_of(answer) == (404, "Cannot find builds by the name 'app' and the number '9'.")


def test_an_unknown_target(artifactory):
    status, messages = promoted(artifactory, {**TO_RELEASE, "targetRepo": "nothing"})
    assert (status, [message["level"] for message in messages]) == (400, ["ERROR"])


def test_a_wrong_timestamp(artifactory):
    status, messages = promoted(artifactory, {"status": "approved", "timestamp": "now"})
    assert status == 400
    assert messages[0]["message"].startswith("Skipping promotion status update: invalid unparsable timestamp now")


def test_moved_twice(artifactory):
    promoted(artifactory, TO_RELEASE)
    status, messages = promoted(artifactory, {**TO_RELEASE, "sourceRepo": "generic-local"})
    assert (status, [message["level"] for message in messages]) == (400, ["ERROR"])


def test_who_may_not_deploy_there(artifactory_reader):
    status, messages = promoted(artifactory_reader, {**TO_RELEASE, "copy": True})
    assert status == 400
    assert messages[0]["message"].startswith("The user: 'reader' is not permitted to deploy")


# --- Images -----------------------------------------------------------------------------------------------------------


def promote_image(artifactory: Session, **order: Any) -> requests.Response:
    """Promote an image."""
    return artifactory.post(IMAGE, json={"targetRepo": "docker-release-local", "dockerRepository": "acme/web", **order})


def tags(artifactory: Session, repo: str, image: str = "acme/web") -> list[str]:
    """The tags of an image."""
    answer = artifactory.get(f"/api/docker/{repo}/v2/{image}/tags/list")
    return answer.json()["tags"] if answer.status_code == 200 else []


def digest(artifactory: Session, repo: str, image: str, tag: str) -> str:
    """The digest of a tag's manifest."""
    return artifactory.head(DIGESTS.format(repo, image, tag)).headers["Docker-Content-Digest"]


def test_a_tag_is_moved(artifactory):
    before = digest(artifactory, "docker-local", "acme/web", "1.0.0")
    answer = promote_image(artifactory, tag="1.0.0")
    assert (answer.status_code, answer.text) == (200, "Promotion ended successfully")
    assert tags(artifactory, "docker-local") == ["1.0.1", "latest"]
    assert tags(artifactory, "docker-release-local") == ["1.0.0"]
    assert digest(artifactory, "docker-release-local", "acme/web", "1.0.0") == before


def test_a_tag_is_copied_under_other_names(artifactory):
    promote_image(artifactory, tag="1.0.0", targetTag="stable", targetDockerRepository="public/web", copy=True)
    assert tags(artifactory, "docker-local") == ["1.0.0", "1.0.1", "latest"]
    assert tags(artifactory, "docker-release-local", "public/web") == ["stable"]
    source = digest(artifactory, "docker-local", "acme/web", "1.0.0")
    assert digest(artifactory, "docker-release-local", "public/web", "stable") == source
    properties = properties_of(artifactory, "docker-release-local/public/web/stable/manifest.json")
    assert properties is not None
    assert (properties["docker.repoName"], properties["docker.manifest"]) == (["public/web"], ["stable"])


def test_a_whole_image(artifactory):
    assert promote_image(artifactory).status_code == 200
    assert tags(artifactory, "docker-local") == []
    assert tags(artifactory, "docker-release-local") == ["1.0.0", "1.0.1", "latest"]
    assert tags(artifactory, "docker-local", "acme/worker") == ["2.0"]


def test_again(artifactory):
    for status in (200, 200):
        assert promote_image(artifactory, tag="1.0.0", copy=True).status_code == status
    for status in (200, 404):
        assert promote_image(artifactory, tag="1.0.0").status_code == status


@pytest.mark.parametrize(
    ("order", "status"),
    [
        ({"tag": "9"}, 404),
        ({"dockerRepository": "acme/nothing"}, 404),
        ({"targetRepo": "nothing"}, 404),
        ({"targetRepo": "generic-local"}, 404),
        ({"targetRepo": None}, 400),
        ({"dockerRepository": None}, 400),
    ],
)
def test_what_is_refused(artifactory, order, status):
    assert error_of(promote_image(artifactory, **order))[0] == status
    assert tags(artifactory, "docker-release-local") == []


def test_an_unknown_source(artifactory):
    order = {"targetRepo": "docker-release-local", "dockerRepository": "acme/web"}
    assert error_of(artifactory.post("/api/docker/nothing/v2/promote", json=order))[0] == 404


def test_who_may_not(artifactory_reader):
    assert error_of(promote_image(artifactory_reader, tag="1.0.0", copy=True))[0] == 403


def test_a_tag_is_not_promoted_when_a_file_is_in_its_way(artifactory):
    artifactory.put("/docker-release-local/acme", data=b"x")
    answer = promote_image(artifactory, tag="1.0.0")
    assert error_of(answer) == (409, "A folder and a file are in each other's way at 'docker-release-local:acme'.")
