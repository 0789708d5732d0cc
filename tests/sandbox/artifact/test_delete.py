# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: deletions, and the trash can."""

from __future__ import annotations

import time

import pytest

from support.session import Session
from support.wire.artifact import APP, CONTENT, error_of, properties_of


def test_to_the_trash_can(artifactory):
    answer = artifactory.delete(f"/generic-local/{APP}")
    assert (answer.status_code, answer.content) == (204, b"")
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


def test_again_is_404(artifactory):
    artifactory.delete(f"/generic-local/{APP}")
    assert error_of(artifactory.delete(f"/generic-local/{APP}")) == (
        404,
        f"Could not locate artifact 'generic-local:{APP}' (Nothing to delete).",
    )


def test_a_folder_with_everything_in_it_twice(artifactory):
    for content in (b"old", b"new"):
        artifactory.put("/generic-local/app/1.0/other.txt", content)
        assert artifactory.delete("/generic-local/app").status_code == 204
        assert artifactory.get("/api/storage/generic-local").json()["children"] == []
    assert artifactory.get("/auto-trashcan/generic-local/app/1.0/other.txt").content == b"new"
    assert artifactory.get(f"/auto-trashcan/generic-local/{APP}").content == CONTENT
    assert [
        child["uri"] for child in artifactory.get("/api/storage/auto-trashcan/generic-local/app").json()["children"]
    ] == ["/1.0", "/1.1", "/README.txt"]


def test_a_cache_loses_it_outright(artifactory):
    path = "junit/junit/4.13/junit-4.13.pom"
    assert artifactory.delete(f"/libs-remote-cache/{path}").status_code == 204
    assert artifactory.get(f"/api/storage/auto-trashcan/generic-local/{APP}").status_code == 404
    assert artifactory.get(f"/libs-remote/{path}").status_code == 404


@pytest.mark.parametrize("path", ["/nothing/a", "/libs-release/org"])
def test_what_cannot_be_deleted_from_is_an_empty_404(artifactory, path):
    answer = artifactory.delete(path)
    assert (answer.status_code, answer.content) == (404, b"")


def test_without_the_right(artifactory_reader, artifactory_anonymous):
    assert error_of(artifactory_reader.delete(f"/generic-local/{APP}")) == (
        403,
        f"Not enough permissions to delete/overwrite artifact 'generic-local:{APP}'"
        " (user: 'reader' needs DELETE permission).",
    )
    assert artifactory_anonymous.delete(f"/generic-local/{APP}").status_code == 401


def test_a_missing_item_is_not_found_without_the_right_to_delete(artifactory_reader):
    assert error_of(artifactory_reader.delete("/generic-local/none")) == (
        404,
        "Could not locate artifact 'generic-local:none' (Nothing to delete).",
    )


def test_without_the_right_to_something_below(sandbox, artifactory):
    rights = {"generic-local": "r", "generic-local/app": "rd", "generic-local/app/*": "d"}
    only_readme = {"generic-local/app/README.txt": "d", "generic-local/app": "r"}
    for permissions, status in ((rights, 204), (only_readme, 403)):
        user = {"name": "ci", "password": "ci", "permissions": {"generic-local/app": "r", **permissions}}
        sandbox.seed({"artifact": {"users": [user]}})
        ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
        assert ci.delete("/generic-local/app").status_code == status
        sandbox.reset()


def test_a_repository_root_needs_an_administrator(sandbox, artifactory):
    sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "ci", "permissions": {"*": "rwda"}}]}})
    ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
    status, message = error_of(ci.delete("/generic-local/"))
    assert (status, message.endswith("This requires admin privileges.")) == (403, True)
    assert artifactory.delete("/generic-local/").status_code == 204
    assert artifactory.get("/api/storage/generic-local").json()["children"] == []


def test_the_trash_can_is_for_administrators_only_and_never_listed(artifactory_reader, artifactory):
    assert artifactory_reader.get("/api/storage/auto-trashcan").status_code == 403
    assert "auto-trashcan" not in artifactory.get("/api/repositories").text


def test_without_trash_can(artifactory, sandbox):
    sandbox.switch("artifact", trashcan=False)
    artifactory.delete(f"/generic-local/{APP}")
    assert artifactory.get(f"/api/storage/auto-trashcan/generic-local/{APP}").status_code == 404


def test_a_trashed_item_gives_way_when_it_is_in_the_way_of_another(artifactory):
    for path in ("x", "x/y", "x"):
        artifactory.delete("/generic-local/x")
        artifactory.put(f"/generic-local/{path}", data=b"1")
        assert artifactory.delete(f"/generic-local/{path}").status_code == 204
    trashed = artifactory.get("/api/storage/auto-trashcan/generic-local/x").json()
    assert "children" not in trashed
    assert artifactory.get("/api/storage/auto-trashcan/generic-local/x/y").status_code == 404
