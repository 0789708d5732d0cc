# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of HTTP methods that an Artifactory resource does not support."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from support.wire.artifact import APP, error_of

ITEM = f"/api/storage/generic-local/{APP}"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("POST", "/api/system/ping", "HEAD,GET,OPTIONS"),
        ("DELETE", "/api/repositories", "HEAD,GET,OPTIONS"),
        ("PATCH", "/api/build", "HEAD,GET,OPTIONS,PUT"),
        ("POST", "/api/build/app", "HEAD,DELETE,GET,OPTIONS"),
        ("DELETE", "/api/build/app/1", "HEAD,GET,OPTIONS"),
        ("PUT", "/api/build/rename/app", "POST,OPTIONS"),
        ("PROPFIND", ITEM, "HEAD,DELETE,GET,OPTIONS,PUT"),
        ("FOO", f"{ITEM}?list", "HEAD,DELETE,GET,OPTIONS,PUT"),
        ("GET", "/api/search/aql", "POST,OPTIONS"),
        ("GET", "/api/search", "OPTIONS"),
        ("POST", "/api/search/", "OPTIONS"),
        ("HEAD", "/api/search/aql", "POST,OPTIONS"),
        ("PATCH", "/api/security/users", "HEAD,GET,OPTIONS"),
        ("PATCH", "/api/security/users/ci", "HEAD,DELETE,POST,GET,OPTIONS,PUT"),
        ("GET", "/api/trash/empty", "POST,OPTIONS"),
    ],
)
def test_response_is_405_when_a_resource_lacks_the_method(artifactory, method, path, allowed):
    response = artifactory.request(method, path)
    assert (response.status_code, response.headers["Allow"]) == (405, allowed)
    if method != "HEAD":
        assert error_of(response) == (405, "Method Not Allowed")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/api/system/ping", "OPTIONS,HEAD,GET"),
        ("/api/build", "OPTIONS,HEAD,GET,PUT"),
        ("/api/build/app", "OPTIONS,HEAD,DELETE,GET"),
        (ITEM, "OPTIONS,HEAD,DELETE,GET,PUT"),
        ("/api/search/aql", "OPTIONS,POST"),
        ("/api/security/users", "OPTIONS,HEAD,GET"),
        ("/api/trash/empty", "OPTIONS,POST"),
    ],
)
def test_response_describes_the_resource_when_the_method_is_options(artifactory, path, allowed):
    response = artifactory.options(path)
    assert (response.status_code, response.headers["Allow"]) == (200, allowed)
    assert response.headers["Content-Type"] == "application/vnd.sun.wadl+xml"
    wadl = "{http://wadl.dev.java.net/2009/02}"
    described = {method.get("name") for method in ElementTree.fromstring(response.content).iter(f"{wadl}method")}
    assert described == set(allowed.split(",")) - {"OPTIONS"}


@pytest.mark.parametrize("method", ["OPTIONS", "PROPFIND", "GET", "FOO"])
def test_every_method_is_404_when_the_open_source_edition_lacks_the_resource(artifactory, sandbox, method):
    sandbox.switch("artifact", edition="oss")
    for path in ("/api/nothing", "/api/storageinfo/calculate"):
        assert artifactory.request(method, path).status_code == 404


def test_trace_is_405_when_the_caller_is_unknown(artifactory_anonymous):
    for path in ("/api/system/ping", "/api/nothing"):
        response = artifactory_anonymous.request("TRACE", path)
        assert (response.status_code, response.headers["Allow"], response.content) == (405, "OPTIONS", b"")
    response = artifactory_anonymous.request("TRACE", f"/generic-local/{APP}")
    assert (response.status_code, response.headers["Allow"]) == (405, "HEAD, DELETE, POST, GET, OPTIONS, PUT")


def test_other_methods_are_401_when_the_caller_is_unknown(artifactory_anonymous):
    for method in ("OPTIONS", "POST", "PROPFIND", "FOO"):
        for path in ("/api/system/ping", f"/generic-local/{APP}"):
            assert artifactory_anonymous.request(method, path).status_code == 401
