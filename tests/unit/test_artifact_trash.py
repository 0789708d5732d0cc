# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import time
from typing import Any

import pytest

from support.artifact_edition import OPEN_SOURCE
from support.conversation import Call, call, conversation
from support.running import run, send_ctrl_c

pytestmark = pytest.mark.usefixtures("reported_version")

STORAGE = "/artifactory/api/storage"
TRASH = "/artifactory/api/trash"
FILE = {"action": "clean", "repo": "r", "path": "a/b.txt"}
NOTHING = {"errors": [{"status": 400, "message": "Could not locate artifact 'auto-trashcan:r' (Nothing to delete)."}]}
PLAN = {"action": "clean", "source": "r/a/b.txt", "type": "file", "size": 7}
RESTORE = {**FILE, "action": "restore"}


def read_existing(place: str, *children: str, folder: bool = False) -> Call:
    repo, _slash, path = place.partition("/")
    info: dict[str, Any] = {"repo": repo, "path": f"/{path}", "size": "7"}
    if children or folder:
        info["children"] = [{"uri": f"/{child}", "folder": True} for child in children]
    return call("GET", f"{STORAGE}/{place}", json=info)


def read_missing(place: str) -> Call:
    absent = {"errors": [{"status": 404, "message": "Unable to find item"}]}
    return call("GET", f"{STORAGE}/{place}", 404, json=absent)


ROOT = read_existing("auto-trashcan", folder=True)
ABSENT = (read_missing("auto-trashcan/r/a/b.txt"), ROOT)


def test_item_is_cleaned_and_verified() -> None:
    clean = call("DELETE", f"{TRASH}/clean/r/a/b.txt", 204)
    with conversation(read_existing("auto-trashcan/r/a/b.txt"), clean, *ABSENT) as server:
        result = run("artifact_trash", url=server.url, **FILE)
    assert result == {"changed": True, "plan": PLAN}


def test_check_mode_only_reads() -> None:
    with conversation(read_existing("auto-trashcan/r/a/b.txt")) as server:
        assert run("artifact_trash", url=server.url, check_mode=True, **FILE) == {"changed": True, "plan": PLAN}


@pytest.mark.parametrize(
    ("options", "place"),
    [
        (FILE, "r/a/b.txt"),
        ({"action": "clean", "repo": "r", "path": ""}, "r"),
        ({"action": "clean", "build_records": True}, "artifactory-build-info"),
        ({"action": "clean", "build_records": True, "project_key": "p"}, "p-build-info"),
    ],
)
def test_clean_changes_nothing_when_the_item_is_missing(options: dict[str, Any], place: str) -> None:
    with conversation(read_missing(f"auto-trashcan/{place}"), ROOT) as server:
        assert run("artifact_trash", url=server.url, **options) == {"changed": False, "plan": None}


def test_clean_succeeds_when_there_is_nothing_to_delete() -> None:
    """Another client deleted the item first."""
    clean = call("DELETE", f"{TRASH}/clean/r/a/b.txt", 400, json=NOTHING)
    with conversation(read_existing("auto-trashcan/r/a/b.txt"), clean, *ABSENT) as server:
        assert run("artifact_trash", url=server.url, **FILE) == {"changed": False, "plan": PLAN}


def test_trash_can_is_read_when_the_response_is_lost() -> None:
    lost = call("DELETE", f"{TRASH}/clean/r/a/b.txt", drop=True)
    refused = call("DELETE", f"{TRASH}/clean/r/a/b.txt", 400, json=NOTHING)
    with conversation(read_existing("auto-trashcan/r/a/b.txt"), lost, refused, *ABSENT) as server:
        result = run("artifact_trash", url=server.url, **FILE)
    assert result["changed"]
    assert any("shows that the request had its effect" in warning for warning in result["warnings"])


def test_task_fails_when_the_server_refuses_the_request() -> None:
    refusal = {"errors": [{"status": 400, "message": "No way"}]}
    with conversation(
        read_existing("auto-trashcan/r/a/b.txt"), call("DELETE", f"{TRASH}/clean/r/a/b.txt", 400, json=refusal)
    ) as server:
        result = run("artifact_trash", url=server.url, **FILE)
    assert "400 No way" in result["msg"]
    assert not result["changed"]


def test_task_waits_until_the_trash_can_is_empty() -> None:
    with conversation(
        read_existing("auto-trashcan", "r", "q"),
        call("POST", f"{TRASH}/empty", 202, text="Successfully deleted all trashcan items"),
        read_existing("auto-trashcan", "r"),
        ROOT,
    ) as server:
        result = run("artifact_trash", url=server.url, action="empty", wait_delay=0.1)
    assert result == {"changed": True, "plan": {"action": "empty", "repos": ["q", "r"]}}


def test_interruption_is_reported_when_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    words: list[str] = []
    monkeypatch.setattr(time, "sleep", send_ctrl_c)
    full = read_existing("auto-trashcan", "r")
    with conversation(full, call("POST", f"{TRASH}/empty", 202), full) as server, pytest.raises(KeyboardInterrupt):
        run("artifact_trash", url=server.url, action="empty", display_interruption=words.append)
    assert words == ["interrupted while the server performs the action 'empty'. The server continues."]


def test_task_fails_when_a_success_has_no_effect() -> None:
    with conversation(
        read_existing("auto-trashcan", "r"), call("POST", f"{TRASH}/empty", 202), read_existing("auto-trashcan", "r")
    ) as server:
        result = run("artifact_trash", url=server.url, action="empty", wait_timeout=0)
    assert result["failed"]
    assert "the trash can is not empty yet" in result["msg"]


def test_empty_changes_nothing_when_the_trash_can_is_empty() -> None:
    with conversation(ROOT) as server:
        assert run("artifact_trash", url=server.url, action="empty") == {"changed": False, "plan": None}


def test_file_is_restored_to_another_path() -> None:
    with conversation(
        read_existing("auto-trashcan/r/a/b.txt"),
        read_missing("q/c"),
        call("POST", f"{TRASH}/restore/r/a/b.txt?to=q%2Fc", 202),
        *ABSENT,
        read_existing("q/c"),
    ) as server:
        result = run("artifact_trash", url=server.url, to_repo="q", to_path="c", **RESTORE)
    assert result["changed"]
    assert (result["plan"]["target"], result["plan"]["replaces"]) == ("q/c", False)


FOLDER = {**RESTORE, "path": "a"}


def list_folder(place: str, *names: str) -> Call:
    files = [{"uri": f"/{name}", "size": 1, "folder": False} for name in names]
    return call("GET", f"{STORAGE}/{place}?list&deep=1", json={"uri": "…", "files": files})


@pytest.mark.parametrize("check_mode", [False, True])
def test_restore_fails_when_a_file_would_be_replaced(check_mode: bool) -> None:
    with conversation(read_existing("auto-trashcan/r/a/b.txt"), read_existing("r/a/b.txt")) as server:
        result = run("artifact_trash", url=server.url, check_mode=check_mode, **RESTORE)
    assert not result["changed"]
    assert "'r/a/b.txt' exists and would be replaced. To replace it, set 'force: true'." in result["msg"]


def test_file_is_replaced_when_forced() -> None:
    restore = call("POST", f"{TRASH}/restore/r/a/b.txt", 202)
    read = [read_existing("auto-trashcan/r/a/b.txt"), read_existing("r/a/b.txt")]
    with conversation(*read, restore, *ABSENT, read_existing("r/a/b.txt")) as server:
        result = run("artifact_trash", url=server.url, force=True, **RESTORE)
    assert result["changed"]
    assert result["plan"]["replaces"]


def test_restore_of_a_folder_fails_when_a_file_below_would_be_replaced() -> None:
    read = [read_existing("auto-trashcan/r/a", folder=True), read_existing("q/n", folder=True)]
    files = [list_folder("q/n", "z", "x/b", "own"), list_folder("auto-trashcan/r/a", "x/b", "z", "c")]
    with conversation(*read, *files) as server:
        result = run("artifact_trash", url=server.url, to_repo="q", to_path="n", **FOLDER)
    assert "'q/n/x/b' exists and would be replaced." in result["msg"]


def test_folder_is_restored_when_the_existing_folder_has_other_files() -> None:
    read = [read_existing("auto-trashcan/r/a", folder=True), read_existing("r/a", folder=True)]
    files = [list_folder("r/a", "own"), list_folder("auto-trashcan/r/a", "b")]
    restore = call("POST", f"{TRASH}/restore/r/a", 202)
    with conversation(
        *read, *files, restore, read_missing("auto-trashcan/r/a"), ROOT, read_existing("r/a", folder=True)
    ) as server:
        result = run("artifact_trash", url=server.url, **FOLDER)
    assert result["changed"]
    assert result["plan"]["replaces"] is False


@pytest.mark.parametrize(("trashed", "existing"), [(True, False), (False, True)])
def test_restore_fails_when_a_file_and_a_folder_have_one_path(trashed: bool, existing: bool) -> None:
    with conversation(
        read_existing("auto-trashcan/r/a", folder=trashed), read_existing("r/a", folder=existing)
    ) as server:
        result = run("artifact_trash", url=server.url, force=True, **FOLDER)
    assert f"'r/a' exists and is a {'folder' if existing else 'file'}" in result["msg"]


def repository(rclass: str) -> Call:
    return call("GET", "/artifactory/api/repositories/q", json={"key": "q", "rclass": rclass})


@pytest.mark.parametrize("rclass", ["remote", "virtual"])
def test_check_mode_fails_when_the_repository_takes_no_restored_items(rclass: str) -> None:
    read = [read_existing("auto-trashcan/r/a/b.txt"), read_missing("q/a/b.txt")]
    with conversation(*read, repository(rclass)) as server:
        result = run("artifact_trash", url=server.url, to_repo="q", check_mode=True, **RESTORE)
    assert result["msg"] == f"The repository 'q' is {rclass}. Restoring items requires a local repository."
    assert not result["changed"]


def test_check_mode_fails_when_a_file_is_above_the_restored_item() -> None:
    read = [
        read_existing("auto-trashcan/r/a/b.txt"),
        read_missing("q/a/b.txt"),
        repository("local"),
        read_existing("q/a"),
    ]
    with conversation(*read) as server:
        result = run("artifact_trash", url=server.url, to_repo="q", check_mode=True, **RESTORE)
    assert "'a' in 'q' is a file and cannot contain other items" in result["msg"]


def test_restore_changes_nothing_when_the_item_exists() -> None:
    with conversation(*ABSENT, read_existing("r/a/b.txt")) as server:
        assert run("artifact_trash", url=server.url, **RESTORE) == {"changed": False, "plan": None}


def test_restore_fails_when_the_item_does_not_exist() -> None:
    with conversation(*ABSENT, read_missing("r/a/b.txt")) as server:
        result = run("artifact_trash", url=server.url, **RESTORE)
    assert result["msg"] == "'r/a/b.txt' exists neither in the trash can nor in the repository."


def test_restore_fails_when_the_file_is_missing_afterwards() -> None:
    with conversation(
        read_existing("auto-trashcan/r/a/b.txt"),
        read_missing("r/a/b.txt"),
        call("POST", f"{TRASH}/restore/r/a/b.txt", 202),
        *ABSENT,
        read_missing("r/a/b.txt"),
    ) as server:
        result = run("artifact_trash", url=server.url, **RESTORE)
    assert "removed from the trash can, but does not exist in the repository" in result["msg"]


def test_task_fails_when_the_account_has_no_access_to_the_trash_can() -> None:
    with conversation(read_missing("auto-trashcan")) as server:
        assert "404 Unable to find item" in run("artifact_trash", url=server.url, action="empty")["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"action": "clean"}, "Option 'path': is required for 'action: clean'"),
        ({"action": "clean", "repo": "r"}, "Option 'path': is required for 'action: clean'"),
        ({"action": "restore", "repo": "r", "path": "/"}, "Option 'path': is required for 'action: restore'"),
        ({"action": "empty", "repo": "r"}, "Option 'repo': does not go with 'action: empty'"),
        ({**FILE, "to_repo": "q"}, "Option 'to_repo': does not go with 'action: clean'"),
        ({**FILE, "build_records": True}, "Option 'build_records': does not go with 'repo'"),
        ({**FILE, "project_key": "p"}, "Option 'project_key': needs 'build_records'"),
        ({**FILE, "path": "a/../b"}, "'..' is not a valid part of a path"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert message in run("artifact_trash", url=server.url, **options)["msg"]


def test_each_item_has_an_outcome() -> None:
    clean = call("DELETE", f"{TRASH}/clean/r/a/b.txt", 204)
    with conversation(
        read_existing("auto-trashcan/r/a/b.txt"), clean, *ABSENT, read_missing("auto-trashcan/q"), ROOT
    ) as server:
        result = run("artifact_trash", url=server.url, **FILE, items=[{}, {"repo": "q", "path": ""}], workers=1)
    assert (result["counts"]["changed"], result["counts"]["ok"]) == (1, 1)
    assert [outcome["plan"] for outcome in result["outcomes"]] == [PLAN, None]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"action": "empty"}, FILE], "Option 'items[0].action': 'empty' deletes the whole trash can"),
        ([FILE, {**FILE, "path": "/a/b.txt/"}], "items[1]: duplicate of items[0]."),
        ([FILE, {"repo": "q", "path": ""}], "items[1]: missing required arguments: action"),
        ([{**FILE, "path": "a/../b"}], "'..' is not a valid part of a path"),
    ],
)
def test_wrong_items_are_refused_before_any_request(items: list[dict[str, Any]], message: str) -> None:
    with conversation() as server:
        assert message in run("artifact_trash", url=server.url, items=items)["msg"]


def test_items_in_the_trash_can_are_listed() -> None:
    files = [
        {"uri": "/r/b", "size": 3, "folder": False, "sha1": "1", "sha2": "2"},
        {"uri": "/r", "size": -1, "folder": True},
    ]
    listing = call("GET", f"{STORAGE}/auto-trashcan?list&deep=1&listFolders=1", json={"files": files})
    with conversation(read_existing("auto-trashcan", "r"), listing) as server:
        result = run("artifact_trash_info", url=server.url, deep=True)
    assert result["counts"] == {"files": 1, "folders": 1, "bytes": 3}
    assert [(entry["repo"], entry["path"], entry["size"]) for entry in result["entries"]] == [
        ("r", "", None),
        ("r", "b", 3),
    ]


def test_list_is_empty_when_the_trash_can_is_empty() -> None:
    with conversation(read_missing("auto-trashcan/r/a"), ROOT) as server:
        assert run("artifact_trash_info", url=server.url, repo="r", path="a")["entries"] == []


@pytest.mark.parametrize(("version", "is_accepted"), [("4.4.2", False), ("4.4.3", True), ("5.4.6", True)])
@pytest.mark.parametrize("check_mode", [False, True])
def test_open_source_edition_has_a_trash_can(version: str, is_accepted: bool, check_mode: bool) -> None:
    existing = read_existing("auto-trashcan/r/a/b.txt")
    server_version = call("GET", "/artifactory/api/system/version", json={"version": version, "license": OPEN_SOURCE})
    clean = call("DELETE", f"{TRASH}/clean/r/a/b.txt", 204)
    calls = [clean, *ABSENT] if is_accepted and not check_mode else []
    with conversation(existing, server_version, *calls) as server:
        result = run("artifact_trash", url=server.url, check_mode=check_mode, **FILE)
    assert result["changed"] is is_accepted
    assert is_accepted or result["msg"] == "The trash can requires Artifactory 4.4.3 or later."
