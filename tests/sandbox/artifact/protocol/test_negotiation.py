# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of content negotiation in Artifactory."""

from __future__ import annotations

import base64
import http.client

import pytest

from sandbox.artifact.protocol.negotiation import PRODUCED_TYPES
from sandbox.artifact.service import ROUTES
from support.wire.artifact import APP, error_of

VND = "application/vnd.org.jfrog.artifactory."
FILE, FOLDER = f"/api/storage/generic-local/{APP}", "/api/storage/generic-local/app"
REPOSITORY_LIST = f"{VND}repositories.RepositoryDetailsList+json"
CALLS = (FILE, FOLDER, f"{FILE}?stats", f"{FILE}?properties", "/api/repositories", "/api/system/version", "/api/build")
SEARCH = "/api/search/artifact?name=app"


def test_media_types_are_declared_for_existing_routes():
    assert set(PRODUCED_TYPES) <= ROUTES.labels


@pytest.mark.parametrize("path", [*CALLS, SEARCH, "/api/system/ping", "/api/storageinfo", "/api/search/latestVersion"])
@pytest.mark.parametrize("accept", ["image/png", "text/html", "garbage", "application/json;q=0, text/plain;q=0"])
def test_response_is_406_when_no_produced_media_type_is_acceptable(artifactory, path, accept):
    response = artifactory.get(path, headers={"Accept": accept})
    assert error_of(response) == (406, "Not Acceptable")


@pytest.mark.parametrize("path", CALLS)
@pytest.mark.parametrize("accept", [None, "", "*/*", "application/*", "application/json", "text/html, */*;q=0.1"])
def test_response_is_200_when_a_produced_media_type_is_acceptable(artifactory, path, accept):
    assert artifactory.get(path, headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize(
    ("path", "accept", "produced"),
    [
        ("/api/repositories", "*/*", REPOSITORY_LIST),
        ("/api/repositories", "application/*", REPOSITORY_LIST),
        ("/api/repositories", "application/json", "application/json"),
        ("/api/repositories", "application/json, */*;q=0.5", "application/json"),
        ("/api/repositories", f"application/json;q=0.5, {REPOSITORY_LIST}", REPOSITORY_LIST),
        ("/api/system/version", "application/json", "application/json"),
        (FILE, "application/json", f"{VND}storage.FileInfo+json"),
        (FOLDER, "application/json", f"{VND}storage.FolderInfo+json"),
        (f"{FILE}?stats", "application/json", f"{VND}storage.StatsInfo+json"),
    ],
)
def test_media_type_is_the_preferred_one_when_several_are_acceptable(artifactory, path, accept, produced):
    assert artifactory.get(path, headers={"Accept": accept}).headers["Content-Type"] == produced


@pytest.mark.parametrize("path", ["/api/storage/generic-local/nothing", "/api/repositories/nothing", "/api/build/none"])
def test_response_is_406_when_the_object_is_missing_as_well(artifactory, path):
    assert artifactory.get(path, headers={"Accept": "text/plain"}).status_code == 406


def test_response_is_405_or_401_when_the_media_type_is_not_acceptable_either(artifactory, artifactory_anonymous):
    assert artifactory.delete("/api/repositories", headers={"Accept": "text/plain"}).status_code == 405
    assert artifactory_anonymous.get("/api/repositories", headers={"Accept": "text/plain"}).status_code == 401


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (FILE, "FileInfo"),
        (FOLDER, "FolderInfo"),
        (f"{FILE}?stats", "StatsInfo"),
        (f"{FILE}?properties", "ItemProperties"),
    ],
)
def test_406_message_names_the_media_type_when_the_client_accepts_a_different_one(artifactory, path, kind):
    response = artifactory.get(path, headers={"Accept": "application/xml"})
    produced = f"{VND}storage.{kind}+json"
    assert error_of(response) == (406, f"Resource produces {produced} but client only accepts [application/xml]")
    other = f"{VND}storage.FileInfo+json" if kind != "FileInfo" else f"{VND}storage.FolderInfo+json"
    assert artifactory.get(path, headers={"Accept": other}).status_code == 406
    assert artifactory.get(path, headers={"Accept": produced}).status_code == 200


def test_response_is_406_when_json_is_accepted_with_a_parameter(artifactory):
    response = artifactory.get(FILE, headers={"Accept": "application/json;q=0.1, text/html"})
    assert (response.status_code, response.text) == (
        406,
        f"Resource produces {VND}storage.FileInfo+json but client only accepts [text/html, application/json; q=0.1]",
    )
    assert artifactory.get("/api/repositories", headers={"Accept": "application/json;q=0.1"}).status_code == 200


def test_accept_is_ignored_when_content_is_downloaded_or_deleted(artifactory):
    assert artifactory.get(f"/generic-local/{APP}", headers={"Accept": "image/png"}).status_code == 200
    assert artifactory.delete(f"/generic-local/{APP}", headers={"Accept": "image/png"}).status_code == 204


def test_accept_headers_are_combined_when_several_are_sent(sandbox):
    connection = http.client.HTTPConnection(sandbox.url.removeprefix("http://"))
    connection.putrequest("GET", "/artifactory/api/system/ping")
    credentials = base64.b64encode(b"admin:sandbox-admin").decode()
    for name, value in (("Authorization", f"Basic {credentials}"), ("Accept", "image/png"), ("Accept", "text/plain")):
        connection.putheader(name, value)
    connection.endheaders()
    assert connection.getresponse().status == 200
    connection.close()
