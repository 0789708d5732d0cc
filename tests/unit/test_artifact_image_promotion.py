# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from support.aql_answer import aql_body
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

DOCKER = "/artifactory/api/docker"
ONE, OTHER = "sha256:" + "1" * 64, "sha256:" + "2" * 64
COPY: dict[str, Any] = {"repo": "stage", "image": "acme/web", "tag": "1.0", "target_repo": "prod", "copy": True}
MOVE: dict[str, Any] = {**COPY, "copy": False}
WHOLE: dict[str, Any] = {name: value for name, value in COPY.items() if name != "tag"}
TYPES = (
    "application/vnd.oci.image.index.v1+json, application/vnd.oci.image.manifest.v1+json, "
    "application/vnd.docker.distribution.manifest.list.v2+json, application/vnd.docker.distribution.manifest.v2+json"
)


def manifest(repo: str, digest: str | None, tag: str = "1.0", image: str = "acme/web", **answer: Any) -> Call:
    """Return the read of a tag's manifest, which is missing without a digest."""
    target = f"{DOCKER}/{repo}/v2/{image}/manifests/{tag}"
    if digest is None:
        error = {"code": "MANIFEST_UNKNOWN", "message": "The named manifest is not known to the registry."}
        return call("GET", target, 404, json={"errors": [error]})
    headers = {"Docker-Content-Digest": digest}
    return call("GET", target, json={"schemaVersion": 2}, headers=headers, sent_headers={"Accept": TYPES})


def tags(repo: str, *names: str) -> Call:
    target = f"{DOCKER}/{repo}/v2/acme/web/tags/list?n=1000"
    if not names:
        return call("GET", target, 404, json={"errors": [{"code": "NAME_UNKNOWN", "message": "…", "detail": {}}]})
    return call("GET", target, json={"name": "acme/web", "tags": list(names)})


def repository(key: str, **settings: str) -> Call:
    """Return the requests of check mode before it predicts a promotion."""
    document = {"key": key, "rclass": "local", "packageType": "docker", **settings}
    return call("GET", f"/artifactory/api/repositories/{key}", json=document)


def promote(copy: bool = True, tag: str | None = "1.0", **answer: Any) -> Call:
    order: dict[str, Any] = {"targetRepo": "prod", "dockerRepository": "acme/web", "copy": copy}
    if tag:
        order["tag"] = tag
    order.update(answer.pop("more", {}))
    answer.setdefault("text", "Promotion ended successfully")
    return call("POST", f"{DOCKER}/stage/v2/promote", sent_json=order, **answer)


def query_folders(repo: str, *folders: str, image: str = "acme/web", **others: list[str]) -> Call:
    """Return the query for the contents of tag folders, with additional entries from `others`.

    In `others` a name that ends in a slash is a folder.
    """
    paths = [f"{image}/{folder}".rstrip("/") for folder in folders]
    condition = ",".join(f'{{"path":"{path}"}}' for path in paths)
    query = f'items.find({{"repo":"{repo}"}},{{"type":"any"}},{{"$or":[{condition}]}})'
    names = [(path, name) for path in paths for name in ("manifest.json", "sha256__" + "a" * 64)]
    names = [(f"{image}/{folder}".rstrip("/"), name) for folder, some in others.items() for name in some] or names
    rows = [
        {
            "repo": repo,
            "path": path,
            "name": name.rstrip("/"),
            "type": "folder" if name.endswith("/") else "file",
            "size": 1,
        }
        for path, name in names
    ]
    body = f'{query}.include("repo","path","name","type","size")'.encode()
    return call("POST", "/artifactory/api/search/aql", json=aql_body(rows), sent_body=body)


def folders(tag: str = "1.0") -> list[Call]:
    return [query_folders("stage", tag), query_folders("prod", tag)]


def step(action: str, tag: str = "1.0", digest: str = ONE, replaces: str | None = None) -> dict[str, Any]:
    return {"action": action, "tag": tag, "target_tag": tag, "digest": digest, "replaces": replaces}


def test_tag_is_copied_and_verified() -> None:
    before = [manifest("stage", ONE), manifest("prod", None), *folders()]
    with conversation(*before, promote(), manifest("prod", ONE)) as server:
        result = run("artifact_image_promotion", url=server.url, **COPY)
    assert result == {
        "changed": True,
        "plan": {"counts": {"copy": 1}, "first": [step("copy")]},
        "promoted": [{"tag": "1.0", "target_tag": "1.0", "digest": ONE}],
    }


def test_tag_is_unchanged_when_the_digests_are_equal() -> None:
    with conversation(manifest("stage", ONE), manifest("prod", ONE)) as server:
        result = run("artifact_image_promotion", url=server.url, **COPY)
    assert result == {"changed": False, "plan": None, "promoted": None}


def test_tag_is_replaced_when_the_digests_differ() -> None:
    before = [manifest("stage", ONE), manifest("prod", OTHER), *folders()]
    with conversation(*before, promote(), manifest("prod", ONE)) as server:
        result = run("artifact_image_promotion", url=server.url, **COPY)
    assert result["plan"]["first"] == [step("copy", replaces=OTHER)]


def test_check_mode_only_reads() -> None:
    before = [manifest("stage", ONE), manifest("prod", None), *folders()]
    with conversation(*before, repository("stage"), repository("prod")) as server:
        result = run("artifact_image_promotion", url=server.url, check_mode=True, **COPY)
    assert result == {
        "changed": True,
        "plan": {"counts": {"copy": 1}, "first": [step("copy")]},
        "promoted": None,
    }


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ({"rclass": "remote"}, "The repository 'prod' is remote. Promoting images requires a local repository."),
        ({"rclass": "virtual"}, "The repository 'prod' is virtual. Promoting images requires a local repository."),
        ({"packageType": "generic"}, "The repository 'prod' has the package type generic and cannot store images."),
    ],
)
def test_check_mode_fails_when_the_repository_takes_no_images(target: dict[str, str], words: str) -> None:
    before = [manifest("stage", ONE), manifest("prod", None), *folders()]
    with conversation(*before, repository("stage"), repository("prod", **target)) as server:
        result = run("artifact_image_promotion", url=server.url, check_mode=True, **COPY)
    assert result["msg"] == words
    assert not result["changed"]


def test_request_contains_the_target_image_and_tag() -> None:
    more = {"targetDockerRepository": "web", "targetTag": "stable"}
    target = {"image": "web", "tag": "stable"}
    before = [manifest("stage", ONE), manifest("prod", None, **target)]
    content = [query_folders("stage", "1.0"), query_folders("prod", "stable", image="web")]
    with conversation(*before, *content, promote(more=more), manifest("prod", ONE, **target)) as server:
        result = run("artifact_image_promotion", url=server.url, target_image="web", target_tag="stable", **COPY)
    assert result["promoted"] == [{"tag": "1.0", "target_tag": "stable", "digest": ONE}]


def test_task_fails_when_a_moved_tag_still_exists() -> None:
    before = [manifest("stage", ONE), manifest("prod", None), *folders()]
    with conversation(*before, promote(copy=False), manifest("prod", ONE), manifest("stage", None)) as server:
        assert run("artifact_image_promotion", url=server.url, **MOVE)["changed"]
    with conversation(*before, promote(copy=False), manifest("prod", ONE), manifest("stage", ONE)) as server:
        result = run("artifact_image_promotion", url=server.url, **MOVE)
    assert result["failed"]
    assert "'acme/web:1.0' still exists in 'stage'" in result["msg"]


def test_move_is_complete_when_only_the_target_exists() -> None:
    with conversation(manifest("stage", None), manifest("prod", ONE)) as server:
        assert not run("artifact_image_promotion", url=server.url, **MOVE)["changed"]


def test_move_deletes_the_source_when_the_target_exists() -> None:
    before = [manifest("stage", ONE), manifest("prod", ONE), *folders()]
    with conversation(*before, promote(copy=False), manifest("prod", ONE), manifest("stage", None)) as server:
        assert run("artifact_image_promotion", url=server.url, **MOVE)["changed"]


@pytest.mark.parametrize(("task", "there"), [(COPY, None), (COPY, ONE), (MOVE, None)])
def test_task_fails_when_the_tag_does_not_exist(task: dict[str, Any], there: str | None) -> None:
    with conversation(manifest("stage", None), manifest("prod", there)) as server:
        result = run("artifact_image_promotion", url=server.url, **task)
    assert "Image 'acme/web:1.0' does not exist in repository 'stage'" in result["msg"]


def test_all_tags_are_compared_when_no_tag_is_set() -> None:
    before = [
        tags("stage", "2.0", "1.0"),
        manifest("stage", ONE),
        manifest("prod", ONE),
        manifest("stage", OTHER, "2.0"),
        manifest("prod", None, "2.0"),
        query_folders("stage", "", **{"": ["1.0/", "2.0/", "_uploads/", "sha256:1/"]}),
        query_folders("stage", "1.0", "2.0"),
        query_folders("prod", "1.0", "2.0"),
    ]
    with conversation(*before, promote(tag=None), manifest("prod", OTHER, "2.0")) as server:
        result = run("artifact_image_promotion", url=server.url, **WHOLE)
    assert result["plan"] == {"counts": {"copy": 1}, "first": [step("copy", "2.0", OTHER)]}


def test_move_of_all_tags_is_complete_when_only_the_target_exists() -> None:
    with conversation(tags("stage"), tags("prod", "1.0")) as server:
        assert not run("artifact_image_promotion", url=server.url, **{**WHOLE, "copy": False})["changed"]


@pytest.mark.parametrize("copy", [True, False])
def test_task_fails_when_the_image_does_not_exist(copy: bool) -> None:
    with conversation(tags("stage"), *([] if copy else [tags("prod")])) as server:
        result = run("artifact_image_promotion", url=server.url, **{**WHOLE, "copy": copy})
    assert "Image 'acme/web' does not exist in repository 'stage'" in result["msg"]


@pytest.mark.parametrize(("there", "has"), [(None, "no manifest"), (OTHER, f"the manifest {OTHER}")])
def test_task_fails_when_a_success_has_no_effect(there: str | None, has: str) -> None:
    before = [manifest("stage", ONE), manifest("prod", None), *folders()]
    with conversation(*before, promote(), manifest("prod", there)) as server:
        result = run("artifact_image_promotion", url=server.url, **COPY)
    assert result["failed"]
    assert f"'acme/web:1.0' in 'prod' has {has} instead of {ONE}" in result["msg"]


def test_copy_is_retried_and_move_is_verified_when_the_response_is_lost() -> None:
    before = [manifest("stage", ONE), manifest("prod", None), *folders()]
    with conversation(*before, promote(drop=True), promote(), manifest("prod", ONE)) as server:
        assert run("artifact_image_promotion", url=server.url, **COPY)["changed"]
    lost = promote(copy=False, drop=True)
    with conversation(*before, lost, manifest("prod", ONE), manifest("stage", None)) as server:
        result = run("artifact_image_promotion", url=server.url, **MOVE)
    assert result["changed"]
    assert "Reading back shows that the request had its effect." in result["warnings"][0]
    with conversation(*before, lost, manifest("prod", None)) as server:
        assert "is not known" in run("artifact_image_promotion", url=server.url, **MOVE)["msg"]


def test_digest_is_computed_when_the_server_omits_it() -> None:
    body = '{"schemaVersion": 2}'
    digest = f"sha256:{hashlib.sha256(body.encode()).hexdigest()}"
    same = call("GET", f"{DOCKER}/stage/v2/acme/web/manifests/1.0", text=body)
    with conversation(same, manifest("prod", digest)) as server:
        assert not run("artifact_image_promotion", url=server.url, **COPY)["changed"]


def test_task_fails_when_a_404_is_not_from_artifactory() -> None:
    not_found = call("GET", f"{DOCKER}/stage/v2/acme/web/manifests/1.0", 404, text="<html>nginx</html>")
    with conversation(not_found) as server:
        result = run("artifact_image_promotion", url=server.url, **COPY)
    assert "404 Not Found" in result["msg"]


def test_error_contains_the_servers_message() -> None:
    refusal = promote(status=403, text="Not enough permissions to delete/overwrite artifact 'prod:acme/web/1.0'")
    with conversation(manifest("stage", ONE), manifest("prod", OTHER), *folders(), refusal) as server:
        result = run("artifact_image_promotion", url=server.url, **COPY)
    assert "403 Not enough permissions to delete/overwrite artifact 'prod:acme/web/1.0'." in result["msg"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"target_repo": "stage"}, "Option 'target_repo': has the same image and tag"),
        ({"target_repo": "stage", "target_image": "/acme/web/", "target_tag": "1.0"}, "has the same image and tag"),
        ({"image": "a//b"}, "Option 'image': '' is not a valid part of a path"),
        ({"tag": ".."}, "Option 'tag': must be a name without '/', other than '.' and '..'"),
        ({"repo": "."}, "Option 'repo': must be a name without '/', other than '.' and '..'"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_image_promotion", url=server.url, **{**COPY, **options})
    assert result["failed"]
    assert problem in result["msg"]


def test_a_target_tag_is_refused_when_no_tag_is_given() -> None:
    with conversation() as server:
        result = run("artifact_image_promotion", url=server.url, **WHOLE, target_tag="x")
    assert result["failed"]
    assert "missing parameter(s) required by 'target_tag': tag" in result["msg"]


# Entries below the folders that the server copies, moves or replaces

NESTED = {"1.0": ["manifest.json", "2.0/"]}
READ = [manifest("stage", ONE), manifest("prod", None)]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("task", [COPY, MOVE])
def test_promotion_fails_when_an_image_lies_below_the_tag(task: dict[str, Any], check_mode: bool) -> None:
    with conversation(*READ, query_folders("stage", "1.0", **NESTED)) as server:
        result = run("artifact_image_promotion", url=server.url, check_mode=check_mode, **task)
    assert result["failed"]
    assert not result["changed"]
    assert "'acme/web/1.0/2.0' in 'stage' is not part of the image" in result["msg"]


def test_promotion_fails_when_an_image_lies_below_the_tag_to_replace() -> None:
    with conversation(*READ, query_folders("stage", "1.0"), query_folders("prod", "1.0", **NESTED)) as server:
        result = run("artifact_image_promotion", url=server.url, **MOVE)
    assert "'acme/web/1.0/2.0' in 'prod' is not part of the image" in result["msg"]


@pytest.mark.parametrize("entry", ["other/", "notes.txt"])
def test_promotion_of_all_tags_fails_when_something_else_lies_below_the_image(entry: str) -> None:
    before = [tags("stage", "1.0"), *READ, query_folders("stage", "", **{"": ["1.0/", entry]})]
    with conversation(*before) as server:
        result = run("artifact_image_promotion", url=server.url, **{**WHOLE, "copy": False})
    assert f"'acme/web/{entry.rstrip('/')}' in 'stage' is not part of the image" in result["msg"]


def test_promotion_of_all_tags_fails_when_the_content_of_the_image_is_hidden() -> None:
    before = [tags("stage", "1.0"), *READ, call("POST", "/artifactory/api/search/aql", json=aql_body([]))]
    with conversation(*before) as server:
        result = run("artifact_image_promotion", url=server.url, **{**WHOLE, "copy": False})
    assert "The content of 'acme/web' in 'stage' is unknown" in result["msg"]


def test_promotion_fails_when_the_content_of_the_tag_is_hidden() -> None:
    with conversation(*READ, call("POST", "/artifactory/api/search/aql", json=aql_body([]))) as server:
        result = run("artifact_image_promotion", url=server.url, **MOVE)
    assert "The content of 'acme/web/1.0' in 'stage' is unknown" in result["msg"]


def test_promotion_fails_when_the_content_of_the_tag_to_replace_is_hidden() -> None:
    hidden = call("POST", "/artifactory/api/search/aql", json=aql_body([]))
    with conversation(manifest("stage", ONE), manifest("prod", OTHER), query_folders("stage", "1.0"), hidden) as server:
        result = run("artifact_image_promotion", url=server.url, **COPY)
    assert "The content of 'acme/web/1.0' in 'prod' is unknown" in result["msg"]


# Several images


def test_each_image_has_an_outcome() -> None:
    done = [manifest("stage", ONE), manifest("prod", ONE)]
    absent = manifest("stage", None, "2.0")
    with conversation(*done, absent, manifest("prod", None, "2.0")) as server:
        result = run(
            "artifact_image_promotion",
            url=server.url,
            **WHOLE,
            items=[{"tag": "1.0"}, {"tag": "2.0"}],
            workers=1,
            on_error="report",
        )
    assert (result["counts"]["ok"], result["counts"]["failed"]) == (1, 1)
    assert result["outcomes"][1]["plan"] is None
    assert result["failures"][0]["reason"].startswith("Image 'acme/web:2.0' does not exist in repository 'stage'")


@pytest.mark.parametrize(
    ("items", "problem"),
    [
        ([{"tag": "1"}, {"tag": "1", "repo": "other"}], "items[1]: duplicate of items[0]."),
        ([{"tag": "1"}, {"tag": "2", "target_tag": "1"}], "items[1]: duplicate of items[0]."),
        ([{"tag": "1"}, {"target_repo": "stage"}], "Option 'items[1].target_repo': has the same image and tag"),
        ([{"tag": "1"}, {"target_tag": "1"}], "items[1]: missing parameter(s) required by 'target_tag': tag"),
        ([{"tag": "1"}, {"image": "a/../b"}], "Option 'items[1].image': '..' is not a valid part of a path"),
    ],
)
def test_wrong_items_are_refused_before_any_request(items: list[dict[str, str]], problem: str) -> None:
    with conversation() as server:
        result = run("artifact_image_promotion", url=server.url, **WHOLE, items=items)
    assert problem in result["msg"]
