# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the build API of old versions."""

from __future__ import annotations

import json

import pytest

from support.session import Session
from support.wire.artifact import error_of

STARTED = "2026-01-01T00:00:00.000+0000"
RECORD = {"name": "lib", "number": "1", "started": STARTED}
EMPTY_FIELD = "Build name, number or start date cannot be empty or null!"
RUN = f"Build{{name='lib', number='1', started='{STARTED}'}}"


@pytest.fixture
def publish(artifactory, sandbox):
    def send(version, body, headers=None):
        sandbox.switch("artifact", version=version)
        headers = {"Content-Type": "application/json"} if headers is None else headers
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return artifactory.put("/api/build", content, headers=headers)

    return send


@pytest.mark.parametrize(
    ("version", "changes", "error"),
    [
        ("4.4.2", {"started": "x"}, (500, 'Invalid format: "x"')),
        ("5.4.6", {"started": "2026-01"}, (500, 'Invalid format: "2026-01" is too short')),
        ("5.4.6", {"started": "2026-01-x"}, (500, 'Invalid format: "2026-01-x" is malformed at "x"')),
        ("6.20.0", {"started": "x"}, (400, "Unable to parse the start time 'x'.")),
        ("4.4.2", {"name": None}, (500, "Build name, number and date cannot be empty or null!")),
        ("6.20.0", {"number": ""}, (400, "The build's name and number are needed.")),
    ],
)
def test_errors_of_a_record_depend_on_the_version(publish, version, changes, error):
    assert error_of(publish(version, {**RECORD, **changes})) == error


@pytest.mark.parametrize("missing", ["name", "number", "started"])
def test_version_5_names_the_required_fields_in_plain_text(publish, missing):
    response = publish("5.4.6", {**RECORD, missing: None})
    assert (response.status_code, response.text) == (400, EMPTY_FIELD)


@pytest.mark.parametrize(
    ("version", "body", "headers", "status", "message"),
    [
        ("5.4.6", b"", None, 500, "No content to map to Object due to end of input"),
        ("6.20.0", b"", None, 400, "Error parsing json body"),
        ("5.4.6", b"[]", None, 500, "Error parsing json body"),
        ("5.4.6", b"{}", {}, 500, " : Unexpected character '{' (code 123) in prolog; expected '<'"),
        ("4.4.2", b"", {}, 500, " : Unexpected EOF in prolog"),
        ("6.20.0", b"{}", {}, 415, "Unsupported Media Type"),
    ],
)
def test_errors_of_a_body_depend_on_the_version(publish, version, body, headers, status, message):
    actual_status, actual = error_of(publish(version, body, headers))
    assert (actual_status, actual.partition("\n")[0]) == (status, message)


@pytest.mark.parametrize(
    ("version", "changes", "status", "message"),
    [
        ("4.4.2", {}, 500, f"Could not insert build {RUN}"),
        ("5.4.6", {"modules": []}, 500, f"Could not insert build {RUN}"),
        ("6.20.0", {}, 204, None),
        ("6.20.0", {"modules": []}, 409, f"Build {RUN}:1-{STARTED}already exists."),
        ("7.77.3", {"modules": []}, 204, None),
    ],
)
def test_publishing_a_run_again_depends_on_the_version(publish, version, changes, status, message):
    assert publish(version, RECORD).status_code == 204
    response = publish(version, {**RECORD, **changes})
    assert response.status_code == status
    if message:
        assert error_of(response)[1] == message


@pytest.mark.parametrize(("version", "media_type"), [("4.4.2", None), ("5.4.6", "application/json"), ("7.77.3", None)])
def test_versions_5_and_6_state_the_type_of_empty_responses(publish, version, media_type):
    assert publish(version, RECORD).headers.get("Content-Type") == media_type


@pytest.mark.parametrize(
    ("version", "permissions", "statuses"),
    [
        # the statuses of the names, the runs, a run and a new record
        ("5.4.6", {"generic-local": "r"}, [200, 200, 403, 403]),
        ("5.4.6", {"generic-local": "w"}, [200, 200, 200, 204]),
        ("4.4.2", {"generic-local": "w"}, [200, 200, 200, 204]),
        ("6.6.0", {"generic-local": "w"}, [404, 403, 403, 403]),
        ("6.6.0", {"artifactory-build-info": "rw"}, [200, 200, 200, 204]),
    ],
)
def test_old_versions_require_the_deploy_permission_for_any_repository(sandbox, version, permissions, statuses):
    sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "x", "permissions": permissions}]}})
    sandbox.switch("artifact", version=version)
    ci = Session(f"{sandbox.url}/artifactory", ("ci", "x"))
    reads = [ci.get(path).status_code for path in ("/api/build", "/api/build/app", "/api/build/app/1")]
    assert [*reads, ci.put("/api/build", json=RECORD).status_code] == statuses


@pytest.mark.parametrize(
    ("version", "path", "error"),
    [
        ("5.4.6", "/api/build/app/", (404, "No build was found for build name: app/")),
        ("4.4.2", "/api/build/app/", (404, "No build was found for build name: app/")),
        ("7.77.3", "/api/build/none/", (404, "No build was found for build name: none")),
    ],
)
def test_a_slash_belongs_to_the_name_of_a_build_in_old_versions(artifactory, sandbox, version, path, error):
    sandbox.switch("artifact", version=version)
    assert error_of(artifactory.get(path)) == error


def test_builds_have_no_projects_before_version_7(artifactory, sandbox):
    sandbox.switch("artifact", version="5.4.6")
    assert artifactory.get("/api/build/app/1?project=none").status_code == 200


def test_versions_before_6_cannot_delete_several_builds(artifactory, sandbox):
    sandbox.switch("artifact", version="5.4.6")
    response = artifactory.post("/api/build/delete", json={"buildName": "app", "deleteAll": True})
    assert (response.status_code, response.headers["Allow"]) == (405, "HEAD,DELETE,GET,OPTIONS")
