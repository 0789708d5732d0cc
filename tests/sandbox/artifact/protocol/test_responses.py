# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of headers, error format, versions and base URLs of all Artifactory calls."""

from __future__ import annotations

import re
import socket

import pytest

from support.session import Session
from support.wire.artifact import error_of


def test_error_body_matches_that_of_a_real_server(artifactory):
    response = artifactory.get("/api/storage/generic-local/nothing")
    assert response.status_code == 404
    assert response.text == (
        '{\n  "errors" : [ {\n    "status" : 404,\n    "message" : "Unable to find item"\n  } ]\n}'
    )
    assert response.headers["Content-Type"] == "application/json;charset=ISO-8859-1"


def test_response_headers_depend_on_the_version(artifactory, sandbox):
    sandbox.switch("artifact", version="7.46.11")
    headers = artifactory.get("/api/repositories").headers
    assert headers["Server"] == "Artifactory/7.46.11"
    assert headers["X-JFrog-Version"] == "Artifactory/7.46.11 74611900"
    assert re.fullmatch("[0-9a-f]+", headers["X-Artifactory-Id"])
    assert "Date" in headers
    sandbox.switch("artifact", version="6.20.0")
    assert "X-JFrog-Version" not in artifactory.get("/api/repositories").headers


def test_ping_requires_credentials_unless_anonymous_access_is_on(artifactory, artifactory_anonymous, sandbox):
    response = artifactory.get("/api/system/ping")
    assert (response.status_code, response.text, response.headers["Content-Type"]) == (200, "OK", "text/plain")
    assert artifactory_anonymous.get("/api/system/ping").status_code == 401
    sandbox.switch("artifact", anonymous=True)
    assert artifactory_anonymous.get("/api/system/ping").text == "OK"


def test_version_reports_revision_and_addons(artifactory):
    response = artifactory.get("/api/system/version")
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.system.Version+json"
    version = response.json()
    assert (version["version"], version["revision"]) == ("7.77.3", "77703900")
    assert version["addons"] == ["build", "docker", "properties"]


def test_version_reports_oss_when_the_edition_is_oss(artifactory, sandbox):
    sandbox.switch("artifact", edition="oss")
    version = artifactory.get("/api/system/version").json()
    assert (version["addons"], version["license"]) == ([], "Artifactory OSS")


def test_uris_use_the_host_header_or_the_override(artifactory):
    response = artifactory.get("/api/storage/generic-local/app", headers={"Host": "repo.localhost:81"})
    assert response.json()["uri"] == "http://repo.localhost:81/artifactory/api/storage/generic-local/app"
    override = {"X-JFrog-Override-Base-Url": "https://front.example/a"}
    response = artifactory.get("/api/storage/generic-local/app", headers=override)
    assert response.json()["uri"] == "https://front.example/a/api/storage/generic-local/app"


def test_uris_use_the_deprecated_override_header(artifactory):
    response = artifactory.get(
        "/api/storage/generic-local", headers={"X-Artifactory-Override-Base-Url": "https://front.example/a/"}
    )
    assert response.json()["uri"] == "https://front.example/a/api/storage/generic-local"


@pytest.mark.parametrize(
    "path", ["/api/system/ping", "/api/repositories", "/api/repositories/generic-local", "/api/system/version"]
)
def test_response_is_the_same_with_a_trailing_slash_or_head(artifactory, path):
    response = artifactory.get(path)
    assert artifactory.get(f"{path}/").text == response.text
    head = artifactory.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == str(len(response.content))


def test_unknown_path_is_401_when_the_caller_is_not_authenticated(artifactory, artifactory_anonymous, sandbox):
    assert error_of(artifactory.get("/api/nothing"))[0] == 404
    assert error_of(artifactory_anonymous.get("/api/nothing"))[0] == 401
    wrong = Session(f"{sandbox.url}/artifactory", ("admin", "wrong"))
    assert error_of(wrong.post("/api/repositories"))[0] == 401


def test_uris_use_the_server_address_when_the_host_header_is_missing(sandbox, artifactory):
    host, port = sandbox.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        authorization = artifactory.headers["Authorization"]
        head = f"GET /artifactory/api/storage/generic-local HTTP/1.0\r\nAuthorization: {authorization}\r\n\r\n"
        connection.sendall(head.encode())
        response = b"".join(iter(lambda: connection.recv(65536), b""))
    assert f'"uri" : "{sandbox.url}/artifactory/api/storage/generic-local"' in response.decode()
