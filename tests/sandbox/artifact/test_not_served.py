# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Artifactory on the wire: calls that the real server has and the sandbox does not."""

from __future__ import annotations

import pytest

from support.session import Session
from support.wire.artifact import error_of

ALL = [
    ("GET", "/api/search/license"),
    ("GET", "/api/search/dependency?sha1=0123456789012345678901234567890123456789"),
    ("GET", "/api/versions/generic-local/app"),
    ("GET", "/api/v2/security/permissions"),
    ("PUT", "/api/v2/security/permissions/team"),
    ("GET", "/api/v2/repositories/generic-local"),
    ("GET", "/api/repositories/existence?key=generic-local"),
    ("GET", "/api/npm/npm-local/left-pad"),
    ("PUT", "/api/npm/npm-local/left-pad"),
    ("GET", "/api/pypi/pypi-local/simple/"),
    ("GET", "/api/nuget/v3/nuget-local/index.json"),
    ("GET", "/api/conda/conda-local/noarch/repodata.json"),
    ("POST", "/api/helm/helm-local/reindex"),
    ("GET", "/api/archive/download/generic-local/app?archiveType=zip"),
    ("GET", "/api/plugins"),
]
ADMINISTRATORS = [
    ("GET", "/api/repositories/configurations"),
    ("PUT", "/api/replications/generic-local"),
    ("GET", "/api/system/licenses"),
    ("PATCH", "/api/system/configuration"),
    ("POST", "/api/system/storage/gc"),
    ("POST", "/api/export/system"),
    ("GET", "/api/tasks"),
    ("GET", "/api/security/userLockPolicy"),
    ("GET", "/api/security/passwordSettings"),
    ("GET", "/api/federation/status/stateList"),
]


@pytest.mark.parametrize(("method", "path"), ALL + ADMINISTRATORS)
def test_a_known_call_is_501_when_it_is_not_served(artifactory, artifactory_anonymous, method, path):
    status, message = error_of(artifactory.request(method, path))
    path, *_query = path.split("?")
    assert (status, message) == (501, f"The sandbox does not serve this call yet: {method} /artifactory{path}")
    assert error_of(artifactory_anonymous.request(method, path))[0] == 401


@pytest.mark.parametrize(("method", "path"), ADMINISTRATORS)
def test_a_call_for_administrators_is_403_when_another_account_calls(sandbox, method, path):
    reader = Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))
    assert error_of(reader.request(method, path)) == (403, "Forbidden")


def test_method_is_501_when_only_others_of_the_resource_are_served(artifactory):
    for method, path in (("POST", "/api/security/permissions/team"), ("PATCH", "/api/system/configuration")):
        assert artifactory.request(method, path).status_code == 501
        assert method in artifactory.request("FOO", path).headers["Allow"].split(",")


def test_a_call_is_405_when_the_real_server_has_it_with_another_method(artifactory):
    answer = artifactory.post("/api/search/license")
    assert (error_of(answer), answer.headers["Allow"]) == ((405, "Method Not Allowed"), "HEAD,GET,OPTIONS")


@pytest.mark.parametrize(
    "path", ["/api/npmx/npm-local", "/api/searches", "/api/system/nothing", "/api/v2", "/api/v3/x"]
)
def test_a_path_is_404_when_the_real_server_has_no_such_call(artifactory, path):
    assert error_of(artifactory.get(path)) == (404, "Not Found")


def test_the_open_source_edition_answers_as_it_does_when_the_call_is_not_served(artifactory, sandbox):
    sandbox.switch("artifact", edition="oss")
    for path in ("/api/search/license", "/api/plugins", "/api/replications/generic-local", "/api/versions/org"):
        status, message = error_of(artifactory.get(path))
        assert (status, message.split(" (")[0]) == (400, "This REST API is available only in Artifactory Pro")
    assert error_of(artifactory.get("/api/npm/npm-local/left-pad")) == (404, "Not Found")
    assert error_of(artifactory.get("/api/system/license"))[0] == 501


def test_the_journal_names_a_call_when_it_is_not_served(artifactory, sandbox):
    artifactory.put("/api/npm/npm-local/left-pad")
    artifactory.get("/api/search/license")
    entries = [(entry["label"], entry["effect"], entry["status"]) for entry in sandbox.journal("artifact")]
    assert entries == [("packages_of_npm", "write", 501), ("license_search", "read", 501)]


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v2/users"),
        ("PATCH", "/api/v2/groups/readers/members"),
        ("PUT", "/api/v2/permissions/team/artifact"),
        ("GET", "/api/v1/projects"),
        ("GET", "/api/v1/cert/root"),
        ("POST", "/api/v1/oidc/token"),
        ("GET", "/api/v1/system/readiness"),
    ],
)
def test_a_known_call_of_the_token_service_is_501_when_it_is_not_served(sandbox, method, path):
    access = Session(f"{sandbox.url}/access", ("admin", "sandbox-admin"))
    answer = access.request(method, path)
    message = f"The sandbox does not serve this call yet: {method} /access{path}"
    assert (answer.status_code, answer.json()) == (
        501,
        {"errors": [{"code": "NOT_IMPLEMENTED", "message": message}]},
    )
    assert Session(f"{sandbox.url}/access", ("admin", "wrong")).request(method, path).status_code == 401


def test_a_path_of_the_token_service_is_404_when_the_real_server_has_no_such_call(sandbox):
    access = Session(f"{sandbox.url}/access", ("admin", "sandbox-admin"))
    for path in ("/api/v2", "/api/v3/users", "/api/v1/tokenss"):
        assert access.get(path).status_code == 404
