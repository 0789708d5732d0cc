# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of Artifactory calls that the sandbox knows but does not implement."""

from __future__ import annotations

import pytest

from support.session import Session
from support.wire.artifact import error_of

USER_CALLS = [
    ("GET", "/api/search/license"),
    ("GET", "/api/search/dependency?sha1=0123456789012345678901234567890123456789"),
    ("GET", "/api/versions/generic-local/app"),
    ("GET", "/api/npm/npm-local/left-pad"),
    ("PUT", "/api/npm/npm-local/left-pad"),
    ("GET", "/api/pypi/pypi-local/simple/"),
    ("GET", "/api/nuget/v3/nuget-local/index.json"),
    ("GET", "/api/conda/conda-local/noarch/repodata.json"),
    ("POST", "/api/helm/helm-local/reindex"),
    ("GET", "/api/archive/download/generic-local/app?archiveType=zip"),
    ("GET", "/api/plugins/execute/x"),
]
ADMINISTRATOR_CALLS = [
    ("GET", "/api/replications/channels/generic-local"),
    ("GET", "/api/system/nodes"),
    ("POST", "/api/system/storage/gc"),
    ("POST", "/api/export/system"),
    ("GET", "/api/tasks"),
    ("GET", "/api/security/passwordSettings"),
    ("GET", "/api/federation/status/stateSummary"),
    ("PUT", "/api/securityconfig"),
    ("GET", "/api/archive/v2/packages/policies"),
    ("GET", "/api/cleanup/bundles/reports"),
]


@pytest.mark.parametrize(("method", "path"), USER_CALLS + ADMINISTRATOR_CALLS)
def test_known_call_is_501_when_it_is_not_implemented(artifactory, artifactory_anonymous, method, path):
    status, message = error_of(artifactory.request(method, path))
    path, *_query = path.split("?")
    assert (status, message) == (501, f"The sandbox does not serve this call yet: {method} /artifactory{path}")
    assert error_of(artifactory_anonymous.request(method, path))[0] == 401


@pytest.mark.parametrize(("method", "path"), ADMINISTRATOR_CALLS)
def test_administrator_call_is_403_when_the_caller_is_not_an_administrator(sandbox, method, path):
    reader = Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))
    assert error_of(reader.request(method, path)) == (403, "Forbidden")


def test_method_is_501_when_only_other_methods_are_implemented(artifactory):
    path = "/api/security/permissions/team"
    assert artifactory.post(path).status_code == 501
    assert "POST" in artifactory.request("FOO", path).headers["Allow"].split(",")


def test_call_is_405_when_the_real_server_supports_a_different_method(artifactory):
    response = artifactory.post("/api/search/license")
    assert (error_of(response), response.headers["Allow"]) == ((405, "Method Not Allowed"), "HEAD,GET,OPTIONS")


@pytest.mark.parametrize(
    "path", ["/api/npmx/npm-local", "/api/searches", "/api/system/nothing", "/api/v2", "/api/v3/x"]
)
def test_path_is_404_when_the_real_server_has_no_such_call(artifactory, path):
    assert error_of(artifactory.get(path)) == (404, "Not Found")


def test_oss_response_takes_precedence_when_the_call_is_not_implemented(artifactory, sandbox):
    sandbox.switch("artifact", edition="oss")
    for path in (
        "/api/search/license",
        "/api/plugins/download/x",
        "/api/replications/channels/libs",
        "/api/versions/org",
    ):
        status, message = error_of(artifactory.get(path))
        assert (status, message.split(" (")[0]) == (400, "This REST API is available only in Artifactory Pro")
    assert error_of(artifactory.get("/api/npm/npm-local/left-pad")) == (404, "Not Found")
    assert error_of(artifactory.get("/api/system/nodes"))[0] == 501


def test_journal_contains_the_label_when_the_call_is_not_implemented(artifactory, sandbox):
    artifactory.put("/api/npm/npm-local/left-pad")
    artifactory.get("/api/search/license")
    entries = [(entry["label"], entry["effect"], entry["status"]) for entry in sandbox.journal("artifact")]
    assert entries == [("packages_of_npm", "write", 501), ("license_search", "read", 501)]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/aws"),
        ("GET", "/api/v1/cert/root"),
        ("GET", "/api/v1/system/readiness"),
        ("GET", "/api/v1/aws/other"),
        ("POST", "/api/v1/scim/v2/Bulk"),
    ],
)
def test_known_token_service_call_is_501_when_it_is_not_implemented(sandbox, method, path):
    access = Session(f"{sandbox.url}/access", ("admin", "sandbox-admin"))
    response = access.request(method, path)
    message = f"The sandbox does not serve this call yet: {method} /access{path}"
    assert (response.status_code, response.json()) == (
        501,
        {"errors": [{"code": "NOT_IMPLEMENTED", "message": message}]},
    )
    assert Session(f"{sandbox.url}/access", ("admin", "wrong")).request(method, path).status_code == 401


@pytest.mark.parametrize(
    "path",
    [
        "/worker/api/v1/workers",
        "/xray/api/v2/policies",
        "/router/api/v1/system/health",
        "/event/api/v1/system/ping",
        "/lifecycle/api/v1/system/readiness",
    ],
)
def test_call_of_another_service_of_the_platform_is_501(sandbox, path):
    admin = Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])
    assert admin.get(path).json()["errors"][0]["code"] == "NOT_IMPLEMENTED"
    assert Session(sandbox.url).get(path).status_code == 401


def test_token_service_path_is_404_when_the_real_server_has_no_such_call(sandbox):
    access = Session(f"{sandbox.url}/access", ("admin", "sandbox-admin"))
    for path in ("/api/v2", "/api/v3/users", "/api/v1/tokenss"):
        assert access.get(path).status_code == 404
