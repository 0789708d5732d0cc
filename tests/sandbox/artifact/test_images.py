# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: images, by the registry's API."""

from __future__ import annotations

import hashlib

import pytest

from support.session import Session
from support.wire.artifact import CHALLENGE, error_of, properties_of


def test_tags(artifactory):
    answer = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list")
    assert answer.json() == {"name": "acme/web", "tags": ["1.0.0", "1.0.1", "latest"]}
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["Docker-Distribution-Api-Version"] == "registry/2.0"
    assert "Link" not in answer.headers
    everything = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list?n=0")
    assert everything.json() == answer.json()


def test_catalog(artifactory):
    answer = artifactory.get("/api/docker/docker-local/v2/_catalog")
    assert answer.json() == {"repositories": ["acme/web", "acme/worker"]}


def test_pages_have_an_offset_and_a_path_that_leads_nowhere(artifactory):
    path = "/api/docker/docker-local/v2/acme/web/tags/list"
    first = artifactory.get(f"{path}?n=2")
    assert first.json()["tags"] == ["1.0.0", "1.0.1"]
    assert first.headers["Link"] == '</v2/acme/web/tags/list?last=2&n=2>; rel="next"'
    second = artifactory.get(f"{path}?last=2&n=2")
    assert second.json()["tags"] == ["latest"]
    assert "Link" not in second.headers
    catalog = artifactory.get("/api/docker/docker-local/v2/_catalog?n=1")
    assert catalog.headers["Link"] == '</v2/_catalog?last=1&n=1>; rel="next"'


def test_pages_by_name_on_other_versions(artifactory, sandbox):
    sandbox.switch("artifact", image_marker="name")
    path = "/api/docker/docker-local/v2/acme/web/tags/list"
    assert "last=1.0.1&" in artifactory.get(f"{path}?n=2").headers["Link"]
    assert artifactory.get(f"{path}?n=2&last=1.0.1").json()["tags"] == ["latest"]


def test_unknown(artifactory):
    answer = artifactory.get("/api/docker/docker-local/v2/acme/nothing/tags/list")
    assert answer.status_code == 404
    assert answer.json() == {
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


def test_segments_out_of_order(artifactory):
    answer = artifactory.get("/api/docker/v2/docker-local/acme/web/tags/list")
    assert error_of(answer) == (400, "Unsupported docker repository request for 'v2'")


@pytest.mark.parametrize("anonymous", [True, False])
def test_no_credentials(artifactory_anonymous, sandbox, anonymous):
    sandbox.switch("artifact", anonymous=anonymous)
    sandbox.seed({"artifact": {"users": [{"name": "anonymous"}]}})
    registry = "/api/docker/docker-local/v2"
    for path, scope in (
        ("", ""),
        ("/_catalog", ',scope="registry:catalog:*"'),
        ("/acme/web/tags/list", ',scope="repository:acme/web:pull"'),
    ):
        answer = artifactory_anonymous.get(registry + path)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (401, "UNAUTHORIZED")
        assert answer.headers["Content-Type"] == "application/json;charset=ISO-8859-1"
        realm = f'realm="{sandbox.url}/artifactory{registry}/token"'
        service = f'service="{sandbox.url.removeprefix("http://")}"'
        assert answer.headers["WWW-Authenticate"] == f"Bearer {realm},{service}{scope}"


def test_the_challenge_leads_to_a_token(artifactory_reader, artifactory_anonymous, sandbox):
    registry = "/api/docker/docker-local/v2"
    given = artifactory_reader.get(f"{registry}/token?service=x&scope=repository:acme/web:pull").json()
    docker = Session(f"{sandbox.url}/artifactory", given["token"])
    assert docker.get(f"{registry}/acme/web/tags/list").status_code == 200
    sandbox.clock(advance=given["expires_in"] + 1)
    assert docker.get(f"{registry}/acme/web/tags/list").status_code == 401
    refused = artifactory_anonymous.get(f"{registry}/token")
    assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, CHALLENGE)


def test_a_token_of_anonymous_ends_when_anonymous_access_is_switched_off(artifactory_anonymous, sandbox):
    sandbox.switch("artifact", anonymous=True)
    token = artifactory_anonymous.get("/api/docker/docker-local/v2/token").json()["token"]
    anonymous = Session(artifactory_anonymous.base, token)
    paths = ("/api/docker/docker-local/v2/acme/web/tags/list", "/api/storage/docker-local/acme")
    assert [anonymous.get(path).status_code for path in paths] == [200, 200]
    sandbox.switch("artifact", anonymous=False)
    assert [anonymous.get(path).status_code for path in paths] == [401, 401]


def test_manifests(artifactory):
    path = "/api/docker/docker-local/v2/acme/web/manifests"
    head, got = artifactory.head(f"{path}/1.0.0"), artifactory.get(f"{path}/1.0.0")
    digest = f"sha256:{hashlib.sha256(got.content).hexdigest()}"
    assert head.headers["Docker-Content-Digest"] == got.headers["Docker-Content-Digest"] == digest
    assert got.headers["Content-Type"] == "application/vnd.docker.distribution.manifest.v2+json"
    assert artifactory.get(f"{path}/{digest}").content == got.content
    assert artifactory.head(f"{path}/1.0.1").headers["Docker-Content-Digest"] != digest
    missing = artifactory.get(f"{path}/9")
    assert (missing.status_code, missing.json()["errors"][0]) == (
        404,
        {
            "code": "MANIFEST_UNKNOWN",
            "message": "The named manifest is not known to the registry.",
            "detail": {"manifest": "9"},
        },
    )


def test_a_tag_is_a_folder(artifactory):
    artifactory.delete("/docker-local/acme/web/1.0.0")
    tags = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list").json()["tags"]
    assert tags == ["1.0.1", "latest"]
    properties = properties_of(artifactory, "docker-local/acme/web/latest/manifest.json")
    assert (properties["docker.repoName"], properties["docker.manifest"]) == (["acme/web"], ["latest"])
