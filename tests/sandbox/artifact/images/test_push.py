# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of pushing container images to the Docker registry API of Artifactory."""

from __future__ import annotations

import hashlib
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest
import requests

from sandbox.client import Sandbox
from support.session import Session
from support.wire.artifact import error_of, properties_of

MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
LIST_TYPE = "application/vnd.docker.distribution.manifest.list.v2+json"
OCI_TYPE = "application/vnd.oci.image.manifest.v1+json"
CONFIG = json.dumps({"config": {"Labels": {"team": "web"}}}).encode()
LAYERS = (b"first layer", b"second layer")
PATHS = {"below": "/artifactory/api/docker/docker-local/v2", "root": "/v2/docker-local"}
DAY = 24 * 3600


@pytest.fixture(params=PATHS)
def registry(request: pytest.FixtureRequest, sandbox: Sandbox) -> Session:
    """A session for the registry of docker-local, once for each of its base URLs."""
    return Session(sandbox.url + PATHS[request.param], sandbox.environment["JFROG_ACCESS_TOKEN"])


@pytest.fixture
def docker(sandbox: Sandbox) -> Session:
    """A session for the registry of docker-local at its root URL."""
    return Session(sandbox.url + PATHS["root"], sandbox.environment["JFROG_ACCESS_TOKEN"])


def test_pushed_image_is_stored_in_a_folder_named_after_the_tag(registry: Session, artifactory: Session) -> None:
    pushed = _push(registry, "team/app", "1.0")
    digest = _digest(_manifest())
    assert (pushed.status_code, pushed.headers["Docker-Content-Digest"]) == (201, digest)
    assert pushed.headers["Location"] == f"{registry.base}/team/app/manifests/{digest}"
    names = ["manifest.json", *sorted(f"sha256__{_sha256(blob)}" for blob in (CONFIG, *LAYERS))]
    assert _list_children(artifactory, "team/app/1.0") == names
    assert _list_children(artifactory, "team/app") == ["1.0"]
    assert properties_of(artifactory, "docker-local/team/app/1.0/manifest.json") == {
        "docker.manifest": ["1.0"],
        "docker.manifest.digest": [digest],
        "docker.manifest.type": [MANIFEST_TYPE],
        "docker.repoName": ["team/app"],
        "docker.label.team": ["web"],
        "sha256": [digest.removeprefix("sha256:")],
    }
    for reference in ("1.0", digest):
        pulled = registry.get(f"/team/app/manifests/{reference}")
        assert (pulled.content, pulled.headers["Content-Type"]) == (_manifest(), MANIFEST_TYPE)
    assert [registry.get(f"/team/app/blobs/{_digest(layer)}").content for layer in LAYERS] == list(LAYERS)


def test_stale_layers_are_deleted_when_a_tag_is_pushed_again(docker: Session, artifactory: Session) -> None:
    _push(docker, "app", "1.0")
    _push(docker, "app/1.0", "nested")
    _push(docker, "app", "1.0", layers=(b"another layer",))
    names = sorted(f"sha256__{_sha256(blob)}" for blob in (CONFIG, b"another layer"))
    assert _list_children(artifactory, "app/1.0") == ["manifest.json", "nested", *names]


def test_manifest_list_and_members_are_stored_in_folders(docker: Session, artifactory: Session) -> None:
    member = _digest(_manifest())
    _push(docker, "app", member)
    index = json.dumps({"schemaVersion": 2, "mediaType": LIST_TYPE, "manifests": [{"digest": member}]}).encode()
    assert docker.put("/app/manifests/all", index, headers={"Content-Type": LIST_TYPE}).status_code == 201
    assert docker.get("/app/manifests/all").headers["Content-Type"] == LIST_TYPE
    assert docker.get(f"/app/manifests/{_digest(index)}").content == index
    assert docker.get(f"/app/manifests/{member}").content == _manifest()
    assert docker.get("/app/tags/list").json()["tags"] == ["all"]
    assert _list_children(artifactory, "app/all") == ["list.manifest.json"]
    assert _list_children(artifactory, "app") == ["all", member]


def test_members_are_promoted_with_their_manifest_list(sandbox: Sandbox, docker: Session, artifactory: Session) -> None:
    members = [_digest(_manifest(layers)) for layers in (LAYERS, ())]
    for member, layers in zip(members, (LAYERS, ()), strict=True):
        _push(docker, "app", member, layers)
    for tag, digests in (("all", members), ("first", members[:1])):
        manifests = [{"digest": digest} for digest in digests]
        index = json.dumps({"schemaVersion": 2, "mediaType": LIST_TYPE, "manifests": manifests})
        assert docker.put(f"/app/manifests/{tag}", index, headers={"Content-Type": LIST_TYPE}).status_code == 201
    order = {"targetRepo": "docker-release-local", "dockerRepository": "app", "tag": "all", "targetTag": "1.0"}
    promoted = artifactory.post("/api/docker/docker-local/v2/promote", json=order)
    assert promoted.text == "Promotion ended successfully"
    released = Session(docker.base.replace("docker-local", "docker-release-local"), docker.headers["Authorization"][7:])
    assert released.get("/app/tags/list").json()["tags"] == ["1.0"]
    assert [released.get(f"/app/manifests/{digest}").status_code for digest in members] == [200, 200]
    assert released.get(f"/app/blobs/{_digest(LAYERS[0])}").content == LAYERS[0]
    assert _list_children(artifactory, "app") == ["first", members[0]]


def test_tag_is_consistent_when_manifests_are_pushed_concurrently(docker: Session, artifactory: Session) -> None:
    contents = [(f"layer {number}".encode(),) for number in range(8)]
    with ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(lambda layers: _push(docker, "app", "1.0", layers), contents))
    assert {response.status_code for response in responses} == {201}
    layer_names = [layer["digest"].replace(":", "__") for layer in docker.get("/app/manifests/1.0").json()["layers"]]
    assert set(_list_children(artifactory, "app/1.0")) == {"manifest.json", f"sha256__{_sha256(CONFIG)}", *layer_names}


def test_media_type_of_the_request_is_stored_when_the_manifest_has_none(docker: Session) -> None:
    content = json.loads(_manifest())
    del content["mediaType"]
    _upload(docker, "app", *LAYERS, CONFIG)
    manifest = json.dumps(content).encode()
    docker.put("/app/manifests/1.0", manifest, headers={"Content-Type": OCI_TYPE})
    assert docker.head("/app/manifests/1.0").headers["Content-Type"] == OCI_TYPE


def test_blob_is_complete_when_it_is_uploaded_in_chunks(registry: Session) -> None:
    content = b"0123456789"
    started = registry.post("/app/blobs/uploads/")
    assert (started.status_code, started.headers["Range"]) == (202, "0-0")
    location = started.headers["Location"].removeprefix(registry.base)
    assert location == f"/app/blobs/uploads/{started.headers['Docker-Upload-Uuid']}"
    first = registry.patch(location, content[:4], headers={"Content-Range": "0-3"})
    assert (first.status_code, first.headers["Range"]) == (202, "0-3")
    wrong = registry.patch(location, content[4:], headers={"Content-Range": "5-9"})
    assert (wrong.status_code, wrong.headers["Range"], _error_code(wrong)) == (416, "0-3", "BLOB_UPLOAD_INVALID")
    assert registry.patch(location, content[4:], headers={"Content-Range": "4-9"}).headers["Range"] == "0-9"
    status = registry.get(location)
    assert (status.status_code, status.headers["Range"]) == (204, "0-9")
    finished = registry.put(f"{location}?digest={_digest(content)}")
    assert (finished.status_code, finished.headers["Docker-Content-Digest"]) == (201, _digest(content))
    assert finished.headers["Location"] == f"{registry.base}/app/blobs/{_digest(content)}"
    assert registry.get(f"/app/blobs/{_digest(content)}").content == content
    assert _error_code(registry.get(location)) == "BLOB_UPLOAD_UNKNOWN"


def test_blob_is_complete_when_it_is_uploaded_in_one_request(docker: Session) -> None:
    assert docker.post(f"/app/blobs/uploads/?digest={_digest(b'blob')}", b"blob").status_code == 201
    head = docker.head(f"/app/blobs/{_digest(b'blob')}")
    assert (head.headers["Content-Length"], head.headers["Docker-Content-Digest"]) == ("4", _digest(b"blob"))


def test_blob_is_partial_when_a_range_is_requested(docker: Session) -> None:
    _upload(docker, "app", b"0123456789")
    part = docker.get(f"/app/blobs/{_digest(b'0123456789')}", headers={"Range": "bytes=2-4"})
    assert (part.status_code, part.content, part.headers["Content-Range"]) == (206, b"234", "bytes 2-4/10")


def test_blob_is_mounted_when_another_image_contains_it(sandbox: Sandbox, registry: Session, docker: Session) -> None:
    _push(docker, "app", "1.0")
    digest = _digest(LAYERS[0])
    assert registry.post(f"/other/blobs/uploads/?mount={digest}&from=app").status_code == 201
    released = Session(
        registry.base.replace("docker-local", "docker-release-local"), docker.headers["Authorization"][7:]
    )
    mounted = released.post(f"/app/blobs/uploads/?mount={digest}&from=docker-local/app")
    assert (mounted.status_code, mounted.headers["Location"]) == (201, f"{released.base}/app/blobs/{digest}")
    assert released.get(f"/app/blobs/{digest}").content == LAYERS[0]
    assert released.post(f"/app/blobs/uploads/?mount={_digest(b'unknown')}&from=docker-local/app").status_code == 202


def test_upload_is_unknown_when_it_was_cancelled(docker: Session) -> None:
    location = _start_upload(docker, "app")
    assert docker.delete(location).status_code == 204
    assert [_error_code(docker.request(method, location)) for method in ("GET", "PATCH", "DELETE")] == [
        "BLOB_UPLOAD_UNKNOWN"
    ] * 3
    assert _error_code(docker.put(f"{location}?digest={_digest(b'')}")) == "BLOB_UPLOAD_UNKNOWN"


@pytest.mark.parametrize("end", ["cancel", "reset"])
def test_upload_is_unknown_when_it_is_cancelled_during_the_last_chunk(
    sandbox: Sandbox, docker: Session, end: str
) -> None:
    location = _start_upload(docker, "app")
    with _send_request_head(
        docker, "PUT", f"{location}?digest={_digest(b'12')}", 2, "Expect: 100-continue"
    ) as connection:
        assert connection.recv(1024).startswith(b"HTTP/1.1 100 ")  # the server is reading the body
        if end == "reset":
            sandbox.reset()
        else:
            assert docker.delete(location).status_code == 204
        connection.sendall(b"12")
        assert connection.recv(1024).startswith(b"HTTP/1.1 404 ")


def test_upload_continues_when_it_takes_longer_than_a_day(sandbox: Sandbox, docker: Session) -> None:
    location = _start_upload(docker, "app")

    def chunks() -> Iterator[bytes]:
        yield b"1"
        sandbox.clock(advance=DAY + 60)
        assert docker.get(location).status_code == 204
        yield b"2"

    sender = Session(docker.base, sandbox.environment["JFROG_ACCESS_TOKEN"])
    assert sender.put(f"{location}?digest={_digest(b'12')}", chunks()).status_code == 201


def test_upload_is_unknown_when_the_image_differs(docker: Session) -> None:
    location = _start_upload(docker, "app")
    assert _error_code(docker.get(location.replace("/app/", "/other/"))) == "BLOB_UPLOAD_UNKNOWN"


def test_upload_expires_when_it_is_idle_for_a_day(sandbox: Sandbox, docker: Session) -> None:
    location = _start_upload(docker, "app")
    docker.patch(location, b"1234")
    sandbox.clock(advance=DAY - 60)
    assert docker.get(location).status_code == 204
    sandbox.clock(advance=120)
    assert _error_code(docker.get(location)) == "BLOB_UPLOAD_UNKNOWN"


def test_blobs_are_deleted_when_no_manifest_refers_to_them_for_a_day(
    sandbox: Sandbox, docker: Session, artifactory: Session
) -> None:
    _upload(docker, "app", b"blob")
    artifactory.put("/generic-local/_uploads/kept", b"of another kind")
    assert _list_children(artifactory, "app/_uploads") == [f"sha256__{_sha256(b'blob')}"]
    assert _error_code(docker.get("/app/tags/list")) == "NAME_UNKNOWN"
    assert "app" not in docker.get("/_catalog").json()["repositories"]
    sandbox.clock(advance=DAY + 60)
    assert artifactory.get("/api/storage/docker-local/app").status_code == 404
    assert artifactory.get("/api/storage/generic-local/_uploads/kept").status_code == 200


def test_chunk_is_discarded_when_the_connection_breaks(sandbox: Sandbox, docker: Session) -> None:
    location = _start_upload(docker, "app")
    docker.patch(location, b"1234")
    with _send_request_head(docker, "PATCH", location, 100) as connection:
        connection.sendall(b"broken")
    assert docker.patch(location, b"5678").headers["Range"] == "0-7"
    assert docker.put(f"{location}?digest={_digest(b'12345678')}").status_code == 201


def test_blob_is_refused_when_its_digest_differs(docker: Session) -> None:
    location = _start_upload(docker, "app")
    assert _error_code(docker.put(f"{location}?digest=nonsense", b"blob")) == "DIGEST_INVALID"
    assert _error_code(docker.put(f"{location}?digest={_digest(b'other')}", b"blob")) == "DIGEST_INVALID"
    assert _error_code(docker.get(location)) == "BLOB_UPLOAD_UNKNOWN"
    unknown = docker.get(f"/app/blobs/{_digest(b'blob')}")
    assert (unknown.status_code, _error_code(unknown)) == (404, "BLOB_UNKNOWN")


@pytest.mark.parametrize(
    ("image", "reference", "content", "code"),
    [
        ("app", "1.0", b"no JSON", "MANIFEST_INVALID"),
        ("app", "1.0", b"[]", "MANIFEST_INVALID"),
        ("app", "1.0", b"[" * 100_000, "MANIFEST_INVALID"),
        ("app", "1.0", b'{"schemaVersion": 1, "fsLayers": []}', "MANIFEST_INVALID"),
        ("app", "1.0", b'{"schemaVersion": 2, "config": {"digest": "x"}, "layers": []}', "DIGEST_INVALID"),
        ("app", "1.0", b'{"schemaVersion": 2, "config": {}, "layers": []}', "MANIFEST_INVALID"),
        ("app", "1.0", b'{"schemaVersion": 2, "config": {"digest": {}}, "layers": []}', "MANIFEST_INVALID"),
        ("app", "1.0", b'{"schemaVersion": 2, "config": {"digest": null}, "layers": []}', "DIGEST_INVALID"),
        ("app", "1.0", b" " * 5_000_000, "SIZE_INVALID"),
        ("app", "unknown", None, "MANIFEST_BLOB_UNKNOWN"),
        ("app", "-1.0", None, "TAG_INVALID"),
        ("app", f"sha256:{'0' * 64}", None, "DIGEST_INVALID"),
        ("App", "1.0", None, "NAME_INVALID"),
        ("a" * 256, "1.0", None, "NAME_INVALID"),
    ],
)
def test_manifest_is_refused_when_it_is_invalid(
    docker: Session, artifactory: Session, image: str, reference: str, content: bytes | None, code: str
) -> None:
    body = _manifest() if content is None else content
    refused = docker.put(f"/{image}/manifests/{reference}", body, headers={"Content-Type": MANIFEST_TYPE})
    assert _error_code(refused) == code
    assert refused.status_code == (413 if code == "SIZE_INVALID" else 400)
    assert artifactory.get(f"/api/storage/docker-local/{image}").status_code == 404


@pytest.mark.parametrize("media_type", ["x", "a/b\r\nX-Other: 1", "a/\N{GRINNING FACE}", f"a/{'b' * 70_000}", {"a": 1}])
def test_media_type_is_ignored_when_it_is_not_a_valid_header_value(
    docker: Session, artifactory: Session, media_type: Any
) -> None:
    _upload(docker, "app", CONFIG, *LAYERS)
    manifest = json.dumps({**json.loads(_manifest()), "mediaType": media_type})
    assert _error_code(docker.put("/app/manifests/1.0", manifest)) == "MANIFEST_INVALID"
    assert artifactory.put("/docker-local/app/1.0/manifest.json", manifest).status_code == 201
    assert docker.get("/app/manifests/1.0").headers["Content-Type"] == MANIFEST_TYPE


def test_labels_are_omitted_when_they_are_not_strings(docker: Session, artifactory: Session) -> None:
    config = json.dumps({"config": {"Labels": {"none": None, "half": "\ud800", "number": 1}}}).encode()
    _push(docker, "app", "1.0", config=config)
    properties = properties_of(artifactory, "docker-local/app/1.0/manifest.json")
    assert {name: values for name, values in properties.items() if "label" in name} == {"docker.label.half": ["?"]}


def test_manifest_list_is_refused_when_a_member_is_missing(docker: Session) -> None:
    index = {"schemaVersion": 2, "mediaType": LIST_TYPE, "manifests": [{"digest": _digest(b"unknown")}]}
    refused = docker.put("/app/manifests/all", json.dumps(index), headers={"Content-Type": LIST_TYPE})
    assert _error_code(refused) == "MANIFEST_BLOB_UNKNOWN"


def test_tags_are_deleted_when_their_digest_is_deleted(docker: Session, artifactory: Session) -> None:
    for tag in ("1.0", "latest"):
        _push(docker, "app", tag)
    _push(docker, "app", "1.1", layers=())
    assert docker.delete("/app/manifests/1.1").status_code == 202
    assert docker.get("/app/tags/list").json()["tags"] == ["1.0", "latest"]
    assert docker.delete(f"/app/manifests/{_digest(_manifest())}").status_code == 202
    assert _error_code(docker.delete("/app/manifests/1.0")) == "MANIFEST_UNKNOWN"
    assert _list_children(artifactory, "app") == []
    blob = docker.delete(f"/app/blobs/{_digest(CONFIG)}")
    assert (blob.status_code, _error_code(blob)) == (405, "UNSUPPORTED")


def test_nested_images_are_kept_when_the_tag_is_deleted(docker: Session, artifactory: Session) -> None:
    _push(docker, "app", "web")
    _push(docker, "app/web", "1.0")
    assert docker.delete("/app/manifests/web").status_code == 202
    assert _list_children(artifactory, "app/web") == ["1.0"]
    assert docker.get("/app/web/manifests/1.0").content == _manifest()


def test_blob_is_refused_when_its_folder_is_a_file(docker: Session, artifactory: Session) -> None:
    artifactory.put("/docker-local/taken", b"a file")
    _push(docker, "app", "1.0")
    assert _error_code(docker.post(f"/taken/blobs/uploads/?mount={_digest(CONFIG)}&from=app")) == "MANIFEST_INVALID"
    assert _error_code(docker.post(f"/taken/blobs/uploads/?digest={_digest(b'x')}", b"x")) == "MANIFEST_INVALID"


def test_push_is_denied_when_permissions_are_missing(sandbox: Sandbox, docker: Session) -> None:
    _push(docker, "app", "1.0")
    users = [
        {"name": "pusher", "password": "pw", "permissions": {"docker-local": "rw"}},
        {"name": "deleter", "password": "pw", "permissions": {"docker-local": "rwd"}},
    ]
    sandbox.seed({"artifact": {"users": users}})
    reader, pusher, deleter = (
        Session(docker.base, (name, password))
        for name, password in (("reader", "sandbox-reader"), ("pusher", "pw"), ("deleter", "pw"))
    )
    refused = reader.post("/app/blobs/uploads/")
    assert (refused.status_code, _error_code(refused)) == (403, "DENIED")
    assert _push(pusher, "app", "1.0").status_code == 201
    changed = _push(pusher, "app", "1.0", layers=())
    assert (changed.status_code, _error_code(changed)) == (403, "DENIED")
    assert _error_code(pusher.delete("/app/manifests/1.0")) == "DENIED"
    assert _push(deleter, "app", "1.0", layers=()).status_code == 201


@pytest.mark.parametrize("hidden", [False, True])
def test_images_are_hidden_when_the_caller_may_not_read_them(
    sandbox: Sandbox, registry: Session, docker: Session, artifactory: Session, hidden: bool
) -> None:
    _push(docker, "open/app", "1.0")
    _push(docker, "secret/app", "1.0", layers=(b"secret",))
    sandbox.seed({"artifact": {"users": [{"name": "guest", "password": "pw"}]}})
    target = {"includesPattern": "open/**", "repositories": ["docker-local"], "principals": {"users": {"guest": ["r"]}}}
    assert artifactory.put("/api/security/permissions/open", json=target).status_code == 201
    sandbox.switch("artifact", hide_unauthorized=hidden)
    guest = Session(registry.base, ("guest", "pw"))
    assert guest.get("/_catalog").json() == {"repositories": ["open/app"]}
    everything = Session(f"{sandbox.url}/v2", ("guest", "pw")).get("/_catalog")
    assert everything.json() == {"repositories": ["docker-local/open/app"]}
    assert guest.get("/open/app/manifests/1.0").status_code == 200
    assert guest.get("/open/app/tags/list").json()["tags"] == ["1.0"]
    digest = _digest(_manifest((b"secret",)))
    for path in ("manifests/1.0", f"manifests/{digest}", "tags/list"):
        refused = guest.get(f"/secret/app/{path}")
        response = guest.get(f"/missing/app/{path}")
        assert response.status_code == 404
        assert (refused.status_code, _error_code(refused)) == (
            (404, _error_code(response)) if hidden else (403, "DENIED")
        )
    assert _error_code(guest.get(f"/secret/app/blobs/{_digest(b'secret')}")) == "BLOB_UNKNOWN"


def test_challenge_contains_the_scope_when_credentials_are_missing(sandbox: Sandbox) -> None:
    host = urlsplit(sandbox.url).netloc
    ping = requests.get(f"{sandbox.url}/v2/")
    realm = f'Bearer realm="{sandbox.url}/artifactory/api/docker/null/v2/token",service="{host}"'
    assert (ping.status_code, ping.headers["WWW-Authenticate"]) == (401, realm)
    refused = requests.post(f"{sandbox.url}/v2/docker-local/app/blobs/uploads/")
    realm = f'Bearer realm="{sandbox.url}/artifactory/api/docker/docker-local/v2/token",service="{host}"'
    scope = ',scope="repository:docker-local/app:pull,push"'
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, realm + scope)
    token = requests.get(f"{sandbox.url}/v2/token", auth=("admin", "sandbox-admin")).json()["token"]
    assert requests.get(f"{sandbox.url}/v2/", headers={"Authorization": f"Bearer {token}"}).json() == {}
    wrong = requests.get(f"{sandbox.url}/v2/", auth=("admin", "wrong"))
    assert (wrong.status_code, _error_code(wrong)) == (401, "UNAUTHORIZED")


def test_catalog_lists_all_repositories_when_no_repository_is_given(sandbox: Sandbox, docker: Session) -> None:
    _push(Session(f"{sandbox.url}/v2/docker-release-local", docker.headers["Authorization"][7:]), "app", "1.0")
    names = requests.get(f"{sandbox.url}/v2/_catalog", headers=docker.headers).json()["repositories"]
    assert names == ["docker-local/acme/web", "docker-local/acme/worker", "docker-release-local/app"]


def test_page_links_are_usable_when_the_registry_is_at_the_root(docker: Session) -> None:
    for tag in ("1.0", "1.1"):
        _push(docker, "app", tag)
    first = docker.get("/app/tags/list?n=1")
    assert (first.json()["name"], first.json()["tags"]) == ("docker-local/app", ["1.0"])
    following = urlsplit(docker.base).path
    assert first.headers["Link"] == f'<{following}/app/tags/list?last=1&n=1>; rel="next"'


def test_push_to_a_virtual_repository_is_stored_in_its_local_repository(sandbox: Sandbox, docker: Session) -> None:
    members = {"rclass": "virtual", "packageType": "docker", "repositories": ["docker-local"]}
    repositories = [{"key": "open", **members, "defaultDeploymentRepo": "docker-local"}, {"key": "closed", **members}]
    sandbox.seed({"artifact": {"repositories": repositories}})
    token = docker.headers["Authorization"][7:]
    assert _push(Session(f"{sandbox.url}/v2/open", token), "app", "1.0").status_code == 201
    closed = Session(f"{sandbox.url}/v2/closed", token)
    assert closed.get("/app/manifests/1.0").content == _manifest()
    refused = closed.post("/app/blobs/uploads/")
    assert (refused.status_code, _error_code(refused)) == (405, "UNSUPPORTED")


def test_push_is_refused_when_the_repository_is_not_a_registry(sandbox: Sandbox, docker: Session) -> None:
    generic = Session(f"{sandbox.url}/v2/generic-local", docker.headers["Authorization"][7:])
    assert _error_code(generic.post("/app/blobs/uploads/")) == "NAME_UNKNOWN"
    sandbox.switch("artifact", edition="oss")
    assert error_of(docker.post("/app/blobs/uploads/"))[0] == 400


def test_push_is_refused_when_the_disk_is_full(sandbox: Sandbox, docker: Session) -> None:
    _push(docker, "app", "1.0")
    location = _start_upload(docker, "app")
    sandbox.switch("artifact", disk_full=True)
    assert docker.post("/app/blobs/uploads/").status_code == 413
    assert docker.patch(location, b"1234").status_code == 413
    assert docker.put("/app/manifests/1.1", _manifest()).status_code == 413
    assert docker.delete(location).status_code == 204
    assert docker.delete("/app/manifests/1.0").status_code == 202


def test_upload_is_unknown_when_the_sandbox_was_reset(sandbox: Sandbox, docker: Session) -> None:
    location = _start_upload(docker, "app")
    docker.patch(location, b"1234")
    sandbox.reset()
    assert _error_code(docker.get(location)) == "BLOB_UPLOAD_UNKNOWN"


def _manifest(layers: tuple[bytes, ...] = LAYERS, config: bytes = CONFIG) -> bytes:
    config_descriptor, *descriptors = ({"digest": _digest(blob), "size": len(blob)} for blob in (config, *layers))
    manifest = {"schemaVersion": 2, "mediaType": MANIFEST_TYPE, "config": config_descriptor, "layers": descriptors}
    return json.dumps(manifest).encode()


def _push(
    registry: Session, image: str, reference: str, layers: tuple[bytes, ...] = LAYERS, config: bytes = CONFIG
) -> requests.Response:
    _upload(registry, image, config, *layers)
    content = _manifest(layers, config)
    return registry.put(f"/{image}/manifests/{reference}", content, headers={"Content-Type": MANIFEST_TYPE})


def _upload(registry: Session, image: str, *blobs: bytes) -> None:
    for blob in blobs:
        assert registry.put(f"{_start_upload(registry, image)}?digest={_digest(blob)}", blob).status_code == 201


def _start_upload(registry: Session, image: str) -> str:
    """Start an upload and return its path relative to the registry."""
    return registry.post(f"/{image}/blobs/uploads/").headers["Location"].removeprefix(registry.base)


def _send_request_head(registry: Session, method: str, path: str, length: int, *headers: str) -> socket.socket:
    """Send the head of a request and return the connection on which the body is expected."""
    address = urlsplit(registry.base)
    lines = (
        f"{method} {address.path}{path} HTTP/1.1",
        f"Host: {address.netloc}",
        f"Authorization: {registry.headers['Authorization']}",
        f"Content-Length: {length}",
        *headers,
    )
    connection = socket.create_connection((address.hostname, address.port))
    connection.sendall("\r\n".join((*lines, "", "")).encode())
    return connection


def _list_children(artifactory: Session, path: str) -> list[str]:
    """Return the names of the children of a folder in docker-local."""
    children = artifactory.get(f"/api/storage/docker-local/{path}").json()["children"]
    return [child["uri"].removeprefix("/") for child in children]


def _error_code(response: requests.Response) -> Any:
    return response.json()["errors"][0]["code"]


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _digest(content: bytes) -> str:
    return f"sha256:{_sha256(content)}"
