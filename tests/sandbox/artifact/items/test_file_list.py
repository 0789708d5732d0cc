# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of Artifactory file lists."""

from __future__ import annotations

import pytest

from support.wire.artifact import APP, ISO_TIME, error_of


def test_file_list_of_a_folder(artifactory, sandbox):
    listing = artifactory.get("/api/storage/generic-local/app?list").json()
    assert listing["uri"] == f"{sandbox.url}/artifactory/api/storage/generic-local/app"
    assert ISO_TIME.fullmatch(listing["created"])
    (entry,) = listing["files"]
    assert (entry["uri"], entry["size"], entry["folder"]) == ("/README.txt", 15, False)
    assert len(entry["sha1"]) == 40
    assert len(entry["sha2"]) == 64


@pytest.mark.parametrize(
    ("query", "uris"),
    [
        ("", ["/README.txt"]),
        ("&depth=3", ["/README.txt"]),
        ("&listFolders=1", ["/1.0", "/1.1", "/README.txt"]),
        ("&deep=1", ["/1.0/app-1.0.tar.gz", "/1.1/app-1.1.tar.gz", "/README.txt"]),
        ("&deep=1&depth=1&listFolders=1", ["/1.0", "/1.1", "/README.txt"]),
        ("&listFolders=1&includeRootPath=1", ["/", "/1.0", "/1.1", "/README.txt"]),
        ("&includeRootPath=1", ["/", "/README.txt"]),
        ("&deep=&listFolders&includeRootPath=%20", ["/README.txt"]),
    ],
)
def test_file_list_depends_on_depth_and_folder_arguments(artifactory, query, uris):
    listing = artifactory.get(f"/api/storage/generic-local/app?list{query}").json()
    assert sorted(entry["uri"] for entry in listing["files"]) == uris


def test_file_list_of_a_repository_root(artifactory):
    listing = artifactory.get("/api/storage/generic-local?list&deep=1&depth=2").json()
    assert [entry["uri"] for entry in listing["files"]] == ["/app/README.txt"]


def test_file_list_has_metadata_timestamps_when_requested(artifactory):
    listing = artifactory.get("/api/storage/generic-local/app?list&deep=1&mdTimestamps=1").json()
    stamped = {entry["uri"] for entry in listing["files"] if "mdTimestamps" in entry}
    assert stamped == {"/1.0/app-1.0.tar.gz"}


def test_file_list_is_refused_when_the_request_is_invalid(artifactory, artifactory_anonymous, sandbox):
    sandbox.switch("artifact", anonymous=True)
    assert error_of(artifactory_anonymous.get("/api/storage/generic-local/app?list")) == (
        401,
        "This resource is available to authenticated users only.",
    )
    assert error_of(artifactory.get("/api/storage/generic-local/nothing?list"))[0] == 404
    assert error_of(artifactory.get(f"/api/storage/generic-local/{APP}?list"))[0] == 400
    assert error_of(artifactory.get("/api/storage/generic-local/app?list&deep=x"))[0] == 400
