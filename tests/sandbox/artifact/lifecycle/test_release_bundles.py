# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of release bundles and their promotions."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from sandbox.client import Sandbox
from support.session import Session
from support.wire.artifact import APP, SHA256

BUNDLES = "/lifecycle/api/v2/release_bundle"
RECORDS = f"{BUNDLES}/records"
PROMOTIONS = "/lifecycle/api/v2/promotion/records/app/1.0"
ARTIFACTS = {"source_type": "artifacts", "source": {"artifacts": [{"path": f"generic-local/{APP}"}]}}
OTHER_APP = "app/1.1/app-1.1.tar.gz"


@pytest.fixture
def platform(sandbox: Sandbox) -> Session:
    """Return a session of an administrator for a platform with an Enterprise license."""
    sandbox.switch("artifact", edition="enterprise")
    return Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])


def error_of(response: requests.Response) -> tuple[int, str]:
    """Return status and message of an error response of the platform."""
    (error,) = response.json()["errors"]
    return response.status_code, error["message"]


def create(
    platform: Session, name: str = "app", version: str = "1.0", query: str = "", **body: Any
) -> requests.Response:
    """Create a release bundle."""
    identity = {"release_bundle_name": name, "release_bundle_version": version}
    return platform.post(f"{BUNDLES}{query}", json={**identity, **(body or ARTIFACTS)})


def list_paths(platform: Session, version: str = "1.0") -> list[str]:
    """Return the paths of the artifacts of a release bundle."""
    artifacts = platform.get(f"{RECORDS}/app/{version}").json()["artifacts"]
    return [f"{artifact['source_repository_key']}/{artifact['path']}" for artifact in artifacts]


def assign(platform: Session, repo: str = "generic-release-local", environment: str = "PROD") -> None:
    """Assign a repository to an environment, which is possible in projects."""
    platform.post("/access/api/v1/projects", json={"project_key": "web", "display_name": "Web"})
    assert platform.put(f"/access/api/v1/projects/_/attach/repositories/{repo}/web").status_code == 204
    body = {"environments": [environment]}
    assert platform.post(f"/artifactory/api/repositories/{repo}", json=body).status_code == 200


def promote(platform: Session, query: str = "", **body: Any) -> requests.Response:
    """Promote the release bundle."""
    return platform.post(f"{PROMOTIONS}{query}", json={"environment": "PROD", **body})


def list_statuses(platform: Session) -> list[str]:
    """Return the statuses of the promotions, newest first."""
    return [promotion["status"] for promotion in platform.get(PROMOTIONS).json()["promotions"]]


def test_release_bundle_is_created_read_and_deleted(platform: Session) -> None:
    assert platform.get(f"{BUNDLES}/existence/app/1.0").json() == {"exists": False}
    created = create(platform, query="?async=false")
    assert created.status_code == 201
    assert created.json().keys() == {"repository_key", "release_bundle_name", "release_bundle_version", "created"}
    assert created.json()["repository_key"] == "release-bundles-v2"
    assert platform.get(f"{BUNDLES}/existence/app/1.0").json() == {"exists": True}
    assert platform.get(f"{BUNDLES}/statuses/app/1.0").json() == {"status": "COMPLETED"}
    record = platform.get(f"{RECORDS}/app/1.0").json()
    (artifact,) = record["artifacts"]
    assert (artifact["path"], artifact["checksum"], artifact["source_repository_key"]) == (APP, SHA256, "generic-local")
    assert {"key": "build.name", "values": ["app"]} in artifact["properties"]
    assert (record["created_by"], record["total_artifacts_count"]) == ("admin", 1)
    assert platform.delete(f"{RECORDS}/app/1.0?async=false").status_code == 204
    assert platform.get(f"{RECORDS}/app/1.0").status_code == 404
    assert error_of(platform.delete(f"{RECORDS}/app/1.0"))[0] == 404


def test_versions_and_names_are_listed(platform: Session) -> None:
    for version in ("1.0", "1.1", "1.2"):
        assert create(platform, version=version).status_code == 202
    page = platform.get(f"{RECORDS}/app?limit=2&offset=1").json()
    assert [entry["release_bundle_version"] for entry in page["release_bundles"]] == ["1.1", "1.0"]
    assert (page["total"], page["limit"], page["offset"]) == (3, 2, 1)
    oldest = platform.get(f"{RECORDS}/app?order_asc=true").json()["release_bundles"][0]
    assert oldest["release_bundle_version"] == "1.0"
    assert (oldest["status"], oldest["created_by"]) == ("COMPLETED", "admin")
    (name,) = platform.get(f"{BUNDLES}/names").json()["release_bundles"]
    assert (name["release_bundle_name"], name["project_key"]) == ("app", "default")
    (group,) = platform.get(f"{BUNDLES}/groups").json()["release_bundles"]
    assert (group["release_bundle_version_latest"], group["release_bundle_versions_count"]) == ("1.2", 3)
    assert platform.get(f"{RECORDS}/other").status_code == 404
    assert platform.get(f"{RECORDS}/app?limit=some").status_code == 400


@pytest.mark.parametrize(("switches", "status"), [({}, 409), ({"release_bundle_conflict_status": 400}, 400)])
def test_existing_release_bundle_is_not_replaced(
    platform: Session, sandbox: Sandbox, switches: dict[str, Any], status: int
) -> None:
    sandbox.switch("artifact", **switches)
    create(platform)
    assert error_of(create(platform)) == (status, "Release bundle app/1.0 already exists")


@pytest.mark.parametrize(
    "body",
    [
        {"source_type": "aql", "source": {"aql": 'items.find({"repo":"generic-local","path":{"$match":"app/*"}})'}},
        {"sources": [{"source_type": "aql", "aql": 'items.find({"repo":"generic-local","name":{"$match":"*.gz"}})'}]},
        {
            "source_type": "builds",
            "source": {"builds": [{"build_name": "app", "build_number": number} for number in ("1", "2")]},
        },
        {
            "sources": [
                {"source_type": "artifacts", "artifacts": [{"path": f"generic-local/{APP}", "sha256": SHA256}]},
                {"source_type": "builds", "builds": [{"build_name": "app", "build_number": "2"}]},
            ]
        },
    ],
)
def test_sources_are_resolved(platform: Session, body: dict[str, Any]) -> None:
    assert create(platform, query="?async=false", **body).status_code == 201
    assert list_paths(platform) == [f"generic-local/{APP}", f"generic-local/{OTHER_APP}"]


def test_sources_are_in_the_record(platform: Session, sandbox: Sandbox) -> None:
    query = 'items.find({"repo":"generic-local","name":{"$match":"*.gz"}})'
    create(platform, source_type="aql", source={"aql": query})
    assert platform.get(f"{RECORDS}/app/1.0").json()["source"] == {"aql": query}
    create(
        platform, version="2.0", source_type="builds", source={"builds": [{"build_name": "app", "build_number": "1"}]}
    )
    (build,) = platform.get(f"{RECORDS}/app/2.0").json()["source"]["builds"]
    assert (build["build_repository"], build["include_dependencies"]) == ("artifactory-build-info", False)
    source = {"release_bundle_name": "app", "release_bundle_version": "1.0", "project_key": "default"}
    create(platform, version="3.0", source_type="release_bundles", source={"release_bundles": [source]})
    (bundle,) = platform.get(f"{RECORDS}/app/3.0").json()["source"]["release_bundles"]
    assert bundle == {**source, "repository_key": "release-bundles-v2"}
    assert list_paths(platform, "3.0") == list_paths(platform)
    sandbox.switch("artifact", release_bundle_source=False)
    assert "source" not in platform.get(f"{RECORDS}/app/1.0").json()


def test_dependencies_of_builds_are_included_on_request(platform: Session) -> None:
    build = {"build_name": "app", "build_number": "1", "include_dependencies": True}
    create(platform, source_type="builds", source={"builds": [build]})
    assert list_paths(platform) == [f"generic-local/{APP}", "libs-release-local/org/acme/app/1.0/app-1.0.pom"]


def test_layers_of_images_are_included_unless_they_are_skipped(platform: Session) -> None:
    source = {
        "source_type": "artifacts",
        "source": {"artifacts": [{"path": "docker-local/acme/web/1.0.0/manifest.json"}]},
    }
    create(platform, **source)
    create(platform, version="2.0", skip_docker_manifest_resolution=True, **source)
    assert len(list_paths(platform)) > 1
    assert list_paths(platform, "2.0") == ["docker-local/acme/web/1.0.0/manifest.json"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            {"source_type": "artifacts", "source": {"artifacts": [{"path": "generic-local/none"}]}},
            "Artifact not found: generic-local/none",
        ),
        (
            {
                "source_type": "artifacts",
                "source": {"artifacts": [{"path": f"generic-local/{APP}", "sha256": "0" * 64}]},
            },
            f"Artifact has another checksum: generic-local/{APP}",
        ),
        ({"source_type": "aql", "source": {"aql": "items.found()"}}, "Invalid AQL query for Release Bundle creation"),
        ({"source_type": "aql", "source": {"aql": "builds.find()"}}, "Invalid AQL query for Release Bundle creation"),
        (
            {"source_type": "aql", "source": {"aql": 'items.find({"repo":"none"})'}},
            "The AQL query returned no artifacts",
        ),
        (
            {"source_type": "builds", "source": {"builds": [{"build_name": "app", "build_number": "9"}]}},
            "Build not found: app/9",
        ),
        (
            {
                "source_type": "release_bundles",
                "source": {"release_bundles": [{"release_bundle_name": "app", "release_bundle_version": "0"}]},
            },
            "Release bundle not found: app/0",
        ),
    ],
)
def test_creation_fails_when_a_source_is_missing(
    platform: Session, sandbox: Sandbox, body: dict[str, Any], message: str
) -> None:
    assert create(platform, **body).status_code == 202
    status = platform.get(f"{BUNDLES}/statuses/app/1.0").json()
    assert (status["status"], status["messages"][0]["text"]) == ("FAILED", message)
    (version,) = platform.get(f"{RECORDS}/app?include=messages").json()["release_bundles"]
    assert (version["status"], version["messages"][0]["text"]) == ("FAILED", message)
    assert platform.get(f"{RECORDS}/app/1.0").status_code == 404
    assert error_of(create(platform, version="2.0", query="?async=false", **body)) == (400, message)
    assert platform.get(f"{BUNDLES}/statuses/app/2.0").json()["status"] == "FAILED"
    sandbox.switch("artifact", release_bundle_missing_source="refused")
    assert error_of(create(platform, version="3.0", **body)) == (400, message)
    assert platform.get(f"{BUNDLES}/statuses/app/3.0").status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {"source_type": "artifacts"},
        {"source_type": "packages", "source": {"packages": [{}]}},
        {"source_type": "aql", "source": {"aql": []}},
        {"source_type": "builds", "source": {"builds": ["app"]}},
        {"sources": []},
        {**ARTIFACTS, "release_bundle_name": "a b"},
        {**ARTIFACTS, "release_bundle_version": "1" * 33},
    ],
)
def test_invalid_request_is_refused(platform: Session, body: dict[str, Any]) -> None:
    assert error_of(create(platform, **body))[0] == 400
    assert platform.get(f"{BUNDLES}/names").json() == {"release_bundles": []}


def test_names_are_longer_in_later_versions(platform: Session, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", version="7.113.0")
    assert create(platform, version="1" * 33).status_code == 202


def test_changes_take_time(platform: Session, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", release_bundle_seconds=60, release_bundle_submitted_status=200)
    assert create(platform).status_code == 200
    assert platform.get(f"{BUNDLES}/statuses/app/1.0").json() == {"status": "PROCESSING"}
    sandbox.switch("artifact", release_bundle_running_status="STARTED")
    assert platform.get(f"{BUNDLES}/statuses/app/1.0").json() == {"status": "STARTED"}
    assert error_of(promote(platform)) == (400, "Release bundle app/1.0 is not completed")
    sandbox.clock(advance=61)
    assert platform.get(f"{BUNDLES}/statuses/app/1.0").json() == {"status": "COMPLETED"}
    assign(platform)
    assert promote(platform).status_code == 200
    assert list_statuses(platform) == ["STARTED"]
    sandbox.clock(advance=61)
    assert list_statuses(platform) == ["COMPLETED"]
    assert platform.delete(f"{RECORDS}/app/1.0").status_code == 200
    assert platform.get(f"{BUNDLES}/statuses/app/1.0").json() == {"status": "DELETING"}
    sandbox.clock(advance=61)
    assert platform.get(f"{BUNDLES}/statuses/app/1.0").status_code == 404
    sandbox.switch("artifact", release_bundle_failure="The signing key has expired")
    assert create(platform).status_code == 200
    assert platform.get(f"{BUNDLES}/statuses/app/1.0").json() == {"status": "STARTED"}


def test_creation_and_promotion_fail_on_request(platform: Session, sandbox: Sandbox) -> None:
    create(platform)
    sandbox.switch("artifact", release_bundle_failure="The signing key has expired")
    assert error_of(create(platform, version="2.0", query="?async=false")) == (400, "The signing key has expired")
    sandbox.switch("artifact", release_bundle_promotion_failure="Blocked by a policy")
    assign(platform)
    created = promote(platform).json()["created_millis"]
    status = platform.get(f"/lifecycle/api/v2/promotion/statuses/app/1.0/{created}").json()
    assert (status["status"], status["messages"][0]["text"]) == ("FAILED", "Blocked by a policy")
    assert error_of(promote(platform, query="?async=false")) == (400, "Blocked by a policy")


def test_signing_key_can_be_required(platform: Session, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", release_bundle_requires_key=True)
    assert error_of(create(platform)) == (400, "The header X-JFrog-Signing-Key-Name is required")
    platform.headers["X-JFrog-Signing-Key-Name"] = "releases"
    assert create(platform).status_code == 202


def test_release_bundles_of_projects_are_separate(platform: Session) -> None:
    platform.post("/access/api/v1/projects", json={"project_key": "web", "display_name": "Web"})
    assert create(platform, query="?project=web&async=false").json()["repository_key"] == "web-release-bundles-v2"
    assert platform.get(f"{BUNDLES}/existence/app/1.0?project=web").json() == {"exists": True}
    assert platform.get(f"{BUNDLES}/existence/app/1.0?repository_key=web-release-bundles-v2").json() == {"exists": True}
    assert platform.get(f"{BUNDLES}/existence/app/1.0").json() == {"exists": False}
    assert platform.get(f"{BUNDLES}/existence/app/1.0?project=default").json() == {"exists": False}
    (name,) = platform.get(f"{BUNDLES}/names").json()["release_bundles"]
    assert (name["project_key"], name["project_name"]) == ("web", "Web")
    assert platform.get(f"{BUNDLES}/names?project=default").json() == {"release_bundles": []}
    assert error_of(create(platform, query="?project=none")) == (404, "Project none not found")
    assert error_of(create(platform, query="?repository_key=generic-local")) == (
        404,
        "Repository generic-local not found",
    )


def test_promotion_copies_to_the_repositories_of_the_environment(platform: Session) -> None:
    create(platform)
    assign(platform)
    assign(platform, "docker-release-local")
    promoted = promote(platform, query="?async=false")
    assert promoted.status_code == 201
    assert promoted.json()["environment"] == "PROD"
    created = promoted.json()["created_millis"]
    assert platform.get(f"/artifactory/api/storage/generic-release-local/{APP}").status_code == 200
    (entry,) = platform.get(PROMOTIONS).json()["promotions"]
    assert (entry["status"], entry["environment"], entry["created_millis"]) == ("COMPLETED", "PROD", created)
    record = platform.get(f"{PROMOTIONS}/{created}").json()
    assert record["artifacts"] == [
        {"path": f"generic-release-local/{APP}", "checksum": SHA256, "package_type": "generic"}
    ]
    assert (record["included_repository_keys"], record["overwrite_existing_artifacts"]) == ([], False)
    assert platform.delete(f"{PROMOTIONS}/{created}?async=false").status_code == 204
    assert list_statuses(platform) == []
    assert error_of(platform.get(f"{PROMOTIONS}/{created}"))[0] == 404


def test_repositories_without_environments_belong_to_the_first_one(platform: Session) -> None:
    create(platform)
    assert promote(platform, query="?async=false", environment="DEV").status_code == 201
    assert platform.get(f"/artifactory/api/storage/generic-release-local/{APP}").status_code == 200


def test_release_bundle_of_a_project_is_promoted_to_its_repositories(platform: Session) -> None:
    assign(platform, "generic-local", "DEV")
    create(platform, query="?project=web")
    assert promote(platform, query="?project=web&async=false", environment="DEV").status_code == 201
    assert platform.get(f"/artifactory/api/storage/generic-release-local/{APP}").status_code == 404


def test_existing_artifacts_are_overwritten_only_on_request(platform: Session) -> None:
    create(platform)
    assign(platform)
    platform.put(f"/artifactory/generic-release-local/{APP}", data=b"other")
    promote(platform)
    (entry,) = platform.get(f"{PROMOTIONS}?include=messages").json()["promotions"]
    assert entry["messages"][0]["text"] == f"Target artifact already exists: generic-release-local/{APP}"
    assert platform.get(f"/artifactory/generic-release-local/{APP}").content == b"other"
    promote(platform, overwrite_existing_artifacts=True)
    assert list_statuses(platform) == ["COMPLETED", "FAILED"]
    assert platform.get(f"/artifactory/generic-release-local/{APP}").content == b"the first release"


def test_repositories_of_a_promotion_are_selected(platform: Session) -> None:
    create(platform)
    missing = "No target repository of type generic in environment PROD"
    assert error_of(promote(platform, query="?async=false")) == (400, missing)
    assign(platform)
    assign(platform, "generic-local")
    excluded = {"excluded_repository_keys": ["generic-local", "generic-release-local"]}
    assert error_of(promote(platform, query="?async=false", **excluded)) == (400, missing)
    included = {"included_repository_keys": ["generic-local"]}
    assert promote(platform, query="?async=false", **included).status_code == 201
    assert platform.get(f"/artifactory/api/storage/generic-release-local/{APP}").status_code == 404
    assert error_of(promote(platform, included_repository_keys="generic-local"))[0] == 400
    assert error_of(promote(platform, environment="QA")) == (400, "Environment QA not found")


def test_promotion_uses_the_content_of_a_deleted_artifact(platform: Session) -> None:
    create(platform)
    assign(platform)
    platform.post(f"/artifactory/api/copy/generic-local/{APP}?to=/generic-local/copy.gz")
    platform.delete(f"/artifactory/generic-local/{APP}")
    promote(platform)
    assert list_statuses(platform) == ["COMPLETED"]
    assert platform.get(f"/artifactory/api/storage/generic-release-local/{APP}").status_code == 200


def test_other_users_need_permissions(platform: Session, sandbox: Sandbox) -> None:
    create(platform)
    reader = Session(sandbox.url, ("reader", "sandbox-reader"))
    assert reader.get(f"{BUNDLES}/statuses/app/1.0").status_code == 200
    assert error_of(create(reader, version="2.0"))[0] == 403
    assert error_of(promote(reader))[0] == 403
    assert error_of(reader.delete(f"{RECORDS}/app/1.0"))[0] == 403
    assert error_of(Session(sandbox.url).get(f"{BUNDLES}/names"))[0] == 401


@pytest.mark.parametrize("edition", ["oss", "pro"])
def test_other_editions_are_refused(platform: Session, sandbox: Sandbox, edition: str) -> None:
    sandbox.switch("artifact", edition=edition)
    expected = {"oss": (404, "HTTP 404 Not Found"), "pro": (403, None)}[edition]
    status, message = error_of(platform.get(f"{BUNDLES}/names"))
    assert status == expected[0]
    assert expected[1] or "only in Artifactory Enterprise" in message


def test_earlier_versions_have_no_release_bundles(platform: Session, sandbox: Sandbox) -> None:
    sandbox.switch("artifact", version="7.63.1")
    assert error_of(platform.get(f"{BUNDLES}/names")) == (404, "HTTP 404 Not Found")


def test_other_calls_are_not_implemented(platform: Session) -> None:
    for path in ("distribution/records/app/1.0", "promotion/rollback/app/1.0"):
        assert error_of(platform.post(f"/lifecycle/api/v2/{path}"))[0] == 501


def test_release_bundles_are_seeded_and_exported(platform: Session, sandbox: Sandbox) -> None:
    artifact = {"source_repository_key": "generic-local", "path": APP, "checksum": SHA256}
    promotion = {"environment": "PROD", "created": "2026-01-02T00:00:00Z", "created_by": "ci"}
    seed = {"name": "app", "version": "0.9", "created": "2026-01-01T00:00:00Z", "artifacts": [artifact]}
    bundles = [{**seed, "promotions": [promotion]}, {"name": "app", "version": "0.8", "messages": ["lost"]}]
    for _again in range(2):
        sandbox.seed({"artifact": {"release_bundles": bundles}})
    (bundle, failed) = sandbox.export_seed()["seed"]["artifact"]["release_bundles"]
    assert bundle["artifacts"] == [{"package_type": "generic", "size": 0, "properties": [], **artifact}]
    assert (bundle["promotions"][0]["environment"], failed["messages"]) == ("PROD", ["lost"])
    sandbox.seed({"artifact": {"release_bundles": [bundle]}})
    assert platform.get(f"{RECORDS}/app/0.9").json()["created"] == "2026-01-01T00:00:00.000Z"
    entries = platform.get("/lifecycle/api/v2/promotion/records/app/0.9").json()["promotions"]
    assert [(entry["created"], entry["created_by"]) for entry in entries] == [("2026-01-02T00:00:00.000Z", "ci")]
