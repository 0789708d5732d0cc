# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Artifactory on the wire: documents and queries that are nested too deep, or name a document type."""

from __future__ import annotations

import pytest

from support.session import Session
from support.wire.artifact import APP, CONTENT, error_of, properties_of

JSON = {"Content-Type": "application/json"}
ITEM = f"generic-local/{APP}"
DEPTHS = (201, 900, 30_000)
DOCTYPE = 'DOCTYPE is disallowed when the feature "http://apache.org/xml/features/disallow-doctype-decl" set to true.'
BOMB = '<!DOCTYPE p [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><p><k>&b;</k></p>'


def nested(depth: int, member: str = "modules") -> bytes:
    """A record of a build with a member that is nested."""
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
def test_json_is_refused_when_it_is_nested_too_deep(artifactory, method, path, depth):
    answer = artifactory.request(method, path, data=nested(depth), headers=JSON)
    assert error_of(answer) == (400, "Error parsing json body")


@pytest.mark.parametrize("depth", DEPTHS)
def test_json_for_the_token_service_is_refused_when_it_is_nested_too_deep(sandbox, depth):
    access = Session(f"{sandbox.url}/access", sandbox.environment["JFROG_ACCESS_TOKEN"])
    answer = access.post("/api/v1/tokens", data=nested(depth), headers=JSON)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (400, "BAD_REQUEST")


def test_record_is_shown_when_it_has_the_largest_depth(artifactory):
    assert artifactory.put("/api/build", nested(198, "deep"), headers=JSON).status_code == 204
    record = artifactory.get("/api/build/deep/1").json()["buildInfo"]
    for _level in range(198):
        assert isinstance(record, (dict, list))
        record = record["deep"] if isinstance(record, dict) else record[0]
    assert record == []


def _query(artifactory, kind, depth):
    query = "items.find(" + f'{{"{kind}":[' * depth + '{"name":"a"}' + "]}" * depth + ")"
    return artifactory.post("/api/search/aql", query, headers={"Content-Type": "text/plain"})


@pytest.mark.parametrize("depth", [300, 3_000, 30_000])
@pytest.mark.parametrize("kind", ["$and", "$or", "$msp"])
def test_query_is_refused_when_it_is_nested_too_deep(artifactory, kind, depth):
    status, message = error_of(_query(artifactory, kind, depth))
    assert (status, message.startswith("Failed to ")) == (400, True)


@pytest.mark.parametrize("kind", ["$and", "$or"])
def test_query_is_answered_or_refused_when_its_depth_grows(artifactory, kind):
    statuses = [_query(artifactory, kind, depth).status_code for depth in range(20, 300, 10)]
    assert statuses == sorted(statuses)
    assert set(statuses) == {200, 400}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_properties_are_refused_when_their_document_names_a_type(artifactory, encoding):
    before = properties_of(artifactory, ITEM)
    document = f'<?xml version="1.0" encoding="{encoding}"?>{BOMB}'.encode(encoding)
    answer = artifactory.put(f"/{ITEM}:properties", document)
    assert error_of(answer) == (
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
def test_properties_are_refused_when_their_document_has_no_element(artifactory, document, fault):
    answer = artifactory.put(f"/{ITEM}:properties", document.encode())
    place = ITEM.replace("/", ":", 1)
    assert error_of(answer) == (409, f"Failed to deploy properties :  : {fault} on path {place}:properties")


def test_search_of_webdav_is_refused_when_its_document_names_a_type(artifactory):
    answer = artifactory.request("PROPFIND", f"/{ITEM}", data=BOMB, headers={"Depth": "0"})
    assert error_of(answer) == (500, "Webdav propfind failed.")


@pytest.mark.parametrize("document", [BOMB, "<a>" * 30_000 + "</a>" * 30_000, "<a"])
def test_metadata_and_poms_are_stored_or_refused_when_they_are_hostile(artifactory, sandbox, document):
    repository = {"key": "deep", "rclass": "local", "packageType": "maven"}
    sandbox.seed({"artifact": {"repositories": [repository]}})
    for name in ("maven-metadata.xml", "1/w-1.pom", "2-SNAPSHOT/w-2-SNAPSHOT.pom", "2-SNAPSHOT/w-2-SNAPSHOT.jar"):
        status = artifactory.put(f"/deep/org/q/w/{name}", document).status_code
        assert status < 500, name
    assert artifactory.get(f"/{ITEM}").content == CONTENT


@pytest.mark.parametrize("content", [b"no JSON", b"[]", nested(30_000)])
def test_manifest_is_served_when_its_content_is_no_manifest(artifactory, content):
    artifactory.put("/docker-local/odd/1/manifest.json", content)
    answer = artifactory.get("/api/docker/docker-local/v2/odd/manifests/1")
    assert (answer.status_code, answer.content) == (200, content)
