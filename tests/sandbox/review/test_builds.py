# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of builds."""

from __future__ import annotations

from typing import Any

from support.wire.review import Api


def test_builds_are_listed_newest_first(api: Api, sandbox: Any) -> None:
    builds = api.records("builds", project="mobile-app")
    ids = [build.pop("id") for build in builds]
    assert ids == sorted(ids, reverse=True)
    assert builds == [
        {"name": "build_3", "date": 1619437882164, "keepit": False},
        {"name": "build_2", "date": 1619436216567, "keepit": True},
        {"name": "build_1", "date": 1619434216567, "keepit": False},
    ]
    assert api.records("builds", project="platform") == []
    assert api.expect_error("builds", project="x") == (404, "Project not found: x")
    sandbox.switch("review", version_major="23")
    assert api.records("builds", project="mobile-app")[0]["tags"] == []


def test_build_is_renamed_kept_and_deleted(api: Api) -> None:
    ids = [build["id"] for build in api.records("builds", project="mobile-app")]
    api.write("update_build", project="mobile-app", name="build_1", new_name="release", keepit="true")
    assert api.records("builds", project="mobile-app")[2] == {
        "id": ids[2],
        "name": "release",
        "date": 1619434216567,
        "keepit": True,
    }
    api.write("update_build", project="mobile-app", name="release", keepit="false")
    assert api.records("builds", project="mobile-app")[2]["keepit"] is False
    api.write("delete_build", project="mobile-app", name="release")
    assert [build["id"] for build in api.records("builds", project="mobile-app")] == ids[:2]


def test_invalid_changes_are_rejected(api: Api, sandbox: Any) -> None:
    error = api.expect_error("update_build", project="mobile-app", name="build_1", new_name="build_2")
    assert error == (409, "Build already exists: build_2")
    for action in ("update_build", "delete_build"):
        assert api.expect_error(action, project="mobile-app", name="x") == (404, "Build not found: x")
    sandbox.seed(
        {
            "review": {
                "roles": [
                    {
                        "name": "Project admin",
                        "permissions": ["webapi_access"],
                        "assignments": [{"account": "alice", "project": "mobile-app"}],
                    }
                ]
            }
        }
    )
    api.user = "alice"
    assert api.expect_error("update_build", project="mobile-app", name="build_1")[0] == 403
    assert api.expect_error("delete_build", project="mobile-app", name="build_1")[0] == 403


def test_all_figures_of_a_build_are_strings(api: Api) -> None:
    (latest,) = api.records("project_configuration", project="mobile-app")
    assert latest == {
        "build": "build_3",
        "creationDate": "Mon Apr 26 11:51:22 UTC 2021",
        "version": "20.4.0.57",
        "numberOfFiles": "1638",
        "linesOfCode": "49741",
        "numberOfFunctions": "11379",
        "taxonomies": "C and C++, C#, Java, MISRA Checkers Package, Metrics",
    }
    assert api.records("project_configuration", project="mobile-app", build="build_1")[0]["build"] == "build_1"
    assert api.expect_error("project_configuration", project="mobile-app", build="x") == (404, "Build not found: x")
    assert api.expect_error("project_configuration", project="platform")[0] == 404
