# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of tags, catalog, tokens and manifests in the Docker registry API of Artifactory."""

from __future__ import annotations

import hashlib

import pytest

from support.session import Session
from support.wire.artifact import CHALLENGE, error_of, properties_of


def test_tags_are_listed(artifactory):
    response = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list")
    assert response.json() == {"name": "acme/web", "tags": ["1.0.0", "1.0.1", "latest"]}
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Docker-Distribution-Api-Version"] == "registry/2.0"
    assert "Link" not in response.headers
    unlimited = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list?n=0")
    assert unlimited.json() == response.json()


def test_catalog_lists_images(artifactory):
    response = artifactory.get("/api/docker/docker-local/v2/_catalog")
    assert response.json() == {"repositories": ["acme/web", "acme/worker"]}


def test_page_link_has_an_offset_and_an_unusable_path(artifactory):
    path = "/api/docker/docker-local/v2/acme/web/tags/list"
    first = artifactory.get(f"{path}?n=2")
    assert first.json()["tags"] == ["1.0.0", "1.0.1"]
    assert first.headers["Link"] == '</v2/acme/web/tags/list?last=2&n=2>; rel="next"'
    second = artifactory.get(f"{path}?last=2&n=2")
    assert second.json()["tags"] == ["latest"]
    assert "Link" not in second.headers
    catalog = artifactory.get("/api/docker/docker-local/v2/_catalog?n=1")
    assert catalog.headers["Link"] == '</v2/_catalog?last=1&n=1>; rel="next"'


def test_page_link_has_a_name_when_the_switch_is_set(artifactory, sandbox):
    sandbox.switch("artifact", image_marker="name")
    path = "/api/docker/docker-local/v2/acme/web/tags/list"
    assert "last=1.0.1&" in artifactory.get(f"{path}?n=2").headers["Link"]
    assert artifactory.get(f"{path}?n=2&last=1.0.1").json()["tags"] == ["latest"]


def test_tags_are_404_when_the_image_is_unknown(artifactory):
    response = artifactory.get("/api/docker/docker-local/v2/acme/nothing/tags/list")
    assert response.status_code == 404
    assert response.json() == {
        "errors": [
            {
                "code": "NAME_UNKNOWN",
                "message": "Repository name not known to registry.",
                "detail": {"name": "acme/nothing"},
            }
        ]
    }
    assert artifactory.get("/api/docker/docker-local/v2/acme/tags/list").status_code == 404
    assert artifactory.get("/api/docker/generic-local/v2/_catalog").status_code == 404


def test_request_is_400_when_path_segments_are_out_of_order(artifactory):
    response = artifactory.get("/api/docker/v2/docker-local/acme/web/tags/list")
    assert error_of(response) == (400, "Unsupported docker repository request for 'v2'")


@pytest.mark.parametrize("anonymous", [True, False])
def test_response_is_a_bearer_challenge_when_credentials_are_missing(artifactory_anonymous, sandbox, anonymous):
    sandbox.switch("artifact", anonymous=anonymous)
    sandbox.seed({"artifact": {"users": [{"name": "anonymous"}]}})
    registry = "/api/docker/docker-local/v2"
    for path, scope in (
        ("", ""),
        ("/_catalog", ',scope="registry:catalog:*"'),
        ("/acme/web/tags/list", ',scope="repository:acme/web:pull"'),
    ):
        response = artifactory_anonymous.get(registry + path)
        assert (response.status_code, response.json()["errors"][0]["code"]) == (401, "UNAUTHORIZED")
        assert response.headers["Content-Type"] == "application/json;charset=ISO-8859-1"
        realm = f'realm="{sandbox.url}/artifactory{registry}/token"'
        service = f'service="{sandbox.url.removeprefix("http://")}"'
        assert response.headers["WWW-Authenticate"] == f"Bearer {realm},{service}{scope}"


def test_token_from_the_challenge_is_accepted(artifactory_reader, artifactory_anonymous, sandbox):
    registry = "/api/docker/docker-local/v2"
    issued = artifactory_reader.get(f"{registry}/token?service=x&scope=repository:acme/web:pull").json()
    docker = Session(f"{sandbox.url}/artifactory", issued["token"])
    assert docker.get(f"{registry}/acme/web/tags/list").status_code == 200
    sandbox.clock(advance=issued["expires_in"] + 1)
    assert docker.get(f"{registry}/acme/web/tags/list").status_code == 401
    refused = artifactory_anonymous.get(f"{registry}/token")
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, CHALLENGE)


def test_anonymous_token_is_invalid_when_anonymous_access_is_disabled(artifactory_anonymous, sandbox):
    sandbox.switch("artifact", anonymous=True)
    token = artifactory_anonymous.get("/api/docker/docker-local/v2/token").json()["token"]
    anonymous = Session(artifactory_anonymous.base, token)
    paths = ("/api/docker/docker-local/v2/acme/web/tags/list", "/api/storage/docker-local/acme")
    assert [anonymous.get(path).status_code for path in paths] == [200, 200]
    sandbox.switch("artifact", anonymous=False)
    assert [anonymous.get(path).status_code for path in paths] == [401, 401]


def test_manifest_is_returned_by_tag_and_digest(artifactory):
    path = "/api/docker/docker-local/v2/acme/web/manifests"
    head, get = artifactory.head(f"{path}/1.0.0"), artifactory.get(f"{path}/1.0.0")
    digest = f"sha256:{hashlib.sha256(get.content).hexdigest()}"
    assert head.headers["Docker-Content-Digest"] == get.headers["Docker-Content-Digest"] == digest
    assert get.headers["Content-Type"] == "application/vnd.docker.distribution.manifest.v2+json"
    assert artifactory.get(f"{path}/{digest}").content == get.content
    assert artifactory.head(f"{path}/1.0.1").headers["Docker-Content-Digest"] != digest
    response = artifactory.get(f"{path}/9")
    assert (response.status_code, response.json()["errors"][0]) == (
        404,
        {
            "code": "MANIFEST_UNKNOWN",
            "message": "The named manifest is not known to the registry.",
            "detail": {"manifest": "9"},
        },
    )


def test_tag_is_deleted_with_its_folder(artifactory):
    artifactory.delete("/docker-local/acme/web/1.0.0")
    tags = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list").json()["tags"]
    assert tags == ["1.0.1", "latest"]
    properties = properties_of(artifactory, "docker-local/acme/web/latest/manifest.json")
    assert (properties["docker.repoName"], properties["docker.manifest"]) == (["acme/web"], ["latest"])
