# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import copy
from typing import Any

import pytest

from support.artifact_edition import OPEN_SOURCE, edition
from support.conversation import Call, call, conversation
from support.running import run

ADDRESS = "/artifactory/api/storageinfo"
SUMMARY: dict[str, Any] = {
    "binariesSummary": {
        "binariesCount": "125,726",
        "binariesSize": "3.48 GB",
        "artifactsSize": "59.77 GB",
        "optimization": "5.82%",
        "itemsCount": "2,176,580",
        "artifactsCount": "2,084,408",
    },
    "fileStoreSummary": {
        "storageType": "filesystem",
        "storageDirectory": "/data/filestore",
        "totalSpace": "204.28 GB",
        "usedSpace": "32.22 GB (15.77%)",
        "freeSpace": "172.06 GB (84.23%)",
    },
    "repositoriesSummaryList": [
        {
            "repoKey": "libs-remote-cache",
            "repoType": "CACHE",
            "foldersCount": 2,
            "filesCount": "1,003",
            "usedSpace": "1.50 KB",
            "usedSpaceInBytes": 1537,
            "itemsCount": 1005,
            "packageType": "Maven",
            "projectKey": "default",
            "percentage": "0.01%",
        },
        {
            "repoKey": "TOTAL",
            "repoType": "NA",
            "foldersCount": 92172,
            "filesCount": 2084408,
            "usedSpace": "59.77 GB",
            "itemsCount": 2176580,
        },
        {
            "repoKey": "a",
            "repoType": "VIRTUAL",
            "foldersCount": 0,
            "filesCount": 0,
            "usedSpace": "0 bytes",
            "itemsCount": 0,
        },
    ],
}
CACHE = {
    "key": "libs-remote-cache",
    "type": "cache",
    "package_type": "maven",
    "project_key": "default",
    "folders": 2,
    "files": 1003,
    "items": 1005,
    "used": 1537,
    "used_text": "1.50 KB",
    "percent": 0.01,
}


def summary(**change: Any) -> Call:
    return call("GET", ADDRESS, json={**SUMMARY, **change})


def calculate() -> Call:
    return call("POST", f"{ADDRESS}/calculate", 202, json={"info": "scheduled"}, sent_body=b"")


@pytest.mark.parametrize("check_mode", [False, True])
def test_sizes_are_returned_in_bytes_and_as_text(check_mode: bool) -> None:
    with conversation(summary()) as server:
        result = run("artifact_storage_info", url=server.url, check_mode=check_mode)
    storage = result.pop("storage")
    assert result == {"changed": False, "repository": None, "refreshed": None}
    assert storage["binaries"] == {
        "count": 125726,
        "size": 3736621548,
        "size_text": "3.48 GB",
        "artifacts_size": 64177548820,
        "artifacts_size_text": "59.77 GB",
        "optimization": 5.82,
        "items": 2176580,
        "artifacts": 2084408,
    }
    assert storage["file_store"]["used"] == 34595961569
    assert storage["file_store"]["used_text"] == "32.22 GB (15.77%)"
    assert (storage["file_store"]["used_percent"], storage["file_store"]["free_percent"]) == (15.77, 84.23)
    assert [row["key"] for row in storage["repositories"]] == ["a", "libs-remote-cache"]
    assert storage["repositories"][1] == CACHE
    assert storage["total"] == {
        "folders": 92172,
        "files": 2084408,
        "items": 2176580,
        "used": storage["binaries"]["artifacts_size"],
        "used_text": "59.77 GB",
    }


@pytest.mark.parametrize(
    ("repo", "row"), [("libs-remote", CACHE), ("libs-remote-cache", CACHE), ("none", None), ("TOTAL", None)]
)
def test_row_of_a_repository_is_returned(repo: str, row: Any) -> None:
    with conversation(summary()) as server:
        assert run("artifact_storage_info", url=server.url, repo=repo)["repository"] == row


def test_sizes_are_null_when_the_storage_is_unlimited() -> None:
    endless = {
        "storageType": "Artifactory Cloud",
        "totalSpace": "Infinite",
        "usedSpace": "1 GB",
        "freeSpace": "Infinite",
    }
    with conversation(summary(fileStoreSummary=endless)) as server:
        store = run("artifact_storage_info", url=server.url)["storage"]["file_store"]
    assert (store["total"], store["total_text"], store["used"]) == (None, "Infinite", 2**30)
    assert (store["directory"], store["used_percent"]) == (None, None)


def test_task_waits_for_a_new_summary() -> None:
    rows = copy.deepcopy(SUMMARY["repositoriesSummaryList"])
    rows[0]["usedSpaceInBytes"] = 99
    with conversation(summary(), calculate(), summary(), summary(repositoriesSummaryList=rows)) as server:
        result = run("artifact_storage_info", url=server.url, refresh=True, repo="libs-remote", refresh_timeout=60)
    assert (result["refreshed"], result["repository"]["used"]) == (True, 99)


def test_refreshed_is_false_when_the_summary_does_not_change() -> None:
    with conversation(summary(), calculate(), summary()) as server:
        result = run("artifact_storage_info", url=server.url, refresh=True, refresh_timeout=0)
    assert (result["refreshed"], result["changed"]) == (False, False)


def test_error_names_the_missing_permission() -> None:
    refusal = {"errors": [{"status": 403, "message": "Forbidden"}]}
    with conversation(call("GET", ADDRESS, 403, json=refusal)) as server:
        assert "403 Forbidden. The account lacks a permission" in run("artifact_storage_info", url=server.url)["msg"]


def test_task_fails_when_the_response_has_an_unexpected_form() -> None:
    with conversation(summary(binariesSummary={"binariesCount": "many"})) as server:
        result = run("artifact_storage_info", url=server.url)
    assert "'binariesSummary.binariesCount' is a text instead of a whole number" in result["msg"]


@pytest.mark.parametrize(("version", "reason"), [(edition(), "This version cannot"), (edition(OPEN_SOURCE), "edition")])
def test_refresh_fails_when_the_server_does_not_support_it(version: Call, reason: str) -> None:
    not_found = {"errors": [{"status": 404, "message": "Not Found"}]}
    with conversation(summary(), call("POST", f"{ADDRESS}/calculate", 404, json=not_found), version) as server:
        result = run("artifact_storage_info", url=server.url, refresh=True)
    assert reason in result["msg"]
    advice = "Omit 'refresh'. In the role artifact_housekeeping, set 'artifact_housekeeping_measure: false'."
    assert result["msg"].endswith(advice)
