# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

ITEM = "/artifactory/api/storage/generic-local/app/1.0/app.tgz"
FOLDER = "/artifactory/api/storage/generic-local/app"
TASK: dict[str, Any] = {"repo": "generic-local", "path": "app/1.0/app.tgz"}
SUMS = {"sha1": "1" * 40, "md5": "2" * 32, "sha256": "3" * 64}
TIMES = {
    "created": "2024-05-01T10:11:12.345Z",
    "lastModified": "2024-05-01T13:11:12.300+03:00",
    "lastUpdated": "2024-05-01T10:11:12.346+0000",
}
FILE = {
    "repo": "generic-local",
    "path": "/app/1.0/app.tgz",
    **TIMES,
    "createdBy": "ci",
    "modifiedBy": "deployer",
    "downloadUri": "http://host/artifactory/generic-local/app/1.0/app.tgz",
    "mimeType": "application/x-gzip",
    "size": "1024",
    "checksums": SUMS,
    "originalChecksums": {"sha256": "3" * 64},
    "uri": f"http://host{ITEM}",
}
FOUND = {
    "repo": "generic-local",
    "path": "app/1.0/app.tgz",
    "type": "file",
    "size": 1024,
    "created": "2024-05-01T10:11:12.345Z",
    "created_by": "ci",
    "modified": "2024-05-01T10:11:12.300Z",
    "modified_by": "deployer",
    "updated": "2024-05-01T10:11:12.346Z",
    "mime_type": "application/x-gzip",
    "checksums": SUMS,
    "original_checksums": {"sha1": None, "md5": None, "sha256": "3" * 64},
    "download_uri": "http://host/artifactory/generic-local/app/1.0/app.tgz",
    "remote_url": None,
    "children": None,
}
ABSENT = {"errors": [{"status": 404, "message": "Unable to find item"}]}
STATISTICS = {"downloadCount": 3, "lastDownloaded": 1714558272345, "lastDownloadedBy": "ci"}


def repositories(*keys: str) -> Call:
    return call("GET", "/artifactory/api/repositories", json=[{"key": key, "type": "LOCAL"} for key in keys])


@pytest.mark.parametrize("check_mode", [False, True])
def test_file_is_returned_with_all_keys(check_mode: bool) -> None:
    with conversation(call("GET", ITEM, json=FILE)) as server:
        result = run("artifact_item_info", url=server.url, check_mode=check_mode, **TASK)
    assert result == {"changed": False, "item": FOUND, "missing": None}


def test_folder_is_returned_with_its_children() -> None:
    children = [{"uri": "/b.txt", "folder": False}, {"uri": "/1.0", "folder": True}]
    info = {"repo": "generic-local", "path": "/app", **TIMES, "children": children, "uri": f"http://host{FOLDER}"}
    with conversation(call("GET", FOLDER, json=info)) as server:
        item = run("artifact_item_info", url=server.url, repo="generic-local", path="/app/")["item"]
    assert (item["type"], item["path"], item["size"], item["checksums"]) == ("folder", "app", None, None)
    assert item["children"] == [{"name": "1.0", "type": "folder"}, {"name": "b.txt", "type": "file"}]


def test_root_is_returned_when_the_path_is_empty() -> None:
    info = {"repo": "generic-local", "path": "/", **TIMES, "children": [], "uri": "…"}
    with conversation(call("GET", "/artifactory/api/storage/generic-local", json=info)) as server:
        item = run("artifact_item_info", url=server.url, repo="generic-local", path="")["item"]
    assert (item["path"], item["type"], item["children"]) == ("", "folder", [])


def test_details_are_read_when_requested() -> None:
    with conversation(
        call("GET", ITEM, json=FILE),
        call("GET", f"{ITEM}?properties", json={"properties": {"qa": ["passed", "b"]}, "uri": "…"}),
        call("GET", f"{ITEM}?stats", json={"uri": "…", **STATISTICS, "remoteDownloadCount": 0}),
        call("GET", f"{ITEM}?lastModified", json={"uri": f"http://host{ITEM}", "lastModified": TIMES["lastUpdated"]}),
    ) as server:
        more = {"properties": True, "statistics": True, "last_modified": True}
        item = run("artifact_item_info", url=server.url, **TASK, **more)["item"]
    assert item["properties"] == {"qa": ["b", "passed"]}
    assert item["statistics"] == {
        "downloads": 3,
        "downloaded": "2024-05-01T10:11:12.345Z",
        "downloaded_by": "ci",
        "remote_downloads": 0,
        "remote_downloaded": None,
    }
    assert item["last_modified"] == {"path": "app/1.0/app.tgz", "modified": "2024-05-01T10:11:12.346Z"}


def test_statistics_are_null_when_never_downloaded() -> None:
    never = {"uri": "…", "downloadCount": 0, "lastDownloaded": 0, "remoteDownloadCount": 0, "remoteLastDownloaded": 0}
    with conversation(call("GET", ITEM, json=FILE), call("GET", f"{ITEM}?stats", json=never)) as server:
        item = run("artifact_item_info", url=server.url, statistics=True, **TASK)["item"]
    assert (item["statistics"]["downloads"], item["statistics"]["downloaded"]) == (0, None)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("http://host/artifactory/api/storage/generic-local/app/a%20b/%C3%BC.txt", "app/a b/ü.txt"),
        ("http://host/artifactory/api/storage/generic-local/app/a b/100%41.txt", "app/a b/100%41.txt"),
        ("http://host/artifactory/api/storage/generic-local/app/100%.txt", "app/100%.txt"),
        ("https://proxy.example/repo/api/storage/generic-local/app/x.txt", "app/x.txt"),
    ],
)
def test_last_modified_file_of_a_folder_is_returned(uri: str, path: str) -> None:
    info = {"repo": "generic-local", "path": "/app", **TIMES, "children": [], "uri": "…"}
    newest = {"uri": uri, "lastModified": "2024-05-01T10:11:12.345+0000"}
    with conversation(call("GET", FOLDER, json=info), call("GET", f"{FOLDER}?lastModified", json=newest)) as server:
        item = run("artifact_item_info", url=server.url, repo="generic-local", path="app", last_modified=True)["item"]
    assert item["last_modified"] == {"path": path, "modified": "2024-05-01T10:11:12.345Z"}


def test_last_modified_is_null_when_the_folder_has_no_files() -> None:
    info = {"repo": "generic-local", "path": "/app", **TIMES, "children": [], "uri": "…"}
    with conversation(
        call("GET", FOLDER, json=info), call("GET", f"{FOLDER}?lastModified", 404, json=ABSENT)
    ) as server:
        item = run("artifact_item_info", url=server.url, repo="generic-local", path="app", last_modified=True)["item"]
    assert item["last_modified"] is None


def test_last_modified_fails_when_the_repository_is_virtual() -> None:
    refusal = {"errors": [{"status": 400, "message": "This method can only be invoked on local/cached repositories."}]}
    with conversation(call("GET", ITEM, json=FILE), call("GET", f"{ITEM}?lastModified", 400, json=refusal)) as server:
        result = run("artifact_item_info", url=server.url, last_modified=True, **TASK)
    assert "400 This method can only be invoked on local/cached repositories." in result["msg"]


@pytest.mark.parametrize(
    ("repo", "keys", "missing"),
    [
        ("generic-local", ["generic-local", "x"], "item"),
        ("generic-local", ["x"], "repository"),
        ("libs-remote-cache", ["libs-remote"], "item"),
    ],
)
def test_missing_item_is_not_an_error(repo: str, keys: list[str], missing: str) -> None:
    with conversation(
        call("GET", f"/artifactory/api/storage/{repo}/a", 404, json=ABSENT), repositories(*keys)
    ) as server:
        result = run("artifact_item_info", url=server.url, repo=repo, path="a", statistics=True)
    assert result == {"changed": False, "item": None, "missing": missing}


@pytest.mark.parametrize("status", [401, 403])
def test_task_fails_when_the_account_may_not_read_the_item(status: int) -> None:
    refusal = {"errors": [{"status": status, "message": "Forbidden for user: 'x'."}]}
    with conversation(call("GET", ITEM, status, json=refusal)) as server:
        result = run("artifact_item_info", url=server.url, **TASK)
    assert f"{status} Forbidden for user: 'x'." in result["msg"]


def test_several_items_are_read_concurrently() -> None:
    with conversation(
        call("GET", ITEM, json=FILE),
        call("GET", "/artifactory/api/storage/generic-local/b", 404, json=ABSENT),
        repositories("generic-local"),
    ) as server:
        items = [{"path": TASK["path"]}, {"path": "b"}]
        result = run("artifact_item_info", url=server.url, repo="generic-local", items=items, workers=1)
    assert result["counts"]["ok"] == 2
    assert [(one["item"], one["item_info"], one["missing"]) for one in result["outcomes"]] == [
        ({"path": TASK["path"]}, FOUND, None),
        ({"path": "b"}, None, "item"),
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": "big"}, "'size' is a text instead of a whole number"),
        ({"created": "yesterday"}, "'created' is a text instead of a date and time"),
        ({"repo": None}, "'repo' is null instead of a text"),
        ({"checksums": []}, "'checksums' is a list instead of an object"),
    ],
)
def test_task_fails_when_the_response_has_an_unexpected_form(change: dict[str, Any], message: str) -> None:
    with conversation(call("GET", ITEM, json={**FILE, **change})) as server:
        assert message in run("artifact_item_info", url=server.url, **TASK)["msg"]
