# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of JSON, XML and AQL documents that are nested too deeply or declare a document type."""

from __future__ import annotations

import pytest

from support.session import Session
from support.wire.artifact import APP, CONTENT, error_of, properties_of

JSON = {"Content-Type": "application/json"}
ITEM = f"generic-local/{APP}"
DEPTHS = (201, 900, 30_000)
DOCTYPE = 'DOCTYPE is disallowed when the feature "http://apache.org/xml/features/disallow-doctype-decl" set to true.'
BOMB = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><p><k>&b;</k></p>'


def make_nested_record(depth: int, member: str = "modules") -> bytes:
    """Return a build record with a member that is nested `depth` levels."""
    beginning = f'{{"name":"deep","number":"1","started":"2026-01-01T00:00:00.000+0000","{member}":'
    return (beginning + "[" * depth + "]" * depth + "}").encode()


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", "/api/build"),
        ("POST", "/api/build/append/app/1"),
        ("POST", "/api/build/promote/app/1"),
        ("POST", "/api/search/buildArtifacts"),
        ("PUT", "/api/repositories/deep"),
        ("POST", "/api/repositories/generic-local"),
        ("PUT", "/api/security/users/deep"),
        ("PUT", "/api/security/permissions/deep"),
        ("PATCH", f"/api/metadata/{ITEM}"),
    ],
)
def test_json_is_refused_when_it_is_nested_too_deeply(artifactory, method, path, depth):
    response = artifactory.request(method, path, data=make_nested_record(depth), headers=JSON)
    assert error_of(response) == (400, "Error parsing json body")


@pytest.mark.parametrize("depth", DEPTHS)
def test_json_for_the_token_service_is_refused_when_it_is_nested_too_deeply(sandbox, depth):
    access = Session(f"{sandbox.url}/access", sandbox.environment["JFROG_ACCESS_TOKEN"])
    response = access.post("/api/v1/tokens", data=make_nested_record(depth), headers=JSON)
    assert (response.status_code, response.json()["errors"][0]["code"]) == (400, "BAD_REQUEST")


def test_record_is_returned_when_its_depth_is_at_the_limit(artifactory):
    assert artifactory.put("/api/build", make_nested_record(198, "deep"), headers=JSON).status_code == 204
    record = artifactory.get("/api/build/deep/1").json()["buildInfo"]
    for _level in range(198):
        assert isinstance(record, (dict, list))
        record = record["deep"] if isinstance(record, dict) else record[0]
    assert record == []


def _run_query(artifactory, kind, depth):
    query = "items.find(" + f'{{"{kind}":[' * depth + '{"name":"a"}' + "]}" * depth + ")"
    return artifactory.post("/api/search/aql", query, headers={"Content-Type": "text/plain"})


@pytest.mark.parametrize("depth", [300, 3_000, 30_000])
@pytest.mark.parametrize("kind", ["$and", "$or", "$msp"])
def test_query_is_refused_when_it_is_nested_too_deeply(artifactory, kind, depth):
    status, message = error_of(_run_query(artifactory, kind, depth))
    assert (status, message.startswith("Failed to ")) == (400, True)


@pytest.mark.parametrize("kind", ["$and", "$or"])
def test_query_succeeds_up_to_a_depth_and_fails_beyond(artifactory, kind):
    statuses = [_run_query(artifactory, kind, depth).status_code for depth in range(20, 300, 10)]
    assert statuses == sorted(statuses)
    assert set(statuses) == {200, 400}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_properties_are_refused_when_the_document_declares_a_type(artifactory, encoding):
    before = properties_of(artifactory, ITEM)
    document = f'<?xml version="1.0" encoding="{encoding}"?>{BOMB}'.encode(encoding)
    response = artifactory.put(f"/{ITEM}:properties", document)
    assert error_of(response) == (
        409,
        f"Failed to deploy properties : {DOCTYPE} on path {ITEM.replace('/', ':', 1)}:properties",
    )
    assert properties_of(artifactory, ITEM) == before


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ("", "Unexpected EOF in prolog\n at [row,col {unknown-source}]: [1,0]"),
        ("o", "Unexpected character 'o' (code 111) in prolog; expected '<'\n at [row,col {unknown-source}]: [1,1]"),
        ("\n  {", "Unexpected character '{' (code 123) in prolog; expected '<'\n at [row,col {unknown-source}]: [2,3]"),
    ],
)
def test_properties_are_refused_when_the_document_has_no_element(artifactory, document, fault):
    response = artifactory.put(f"/{ITEM}:properties", document.encode())
    location = ITEM.replace("/", ":", 1)
    assert error_of(response) == (409, f"Failed to deploy properties :  : {fault} on path {location}:properties")


def test_propfind_is_refused_when_the_document_declares_a_type(artifactory):
    response = artifactory.request("PROPFIND", f"/{ITEM}", data=BOMB, headers={"Depth": "0"})
    assert error_of(response) == (500, "Webdav propfind failed.")


@pytest.mark.parametrize("document", [BOMB, "<a>" * 30_000 + "</a>" * 30_000, "<a"])
def test_metadata_and_poms_cause_no_server_error_when_they_are_hostile(artifactory, sandbox, document):
    repository = {"key": "deep", "rclass": "local", "packageType": "maven"}
    sandbox.seed({"artifact": {"repositories": [repository]}})
    for name in ("maven-metadata.xml", "1/w-1.pom", "2-SNAPSHOT/w-2-SNAPSHOT.pom", "2-SNAPSHOT/w-2-SNAPSHOT.jar"):
        status = artifactory.put(f"/deep/org/q/w/{name}", document).status_code
        assert status < 500, name
    assert artifactory.get(f"/{ITEM}").content == CONTENT


@pytest.mark.parametrize("content", [b"no JSON", b"[]", make_nested_record(30_000)])
def test_manifest_is_served_when_its_content_is_invalid(artifactory, content):
    artifactory.put("/docker-local/odd/1/manifest.json", content)
    response = artifactory.get("/api/docker/docker-local/v2/odd/manifests/1")
    assert (response.status_code, response.content) == (200, content)
