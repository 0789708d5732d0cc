# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import stat
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from support.conversation import call, conversation
from support.running import run

FOLDER = "/artifactory/api/storage/generic-local/app"
TASK: dict[str, Any] = {"repo": "generic-local", "path": "app"}
TIME = "2024-04-01T08:00:00.000Z"
FILE = {"path": "app/b.txt", "type": "file", "size": 7, "modified": TIME, "metadata_timestamps": {}}


def listing(*files: dict[str, Any]) -> dict[str, Any]:
    return {"uri": f"http://host{FOLDER}", "created": TIME, "files": list(files)}


def file(uri: str, size: Any = 7, **more: Any) -> dict[str, Any]:
    return {"uri": uri, "size": size, "lastModified": TIME, "folder": False, "sha1": "1", "sha2": "2", **more}


@pytest.mark.parametrize("check_mode", [False, True])
def test_files_of_a_folder_are_sorted(check_mode: bool) -> None:
    files = listing(file("/b.txt"), file("/1.0/a.txt", 3))
    with conversation(call("GET", f"{FOLDER}?list", json=files)) as server:
        result = run("artifact_list_info", url=server.url, check_mode=check_mode, **TASK)
    assert result == {
        "changed": False,
        "counts": {"files": 2, "folders": 0, "bytes": 10},
        "entries": [
            {**FILE, "path": "app/1.0/a.txt", "size": 3, "sha1": "1", "sha256": "2"},
            {**FILE, "sha1": "1", "sha256": "2"},
        ],
    }


def test_request_contains_all_options_and_folders_are_returned() -> None:
    folder = {"uri": "/", "size": -1, "lastModified": TIME, "folder": True}
    stamped = file("/x", mdTimestamps={"properties": "2024-04-02T10:00:00.000+0200"})
    query = "list&deep=1&depth=3&listFolders=1&mdTimestamps=1&includeRootPath=1"
    with conversation(call("GET", f"{FOLDER}?{query}", json=listing(folder, stamped))) as server:
        switches = {"deep": True, "depth": 3, "folders": True, "metadata_timestamps": True, "root": True}
        result = run("artifact_list_info", url=server.url, **TASK, **switches)
    root, entry = result["entries"]
    assert root == {
        "path": "app",
        "type": "folder",
        "size": None,
        "modified": TIME,
        "sha1": None,
        "sha256": None,
        "metadata_timestamps": {},
    }
    assert entry["metadata_timestamps"] == {"properties": "2024-04-02T08:00:00.000Z"}
    assert result["counts"] == {"files": 1, "folders": 1, "bytes": 7}


def test_whole_repository_is_listed_when_the_path_is_empty() -> None:
    address = "/artifactory/api/storage/generic-local?list"
    with conversation(call("GET", address, json=listing(file("/a/b")))) as server:
        result = run("artifact_list_info", url=server.url, repo="generic-local")
    assert [entry["path"] for entry in result["entries"]] == ["a/b"]


def test_numbers_and_flags_are_parsed_when_they_are_texts() -> None:
    entries = listing(file("/a", "253207", folder="false"), {**file("/b", "-1"), "folder": "true"})
    with conversation(call("GET", f"{FOLDER}?list", json=entries)) as server:
        result = run("artifact_list_info", url=server.url, **TASK)
    assert [(entry["type"], entry["size"]) for entry in result["entries"]] == [("file", 253207), ("folder", None)]


def test_result_is_written_to_a_file_when_requested(tmp_path: Path) -> None:
    target = tmp_path / "list"
    target.write_text("old")
    with conversation(call("GET", f"{FOLDER}?list", json=listing(file("/b"), file("/a")))) as server:
        result = run("artifact_list_info", url=server.url, to_file=str(target), mode="0640", **TASK)
    assert result == {"changed": False, "counts": {"files": 2, "folders": 0, "bytes": 14}}
    assert [json.loads(line)["path"] for line in target.read_text().splitlines()] == ["app/b", "app/a"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_file_is_not_written_when_in_check_mode(tmp_path: Path) -> None:
    target = tmp_path / "list"
    with conversation(call("GET", f"{FOLDER}?list", json=listing(file("/b")))) as server:
        result = run("artifact_list_info", url=server.url, to_file=str(target), check_mode=True, **TASK)
    assert result["counts"]["files"] == 1
    assert not target.exists()


def test_memory_is_constant_when_the_list_is_long(tmp_path: Path) -> None:
    body = json.dumps(listing(*(file(f"/{n:040}", more="x" * 200) for n in range(20_000))))
    with conversation(call("GET", f"{FOLDER}?list&deep=1", text=body)) as server:
        tracemalloc.start()
        try:
            result = run("artifact_list_info", url=server.url, deep=True, to_file=str(tmp_path / "list"), **TASK)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    assert result["counts"]["files"] == 20_000
    assert peak < 2_500_000 < len(body)


def test_old_file_remains_when_the_response_is_incomplete(tmp_path: Path) -> None:
    target = tmp_path / "list"
    target.write_text("old")
    body = json.dumps(listing(*(file(f"/{n:040}") for n in range(5000))))[:-5]
    with conversation(call("GET", f"{FOLDER}?list", text=body)) as server:
        result = run("artifact_list_info", url=server.url, to_file=str(target), **TASK)
    assert result["failed"]
    assert target.read_text() == "old"


def test_task_fails_when_the_folder_does_not_exist() -> None:
    not_found = {"errors": [{"status": 404, "message": "Unable to find item"}]}
    with conversation(call("GET", f"{FOLDER}?list", 404, json=not_found)) as server:
        result = run("artifact_list_info", url=server.url, **TASK)
    assert (
        result["msg"]
        == "Folder 'app' does not exist in repository 'generic-local', or the account has no Read permission on it."
    )


def test_task_fails_when_the_folder_is_a_file() -> None:
    refusal = {"errors": [{"status": 400, "message": "Expected a folder but found a file."}]}
    with conversation(call("GET", f"{FOLDER}?list", 400, json=refusal)) as server:
        assert "400 Expected a folder but found a file." in run("artifact_list_info", url=server.url, **TASK)["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"depth": 2}, "Option 'depth': needs 'deep: true'"),
        ({"depth": 0, "deep": True}, "Option 'depth': must be 1 to 1,000"),
        ({"to_file": "/nowhere/list"}, "Option 'to_file': '/nowhere/list' cannot be written"),
        ({"path": "a/../b"}, "Option 'path': '..' is not a valid part of a path"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert message in run("artifact_list_info", url=server.url, **{**TASK, **options})["msg"]
