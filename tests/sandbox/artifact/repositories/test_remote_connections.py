# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the connection test of remote repositories in Artifactory."""

from __future__ import annotations

import pytest

from support.wire.artifact import error_of

FORM = "/api/admin/repositories/remote/libs-remote"
TEST = "/api/admin/repositories/testremote"


def test_form_of_a_remote_repository_can_be_tested(artifactory, sandbox):
    artifactory.post("/api/repositories/libs-remote", json={"username": "me", "password": "hidden"})
    form = artifactory.get(FORM).json()
    assert form["general"] == {"repoKey": "libs-remote"}
    assert form["basic"]["url"] == "https://repo.maven.apache.org/maven2"
    assert form["typeSpecific"] == {"repoType": "Maven"}
    assert form["advanced"]["network"]["username"] == "me"
    assert "hidden" not in str(form)
    tested = artifactory.post(TEST, json=form)
    assert (tested.status_code, tested.json()) == (200, {"info": "Successfully connected to server"})
    sandbox.switch("artifact", remote_connection_failure="Error 404: Not Found")
    failed = artifactory.post(TEST, json=form)
    assert (failed.status_code, failed.json()) == (400, {"error": "Connection failed: Error 404: Not Found"})


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({}, "Network details was not sent."),
        ({"advanced": {}}, "Remote Url was not sent."),
        ({"advanced": {}, "basic": {"url": ""}}, "Remote Url was not sent."),
        ({"advanced": {}, "basic": {"url": "https://x.example"}}, "Package type was not sent."),
        (["a"], "Network details was not sent."),
    ],
)
def test_incomplete_form_is_refused(artifactory, form, error):
    response = artifactory.post(TEST, json=form)
    assert (response.status_code, response.json()) == (400, {"error": error})


def test_connection_test_is_a_read(artifactory, sandbox):
    sandbox.clear_journal()
    artifactory.post(TEST, json={})
    (entry,) = sandbox.journal("artifact")
    assert (entry["label"], entry["effect"]) == ("test_remote_repository", "read")


def test_form_is_404_when_the_repository_is_not_remote(artifactory):
    assert error_of(artifactory.get("/api/admin/repositories/remote/generic-local"))[0] == 404


def test_connection_test_requires_an_administrator_and_version_7(artifactory, artifactory_reader, sandbox):
    assert error_of(artifactory_reader.post(TEST, json={})) == (403, "Forbidden")
    assert error_of(artifactory_reader.get(FORM)) == (403, "Forbidden")
    sandbox.switch("artifact", version="6.20.0")
    assert error_of(artifactory.post(TEST, json={})) == (404, "Not Found")
