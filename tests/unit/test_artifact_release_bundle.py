# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.editions import LICENSES_ADDRESS
from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

API = "/lifecycle/api/v2"
BUNDLES = f"{API}/release_bundle"
VERSION_ADDRESS = "/artifactory/api/system/version"
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "Release bundle app/1.0 not found"}]}
TITLE = "Release bundle 'app' version '1.0'"
SHA = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
OTHER_SHA = "fcde2b2edba56bf408601fb721fe9b5c338d10ee429ea04fae5511b68fbf8fb9"
ARTIFACTS = [{"path": "libs/app/app.jar", "sha256": SHA}]
TASK = {"name": "app", "version": "1.0", "artifacts": ARTIFACTS, "wait_delay": 0.1}
SOURCE = {"source_type": "artifacts", "source": {"artifacts": ARTIFACTS}}
SUBMITTED = {"repository_key": "release-bundles-v2", "release_bundle_name": "app", "release_bundle_version": "1.0"}
PAGE = "limit=250&offset=0"


def status(text: str = "COMPLETED", *messages: str, query: str = "") -> Call:
    """Return the read of the status."""
    body = {"status": text, **({"messages": [{"text": message} for message in messages]} if messages else {})}
    return call("GET", f"{BUNDLES}/statuses/app/1.0{query}", json=body)


def missing(query: str = "") -> Call:
    """Return the read of the status of a release bundle that does not exist."""
    return call("GET", f"{BUNDLES}/statuses/app/1.0{query}", 404, json=NOT_FOUND)


def server(version: str = "7.77.3", license_text: str = "0" * 40) -> Call:
    """Return the read of the version, which decides whether a missing release bundle is really missing."""
    return call("GET", VERSION_ADDRESS, json={"version": version, "license": license_text})


def licenses(kind: str = "Enterprise") -> Call:
    return call("GET", LICENSES_ADDRESS, json={"type": kind})


def artifact(path: str = "app/app.jar", checksum: str = SHA, repo: str = "libs", **more: Any) -> dict[str, Any]:
    return {"path": path, "checksum": checksum, "source_repository_key": repo, "package_type": "generic", **more}


def contents(*artifacts: dict[str, Any], offset: int = 0, total: int | None = None, **more: Any) -> Call:
    """Return the read of the contents."""
    body = {
        "created": "2026-05-01T10:11:12.345Z",
        "created_by": "ci",
        "total_artifacts_count": len(artifacts) if total is None else total,
        "artifacts": list(artifacts) if artifacts or more else [artifact()],
        **more,
    }
    return call("GET", f"{BUNDLES}/records/app/1.0?limit=250&offset={offset}", json=body)


def created(answer: int = 202, query: str = "?async=true", source: dict[str, Any] | None = None, **sent: Any) -> Call:
    body = {"release_bundle_name": "app", "release_bundle_version": "1.0", **(source or SOURCE)}
    return call("POST", f"{BUNDLES}{query}", answer, sent_json=body, json=SUBMITTED, **sent)


def promotion(environment: str = "PROD", state: str = "COMPLETED", millis: int = 1, *messages: str) -> dict[str, Any]:
    entry = {"environment": environment, "status": state, "created_millis": millis}
    return {**entry, **({"messages": [{"text": message} for message in messages]} if messages else {})}


def promotions(*entries: dict[str, Any]) -> Call:
    """Return the read of all promotions."""
    body = {"promotions": list(entries), "total": len(entries)}
    return call("GET", f"{API}/promotion/records/app/1.0?include=messages&{PAGE}", json=body)


def promoted(answer: int = 202, drop: bool = False, **sent: Any) -> Call:
    body = {"environment": "PROD", "overwrite_existing_artifacts": False, **sent}
    response = {**SUBMITTED, "environment": "PROD", "created_millis": 2}
    return call("POST", f"{API}/promotion/records/app/1.0?async=true", answer, sent_json=body, json=response, drop=drop)


def deleted(answer: int = 200, **more: Any) -> Call:
    return call("DELETE", f"{BUNDLES}/records/app/1.0?async=true", answer, **more)


def test_unchanged_release_bundle_costs_two_requests() -> None:
    with conversation(status(), contents()) as talk:
        result = run("artifact_release_bundle", url=talk.url, diff_mode=True, **TASK)
    assert not result["changed"]
    assert result["diff"]["before"] == result["diff"]["after"]
    assert result["release_bundle"] == {
        "name": "app",
        "version": "1.0",
        "project": "",
        "status": "COMPLETED",
        "created": "2026-05-01T10:11:12.345Z",
        "created_by": "ci",
        "artifacts": ARTIFACTS,
    }


@pytest.mark.parametrize("answer", [200, 201, 202])
def test_missing_release_bundle_is_created(answer: int) -> None:
    with conversation(missing(), server(), created(answer), status(), contents(), status(), contents()) as talk:
        result = run("artifact_release_bundle", url=talk.url, diff_mode=True, **TASK)
    assert (result["changed"], result["release_bundle"]["status"]) == (True, "COMPLETED")
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {"state": "present", "artifacts": ARTIFACTS},
    }


@pytest.mark.parametrize("running", ["PROCESSING", "STARTED", "PENDING", "IN_PROGRESS"])
def test_task_waits_for_the_creation(running: str) -> None:
    lines: list[str] = []
    expected = [missing(), server(), created(), status(running), status(), contents(), status(), contents()]
    with conversation(*expected) as talk:
        result = run("artifact_release_bundle", url=talk.url, display=lines.append, **TASK)
    assert result["changed"]
    assert any(f"release bundle 'app' version '1.0' has the status {running}" in line for line in lines)


def test_creation_in_progress_is_awaited_and_not_repeated() -> None:
    with conversation(status("PROCESSING"), status(), contents()) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert not result["changed"]


def test_task_fails_when_the_creation_takes_too_long() -> None:
    with conversation(status("PROCESSING")) as talk:
        result = run("artifact_release_bundle", url=talk.url, wait_timeout=0, **TASK)
    assert "but release bundle 'app' version '1.0' has the status PROCESSING." in result["msg"]


def test_task_does_not_wait_on_request() -> None:
    with conversation(missing(), server(), created(), status("PROCESSING"), status("PROCESSING")) as talk:
        result = run("artifact_release_bundle", url=talk.url, wait=False, **TASK)
    assert (result["changed"], result["release_bundle"]["status"]) == (True, "PROCESSING")
    with conversation(status("PROCESSING")) as talk:
        assert not run("artifact_release_bundle", url=talk.url, wait=False, **TASK)["changed"]


def test_failed_creation_is_reported_with_its_reasons() -> None:
    failed = status("FAILED", "Artifact not found: libs/app/app.jar.", "Signing failed")
    with conversation(missing(), server(), created(), failed) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert (result["failed"], result["changed"]) == (True, True)
    assert result["msg"] == (
        "The creation of release bundle 'app' version '1.0' failed: Artifact not found: libs/app/app.jar; Signing "
        "failed. Correct the cause, delete the release bundle with 'state: absent', and create it again."
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("FAILED", f"{TITLE} exists, but its creation failed: the server gave no reason. Correct the cause, delete "),
        ("REJECTED", f"{TITLE} exists, but its creation failed: "),
        ("DRAFT", f"{TITLE} has the unknown status 'DRAFT'."),
    ],
)
def test_unusable_release_bundle_is_refused(text: str, message: str) -> None:
    with conversation(status(text)) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert result["msg"].startswith(message)
    assert not result["changed"]


def test_lost_response_to_the_creation_is_resolved() -> None:
    expected = [missing(), server(), created(drop=True), status(), status(), contents(), status(), contents()]
    with conversation(*expected) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert result["changed"]
    assert "Reading back shows that the request had its effect." in result["warnings"][0]


def test_lost_request_has_an_unknown_outcome() -> None:
    with conversation(missing(), server(), created(drop=True), missing(), missing()) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert "Whether the request had its effect is not known." in result["msg"]


def test_response_without_a_body_is_accepted() -> None:
    empty = call("POST", f"{BUNDLES}?async=true", 202)
    with conversation(missing(), server(), empty, status(), contents(), status(), contents()) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert (result["changed"], "warnings" in result) == (True, False)


def test_login_page_does_not_count_as_a_creation() -> None:
    page = call("POST", f"{BUNDLES}?async=true", 200, text="<html>Sign in</html>")
    with conversation(missing(), server(), page, missing()) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert "login page" in result["msg"]


def test_release_bundle_of_another_client_is_compared() -> None:
    conflict = call("POST", f"{BUNDLES}?async=true", 409, json=NOT_FOUND)
    with conversation(missing(), server(), conflict, status(), contents()) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert not result["changed"]
    assert "another client may have changed it" in result["warnings"][0]
    other = contents(artifact(checksum=OTHER_SHA))
    with conversation(missing(), server(), conflict, status(), other) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert "exists with other contents" in result["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("artifacts", "difference"),
    [
        (
            [artifact(checksum=OTHER_SHA)],
            f"these artifacts are not part of it: libs/app/app.jar (SHA-256 {SHA}); these artifacts are only in the "
            f"existing one: libs/app/app.jar (SHA-256 {OTHER_SHA})",
        ),
        (
            [artifact(), artifact("b.jar")],
            f"these artifacts are only in the existing one: libs/b.jar (SHA-256 {SHA})",
        ),
        (
            [artifact("b.jar", package_type="docker")],
            f"these artifacts are not part of it: libs/app/app.jar (SHA-256 {SHA}); these artifacts are only in the "
            f"existing one: libs/b.jar (SHA-256 {SHA})",
        ),
    ],
)
def test_other_contents_are_refused(artifacts: list[dict[str, Any]], difference: str, check_mode: bool) -> None:
    with conversation(status(), contents(*artifacts)) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=check_mode, **TASK)
    assert not result["changed"]
    assert result["msg"] == (
        f"{TITLE} exists with other contents: {difference}. Release bundles cannot be changed. Use another version."
    )


def test_checksums_are_compared_only_if_they_are_declared() -> None:
    other = contents(artifact(checksum=OTHER_SHA))
    with conversation(status(), other) as talk:
        result = run("artifact_release_bundle", url=talk.url, **{**TASK, "artifacts": [{"path": "libs/app/app.jar"}]})
    assert (result["changed"], result["release_bundle"]["artifacts"]) == (False, [{"path": "libs/app/app.jar"}])
    upper = [{"path": "libs/app/app.jar", "sha256": SHA.upper()}]
    with conversation(status(), contents()) as talk:
        assert not run("artifact_release_bundle", url=talk.url, **{**TASK, "artifacts": upper})["changed"]


@pytest.mark.parametrize(("skips_layers", "is_equal"), [(None, True), (False, True), (True, False)])
def test_layers_of_images_are_not_compared(skips_layers: bool | None, is_equal: bool) -> None:
    manifest = artifact("web/1.0/manifest.json", repo="images", package_type="docker")
    layer = artifact("web/1.0/sha256__1", repo="images", package_type="docker")
    task = {**TASK, "artifacts": [{"path": "images/web/1.0/manifest.json"}]}
    with conversation(status(), contents(manifest, layer)) as talk:
        result = run("artifact_release_bundle", url=talk.url, skip_docker_manifest_resolution=skips_layers, **task)
    assert bool(result.get("failed")) is not is_equal
    assert not result["changed"]


@pytest.mark.parametrize(
    ("declared", "added", "is_equal"),
    [
        ("web/1.0/manifest.json", ["other/1.0/manifest.json", "other/1.0/sha256__2"], False),
        ("web/1.0/manifest.json", ["web/sha256:1/manifest.json"], False),
        ("web/1.0/list.manifest.json", ["web/sha256:1/manifest.json", "web/sha256:1/sha256__2"], True),
        ("web/1.0/list.manifest.json", ["web/sha256__1/manifest.json"], True),
        ("web/1.0/list.manifest.json", ["web/2.0/manifest.json"], False),
        ("web/1.0/list.manifest.json", ["web/2.0/list.manifest.json"], False),
        ("web/1.0/list.manifest.json", ["web/api/sha256:1/manifest.json"], False),
    ],
)
def test_other_images_are_compared(declared: str, added: list[str], is_equal: bool) -> None:
    files = [artifact(path, repo="images", package_type="docker") for path in (declared, *added)]
    task = {**TASK, "artifacts": [{"path": f"images/{declared}"}]}
    with conversation(status(), contents(*files)) as talk:
        result = run("artifact_release_bundle", url=talk.url, **task)
    assert ("exists with other contents" not in result.get("msg", ""), result["changed"]) == (is_equal, False)


def test_all_pages_of_the_contents_are_read() -> None:
    task = {**TASK, "artifacts": [{"path": "libs/a"}, {"path": "libs/b"}]}
    pages = [contents(artifact("a"), total=2), contents(artifact("b"), offset=1, total=2)]
    with conversation(status(), *pages) as talk:
        assert not run("artifact_release_bundle", url=talk.url, **task)["changed"]


@pytest.mark.parametrize("more", [{"artifacts": []}, {"artifacts": [artifact("a")]}])
def test_incomplete_contents_are_an_error(more: dict[str, Any]) -> None:
    task = {**TASK, "artifacts": [{"path": "libs/a"}]}
    with conversation(status(), contents(artifact("a"), total=2), contents(offset=1, total=2, **more)) as talk:
        result = run("artifact_release_bundle", url=talk.url, **task)
    assert "the server returned only 1 of 2 entries" in result["msg"]


def test_incomplete_promotions_prevent_a_promotion() -> None:
    address = f"{API}/promotion/records/app/1.0?include=messages&limit=250"
    page = {"promotions": [promotion("DEV")], "total": 2}
    reads = [call("GET", f"{address}&offset={offset}", json=page) for offset in (0, 1)]
    with conversation(status(), contents(), *reads) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert "the server returned only 1 of 2 entries" in result["msg"]


def test_list_without_a_total_is_read_until_a_short_page() -> None:
    address = f"{API}/promotion/records/app/1.0?include=messages&limit=250"
    full = {"promotions": [promotion("DEV", millis=millis) for millis in range(250)]}
    reads = [
        call("GET", f"{address}&offset=0", json=full),
        call("GET", f"{address}&offset=250", json={"promotions": [promotion()]}),
    ]
    with conversation(status(), contents(), *reads) as talk:
        assert not run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)["changed"]


def test_server_without_paging_returns_all_artifacts() -> None:
    paths = [f"{number}.jar" for number in range(250)]
    record = {"artifacts": [artifact(path) for path in paths]}
    reads = [call("GET", f"{BUNDLES}/records/app/1.0?limit=250&offset={offset}", json=record) for offset in (0, 250)]
    task = {**TASK, "artifacts": [{"path": f"libs/{path}"} for path in paths]}
    with conversation(status(), *reads) as talk:
        assert not run("artifact_release_bundle", url=talk.url, **task)["changed"]


OTHER_SOURCES = [
    ({"aql": ' items.find({"repo": "libs"}) '}, {"aql": 'items.find({"repo": "libs"})'}),
    (
        {"builds": [{"name": "app", "number": "7", "repository": "", "include_dependencies": False}]},
        {"builds": [{"build_name": "app", "build_number": "7", "build_repository": "artifactory-build-info"}]},
    ),
    (
        {"release_bundles": [{"name": "lib", "version": "2", "project": "default"}]},
        {"release_bundles": [{"release_bundle_name": "lib", "release_bundle_version": "2", "project_key": "default"}]},
    ),
]


@pytest.mark.parametrize(
    ("declared", "stored"),
    [
        ({"builds": [{"name": "app", "number": "7"}]}, {"builds": [{"build_name": "app", "build_number": "7"}]}),
        (
            {"release_bundles": [{"name": "lib", "version": "2"}]},
            {"release_bundles": [{"release_bundle_name": "lib", "release_bundle_version": "2"}]},
        ),
    ],
)
def test_places_of_sources_are_not_compared_if_the_server_does_not_return_them(
    declared: dict[str, Any], stored: dict[str, Any]
) -> None:
    body = {"created": "2026-05-01T10:11:12.345Z", "artifacts": [artifact()], "source": stored}
    record = call("GET", f"{BUNDLES}/records/app/1.0?project=web&{PAGE}", json=body)
    with conversation(status(query="?project=web"), record) as talk:
        result = run("artifact_release_bundle", url=talk.url, name="app", version="1.0", project="web", **declared)
    assert (result["changed"], "failed" in result) == (False, False), result


def other_task(declared: dict[str, Any]) -> dict[str, Any]:
    """Return a task with another source. Empty repositories stand for options that are not set."""
    entries = {
        kind: [{name: text for name, text in entry.items() if text != ""} for entry in value]
        if isinstance(value, list)
        else value
        for kind, value in declared.items()
    }
    return {"name": "app", "version": "1.0", **entries}


@pytest.mark.parametrize(("declared", "stored"), OTHER_SOURCES)
def test_other_sources_are_compared_if_the_server_returns_them(
    declared: dict[str, Any], stored: dict[str, Any]
) -> None:
    task = other_task(declared)
    with conversation(status(), contents(artifact(), source=stored)) as talk:
        assert not run("artifact_release_bundle", url=talk.url, **task)["changed"]
    with conversation(status(), contents(artifact())) as talk:
        assert not run("artifact_release_bundle", url=talk.url, **task)["changed"]
    other = {"aql": "items.find()"} if "builds" in stored else {"builds": OTHER_SOURCES[1][1]["builds"]}
    with conversation(status(), contents(artifact(), source=other)) as talk:
        assert "exists with other contents" in run("artifact_release_bundle", url=talk.url, **task)["msg"]


@pytest.mark.parametrize(
    ("declared", "sent"),
    [
        (OTHER_SOURCES[0][0], {"aql": 'items.find({"repo": "libs"})'}),
        (
            OTHER_SOURCES[1][0],
            {
                "builds": [
                    {
                        "build_name": "app",
                        "build_number": "7",
                        "build_repository": "web-build-info",
                        "include_dependencies": False,
                    }
                ]
            },
        ),
        (OTHER_SOURCES[2][0], OTHER_SOURCES[2][1]),
    ],
)
def test_other_sources_are_sent_with_the_project_and_the_key(declared: dict[str, Any], sent: dict[str, Any]) -> None:
    (kind,) = sent
    source = {"source_type": kind, "source": sent, "skip_docker_manifest_resolution": True}
    creation = created(
        query="?project=web&async=true",
        source=source,
        sent_headers={"X-JFrog-Signing-Key-Name": "releases"},
    )
    options = {"project": "web", "signing_key": "releases", "skip_docker_manifest_resolution": True, "wait": False}
    running = status("PROCESSING", query="?project=web")
    with conversation(missing("?project=web"), server(), creation, running, running) as talk:
        result = run("artifact_release_bundle", url=talk.url, **other_task(declared), **options)
    assert result["release_bundle"]["project"] == "web"


def test_source_is_required_for_a_creation_only() -> None:
    with conversation(missing(), server()) as talk:
        result = run("artifact_release_bundle", url=talk.url, name="app", version="1.0")
    assert result["msg"] == (
        f"{TITLE} does not exist. To create it, set one of 'artifacts', 'aql', 'builds', 'release_bundles'."
    )
    with conversation(status(), contents()) as talk:
        assert not run("artifact_release_bundle", url=talk.url, name="app", version="1.0")["changed"]


def test_release_bundle_that_was_deleted_in_between_is_created() -> None:
    gone = call("GET", f"{BUNDLES}/records/app/1.0?{PAGE}", 404, json=NOT_FOUND)
    with conversation(status(), gone, server(), created(), status(), contents(), status(), contents()) as talk:
        assert run("artifact_release_bundle", url=talk.url, **TASK)["changed"]


def test_promoted_release_bundle_costs_three_requests() -> None:
    entries = [promotion("DEV", millis=3), promotion(state="FAILED", millis=2), promotion(millis=1)]
    with conversation(status(), contents(), promotions(*entries)) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert (result["changed"], result["release_bundle"]["environments"]) == (False, ["DEV", "PROD"])


def environments(*names: str) -> Call:
    return call("GET", "/access/api/v1/environments", json=[{"name": name} for name in ("DEV", "PROD", *names)])


def test_release_bundle_is_promoted() -> None:
    expected = [
        *(status(), contents(), promotions(promotion("DEV")), environments()),
        promoted(included_repository_keys=["b", "a"], excluded_repository_keys=[]),
        *(promotions(promotion(millis=2, state="STARTED"), promotion("DEV")),) * 2,
        promotions(promotion(millis=2), promotion("DEV")),
        *(status(), contents(), promotions(promotion(millis=2), promotion("DEV"))),
    ]
    options = {"included_repository_keys": ["b", "a"], "excluded_repository_keys": []}
    with conversation(*expected) as talk:
        result = run("artifact_release_bundle", url=talk.url, diff_mode=True, environment="PROD", **options, **TASK)
    assert result["changed"]
    assert result["diff"] == {
        "before": {"state": "present", "artifacts": ARTIFACTS, "environments": ["DEV"]},
        "after": {"state": "present", "artifacts": ARTIFACTS, "environments": ["DEV", "PROD"]},
    }


def test_new_release_bundle_is_promoted() -> None:
    expected = [
        *(missing(), server(), environments(), created(), status(), contents(), promotions()),
        *(promoted(), promotions(promotion(millis=2))),
        *(status(), contents(), promotions(promotion(millis=2))),
    ]
    with conversation(*expected) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert (result["changed"], result["release_bundle"]["environments"]) == (True, ["PROD"])


def test_other_contents_are_not_promoted_when_the_response_to_the_creation_is_lost() -> None:
    other = contents(artifact(checksum=OTHER_SHA))
    reads = missing(), server(), environments()
    with conversation(*reads, created(drop=True), status(), status(), other, promotions()) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert "exists with other contents" in result["msg"]


def test_failed_promotion_is_repeated_by_the_next_task_only() -> None:
    reason = "Target artifact already exists: libs-prod/app.jar"
    failed = promotions(promotion("PROD", "FAILED", 2, reason), promotion("DEV"))
    reads = status(), contents(), promotions(promotion("DEV")), environments()
    with conversation(*reads, promoted(), failed) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert result["msg"] == f"The promotion of release bundle 'app' version '1.0' to 'PROD' failed: {reason}."
    done = promotions(promotion(millis=3), promotion("PROD", "FAILED", 2, reason))
    expected = [status(), contents(), failed, environments(), promoted(), done, status(), contents(), done]
    with conversation(*expected) as talk:
        assert run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)["changed"]


def test_lost_response_to_the_promotion_is_resolved() -> None:
    done = promotions(promotion(millis=2))
    expected = [status(), contents(), promotions(), environments(), promoted(drop=True), done, done]
    with conversation(*expected, status(), contents(), done) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert (result["changed"], result["release_bundle"]["environments"]) == (True, ["PROD"])
    assert "Reading back shows that the request had its effect." in result["warnings"][0]


def test_lost_promotion_is_not_repeated() -> None:
    old = promotion("PROD", "FAILED")
    expected = [status(), contents(), promotions(old), environments(), promoted(drop=True), promotions(old)]
    with conversation(*expected, status(), contents(), promotions(old)) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert "Whether the request had its effect is not known." in result["msg"]


def test_promotion_without_a_record_fails() -> None:
    with conversation(status(), contents(), promotions(), environments(), promoted(), promotions()) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert "accepted the promotion" in result["msg"]
    assert "its promotion records do not contain it" in result["msg"]


def test_unknown_status_of_a_promotion_is_no_success() -> None:
    unknown = promotions(promotion(millis=2, state="ABORTED"))
    message = "The promotion of release bundle 'app' version '1.0' to 'PROD' has the unknown status 'ABORTED'."
    with conversation(status(), contents(), promotions(), environments(), promoted(), unknown) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert (result["msg"], result["changed"]) == (message, True)
    with conversation(status(), contents(), unknown) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert (result["msg"], result["changed"]) == (message, False)
    both = promotions(promotion(millis=3, state="ABORTED"), promotion(millis=2))
    with conversation(status(), contents(), both) as talk:
        assert not run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)["changed"]


def test_promotion_in_progress_is_awaited_and_not_repeated() -> None:
    running = promotions(promotion(state="PROCESSING"))
    with conversation(status(), contents(), running, promotions(promotion())) as talk:
        assert not run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)["changed"]


def test_release_bundle_is_deleted() -> None:
    lists = [status("FAILED"), promotions()]
    with conversation(*lists, deleted(), status("DELETING"), missing(), server()) as talk:
        result = run("artifact_release_bundle", url=talk.url, diff_mode=True, **{**TASK, "state": "absent"})
    assert (result["changed"], result["release_bundle"]) == (True, None)
    assert result["diff"]["before"] == {"state": "present", "status": "FAILED", "environments": []}
    with conversation(missing(), server()) as talk:
        result = run("artifact_release_bundle", url=talk.url, **{**TASK, "state": "absent"})
    assert (result["changed"], result["release_bundle"]) == (False, None)


def test_deletion_is_not_awaited_on_request() -> None:
    with conversation(status(), promotions(), deleted(), status("DELETING")) as talk:
        result = run("artifact_release_bundle", url=talk.url, wait=False, **{**TASK, "state": "absent"})
    assert (result["changed"], result["release_bundle"]) == (True, None)


def test_lost_response_to_the_deletion_is_resolved() -> None:
    with conversation(status(), promotions(), deleted(drop=True), missing(), server()) as talk:
        assert run("artifact_release_bundle", url=talk.url, **{**TASK, "state": "absent"})["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("state", ["COMPLETED", "DRAFT"])
def test_promoted_release_bundle_is_not_deleted(state: str, check_mode: bool) -> None:
    entries = [promotion(state=state), promotion("DEV", "FAILED"), promotion("QA")]
    with conversation(status(), promotions(*entries)) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=check_mode, **{**TASK, "state": "absent"})
    assert result["msg"] == (
        f"{TITLE} has been promoted to PROD, QA and is not deleted, because it could not be restored. To delete it "
        "nevertheless, set 'allow_delete_promoted: true'."
    )
    assert not result["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_release_bundle_is_not_deleted_when_its_promotions_are_unknown(check_mode: bool) -> None:
    unknown = call("GET", f"{API}/promotion/records/app/1.0?include=messages&{PAGE}", 404, json=NOT_FOUND)
    with conversation(status(), unknown, server(), status()) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=check_mode, **{**TASK, "state": "absent"})
    assert "It is unknown whether it has been promoted." in result["msg"]
    assert not result["changed"]


def test_promoted_release_bundle_is_deleted_on_request() -> None:
    task = {**TASK, "state": "absent", "allow_delete_promoted": True}
    with conversation(status(), promotions(promotion()), deleted(204), missing(), server()) as talk:
        assert run("artifact_release_bundle", url=talk.url, **task)["changed"]


def test_release_bundle_is_not_deleted_when_promotions_cannot_be_read() -> None:
    refused = call("GET", f"{API}/promotion/records/app/1.0?include=messages&{PAGE}", 403, json=NOT_FOUND)
    with conversation(status(), refused, server(), licenses()) as talk:
        result = run("artifact_release_bundle", url=talk.url, **{**TASK, "state": "absent"})
    assert (result["failed"], result["changed"]) == (True, False)


def aql_rows(*names: str) -> Call:
    rows = [{"repo": "libs", "path": "app", "name": name, "sha256": SHA} for name in names]
    query = (
        'items.find({"$or":[{"$and":[{"repo":"libs"},{"path":"app"},{"name":"app.jar"}]}]})'
        '.include("repo","path","name","sha256")'
    )
    return call(
        "POST",
        "/artifactory/api/search/aql",
        json={"results": rows, "range": {"total": len(rows)}},
        sent_body=query.encode(),
    )


def repositories(*keys: str) -> Call:
    entries = [{"key": key, "type": "LOCAL", "packageType": "Generic"} for key in keys]
    return call("GET", "/artifactory/api/repositories", json=entries)


def test_check_mode_predicts_creation_and_promotion() -> None:
    reads = [missing(), server(), environments(), licenses(), aql_rows("app.jar"), repositories("prod")]
    options = {"environment": "PROD", "included_repository_keys": ["prod"]}
    with conversation(*reads) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=True, diff_mode=True, **options, **TASK)
    assert result["changed"]
    assert result["release_bundle"] == {
        "name": "app",
        "version": "1.0",
        "project": "",
        "status": "COMPLETED",
        "created": None,
        "created_by": None,
        "artifacts": ARTIFACTS,
        "environments": ["PROD"],
    }


@pytest.mark.parametrize(
    ("reads", "options", "message"),
    [
        ([aql_rows()], {}, "Option 'artifacts': these artifacts do not exist: libs/app/app.jar." + PREDICT_MISSING),
        (
            [aql_rows("app.jar")],
            {"artifacts": [{"path": "libs/app/app.jar", "sha256": OTHER_SHA}]},
            f"Option 'artifacts': 'libs/app/app.jar' has the SHA-256 checksum {SHA}.",
        ),
        (
            [aql_rows("app.jar"), repositories("dev")],
            {"environment": "PROD", "excluded_repository_keys": ["prod"]},
            "Option 'excluded_repository_keys': these repositories do not exist: prod." + PREDICT_MISSING,
        ),
    ],
)
def test_check_mode_predicts_refusals(reads: list[Call], options: dict[str, Any], message: str) -> None:
    checked = [environments()] if "environment" in options else []
    with conversation(missing(), server(), *checked, licenses(), *reads) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=True, **{**TASK, **options})
    assert result["msg"] == message


@pytest.mark.parametrize("check_mode", [True, False])
def test_nothing_is_created_for_an_unknown_environment(check_mode: bool) -> None:
    with conversation(missing(), server(), environments()) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=check_mode, **TASK, environment="QA")
    message = "Option 'environment': these environments do not exist: QA."
    assert (result["changed"], result["msg"]) == (False, message + PREDICT_MISSING * check_mode)


@pytest.mark.usefixtures("reported_version")
def test_environment_is_not_verified_without_permission_to_read_environments() -> None:
    forbidden = call("GET", "/access/api/v1/environments", 403, json={"errors": [{"message": "Forbidden"}]})
    after = promotions(promotion("QA", millis=2))
    calls = [
        status(),
        contents(),
        promotions(),
        forbidden,
        promoted(environment="QA"),
        after,
        status(),
        contents(),
        after,
    ]
    with conversation(*calls) as talk:
        assert run("artifact_release_bundle", url=talk.url, environment="QA", **TASK)["changed"]


def test_check_mode_predicts_missing_builds_and_release_bundles() -> None:
    gone = {"errors": [{"status": 404, "message": "No build was found"}]}
    build = call("GET", "/artifactory/api/build/app/7", 404, json=gone)
    with conversation(missing(), server(), licenses(), build) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=True, **other_task(OTHER_SOURCES[1][0]))
    assert result["msg"] == "Option 'builds': these builds do not exist: app/7." + PREDICT_MISSING
    failed = call("GET", f"{BUNDLES}/statuses/lib/2", json={"status": "FAILED"})
    with conversation(missing(), server(), licenses(), failed) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=True, **other_task(OTHER_SOURCES[2][0]))
    assert (
        result["msg"]
        == "Option 'release_bundles': these completed release bundles do not exist: lib/2." + PREDICT_MISSING
    )


def test_check_mode_does_not_require_the_sources_of_an_existing_release_bundle() -> None:
    reads = [status(), contents(), promotions(), environments(), server(), licenses()]
    with conversation(*reads) as talk:
        assert run("artifact_release_bundle", url=talk.url, check_mode=True, environment="PROD", **TASK)["changed"]


def test_check_mode_can_assume_that_sources_exist() -> None:
    options = {"environment": "QA", "predict_missing": True, "project": "web"}
    with conversation(missing("?project=web"), server(), licenses()) as talk:
        assert run("artifact_release_bundle", url=talk.url, check_mode=True, **TASK, **options)["changed"]


def test_check_mode_does_not_wait() -> None:
    running = promotions(promotion(state="PROCESSING"))
    with conversation(status("PROCESSING"), running) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=True, environment="PROD", **TASK)
    assert not result["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_other_editions_are_named(check_mode: bool) -> None:
    requirement = "Managing release bundles requires Artifactory Enterprise, but the server "
    alternative = "Use artifact_build_promotion for builds and artifact_image_promotion for images instead."
    page = call("GET", f"{BUNDLES}/statuses/app/1.0", 404, text="404 page not found")
    with conversation(page, server(license_text="Artifactory OSS")) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=check_mode, **TASK)
    assert result["msg"] == f"{requirement}is the open-source edition. {alternative}"
    refused = call("GET", f"{BUNDLES}/statuses/app/1.0", 403, json=NOT_FOUND)
    with conversation(refused, server(), licenses("Commercial")) as talk:
        result = run("artifact_release_bundle", url=talk.url, check_mode=check_mode, **TASK)
    assert result["msg"] == f"{requirement}has a license of the type 'Commercial'. {alternative}"


def test_refused_creation_names_the_edition() -> None:
    refused = call("POST", f"{BUNDLES}?async=true", 403, json=NOT_FOUND)
    with conversation(missing(), server(), refused, licenses("Commercial")) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert "has a license of the type 'Commercial'" in result["msg"]


def test_earlier_versions_are_refused() -> None:
    with conversation(missing(), server("7.63.1")) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert result["msg"].startswith("Managing release bundles requires Artifactory 7.63.2 or later. Use ")


def test_response_of_another_server_is_no_missing_release_bundle() -> None:
    page = call("GET", f"{BUNDLES}/statuses/app/1.0", 404, text="not here")
    with conversation(page, server()) as talk:
        result = run("artifact_release_bundle", url=talk.url, **{**TASK, "state": "absent"})
    assert "its reverse proxy forwards /lifecycle" in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "-app"}, "Option 'name': must be at most 255 letters, digits, underscores, periods and hyphens"),
        ({"version": "1/2"}, "Option 'version': must be at most 255"),
        ({"version": 1.1}, "Option 'version': must be a string, not a number with a fraction."),
        ({"project": "default"}, "Option 'project': must not be 'default'. Omit it for global release bundles."),
        ({"artifacts": []}, "Option 'artifacts': must not be empty."),
        ({"artifacts": [{"sha256": SHA}]}, "Option 'artifacts[0].path': is required."),
        ({"artifacts": [{"path": "libs"}]}, "Option 'artifacts[0].path': must be the key of a repository and a path"),
        ({"artifacts": [{"path": "libs/../a"}]}, "Option 'artifacts[0].path': must be the key of a repository"),
        ({"artifacts": [{"path": "a/b", "sha256": "1"}]}, "Option 'artifacts[0].sha256': must be 64 hexadecimal"),
        ({"artifacts": [{"path": "a/b", "sha256": None}]}, "Option 'artifacts[0].sha256': must not be null."),
        ({"artifacts": [{"path": "a/b"}, {"path": "a/b", "sha256": SHA}]}, "Option 'artifacts[1]': is listed twice."),
        ({"signing_key": "schlüssel"}, "Option 'signing_key': must be a name of printable ASCII characters"),
        ({"artifacts": None, "builds": [{"name": "app"}]}, "Option 'builds[0].number': is required."),
        ({"artifacts": None, "release_bundles": [{"version": "1"}]}, "Option 'release_bundles[0].name': is required."),
        ({"aql": "items.find()"}, "parameters are mutually exclusive: artifacts|aql|builds|release_bundles"),
        ({"artifacts": None, "aql": "builds.find()"}, "Option 'aql': must be an AQL query that begins with 'items.'"),
        ({"environment": "PROD", "wait": False}, "Option 'wait': must be true with 'environment'."),
        ({"environment": "PROD", "state": "absent"}, "Option 'environment': must not be set with 'state: absent'."),
        ({"included_repository_keys": ["a"]}, "missing parameter(s) required by 'included_repository_keys': enviro"),
        (
            {"environment": "PROD", "included_repository_keys": []},
            "Option 'included_repository_keys': must not be empty.",
        ),
        (
            {"environment": "PROD", "included_repository_keys": None},
            "Option 'included_repository_keys': must not be null.",
        ),
    ],
)
def test_invalid_options_fail_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as talk:
        result = run("artifact_release_bundle", url=talk.url, **{**TASK, **options})
    assert result["failed"]
    assert result["msg"].startswith(message), result["msg"]


def test_items_are_processed_and_must_be_unique() -> None:
    item = {"name": "app", "version": "1.0", "artifacts": ARTIFACTS}
    with conversation(status(), contents()) as talk:
        result = run("artifact_release_bundle", url=talk.url, items=[item])
    assert (result["changed"], result["counts"]["ok"]) == (False, 1)
    assert result["outcomes"][0]["release_bundle"]["status"] == "COMPLETED"
    with conversation() as talk:
        result = run("artifact_release_bundle", url=talk.url, items=[item, item])
    assert "duplicate of items[0]" in result["msg"]


@pytest.mark.parametrize(
    "body", [{}, [], "text", {"status": 1}, {"status": "COMPLETED", "messages": {}}, {"errors": [{"message": "no"}]}]
)
def test_unexpected_status_is_no_state(body: Any) -> None:
    with conversation(call("GET", f"{BUNDLES}/statuses/app/1.0", json=body)) as talk:
        result = run("artifact_release_bundle", url=talk.url, **TASK)
    assert (result["failed"], result["changed"]) == (True, False)
    assert "defect" not in result["msg"]


@pytest.mark.parametrize(
    "body", [{"artifacts": [{}]}, {"artifacts": {}}, {"artifacts": [artifact()], "source": []}, {"created": "now"}, []]
)
def test_unexpected_contents_are_an_error(body: Any) -> None:
    read = call("GET", f"{BUNDLES}/records/app/1.0?{PAGE}", json=body)
    task = TASK if not (isinstance(body, dict) and "source" in body) else other_task(OTHER_SOURCES[0][0])
    with conversation(status(), read) as talk:
        result = run("artifact_release_bundle", url=talk.url, **task)
    assert (result["failed"], result["changed"]) == (True, False)
    assert "defect" not in result["msg"]


@pytest.mark.parametrize("body", [{}, {"promotions": [{}]}, {"promotions": [{"status": "COMPLETED"}]}, []])
def test_unexpected_promotions_prevent_a_promotion(body: Any) -> None:
    read = call("GET", f"{API}/promotion/records/app/1.0?include=messages&{PAGE}", json=body)
    with conversation(status(), contents(), read) as talk:
        result = run("artifact_release_bundle", url=talk.url, environment="PROD", **TASK)
    assert (result["failed"], result["changed"]) == (True, False)
    assert "defect" not in result["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("query", ['items.delete({"repo":"libs"})', 'items.find({"repo":"libs"}).dryRun("false")'])
def test_query_is_refused_without_a_request_when_it_may_act(query: str, check_mode: bool) -> None:
    with conversation() as server:
        options = {"url": server.url, "name": "app", "version": "1", "aql": query}
        result = run("artifact_release_bundle", check_mode=check_mode, **options)
    assert result["msg"].startswith("Option 'aql': must be a query of the form '<domain>.find(...)', ")
