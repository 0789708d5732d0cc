# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import io
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import py7zr
import pytest

from support.artifact_edition import OPEN_SOURCE, edition
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

MEMBERS = {"a.txt": b"one", "sub/b c.txt": b"two", "empty": b""}
ITEM, LIST = "/artifactory/api/storage/generic-local/site", "/artifactory/api/storage/generic-local/site?list&deep=1"
TYPES = {"zip": "", "tar": "w", "tar.gz": "w:gz", "tgz": "w:gz", "tar.bz2": "w:bz2", "7z": ""}


def pack(folder: Path, kind: str = "zip", members: dict[str, bytes] | None = None) -> Path:
    """Create an archive with these members, a folder and a symbolic link."""
    path = folder / f"site.{kind}"
    members = MEMBERS if members is None else members
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("sub/", "")
            for name, data in members.items():
                archive.writestr(name, data)
    elif kind == "7z":
        with py7zr.SevenZipFile(path, "w") as sevenzip:
            for name, data in members.items():
                sevenzip.writestr(data, name)
    else:
        with tarfile.open(path, TYPES[kind]) as tar:  # type: ignore[call-overload]
            link = tarfile.TarInfo("link")
            link.type, link.linkname = tarfile.SYMTYPE, "a.txt"
            tar.addfile(link)
            for name, data in members.items():
                entry = tarfile.TarInfo(f"./{name}")
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    return path


def listing(members: dict[str, bytes], *, sha256: bool = True) -> tuple[Call, Call]:
    """Return the listing of the folder."""
    files = [
        {
            "uri": f"/{name}",
            "size": len(data),
            "folder": False,
            "sha1": hashlib.sha1(data).hexdigest(),
            **({"sha2": hashlib.sha256(data).hexdigest()} if sha256 else {}),
        }
        for name, data in members.items()
    ]
    folder = {"repo": "generic-local", "path": "/site", "children": []}
    return call("GET", ITEM, json=folder), call("GET", LIST, json={"uri": "…", "files": files})


def nothing() -> Call:
    return call("GET", ITEM, 404, json={"errors": [{"status": 404, "message": "Unable to find item"}]})


def repository(rclass: str = "local") -> Call:
    """Return the requests of check mode before it predicts an upload."""
    target = "/artifactory/api/repositories/generic-local"
    return call("GET", target, json={"key": "generic-local", "rclass": rclass})


def send_archive(path: Path, status: int = 200, atomic: bool = True, **answer: Any) -> Call:
    headers = {"X-Explode-Archive": "true", "Content-Length": str(path.stat().st_size)}
    without = [] if atomic else ["X-Explode-Archive-Atomic"]
    headers.update({"X-Explode-Archive-Atomic": "true"} if atomic else {})
    target = f"/artifactory/generic-local/site/{path.name}"
    data = path.read_bytes()
    return call("PUT", target, status, sent_body=data, sent_headers=headers, sent_without=without, **answer)


def deploy(url: str, src: Path | str, **more: Any) -> dict[str, Any]:
    return run("artifact_archive", url=url, **{"repo": "generic-local", "path": "site", "src": str(src), **more})


@pytest.mark.parametrize("kind", TYPES)
def test_archive_is_uploaded_and_verified(kind: str, tmp_path: Path) -> None:
    path = pack(tmp_path, kind)
    with conversation(nothing(), send_archive(path), *listing(MEMBERS)) as server:
        result = deploy(server.url, path)
    assert result["changed"]
    assert result["archive"] == {"repo": "generic-local", "path": "site", "type": kind, "members": 3, "size": 6}
    assert result["plan"]["counts"] == {"add": 3}
    with conversation(*listing({**MEMBERS, "another": b"file"})) as server:
        again = deploy(server.url, path)
    assert not again["changed"]
    assert again["plan"] is None


def test_check_mode_returns_added_and_replaced_files(tmp_path: Path) -> None:
    with conversation(*listing({"a.txt": b"old", "empty": b""}), edition(), repository()) as server:
        result = deploy(server.url, pack(tmp_path), check_mode=True)
    assert result["changed"]
    assert result["plan"] == {
        "counts": {"replace": 1, "add": 1},
        "first": [
            {"action": "replace", "path": "site/a.txt", "size": 3},
            {"action": "add", "path": "site/sub/b c.txt", "size": 3},
        ],
    }


def test_archive_is_unchanged_when_artifactory_renamed_its_snapshots(tmp_path: Path) -> None:
    path = pack(tmp_path, members={"1.0-SNAPSHOT/z-1.0-SNAPSHOT.jar": b"one"})
    stored = {"1.0-SNAPSHOT/z-1.0-20260101.120000-1.jar": b"old", "1.0-SNAPSHOT/z-1.0-20260101.120000-2.jar": b"one"}
    with conversation(nothing(), send_archive(path), *listing(stored)) as server:
        assert deploy(server.url, path)["changed"]
    with conversation(*listing(stored)) as server:
        assert not deploy(server.url, path)["changed"]
    stored["1.0-SNAPSHOT/z-1.0-20260101.120000-3.jar"] = b"other"
    with conversation(*listing(stored), edition(), repository()) as server:
        assert deploy(server.url, path, check_mode=True)["plan"]["counts"] == {"replace": 1}


@pytest.mark.parametrize(
    ("rclass", "words"),
    [("remote", "is remote. Upload to a local repository"), ("virtual", "has no default deployment repository")],
)
def test_check_mode_fails_when_the_repository_takes_no_uploads(rclass: str, words: str, tmp_path: Path) -> None:
    with conversation(nothing(), edition(), repository(rclass)) as server:
        result = deploy(server.url, pack(tmp_path), check_mode=True)
    assert result["failed"]
    assert words in result["msg"]


@pytest.mark.parametrize("predict_missing", [True, False])
def test_missing_repository_is_accepted_with_predict_missing(predict_missing: bool, tmp_path: Path) -> None:
    missing = call("GET", "/artifactory/api/repositories/generic-local", 404, json={"errors": [{"status": 404}]})
    with conversation(nothing(), edition(), missing, call("GET", "/artifactory/api/repositories", json=[])) as server:
        result = deploy(server.url, pack(tmp_path), check_mode=True, predict_missing=predict_missing)
    assert result["changed"] is predict_missing
    assert ("Repository 'generic-local' does not exist" in result.get("msg", "")) is not predict_missing


def test_check_mode_fails_when_the_server_is_the_open_source_edition(tmp_path: Path) -> None:
    with conversation(nothing(), edition(OPEN_SOURCE)) as server:
        result = deploy(server.url, pack(tmp_path), check_mode=True)
    assert "Extracting archives requires Artifactory Pro" in result["msg"]


def test_check_mode_fails_when_the_repository_excludes_a_member(tmp_path: Path) -> None:
    excluding = call(
        "GET",
        "/artifactory/api/repositories/generic-local",
        json={"key": "generic-local", "rclass": "local", "excludesPattern": "site/sub/**"},
    )
    with conversation(nothing(), edition(), excluding) as server:
        result = deploy(server.url, pack(tmp_path), check_mode=True)
    assert "'site/sub/b c.txt'. Check its include and exclude patterns" in result["msg"]


def test_check_mode_fails_when_a_file_is_above_the_folder(tmp_path: Path) -> None:
    storage = "/artifactory/api/storage/generic-local"
    not_found = [call("GET", f"{storage}/{folder}", 404, json={"errors": []}) for folder in ("a/b/c", "a/b")]
    above = call("GET", f"{storage}/a", json={"repo": "generic-local", "path": "/a", "size": "1"})
    with conversation(not_found[0], edition(), repository(), not_found[1], above) as server:
        result = deploy(server.url, pack(tmp_path), path="a/b/c", check_mode=True)
    assert "'a' in 'generic-local' is a file and cannot contain other items" in result["msg"]


@pytest.mark.parametrize(
    ("existing", "words"),
    [
        ({"sub": b"x"}, "'site/sub' in 'generic-local' is a file and cannot contain other items"),
        ({"a.txt/b/c": b"x"}, "'site/a.txt' in 'generic-local' is a folder and cannot be replaced by a file"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_archive_is_refused_when_files_and_folders_have_one_path(
    existing: dict[str, bytes], words: str, check_mode: bool, tmp_path: Path
) -> None:
    with conversation(*listing(existing)) as server:
        result = deploy(server.url, pack(tmp_path), check_mode=check_mode)
    assert words in result["msg"]
    assert not result["changed"]


def test_files_are_compared_by_sha1_when_sha256_is_missing(tmp_path: Path) -> None:
    with conversation(*listing(MEMBERS, sha256=False)) as server:
        assert not deploy(server.url, pack(tmp_path))["changed"]


def test_atomic_header_is_omitted_when_atomic_is_false(tmp_path: Path) -> None:
    path = pack(tmp_path)
    with conversation(nothing(), send_archive(path, atomic=False), *listing(MEMBERS)) as server:
        assert deploy(server.url, path, atomic=False)["changed"]


@pytest.mark.parametrize("there", [{}, {"a.txt": b"one"}, {**MEMBERS, "a.txt": b"two"}])
def test_error_names_members_that_are_missing_afterwards(there: dict[str, bytes], tmp_path: Path) -> None:
    path = pack(tmp_path)
    with conversation(nothing(), send_archive(path), *listing(there)) as server:
        result = deploy(server.url, path)
    assert result["failed"]
    assert result["changed"]
    missing_names = [name for name, data in MEMBERS.items() if there.get(name) != data]
    assert f"{len(missing_names)} of its 3 members" in result["msg"]
    assert all(f"site/{name}" in result["msg"] for name in missing_names)


def test_upload_is_retried_when_the_connection_is_reset(tmp_path: Path) -> None:
    path = pack(tmp_path)
    lost = call("PUT", f"/artifactory/generic-local/site/{path.name}", drop=True)
    with conversation(nothing(), lost, send_archive(path), *listing(MEMBERS)) as server:
        assert deploy(server.url, path)["changed"]


def test_members_are_read_when_a_gateway_fails_after_the_upload(tmp_path: Path) -> None:
    path = pack(tmp_path)
    with conversation(nothing(), send_archive(path, 504), *listing(MEMBERS)) as server:
        result = deploy(server.url, path, retries=0)
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]
    with conversation(nothing(), send_archive(path, 504), *listing({"a.txt": b"one"})) as server:
        result = deploy(server.url, path, retries=0)
    assert result["changed"]
    assert "504" in result["msg"]
    with conversation(nothing(), send_archive(path, 504), nothing()) as server:
        assert not deploy(server.url, path, retries=0)["changed"]


def test_error_contains_the_servers_message(tmp_path: Path) -> None:
    path = pack(tmp_path)
    words = {"errors": [{"status": 400, "message": "This REST API is available only in Artifactory Pro"}]}
    with conversation(nothing(), send_archive(path, 400, json=words)) as server:
        result = deploy(server.url, path)
    assert "only in Artifactory Pro" in result["msg"]
    assert not result["changed"]


def test_task_fails_when_the_folder_is_a_file(tmp_path: Path) -> None:
    file = call("GET", ITEM, json={"repo": "generic-local", "path": "/site", "size": "1"})
    with conversation(file) as server:
        assert "is a file" in deploy(server.url, pack(tmp_path))["msg"]


def test_archive_is_extracted_into_the_root_when_the_path_is_empty(tmp_path: Path) -> None:
    root = "/artifactory/api/storage/generic-local"
    folder = call("GET", root, json={"repo": "generic-local", "path": "/", "children": []})
    files = call("GET", f"{root}?list&deep=1", json={"uri": "…", "files": []})
    with conversation(folder, files, edition(), repository()) as server:
        result = deploy(server.url, pack(tmp_path), path="/", check_mode=True)
    assert result["plan"]["first"][0]["path"] == "a.txt"


@pytest.mark.parametrize("name", ["site.rar", "site.gz", "site", "zip", "site.zip.txt"])
def test_archive_is_refused_when_its_extension_is_unknown(name: str, tmp_path: Path) -> None:
    pack(tmp_path).rename(tmp_path / name)
    with conversation() as server:
        result = deploy(server.url, tmp_path / name)
    assert "Option 'src'" in result["msg"]
    assert "tar.bz2" in result["msg"]


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("content", [b"", b"no archive at all" * 100])
def test_file_is_refused_when_it_is_not_an_archive(content: bytes, kind: str, tmp_path: Path) -> None:
    (tmp_path / f"site.{kind}").write_bytes(content)
    with conversation() as server:
        result = deploy(server.url, tmp_path / f"site.{kind}")
    assert "Option 'src'" in result["msg"]
    assert f"cannot be read as {kind}" in result["msg"]


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_archive_is_refused_when_a_member_leads_outside(kind: str, tmp_path: Path) -> None:
    with conversation() as server:
        result = deploy(server.url, pack(tmp_path, kind, {"sub/../../evil": b""}))
    assert "outside of the archive" in result["msg"]


def test_archive_is_refused_when_a_member_is_damaged(tmp_path: Path) -> None:
    path = pack(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"one", b"oxe", 1))
    with conversation() as server:
        assert "cannot be read as zip" in deploy(server.url, path)["msg"]


def test_archive_is_refused_when_it_does_not_exist(tmp_path: Path) -> None:
    with conversation() as server:
        assert "Option 'src'" in deploy(server.url, tmp_path / "none.zip")["msg"]
