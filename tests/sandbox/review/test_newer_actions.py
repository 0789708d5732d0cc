# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of actions of servers since 2023."""

from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest

from support.wire.review import Api

PROJECT = {"project": "mobile-app"}


@pytest.fixture(autouse=True)
def newer(sandbox: Any) -> None:
    """Set the version of the server to 23."""
    sandbox.switch("review", version_major="23")


def test_ci_builds_are_listed_renamed_and_deleted(api: Api) -> None:
    (build,) = api.records("ci_builds", **PROJECT)
    assert build == {"id": build["id"], "name": "ci_17", "date": 1619437900000, "tags": ["merge-request"]}
    api.write("update_ci_build", **PROJECT, name="ci_17", new_name="ci, 17", tags="a\\,b,c")
    (renamed,) = api.records("ci_builds", **PROJECT)
    assert renamed == {**build, "name": "ci, 17", "tags": ["a,b", "c"]}
    api.write("delete_ci_build", **PROJECT, name="ci, 17")
    assert api.records("ci_builds", **PROJECT) == []
    for action in ("update_ci_build", "delete_ci_build"):
        assert api.expect_error(action, **PROJECT, name="x") == (404, "CI build not found: x")


def test_details_of_issues_of_ci_builds(api: Api) -> None:
    number = str(api.records("search", **PROJECT, query="grouping:off")[0]["id"])
    details = api.records("ci_issue_details", **PROJECT, id=number)
    assert details == api.records("issue_details", **PROJECT, id=number)
    assert api.expect_error("ci_issue_details", **PROJECT, id="999") == (404, "Issue not found: 999")


def test_build_log_is_a_zip_archive(api: Api) -> None:
    answer = api.post("build_log_download", **PROJECT, name="build_3")
    assert answer.headers["content-type"] == "application/octet-stream"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.read("build.log") == b"Loaded build build_3 at 2021-04-26T11:51:22Z\n"
    assert api.expect_error("build_log_download", **PROJECT, name="x") == (404, "Build not found: x")


def test_compliance_reports_are_created_downloaded_and_deleted(api: Api) -> None:
    report = {"taxonomy": "C and C++", "outputFolder": "2024", "outputFile": "all", "fileType": "pdf"}
    api.write("compliance_report", **PROJECT, **report)
    answer = api.post("compliance_download", **PROJECT, file_path="2024/all.pdf")
    assert answer.text == "Project: mobile-app\nTaxonomy: C and C++\nIssues: 3\n"
    assert api.expect_error("compliance_delete", **PROJECT, path="2024") == (409, "Folder is not empty: 2024")
    api.write("compliance_delete", **PROJECT, path="2024", force="true")
    error = api.expect_error("compliance_download", **PROJECT, file_path="2024/all.pdf")
    assert error == (404, "Compliance report not found: 2024/all.pdf")
    assert api.expect_error("compliance_delete", **PROJECT, path="2024")[0] == 404
    assert api.expect_error("compliance_report", **PROJECT, taxonomy="Ada") == (404, "Taxonomy not found: Ada")
