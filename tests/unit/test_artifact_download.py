# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

DATA = bytes(range(256)) * 4096  # 1 MiB
WHERE = "generic-local/app/app.tgz"
ITEM, FILE = f"/artifactory/api/storage/{WHERE}", f"/artifactory/{WHERE}"
MISSING = {"errors": [{"status": 404, "message": "Unable to find item"}]}
PLACE = 6 * 65536  # a multiple of the chunk size
TAG = {"ETag": "the-sha1"}


def sums(data: bytes) -> dict[str, str]:
    return {name: hashlib.new(name, data).hexdigest() for name in ("sha256", "sha1", "md5")}


SHA1 = sums(DATA)["sha1"]


def existing(data: bytes = DATA, **more: Any) -> Call:
    item = {"repo": "generic-local", "path": "/app/app.tgz", "size": str(len(data)), "checksums": sums(data), **more}
    return call("GET", ITEM, json=item)


def body(data: bytes = DATA, of: int | None = None, status: int = 200, **headers: str) -> Call:
    """Return a response with these bytes, which is incomplete if the length is larger."""
    answer = call("GET", FILE, status, headers={**TAG, "Content-Length": str(of or len(data)), **headers})
    answer.body = data
    return answer


def second_part(place: int, until: int | None = None, **headers: str) -> Call:
    answer = body(DATA[place:until], len(DATA) - place, 206, **{"Content-Range": f"bytes {place}-x/y", **headers})
    answer.sent = {"headers": {"Range": f"bytes={place}-", "Accept-Encoding": "identity"}}
    return answer


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    return tmp_path / "copy"


def download(url: str, dest: Path | str, **more: Any) -> dict[str, Any]:
    return run(
        "artifact_download", url=url, **{"repo": "generic-local", "path": "app/app.tgz", "dest": str(dest), **more}
    )


@pytest.mark.parametrize("data", [b"", b"x", DATA], ids=["empty", "short", "long"])
def test_file_is_not_downloaded_again_when_it_is_unchanged(data: bytes, dest: Path) -> None:
    with conversation(existing(data), body(data), existing(data)) as server:
        result = download(server.url, dest)
        again = download(server.url, dest)
    assert result["changed"]
    assert dest.read_bytes() == data
    assert result["file"]["checksums"] == {"sha256": sums(data)["sha256"]}
    assert not again["changed"]
    assert again["file"] == result["file"]


def test_check_mode_stores_nothing(dest: Path) -> None:
    with conversation(existing()) as server:
        result = download(server.url, dest / "new" / "copy", check_mode=True)
    assert result["changed"]
    assert result["file"]["size"] == len(DATA)
    assert not dest.exists()


@pytest.mark.parametrize("old", [b"other", DATA[:-1] + b"x"], ids=["another size", "the same size"])
def test_file_is_replaced_when_its_content_differs(old: bytes, dest: Path) -> None:
    dest.write_bytes(old)
    dest.chmod(0o640)
    with conversation(existing(), body()) as server:
        assert download(server.url, dest)["changed"]
    assert dest.read_bytes() == DATA
    assert dest.stat().st_mode & 0o777 == 0o640


def test_file_is_verified_by_the_available_checksum(dest: Path) -> None:
    with conversation(existing(checksums={"sha1": sums(DATA)["sha1"]}), body()) as server:
        assert download(server.url, dest)["file"]["checksums"] == {"sha1": sums(DATA)["sha1"]}
    with conversation(existing(checksums={})) as server:
        assert "no checksum" in download(server.url, dest)["msg"]


# A connection that breaks


def test_download_is_resumed_when_the_connection_breaks(dest: Path) -> None:
    steps = (existing(), body(DATA[:PLACE], len(DATA)), second_part(PLACE, 2 * PLACE), second_part(2 * PLACE))
    with conversation(*steps) as server:
        result = download(server.url, dest, retries=1)
    assert result["changed"]
    assert dest.read_bytes() == DATA
    assert "2 request(s) were retried" in result["warnings"][0]


def tagged_by_range(tag: str, bounds: str) -> tuple[Call, Call]:
    """Return an interrupted download, and the rest of it from Artifactory before 5.0."""
    last = len(DATA) - 1
    headers = {"ETag": f"{tag}-{bounds}", "Content-Range": f"bytes {PLACE}-{last}/{last + 1}"}
    return body(DATA[:PLACE], len(DATA), ETag=SHA1), second_part(PLACE, **headers)


def test_download_is_resumed_when_the_etag_of_a_part_has_its_bounds(dest: Path) -> None:
    with conversation(existing(), *tagged_by_range(SHA1, f"{PLACE}-{len(DATA) - 1}")) as server:
        result = download(server.url, dest)
    assert result["changed"]
    assert dest.read_bytes() == DATA


@pytest.mark.parametrize(
    ("tag", "bounds"),
    [("a" * 40, f"{PLACE}-{len(DATA) - 1}"), (SHA1, f"{PLACE}-{len(DATA)}"), (SHA1, "0-1"), (SHA1, "x")],
    ids=["another SHA-1", "another end", "another part", "no bounds"],
)
def test_download_is_not_resumed_when_the_etag_of_a_part_does_not_fit(tag: str, bounds: str, dest: Path) -> None:
    with conversation(existing(), *tagged_by_range(tag, bounds)) as server:
        assert "the content has changed" in download(server.url, dest)["msg"]
    assert not dest.exists()


def test_download_restarts_when_the_server_does_not_support_ranges(dest: Path) -> None:
    with conversation(existing(), body(DATA[:PLACE], len(DATA)), body()) as server:
        download(server.url, dest)
    assert dest.read_bytes() == DATA


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (second_part(PLACE, ETag="another"), "the content has changed"),
        (second_part(PLACE, **{"Content-Range": "bytes 5-x/y"}), "another range"),
        (call("GET", FILE, 416), "416"),
    ],
)
def test_download_fails_when_the_second_part_does_not_fit(answer: Call, words: str, dest: Path) -> None:
    dest.write_text("old")
    with conversation(existing(), body(DATA[:PLACE], len(DATA)), answer) as server:
        result = download(server.url, dest)
    assert words in result["msg"]
    assert not result["changed"]
    assert dest.read_text() == "old"
    assert [path.name for path in dest.parent.iterdir()] == ["copy"]


def test_download_fails_when_the_connection_always_breaks(dest: Path) -> None:
    cut_off = [call("GET", FILE, drop=True) for _try in range(2)]
    with conversation(existing(), body(DATA[:PLACE], len(DATA)), *cut_off) as server:
        result = download(server.url, dest, retries=1)
    assert result["failed"]
    assert not dest.parent.joinpath("copy").exists()


def test_file_is_not_stored_when_its_checksum_is_wrong(dest: Path) -> None:
    dest.write_text("old")
    with conversation(existing(), body(DATA[:-1] + b"x")) as server:
        result = download(server.url, dest)
    assert "The file was not stored" in result["msg"]
    assert not result["changed"]
    assert dest.read_text() == "old"
    assert [path.name for path in dest.parent.iterdir()] == ["copy"]


# Where from


def test_file_is_fetched_when_a_remote_repository_has_not_cached_it(dest: Path) -> None:
    headers = {"X-Checksum-Sha256": sums(b"x")["sha256"], "Content-Length": "1"}
    steps = (call("GET", ITEM, 404, json=MISSING), call("HEAD", FILE, headers=headers), body(b"x"))
    with conversation(*steps) as server:
        assert download(server.url, dest)["changed"]


def test_task_fails_when_the_file_does_not_exist(dest: Path) -> None:
    with conversation(call("GET", ITEM, 404, json=MISSING), call("HEAD", FILE, 404)) as server:
        assert "File 'app/app.tgz' does not exist" in download(server.url, dest)["msg"]


def test_task_fails_when_a_folder_has_no_trailing_slash(dest: Path) -> None:
    with conversation(existing(children=[])) as server:
        assert "end 'path' with a slash" in download(server.url, dest)["msg"]


def listing(*names: str) -> Call:
    files = [
        {"uri": f"/{name}", "size": 1, "folder": False, "sha1": "…", "sha2": sums(b"x")["sha256"]} for name in names
    ]
    return call("GET", "/artifactory/api/storage/generic-local/app?list&deep=1", json={"uri": "…", "files": files})


def test_folder_is_listed_once_and_downloaded(dest: Path) -> None:
    one, two = (call("GET", f"/artifactory/generic-local/app/{name}", text="x") for name in ("a%20b", "sub/c"))
    with conversation(listing("a b", "sub/c"), one, two, listing("a b", "sub/c")) as server:
        result = download(server.url, dest, path="app/", workers=1)
        again = download(server.url, dest, path="app/", workers=1)
    assert result["counts"]["changed"] == 2
    assert (dest / "a b").read_text() == (dest / "sub" / "c").read_text() == "x"
    assert not again["changed"]
    assert again["counts"]["ok"] == 2


def test_name_is_refused_when_it_leads_out_of_the_folder(dest: Path) -> None:
    with conversation(listing("../evil")) as server:
        assert "'..' is not a valid part of a path" in download(server.url, dest, path="app/")["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "sub/\udc80"])
def test_name_is_refused_when_no_file_system_can_store_it(name: str, check_mode: bool, dest: Path) -> None:
    with conversation(listing(name)) as server:
        result = download(server.url, dest, path="app/", check_mode=check_mode)
    assert "cannot be used on this host: a name contains invalid characters." in result["msg"]
    assert ascii(name.rpartition("/")[2])[1:-1] in result["msg"]
    assert "defect" not in str(result)
    assert not dest.exists()


# Where to


def test_file_keeps_its_name_when_dest_is_a_directory(tmp_path: Path) -> None:
    with conversation(existing(), body(), existing(), body()) as server:
        download(server.url, tmp_path)
        download(server.url, f"{tmp_path}/new/")
    assert (tmp_path / "app.tgz").read_bytes() == (tmp_path / "new" / "app.tgz").read_bytes() == DATA


def test_symbolic_link_is_followed(dest: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(dest)
    with conversation(existing(), body()) as server:
        assert download(server.url, link)["file"]["dest"] == str(dest)
    assert link.is_symlink()
    assert dest.read_bytes() == DATA


@pytest.mark.parametrize("kind", ["device", "fifo", "below a file"])
def test_destination_is_refused_when_it_is_not_writable(kind: str, tmp_path: Path) -> None:
    dest = Path("/dev/null") if kind == "device" else tmp_path / "dest"
    if kind == "fifo":
        os.mkfifo(dest)
    elif kind == "below a file":
        dest.write_text("")
        dest = dest / "copy"
    with conversation() as server:
        assert "Option 'dest'" in download(server.url, dest)["msg"]


def test_task_fails_when_a_folder_is_downloaded_to_a_file(dest: Path) -> None:
    dest.write_text("")
    with conversation() as server:
        assert "must be a directory" in download(server.url, dest, path="app/")["msg"]


def test_items_are_refused_when_they_have_one_destination(tmp_path: Path) -> None:
    items = [{"path": "a/x"}, {"path": "b/x"}]
    with conversation() as server:
        result = run("artifact_download", url=server.url, repo="r", dest=str(tmp_path), items=items)
    assert "items[1]: duplicate of items[0]" in result["msg"]
