# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import local
from support.artifact_edition import OPEN_SOURCE, edition
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

DATA = b"content of mine"
WHERE = "generic-local/app/app.tgz"
ITEM, FILE = f"/artifactory/api/storage/{WHERE}", f"/artifactory/{WHERE}"
TASK = {"repo": "generic-local", "path": "app/app.tgz"}
MISS = {"errors": [{"status": 404, "message": "Checksum deploy failed. No existing file with SHA-256: …"}]}


def sums(data: bytes) -> dict[str, str]:
    return {name: hashlib.new(name, data).hexdigest() for name in ("sha256", "sha1", "md5")}


def info(data: bytes = DATA, **more: Any) -> dict[str, Any]:
    """Return the information about an item with this content."""
    facts = {"repo": "generic-local", "path": "/app/app.tgz", "created": "2026-10-01T10:11:12.345Z", "createdBy": "ci"}
    return {**facts, "size": str(len(data)), "checksums": sums(data), "mimeType": "x/y", **more}


def read_existing(data: bytes = DATA, **more: Any) -> Call:
    return call("GET", ITEM, json=info(data, **more))


def read_missing() -> Call:
    return call("GET", ITEM, 404, json={"errors": [{"status": 404, "message": "Unable to find item"}]})


def type_of_repository(kind: str, **settings: Any) -> Call:
    """Return the requests of check mode before it predicts a write."""
    address = "/artifactory/api/repositories/generic-local"
    return call("GET", address, json={"key": "generic-local", "rclass": kind, **settings})


def folder() -> Call:
    return call("GET", ITEM, json={"repo": "generic-local", "path": "/app/app.tgz", "children": []})


def headers(data: bytes) -> dict[str, str]:
    return {f"X-Checksum-{name.capitalize()}": value for name, value in sums(data).items()}


def upload_checksums(data: bytes = DATA, matrix: str = "", is_stored: bool = False) -> Call:
    """Return the upload of only the checksums."""
    answer: dict[str, Any] = {"json": info(data)} if is_stored else {"json": MISS}
    sent = {**headers(data), "X-Checksum-Deploy": "true"}
    return call("PUT", FILE + matrix, 201 if is_stored else 404, sent_headers=sent, sent_body=b"", **answer)


def upload_content(data: bytes = DATA, matrix: str = "", status: int = 201, **answer: Any) -> Call:
    """Return the upload of the content."""
    lengths = {**headers(data), "Content-Length": str(len(data))}
    answer = answer or {"json": info(data)}
    return call(
        "PUT", FILE + matrix, status, sent_headers=lengths, sent_without=["X-Checksum-Deploy"], sent_body=data, **answer
    )


@pytest.fixture
def src(tmp_path: Path) -> Path:
    file = tmp_path / "app.tgz"
    file.write_bytes(DATA)
    return file


def test_nothing_is_sent_when_the_item_has_the_checksums(src: Path) -> None:
    with conversation(read_existing()) as server:
        result = run("artifact_file", url=server.url, src=str(src), **TASK)
    assert not result["changed"]
    assert result["file"]["size"] == len(DATA)
    assert result["file"]["checksums"] == sums(DATA)


def test_new_file_is_uploaded_and_read_back(src: Path) -> None:
    with conversation(read_missing(), upload_checksums(), upload_content(), read_existing()) as server:
        result = run("artifact_file", url=server.url, src=str(src), diff_mode=True, **TASK)
    assert result["changed"]
    content = {"type": "file", "size": len(DATA), "checksums": sums(DATA)}
    assert result["diff"] == {"before": {"state": "absent"}, "after": {"state": "present", **content}}
    assert result["file"]["created"] == "2026-10-01T10:11:12.345Z"


def test_content_is_not_sent_when_the_server_has_it(src: Path) -> None:
    with conversation(read_missing(), upload_checksums(is_stored=True), read_existing()) as server:
        assert run("artifact_file", url=server.url, src=str(src), **TASK)["changed"]


def test_check_mode_returns_the_same_keys(src: Path) -> None:
    with conversation(read_missing(), type_of_repository("local"), parent("folder")) as server:
        checked = run("artifact_file", url=server.url, src=str(src), check_mode=True, **TASK)
    with conversation(read_missing(), upload_checksums(), upload_content(), read_existing()) as server:
        done = run("artifact_file", url=server.url, src=str(src), **TASK)
    assert checked["changed"]
    assert checked["file"].keys() == done["file"].keys()
    assert checked["file"]["checksums"] == done["file"]["checksums"] == sums(DATA)


def test_file_is_replaced_when_its_content_differs() -> None:
    with conversation(read_existing(b"old"), upload_checksums(), upload_content(), read_existing()) as server:
        result = run("artifact_file", url=server.url, content=DATA.decode(), diff_mode=True, **TASK)
    assert result["changed"]
    assert result["diff"]["before"]["replaced"] == "its content differs"


def test_item_is_compared_by_sha1_when_sha256_is_missing(src: Path) -> None:
    checksums = {"sha1": sums(DATA)["sha1"], "md5": sums(DATA)["md5"]}
    with conversation(read_existing(checksums=checksums)) as server:
        assert not run("artifact_file", url=server.url, src=str(src), **TASK)["changed"]


@pytest.mark.parametrize("content", ["", "ä\n", "a" * 100_000], ids=["empty", "unicode", "long"])
def test_query_text_is_sent_unchanged(content: str) -> None:
    data = content.encode()
    with conversation(read_missing(), upload_checksums(data), upload_content(data), read_existing(data)) as server:
        assert run("artifact_file", url=server.url, content=content, **TASK)["changed"]


def test_an_empty_file_is_sent(src: Path) -> None:
    src.write_bytes(b"")
    with conversation(read_missing(), upload_checksums(b""), upload_content(b""), read_existing(b"")) as server:
        assert run("artifact_file", url=server.url, src=str(src), **TASK)["changed"]


def properties(values: dict[str, list[str]]) -> Call:
    return call("GET", f"{ITEM}?properties", json={"properties": values, "uri": "…"})


def patch(props: dict[str, list[str]]) -> Call:
    return call("PATCH", f"/artifactory/api/metadata/{WHERE}?recursiveProperties=0", 204, sent_json={"props": props})


def test_properties_are_sent_with_the_content_and_read_back(src: Path) -> None:
    desired = {"a": ["1", "2"], "b:c": ["d:e/f"], "odd": ["b,c;d=e +é"]}
    matrix = ";a=1;a=2;b:c=d%3Ae/f"
    change = patch({"odd": ["b,c;d=e +é"]})
    steps = (
        read_missing(),
        edition(),
        upload_checksums(matrix=matrix),
        upload_content(matrix=matrix),
        change,
        read_existing(),
        properties(desired),
    )
    with conversation(*steps) as server:
        result = run("artifact_file", url=server.url, src=str(src), properties=desired, **TASK)
    assert result["changed"]
    assert result["file"]["properties"] == desired


@pytest.mark.parametrize("check_mode", [False, True])
def test_nothing_is_uploaded_when_the_open_source_edition_refuses_its_properties(check_mode: bool) -> None:
    with conversation(read_missing(), edition(OPEN_SOURCE)) as server:
        options = {"content": "x", "properties": {"a": 1, "odd": "b;c"}, "check_mode": check_mode}
        result = run("artifact_file", url=server.url, **options, **TASK)
    assert "The property 'odd', which cannot be sent with the upload, requires Artifactory Pro" in result["msg"]
    assert not result["changed"]


def test_check_mode_fails_when_the_open_source_edition_refuses_properties() -> None:
    with conversation(read_existing(), properties({"a": ["1"]}), edition(OPEN_SOURCE)) as server:
        options = {"content": DATA.decode(), "properties": {"a": 2}, "check_mode": True}
        result = run("artifact_file", url=server.url, **options, **TASK)
    assert "Setting the properties of an existing item requires Artifactory Pro" in result["msg"]


def test_upload_is_compared_by_the_checksums_that_the_server_returns() -> None:
    checksums = {"sha1": sums(DATA)["sha1"], "md5": sums(DATA)["md5"]}
    with conversation(
        read_missing(),
        upload_checksums(),
        upload_content(json=info(checksums=checksums)),
        read_existing(checksums=checksums),
    ) as server:
        result = run("artifact_file", url=server.url, content=DATA.decode(), **TASK)
    assert result["changed"]
    assert result["file"]["checksums"] == sums(DATA)
    other = {"sha1": sums(b"other")["sha1"]}
    with conversation(read_missing(), upload_checksums(), upload_content(), read_existing(checksums=other)) as server:
        result = run("artifact_file", url=server.url, content=DATA.decode(), **TASK)
    assert "these fields of the file do not have the requested values: checksums" in result["msg"]


@pytest.mark.parametrize("checksums", [{}, {"sha1": None}, None])
def test_file_is_uploaded_when_the_server_returns_no_checksum(checksums: dict[str, str] | None) -> None:
    unknown = read_existing(b"x" * len(DATA), checksums=checksums)
    with conversation(unknown, upload_checksums(), upload_content(), read_existing()) as server:
        result = run("artifact_file", url=server.url, content=DATA.decode(), **TASK)
    assert (result["changed"], result.get("msg")) == (True, None)


def test_task_fails_when_properties_were_silently_ignored(src: Path) -> None:
    none = call("GET", f"{ITEM}?properties", 404)
    with conversation(
        read_missing(), upload_checksums(matrix=";a=1"), upload_content(matrix=";a=1"), read_existing(), none
    ) as server:
        result = run("artifact_file", url=server.url, src=str(src), properties={"a": 1}, **TASK)
    assert result["failed"]
    assert result["changed"]
    assert "do not have the requested values: properties" in result["msg"]


def test_properties_are_set_again_when_the_content_is_replaced(src: Path) -> None:
    has = properties({"a": ["1"], "b": ["2"]})
    steps = (
        read_existing(b"old"),
        has,
        upload_checksums(matrix=";a=1;b=3"),
        upload_content(matrix=";a=1;b=3"),
        read_existing(),
        properties({"b": ["3"]}),
    )
    with conversation(*steps) as server:
        result = run("artifact_file", url=server.url, src=str(src), properties={"a": 1, "b": 3}, **TASK)
    assert "do not have the requested values: properties" in result["msg"]


def test_check_mode_omits_properties_of_the_old_content() -> None:
    read = [read_existing(b"old"), properties({"a": ["1"]}), type_of_repository("local")]
    with conversation(*read) as server:
        options = {"content": DATA.decode(), "properties": {"a": []}, "check_mode": True}
        result = run("artifact_file", url=server.url, **options, **TASK)
    assert result["file"]["properties"] == {}


def test_content_is_not_sent_when_only_properties_differ(src: Path) -> None:
    with conversation(
        read_existing(), properties({"a": ["1"]}), patch({"a": ["2"]}), read_existing(), properties({"a": ["2"]})
    ) as server:
        assert run("artifact_file", url=server.url, src=str(src), properties={"a": 2}, **TASK)["changed"]


@pytest.mark.parametrize(
    ("message", "lookup", "words"),
    [
        ("", True, "Repository 'generic-local' does not exist"),
        ("User reader is not permitted to deploy", False, "403 User reader is not permitted to deploy."),
    ],
)
def test_refusal_without_a_reason_is_explained(message: str, lookup: bool, words: str) -> None:
    refused = call("PUT", FILE, 403, json={"errors": [{"status": 403, "message": message}]})
    with conversation(read_missing(), refused, *(refused_repository(400, None) if lookup else [])) as server:
        result = run("artifact_file", url=server.url, content="x", **TASK)
    assert words in result["msg"]
    assert not result["changed"]


def test_special_characters_are_encoded() -> None:
    target = "/artifactory/api/storage/generic-local/a%20b/c%2Bd%23e%25f%F0%9F%98%80"
    folder = call("GET", target.rpartition("/")[0], json={"repo": "generic-local", "path": "/a b", "children": []})
    with conversation(call("GET", target, 404, json=MISS), type_of_repository("local"), folder) as server:
        run("artifact_file", url=server.url, repo="generic-local", path="a b/c+d#e%f😀", content="x", check_mode=True)


@pytest.mark.parametrize("path", ["a;b", "a/../b", ".", "", "/", "a//b"])
@pytest.mark.parametrize("state", ["present", "absent"])
def test_path_is_refused_when_it_is_invalid(path: str, state: str) -> None:
    with conversation() as server:
        result = run("artifact_file", url=server.url, repo="r", path=path, content="x", state=state, recursive=True)
    assert result["failed"]
    assert "Option 'path'" in result["msg"]


@pytest.mark.parametrize("path", ["a.jar.sha1", "x/a.sha256", "a.md5"])
def test_path_is_refused_when_it_has_a_checksum_extension(path: str) -> None:
    with conversation() as server:
        result = run("artifact_file", url=server.url, repo="r", path=path, content="x")
    name = path.rpartition("/")[2]
    assert result["msg"].startswith(f"Option 'path': '{name}' cannot be uploaded")


def parent(kind: str | None, path: str = "app", repo: str = "generic-local") -> Call:
    """Return the read of an item above the file, in check mode."""
    target = f"/artifactory/api/storage/{repo}/{path}"
    if kind is None:
        return call("GET", target, 404, json=MISS)
    more: dict[str, Any] = {"children": []} if kind == "folder" else {"size": "1"}
    return call("GET", target, json={"repo": repo, "path": f"/{path}", **more})


def own_repository(kind: str = "local") -> Call:
    return call("GET", "/artifactory/api/repositories/own", json={"key": "own", "rclass": kind})


def refused_repository(status: int, listed: str | None) -> list[Call]:
    """Return the reads of a repository whose details are refused."""
    error = {"errors": [{"status": status, "message": "Bad Request"}]}
    repositories = [{"key": "generic-local", "type": listed}] if listed else []
    details = call("GET", "/artifactory/api/repositories/generic-local", status, json=error)
    return [details, call("GET", "/artifactory/api/repositories", json=repositories)]


@pytest.mark.parametrize(
    ("repository", "words"),
    [
        ([type_of_repository("remote")], "is remote. Upload to a local repository"),
        ([type_of_repository("virtual")], "is virtual and has no default deployment repository"),
        ([type_of_repository("virtual", defaultDeploymentRepo="")], "is virtual and has no default deployment"),
        ([type_of_repository("local", blackedOut=True)], "is blacked out"),
        (
            [type_of_repository("local", includesPattern="app/*.zip,lib/**")],
            "Check its include and exclude patterns",
        ),
        ([type_of_repository("local", excludesPattern="*/, x")], "Check its include and exclude patterns"),
        ([type_of_repository("local", excludesPattern="**/*.t?z")], "Check its include and exclude patterns"),
        ([type_of_repository("virtual", defaultDeploymentRepo="own"), own_repository("remote")], "'own' is remote"),
        (
            refused_repository(400, None),
            "Repository 'generic-local' does not exist, or the account has no Read permission on it",
        ),
        (refused_repository(400, "REMOTE"), "is remote"),
        (
            [type_of_repository("local"), parent("file")],
            "'app' in 'generic-local' is a file and cannot contain other items",
        ),
    ],
)
def test_check_mode_fails_when_the_upload_would_be_refused(repository: list[Call], words: str) -> None:
    with conversation(read_missing(), *repository) as server:
        result = run("artifact_file", url=server.url, content="x", check_mode=True, **TASK)
    assert result["failed"]
    assert words in result["msg"]


@pytest.mark.parametrize(
    "repository",
    [
        [type_of_repository("local"), parent(None)],
        [type_of_repository("federated"), parent("folder")],
        [type_of_repository("virtual", defaultDeploymentRepo="own"), own_repository(), parent("folder", repo="own")],
        [
            type_of_repository("local", includesPattern="x/**, app/**/*.tgz", excludesPattern="app/app.tgz/**,*/*/x"),
            parent("folder"),
        ],
        [type_of_repository("local", includesPattern="", excludesPattern="**/app"), parent("folder")],
        refused_repository(400, "VIRTUAL"),
        refused_repository(403, None),
        [*refused_repository(403, "LOCAL"), parent("folder")],
    ],
)
def test_check_mode_predicts_the_upload_when_it_is_allowed(repository: list[Call]) -> None:
    with conversation(read_missing(), *repository) as server:
        assert run("artifact_file", url=server.url, content="x", check_mode=True, **TASK)["changed"]


def test_missing_repository_is_accepted_with_predict_missing() -> None:
    with conversation(read_missing(), *refused_repository(400, None)) as server:
        options = {"check_mode": True, "predict_missing": True}
        assert run("artifact_file", url=server.url, content="x", **options, **TASK)["changed"]
    with conversation(read_missing(), type_of_repository("remote")) as server:
        result = run("artifact_file", url=server.url, content="x", **options, **TASK)
    assert "is remote" in result["msg"]


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("virtual", "is virtual. Items can only be deleted from local repositories"),
        ("remote", "is remote. Items can only be deleted from local repositories"),
        ("local", None),
    ],
)
def test_check_mode_predicts_the_deletion_by_repository_type(kind: str, words: str | None) -> None:
    with conversation(read_existing(), type_of_repository(kind)) as server:
        result = run("artifact_file", url=server.url, state="absent", check_mode=True, **TASK)
    assert words in result["msg"] if words else result["changed"]


def test_file_keeps_its_name_when_the_path_ends_with_a_slash(src: Path) -> None:
    with conversation(read_existing()) as server:
        assert not run("artifact_file", url=server.url, repo="generic-local", path="app/", src=str(src))["changed"]
    with conversation() as server:
        assert "slash" in run("artifact_file", url=server.url, repo="generic-local", path="app/", content="x")["msg"]


@pytest.mark.parametrize("kind", ["missing", "folder", "fifo", "device", "link to nothing"])
def test_src_is_refused_when_it_is_not_a_file(kind: str, tmp_path: Path) -> None:
    path = Path("/dev/null") if kind == "device" else tmp_path / "src"
    if kind == "folder":
        path.mkdir()
    elif kind == "fifo":
        os.mkfifo(path)
    elif kind == "link to nothing":
        path.symlink_to(tmp_path / "nothing")
    with conversation() as server:
        result = run("artifact_file", url=server.url, src=str(path), **TASK)
    assert result["failed"]
    assert "Option 'src'" in result["msg"]


def test_symbolic_link_is_followed(src: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(src)
    with conversation(read_existing()) as server:
        assert not run("artifact_file", url=server.url, src=str(link), **TASK)["changed"]


# Troubles


def test_upload_is_retried_when_the_connection_is_reset(src: Path) -> None:
    lost = call("PUT", FILE, drop=True)
    with conversation(read_missing(), upload_checksums(), lost, upload_content(), read_existing()) as server:
        result = run("artifact_file", url=server.url, src=str(src), **TASK)
    assert result["changed"]
    assert "1 request(s) were retried" in result["warnings"][0]


def test_item_is_read_back_when_the_response_is_lost(src: Path) -> None:
    lost = call("PUT", FILE, drop=True)
    with conversation(read_missing(), upload_checksums(), lost, read_existing()) as server:
        result = run("artifact_file", url=server.url, src=str(src), retries=0, **TASK)
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_task_fails_when_the_stored_checksum_differs(src: Path) -> None:
    words = {"errors": [{"status": 409, "message": "Checksum error for 'app.tgz': received 'a' but actual is 'b'"}]}
    with conversation(
        read_missing(), upload_checksums(), upload_content(status=409, json=words), read_missing()
    ) as server:
        result = run("artifact_file", url=server.url, src=str(src), **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert "409 Checksum error" in result["msg"]


@pytest.mark.parametrize("change", [b"", b"short"])
def test_upload_is_aborted_when_the_file_is_truncated_meanwhile(change: bytes, src: Path) -> None:
    file = local.LocalFile.from_path(str(src), lambda _sent: None)
    src.write_bytes(change)
    with pytest.raises(ToolchainError, match="changed while it was being read"):
        list(file)


@pytest.mark.parametrize("change", [b"other content!!", b"a longer one than it was"])
def test_task_fails_when_the_file_changes_during_the_upload(
    change: bytes, src: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole: Callable[..., Any] = local.LocalFile.__iter__

    def changing(file: Any) -> Any:
        src.write_bytes(change)
        os.utime(src, ns=(1, 1))
        return whole(file)

    monkeypatch.setattr(local.LocalFile, "__iter__", changing)
    words = {"errors": [{"status": 409, "message": "Checksum error"}]}
    put = call("PUT", FILE, 409, json=words, sent_body=change[: len(DATA)])
    with conversation(read_missing(), upload_checksums(), put) as server:
        result = run("artifact_file", url=server.url, src=str(src), timeout=1, **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert "changed while it was being read" in result["msg"]


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "Could not find a local repository named generic-local to deploy to."),
        (405, "No local repository was configured as local deployment repository for the (x) virtual repository."),
        (403, "Not enough permissions to delete/overwrite artifact 'x' (user: 'u' needs DELETE permission)."),
        (413, "Datastore disk usage is too high."),
    ],
)
def test_upload_fails_before_the_content_is_sent_when_it_is_refused(status: int, words: str, src: Path) -> None:
    refusal = call("PUT", FILE, status, json={"errors": [{"status": status, "message": words}]}, sent_body=b"")
    with conversation(read_missing(), refusal) as server:
        result = run("artifact_file", url=server.url, src=str(src), **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert f"{status} {words}" in result["msg"]


def test_task_fails_when_an_accepted_file_was_not_stored(src: Path) -> None:
    with conversation(read_missing(), upload_checksums(), upload_content(status=202), read_missing()) as server:
        result = run("artifact_file", url=server.url, src=str(src), **TASK)
    assert "the file does not exist" in result["msg"]


def test_task_fails_when_a_file_would_replace_a_folder(src: Path) -> None:
    with conversation(folder()) as server:
        assert "is a folder" in run("artifact_file", url=server.url, src=str(src), **TASK)["msg"]


# Maven snapshots

SNAPSHOT = "org/q/z/1.0-SNAPSHOT"
UNIQUE = "z-1.0-20260101.120000-2.jar"


def snapshot_info(name: str, data: bytes = DATA) -> dict[str, Any]:
    return info(data, path=f"/{SNAPSHOT}/{name}")


def snapshot(name: str, data: bytes | None = DATA) -> Call:
    """Return the read of a snapshot, which is missing without content."""
    target = f"/artifactory/api/storage/generic-local/{SNAPSHOT}/{name}"
    return call("GET", target, 404, json=MISS) if data is None else call("GET", target, json=snapshot_info(name, data))


def snapshots(*names: str) -> Call:
    """Return the read of the folder that has these files."""
    children = [{"uri": f"/{name}", "folder": False} for name in names]
    item = {"repo": "generic-local", "path": f"/{SNAPSHOT}", "children": children}
    return call("GET", f"/artifactory/api/storage/generic-local/{SNAPSHOT}", json=item)


def snapshot_upload(name: str, stored: str) -> list[Call]:
    target = f"/artifactory/generic-local/{SNAPSHOT}/{name}"
    return [call("PUT", target, 404, json=MISS), call("PUT", target, 201, json=snapshot_info(stored), sent_body=DATA)]


def upload_snapshot(url: str, name: str, **more: Any) -> dict[str, Any]:
    return run("artifact_file", url=url, repo="generic-local", path=f"{SNAPSHOT}/{name}", content=DATA.decode(), **more)


@pytest.mark.parametrize(
    ("name", "stored"), [("z-1.0-SNAPSHOT.jar", UNIQUE), (UNIQUE, "z-1.0-SNAPSHOT.jar")], ids=["unique", "non-unique"]
)
def test_snapshot_is_uploaded_once_when_artifactory_renames_it(name: str, stored: str) -> None:
    nothing = [
        snapshot(name, None),
        snapshots("z-1.0-SNAPSHOT-sources.jar", "maven-metadata.xml", "y-1.0-SNAPSHOT.jar"),
    ]
    with conversation(*nothing, *snapshot_upload(name, stored), snapshot(stored)) as server:
        result = upload_snapshot(server.url, name)
    assert result["changed"]
    assert result["file"]["path"] == f"{SNAPSHOT}/{stored}"
    with conversation(snapshot(name, None), snapshots("maven-metadata.xml", stored), snapshot(stored)) as server:
        again = upload_snapshot(server.url, name)
    assert not again["changed"]
    assert again["file"]["path"] == f"{SNAPSHOT}/{stored}"


def test_newest_snapshot_is_compared_when_there_are_several() -> None:
    older = ("z-1.0-20251231.120000-9.jar", "z-1.0-20260101.120000-1.jar")
    name = "z-1.0-SNAPSHOT.jar"
    newest = "z-1.0-20260101.120000-10.jar"
    before = [snapshot(name, None), snapshots(*older, newest, UNIQUE), snapshot(newest, b"old")]
    after = "z-1.0-20260102.120000-11.jar"
    with conversation(*before, *snapshot_upload(name, after), snapshot(after)) as server:
        result = upload_snapshot(server.url, name, diff_mode=True)
    assert result["diff"]["before"]["replaced"] == "its content differs"
    assert result["file"]["path"] == f"{SNAPSHOT}/{after}"


def test_properties_are_set_on_the_renamed_snapshot() -> None:
    storage = f"/artifactory/api/storage/generic-local/{SNAPSHOT}/{UNIQUE}"
    none = call("GET", f"{storage}?properties", 404)
    written = f"/artifactory/api/metadata/generic-local/{SNAPSHOT}/{UNIQUE}?recursiveProperties=0"
    patch = call("PATCH", written, 204, sent_json={"props": {"a": ["1"]}})
    read = [snapshot("z-1.0-SNAPSHOT.jar", None), snapshots(UNIQUE), snapshot(UNIQUE)]
    after = call("GET", f"{storage}?properties", json={"properties": {"a": ["1"]}})
    with conversation(*read, none, patch, *read, after) as server:
        assert upload_snapshot(server.url, "z-1.0-SNAPSHOT.jar", properties={"a": 1})["changed"]


def test_upload_fails_when_artifactory_stores_it_elsewhere() -> None:
    with conversation(
        read_missing(), upload_checksums(), upload_content(json=info(path="/app/other")), read_missing()
    ) as server:
        result = run("artifact_file", url=server.url, content=DATA.decode(), **TASK)
    assert "the file does not exist" in result["msg"]


def test_snapshot_is_deleted_only_when_its_own_path_is_given() -> None:
    with conversation(snapshot("z-1.0-SNAPSHOT.jar", None)) as server:
        place = {"repo": "generic-local", "path": f"{SNAPSHOT}/z-1.0-SNAPSHOT.jar"}
        assert not run("artifact_file", url=server.url, state="absent", **place)["changed"]


# Removal


def test_file_is_deleted_when_absent() -> None:
    with conversation(read_existing(), call("DELETE", FILE, 204), read_missing()) as server:
        result = run("artifact_file", url=server.url, state="absent", **TASK)
    assert result == {"changed": True, "file": None}
    with conversation(read_missing()) as server:
        assert not run("artifact_file", url=server.url, state="absent", **TASK)["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_folder_is_deleted_only_when_recursive(check_mode: bool) -> None:
    with conversation(folder()) as server:
        result = run("artifact_file", url=server.url, state="absent", check_mode=check_mode, **TASK)
    assert "recursive: true" in result["msg"]
    with conversation(folder(), call("DELETE", FILE, 204), read_missing()) as server:
        assert run("artifact_file", url=server.url, state="absent", recursive=True, **TASK)["changed"]


def test_deletion_succeeds_when_another_client_deleted_the_item() -> None:
    words = {"errors": [{"status": 404, "message": "Could not locate artifact 'a:b' (Nothing to delete)."}]}
    with conversation(read_existing(), call("DELETE", FILE, 404, json=words), read_missing()) as server:
        assert not run("artifact_file", url=server.url, state="absent", **TASK).get("failed")


def test_task_fails_when_the_server_ignores_a_deletion() -> None:
    with conversation(read_existing(), call("DELETE", FILE, 404)) as server:
        result = run("artifact_file", url=server.url, state="absent", **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert "'<key>-cache'" in result["msg"]


# Many


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("b.txt", "a.txt", "sub/c.txt", "sub/d.bin"):
        path = tmp_path / "dist" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "dist"


def read_parents(*names: str) -> list[Call]:
    """Return the reads in check mode. The folder `x` exists, its subfolders do not."""
    calls = [type_of_repository("local")]
    folders: list[str] = []
    for name in names:
        folder = f"x/{name}".rpartition("/")[0]
        new = [one for one in dict.fromkeys((folder, "x")) if one not in folders]
        folders += new
        above = [parent("folder" if one == "x" else None, one) for one in new]
        file = call("GET", f"/artifactory/api/storage/generic-local/x/{name}", 404, json=MISS)
        calls = [*calls, file, *above] if len(folders) > len(new) else [file, *calls, *above]
    return calls


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("*.txt", ["a.txt", "b.txt"]),
        ("**/*.txt", ["a.txt", "b.txt", "sub/c.txt"]),
        ("s*/?.*", ["sub/c.txt", "sub/d.bin"]),
        ("sub/[c]*", ["c.txt"]),
    ],
)
def test_pattern_uploads_all_matching_files(pattern: str, names: list[str], tree: Path) -> None:
    item = {"src": f"{tree}/{pattern}", "path": "x/"}
    with conversation(*read_parents(*names)) as server:
        result = run("artifact_file", url=server.url, repo="generic-local", items=[item], workers=1, check_mode=True)
    assert result["counts"]["changed"] == len(names)
    assert [outcome["item"]["path"] for outcome in result["outcomes"]] == [f"x/{name}" for name in names]


def test_file_is_uploaded_when_its_name_looks_like_a_pattern(tree: Path) -> None:
    (tree / "[ab].txt").write_text("itself")
    with conversation(*read_parents("%5Bab%5D.txt")) as server:
        item = {"src": f"{tree}/[ab].txt", "path": "x/"}
        assert run("artifact_file", url=server.url, repo="generic-local", items=[item], check_mode=True)["changed"]


@pytest.mark.parametrize(
    ("items", "words"),
    [
        ([{"src": "{tree}/*.none", "path": "x/"}], "Option 'items[0].src': '{tree}/*.none' matches no file"),
        ([{"src": "{tree}/*", "path": "x"}], "Option 'items[0].path': must end with a slash"),
        ([{"src": "{tree}/*.txt", "path": "x/"}, {"content": "", "path": "x/a.txt"}], "items[1]: duplicate of"),
        ([{"src": "{tree}/*", "content": "", "path": "x/"}], "mutually exclusive"),
        ([{"path": "x"}], "src"),
    ],
)
def test_wrong_items_are_refused_before_any_request(items: list[dict[str, str]], words: str, tree: Path) -> None:
    filled = [{name: value.replace("{tree}", str(tree)) for name, value in item.items()} for item in items]
    with conversation() as server:
        result = run("artifact_file", url=server.url, repo="generic-local", items=filled)
    assert result["failed"]
    assert words.replace("{tree}", str(tree)) in result["msg"]


def test_pattern_is_refused_when_it_is_not_in_items(tree: Path) -> None:
    with conversation() as server:
        result = run("artifact_file", url=server.url, repo="generic-local", path="x/", src=f"{tree}/*.txt")
    assert "Option 'src'" in result["msg"]
    assert "'items'" in result["msg"]


def test_one_connection_serves_all_files_of_a_worker(tree: Path) -> None:
    with conversation(*read_parents("a.txt", "b.txt", "sub/c.txt", "sub/d.bin")) as server:
        items = [{"src": f"{tree}/**", "path": "x/"}]
        run("artifact_file", url=server.url, repo="generic-local", items=items, workers=1, check_mode=True)
    assert len(set(server.ports)) == 1


# Checksums


@pytest.mark.parametrize("size", [0, 1, 2**20 - 1, 2**20, 2**20 + 1, 3 * 2**20])
def test_all_checksums_come_from_one_pass(size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = os.urandom(size)
    file = tmp_path / "file"
    file.write_bytes(data)
    opened = []
    monkeypatch.setattr("builtins.open", lambda *args, _open=open, **more: opened.append(args) or _open(*args, **more))
    assert local.compute_checksums(str(file)) == sums(data)
    assert len(opened) == 1
