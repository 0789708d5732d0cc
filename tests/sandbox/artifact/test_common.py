# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: headers, the form of errors, versions, what is not served."""

from __future__ import annotations

import re
import socket

import pytest

from support.session import Session
from support.wire.artifact import error_of


def test_error_envelope_to_the_byte(artifactory):
    answer = artifactory.get("/api/storage/generic-local/nothing")
    assert answer.status_code == 404
    assert answer.text == ('{\n  "errors" : [ {\n    "status" : 404,\n    "message" : "Unable to find item"\n  } ]\n}')
    assert answer.headers["Content-Type"] == "application/json;charset=ISO-8859-1"


def test_response_headers(artifactory, sandbox):
    sandbox.switch("artifact", version="7.46.11")
    headers = artifactory.get("/api/repositories").headers
    assert headers["Server"] == "Artifactory/7.46.11"
    assert headers["X-JFrog-Version"] == "Artifactory/7.46.11 74611900"
    assert re.fullmatch("[0-9a-f]+", headers["X-Artifactory-Id"])
    assert "Date" in headers
    sandbox.switch("artifact", version="6.20.0")
    assert "X-JFrog-Version" not in artifactory.get("/api/repositories").headers


def test_ping(artifactory, artifactory_anonymous, sandbox):
    answer = artifactory.get("/api/system/ping")
    assert (answer.status_code, answer.text, answer.headers["Content-Type"]) == (200, "OK", "text/plain")
    assert artifactory_anonymous.get("/api/system/ping").status_code == 401
    sandbox.switch("artifact", anonymous=True)
    assert artifactory_anonymous.get("/api/system/ping").text == "OK"


def test_version(artifactory):
    answer = artifactory.get("/api/system/version")
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.system.Version+json"
    version = answer.json()
    assert (version["version"], version["revision"]) == ("7.77.3", "77703900")
    assert version["addons"] == ["build", "docker", "properties"]


def test_version_shows_the_open_source_edition(artifactory, sandbox):
    sandbox.switch("artifact", edition="oss")
    version = artifactory.get("/api/system/version").json()
    assert (version["addons"], version["license"]) == ([], "Artifactory OSS")


def test_uris_are_built_from_the_host_asked_or_the_override(artifactory):
    answer = artifactory.get("/api/storage/generic-local/app", headers={"Host": "repo.localhost:81"})
    assert answer.json()["uri"] == "http://repo.localhost:81/artifactory/api/storage/generic-local/app"
    override = {"X-JFrog-Override-Base-Url": "https://front.example/a"}
    answer = artifactory.get("/api/storage/generic-local/app", headers=override)
    assert answer.json()["uri"] == "https://front.example/a/api/storage/generic-local/app"


def test_the_older_override_of_the_base_url_still_counts(artifactory):
    answer = artifactory.get(
        "/api/storage/generic-local", headers={"X-Artifactory-Override-Base-Url": "https://front.example/a/"}
    )
    assert answer.json()["uri"] == "https://front.example/a/api/storage/generic-local"


@pytest.mark.parametrize(
    "path", ["/api/system/ping", "/api/repositories", "/api/repositories/generic-local", "/api/system/version"]
)
def test_a_trailing_slash_and_head_do_not_matter(artifactory, path):
    whole = artifactory.get(path)
    assert artifactory.get(f"{path}/").text == whole.text
    head = artifactory.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["Content-Length"] == str(len(whole.content))


def test_what_is_not_there_is_told_to_those_who_may_come_in_only(artifactory, artifactory_anonymous, sandbox):
    assert error_of(artifactory.get("/api/nothing"))[0] == 404
    assert error_of(artifactory_anonymous.get("/api/nothing"))[0] == 401
    wrong = Session(f"{sandbox.url}/artifactory", ("admin", "wrong"))
    assert error_of(wrong.post("/api/repositories"))[0] == 401


def test_a_request_without_a_host_is_answered(sandbox, artifactory):
    host, port = sandbox.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        authorization = artifactory.headers["Authorization"]
        head = f"GET /artifactory/api/storage/generic-local HTTP/1.0\r\nAuthorization: {authorization}\r\n\r\n"
        connection.sendall(head.encode())
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert f'"uri" : "{sandbox.url}/artifactory/api/storage/generic-local"' in answer.decode()
