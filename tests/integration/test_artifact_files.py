# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Uploads to and downloads from the sandbox, with interruptions and special characters."""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from sandbox.client import Sandbox
from support.running import run
from support.session import Session

LARGE = os.urandom(1024) * 4096
SPECIAL_NAMES = [
    "a b",
    "a+b",
    "a#b",
    "a%b",
    "a%20b",
    "äöü",
    "日本",
    "😀",
    "e\u0301",
    "a'b",
    "a&b=c",
    "-a",
]


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Connect the modules to the sandbox by environment variables, and retry without delay."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)


@pytest.fixture
def large(tmp_path: pathlib.Path) -> pathlib.Path:
    """Return a file that is sent in many chunks."""
    file = tmp_path / "large.bin"
    file.write_bytes(LARGE)
    return file


def deploy(path: str = "files/large.bin", repo: str = "generic-local", **options: Any) -> dict[str, Any]:
    return run("artifact_file", repo=repo, path=path, **options)


@pytest.mark.parametrize("name", SPECIAL_NAMES)
def test_special_characters_are_encoded(name: str, artifactory: Session, tmp_path: pathlib.Path) -> None:
    source = tmp_path / name
    source.write_text(name)
    result = deploy("odd/", src=str(source))
    assert result["file"]["path"] == f"odd/{name}"
    children = artifactory.get("/api/storage/generic-local/odd").json()["children"]
    assert children == [{"uri": f"/{name}", "folder": False}]
    assert not deploy("odd/", src=str(source))["changed"]
    assert deploy(f"odd/{name}", state="absent")["changed"]


SNAPSHOT = "org/q/z/1.0-SNAPSHOT/z-1.0-SNAPSHOT.jar"
TIMESTAMPED = "org/q/z/1.0-SNAPSHOT/z-1.0-20260101.010101-1.jar"


@pytest.mark.parametrize(("behavior", "path"), [("unique", SNAPSHOT), ("non-unique", TIMESTAMPED)])
def test_snapshot_is_uploaded_once_when_artifactory_renames_it(behavior: str, path: str, sandbox: Sandbox) -> None:
    maven = {"key": "m", "rclass": "local", "packageType": "maven", "snapshotVersionBehavior": behavior}
    sandbox.seed({"artifact": {"repositories": [maven]}})
    options = {"content": "one", "properties": {"os": ["linux", "win"], "odd": "a;b"}}
    first = deploy(path, "m", **options)
    assert first["changed"]
    assert first["file"]["path"] != path
    assert first["file"]["properties"] == {"os": ["linux", "win"], "odd": ["a;b"]}
    again = deploy(path, "m", **options)
    assert not again["changed"]
    assert again["file"] == first["file"]
    assert deploy(path, "m", content="two")["changed"]
    assert not deploy(path, "m", content="two")["changed"]


def test_other_item_is_kept_when_a_path_would_address_it(sandbox: Sandbox, artifactory: Session) -> None:
    deploy("v/victim", content="precious")
    sandbox.clear_journal()
    for path in ("v/victim!x.txt", "v/victim:properties", "v/victim "):
        assert deploy(path, content="x")["failed"]
        assert deploy(path, state="absent", recursive=True)["failed"]
    assert sandbox.journal("artifact") == []
    assert artifactory.get("/generic-local/v/victim").text == "precious"


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "truncate"])
def test_upload_is_retried_when_the_connection_breaks(
    fault: str, sandbox: Sandbox, artifactory: Session, large: pathlib.Path
) -> None:
    sandbox.fault(kind=fault, service="artifact", label="deploy_file", nth=2)
    result = deploy(src=str(large))
    assert result["changed"], result
    assert "were retried" in result["warnings"][0]
    assert artifactory.get("/generic-local/files/large.bin").content == LARGE


def test_upload_fails_before_the_content_is_sent_when_the_disk_is_full(sandbox: Sandbox, large: pathlib.Path) -> None:
    sandbox.switch("artifact", disk_full=True)
    result = deploy(src=str(large))
    assert result["failed"]
    assert not result["changed"]
    assert "413 Datastore disk usage is too high" in result["msg"]
    assert [entry["method"] for entry in sandbox.journal("artifact")] == ["GET", "PUT"]


def test_content_is_not_sent_when_the_server_has_it(sandbox: Sandbox, large: pathlib.Path) -> None:
    deploy(src=str(large))
    sandbox.clear_journal()
    assert deploy("elsewhere/large.bin", src=str(large))["changed"]
    assert [(entry["method"], entry["status"]) for entry in sandbox.journal("artifact")] == [
        ("GET", 404),
        ("PUT", 201),
        ("GET", 200),
    ]


def test_upload_fails_when_the_account_may_not_overwrite(sandbox: Sandbox) -> None:
    user = {"name": "deployer", "password": "sandbox-deployer", "permissions": {"generic-local": "rw"}}
    sandbox.seed({"artifact": {"users": [user]}})
    login = {"username": "deployer", "password": "sandbox-deployer"}
    assert deploy("new.txt", content="one", **login)["changed"]
    result = deploy("new.txt", content="two", **login)
    assert not result["changed"]
    assert "needs DELETE permission" in result["msg"]
    ignored = deploy("other.txt", content="one", properties={"qa": "passed"}, **login)
    assert ignored["changed"]
    assert "do not have the requested values: properties" in ignored["msg"]


def test_file_is_uploaded_when_a_virtual_repository_has_a_default(sandbox: Sandbox, artifactory: Session) -> None:
    assert deploy("v/a.txt", "libs-release", content="x", properties={"odd": "a b;c"})["changed"]
    assert artifactory.get("/libs-release-local/v/a.txt").text == "x"
    assert not deploy("v/a.txt", "libs-release", content="x")["changed"]
    refused = deploy("v/a.txt", "libs-release", state="absent")
    assert not refused["changed"]
    assert "can only be deleted from local repositories" in refused["msg"]
    virtual = {"key": "all", "rclass": "virtual", "packageType": "generic", "repositories": ["generic-local"]}
    sandbox.seed({"artifact": {"repositories": [virtual]}})
    assert "405 No local repository was configured" in deploy("v/a.txt", "all", content="x")["msg"]


def test_many_files_are_uploaded_concurrently(artifactory: Session, tmp_path: pathlib.Path) -> None:
    for number in range(30):
        (tmp_path / f"{number}.txt").write_text(str(number))
    result = run(
        "artifact_file", repo="generic-local", items=[{"src": f"{tmp_path}/*.txt", "path": "many/"}], workers=8
    )
    assert result["counts"]["changed"] == 30
    assert artifactory.get("/generic-local/many/17.txt").text == "17"
    removed = run("artifact_file", repo="generic-local", path="many", recursive=True, state="absent")
    assert removed["changed"]
    assert artifactory.get("/api/storage/generic-local/many").status_code == 404


def download(dest: pathlib.Path, path: str = "files/large.bin", **options: Any) -> dict[str, Any]:
    return run("artifact_download", **{"repo": "generic-local", "path": path, "dest": str(dest), **options})


@pytest.mark.parametrize("fault", ["reset_before", "reset_after", "truncate"])
def test_download_is_resumed_when_the_connection_breaks(
    fault: str, sandbox: Sandbox, large: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    deploy(src=str(large))
    sandbox.fault(kind=fault, service="artifact", label="download_file", times=2)
    result = download(tmp_path / "copy")
    assert result["changed"], result
    assert "2 request(s) were retried" in result["warnings"][0]
    assert (tmp_path / "copy").read_bytes() == LARGE


@pytest.mark.parametrize("name", SPECIAL_NAMES)
def test_special_characters_are_decoded_when_downloading(name: str, tmp_path: pathlib.Path) -> None:
    deploy(f"odd/{name}", content=name)
    assert download(tmp_path, f"odd/{name}")["changed"]
    assert (tmp_path / name).read_text() == name
    assert download(tmp_path / "all", "odd/")["counts"]["changed"] == 1
    assert (tmp_path / "all" / name).read_text() == name


def test_files_are_downloaded_from_virtual_and_remote_repositories(tmp_path: pathlib.Path) -> None:
    virtual = download(tmp_path, "org/acme/app/1.0/app-1.0.jar", repo="libs-release")
    remote = download(tmp_path, "junit/junit/4.13/junit-4.13.pom", repo="libs-remote")
    assert virtual["changed"]
    assert remote["changed"]
    assert (tmp_path / "junit-4.13.pom").read_text() == "<project/>"


def test_file_is_complete_when_two_tasks_download_it(large: pathlib.Path, tmp_path: pathlib.Path) -> None:
    deploy(src=str(large))
    copy = tmp_path / "copy"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        results = list(pool.map(download, [copy] * 4))
    assert not [result for result in results if result.get("failed")]
    assert copy.read_bytes() == LARGE
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "large.bin"]


@pytest.mark.parametrize("path", ["a^b_c", "100%_^", "a b"])
def test_tree_is_complete_when_its_path_has_special_characters(path: str) -> None:
    deploy(f"{path}/deep/a.txt", content="a", properties={"qa": ["failed"]})
    folder = {"repo": "generic-local", "path": path, "properties": {"qa": "passed"}}
    assert run("artifact_properties", **folder)["changed"]
    result = run("artifact_properties", recursive=True, **folder)
    assert (result["changed"], result["tree_items"]) == (True, 3)


@pytest.mark.parametrize("path", ["tree", ""], ids=["a folder", "a repository"])
def test_properties_of_a_tree_are_those_of_all_its_items(path: str, sandbox: Sandbox, artifactory: Session) -> None:
    for name in ("a.txt", "sub/b c.txt", "sub/deep/c+d.txt"):
        deploy(f"tree/{name}", content=name, properties={"old": name.partition("/")[0]})
    sandbox.clear_journal()
    tree = {"repo": "generic-local", "path": path, "recursive": True, "properties": {"qa": ["a b", "c;d,e"]}}
    assert run("artifact_properties", **tree)["changed"]
    assert [entry["effect"] for entry in sandbox.journal("artifact")] == ["read", "write", "read"]
    assert not run("artifact_properties", **tree)["changed"]
    properties = artifactory.get("/api/storage/generic-local/tree/sub/deep/c+d.txt?properties").json()["properties"]
    assert properties == {"old": ["sub"], "qa": ["a b", "c;d,e"]}
    removed = run("artifact_properties", **{**tree, "properties": None, "keys": ["qa", "old"], "state": "absent"})
    assert removed["changed"]
    assert artifactory.get("/api/storage/generic-local/tree/sub?properties").status_code == 404
