# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of deleting items in Artifactory, and of the trash can."""

from __future__ import annotations

import time

import pytest

from support.session import Session
from support.wire.artifact import APP, CONTENT, error_of, properties_of


def test_deleted_file_is_moved_to_the_trash_can(artifactory):
    response = artifactory.delete(f"/generic-local/{APP}")
    assert (response.status_code, response.content) == (204, b"")
    assert artifactory.get(f"/generic-local/{APP}").status_code == 404
    assert artifactory.get("/api/storage/generic-local/app/1.0").json()["children"] == []
    trash = artifactory.get("/api/storage/auto-trashcan").json()
    assert trash["children"] == [{"uri": "/generic-local", "folder": True}]
    assert artifactory.get(f"/auto-trashcan/generic-local/{APP}").content == CONTENT
    properties = properties_of(artifactory, f"auto-trashcan/generic-local/{APP}")
    assert abs(int(properties.pop("trash.time")[0]) / 1000 - time.time()) < 60
    assert properties == {
        "build.name": ["app"],
        "build.number": ["1"],
        "trash.deletedBy": ["admin"],
        "trash.originalRepository": ["generic-local"],
        "trash.originalRepositoryType": ["local"],
        "trash.originalPath": [APP],
    }


def test_delete_is_404_when_the_file_is_already_deleted(artifactory):
    artifactory.delete(f"/generic-local/{APP}")
    assert error_of(artifactory.delete(f"/generic-local/{APP}")) == (
        404,
        f"Could not locate artifact 'generic-local:{APP}' (Nothing to delete).",
    )


def test_folders_are_merged_in_the_trash_can_when_deleted_twice(artifactory):
    for content in (b"old", b"new"):
        artifactory.put("/generic-local/app/1.0/other.txt", content)
        assert artifactory.delete("/generic-local/app").status_code == 204
        assert artifactory.get("/api/storage/generic-local").json()["children"] == []
    assert artifactory.get("/auto-trashcan/generic-local/app/1.0/other.txt").content == b"new"
    assert artifactory.get(f"/auto-trashcan/generic-local/{APP}").content == CONTENT
    assert [
        child["uri"] for child in artifactory.get("/api/storage/auto-trashcan/generic-local/app").json()["children"]
    ] == ["/1.0", "/1.1", "/README.txt"]


def test_cached_file_is_deleted_without_the_trash_can(artifactory):
    path = "junit/junit/4.13/junit-4.13.pom"
    assert artifactory.delete(f"/libs-remote-cache/{path}").status_code == 204
    assert artifactory.get(f"/api/storage/auto-trashcan/generic-local/{APP}").status_code == 404
    assert artifactory.get(f"/libs-remote/{path}").status_code == 404


@pytest.mark.parametrize("path", ["/nothing/a", "/libs-release/org"])
def test_delete_is_an_empty_404_when_the_repository_is_unknown_or_virtual(artifactory, path):
    response = artifactory.delete(path)
    assert (response.status_code, response.content) == (404, b"")


def test_delete_is_refused_when_delete_permission_is_missing(artifactory_reader, artifactory_anonymous):
    assert error_of(artifactory_reader.delete(f"/generic-local/{APP}")) == (
        403,
        f"Not enough permissions to delete/overwrite artifact 'generic-local:{APP}'"
        " (user: 'reader' needs DELETE permission).",
    )
    assert artifactory_anonymous.delete(f"/generic-local/{APP}").status_code == 401


def test_missing_item_is_404_when_delete_permission_is_missing(artifactory_reader):
    assert error_of(artifactory_reader.delete("/generic-local/none")) == (
        404,
        "Could not locate artifact 'generic-local:none' (Nothing to delete).",
    )


def test_folder_is_not_deleted_when_permission_for_a_child_is_missing(sandbox, artifactory):
    sufficient = {"generic-local": "r", "generic-local/app": "rd", "generic-local/app/*": "d"}
    insufficient = {"generic-local/app/README.txt": "d", "generic-local/app": "r"}
    for permissions, status in ((sufficient, 204), (insufficient, 403)):
        user = {"name": "ci", "password": "ci", "permissions": {"generic-local/app": "r", **permissions}}
        sandbox.seed({"artifact": {"users": [user]}})
        ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
        assert ci.delete("/generic-local/app").status_code == status
        sandbox.reset()


def test_deleting_a_repository_root_requires_an_administrator(sandbox, artifactory):
    sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "ci", "permissions": {"*": "rwda"}}]}})
    ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
    status, message = error_of(ci.delete("/generic-local/"))
    assert (status, message.endswith("This requires admin privileges.")) == (403, True)
    assert artifactory.delete("/generic-local/").status_code == 204
    assert artifactory.get("/api/storage/generic-local").json()["children"] == []


def test_trash_can_is_unlisted_and_requires_an_administrator(artifactory_reader, artifactory):
    assert artifactory_reader.get("/api/storage/auto-trashcan").status_code == 403
    assert "auto-trashcan" not in artifactory.get("/api/repositories").text


def test_file_is_deleted_permanently_when_the_trash_can_is_disabled(artifactory, sandbox):
    sandbox.switch("artifact", trashcan=False)
    artifactory.delete(f"/generic-local/{APP}")
    assert artifactory.get(f"/api/storage/auto-trashcan/generic-local/{APP}").status_code == 404


def test_trashed_item_is_replaced_when_it_conflicts_with_another(artifactory):
    for path in ("x", "x/y", "x"):
        artifactory.delete("/generic-local/x")
        artifactory.put(f"/generic-local/{path}", data=b"1")
        assert artifactory.delete(f"/generic-local/{path}").status_code == 204
    trashed = artifactory.get("/api/storage/auto-trashcan/generic-local/x").json()
    assert "children" not in trashed
    assert artifactory.get("/api/storage/auto-trashcan/generic-local/x/y").status_code == 404
