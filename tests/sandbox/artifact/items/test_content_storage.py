# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests that the sandbox stores the content of files once and only while an item refers to it."""

from __future__ import annotations

import hashlib
import io
import pathlib
import tarfile
from collections.abc import Callable, Iterator

import pytest

from sandbox import client
from support.session import Session


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Session, Callable[[], set[str]]]]:
    """Yield a session and a function that returns the checksums stored since the seed."""
    state = tmp_path_factory.mktemp("state")
    with client.start(state=state) as sandbox:
        seeded = set(stored_checksums(state))
        session = Session(f"{sandbox.url}/artifactory", sandbox.environment["JFROG_ACCESS_TOKEN"])
        yield session, lambda: set(stored_checksums(state)) - seeded


def stored_checksums(state: pathlib.Path) -> Iterator[str]:
    """Return the checksums of all stored files."""
    return (path.name for path in (state / "files").rglob("*") if path.is_file())


def sha256(content: bytes) -> str:
    """Return the SHA-256 checksum."""
    return hashlib.sha256(content).hexdigest()


def test_content_is_deleted_when_its_last_item_is_deleted(repository):
    session, list_stored = repository
    for name in ("one", "two"):
        session.put(f"/generic-local/shared/{name}", b"shared")
    assert list_stored() == {sha256(b"shared")}
    session.delete("/generic-local/shared")
    session.delete("/auto-trashcan/generic-local/shared/one")
    assert list_stored() == {sha256(b"shared")}
    session.delete("/auto-trashcan/generic-local/shared")
    assert list_stored() == set()


def test_content_is_deleted_when_it_is_overwritten(repository):
    session, list_stored = repository
    for content in (b"first", b"second"):
        session.put("/generic-local/replaced", content)
        assert list_stored() == {sha256(content)}
    session.delete("/generic-local/replaced")
    session.put("/generic-local/replaced", b"third")
    assert list_stored() == {sha256(b"second"), sha256(b"third")}
    session.delete("/generic-local/replaced")
    assert list_stored() == {sha256(b"third")}
    session.delete("/auto-trashcan/generic-local/replaced")
    assert list_stored() == set()


def test_content_is_deleted_with_its_repository(repository):
    session, list_stored = repository
    session.put("/api/repositories/short-local", json={"rclass": "local", "packageType": "generic"})
    session.put("/short-local/file", b"short-lived")
    assert list_stored() == {sha256(b"short-lived")}
    session.delete("/api/repositories/short-local")
    assert list_stored() == set()


def test_content_is_not_stored_when_the_upload_is_refused(repository):
    session, list_stored = repository
    wrong = {"X-Checksum-Sha256": "0" * 64}
    assert session.put("/generic-local/refused", b"refused", headers=wrong).status_code == 409
    assert session.put("/generic-local/app/1.0", b"a folder is there").status_code == 500
    assert list_stored() == set()


def test_no_entry_is_stored_when_the_archive_is_truncated(repository):
    session, list_stored = repository
    before, archive = list_stored(), io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:") as writer:
        for name in "ab":
            entry = tarfile.TarInfo(name)
            entry.size = 2000
            writer.addfile(entry, io.BytesIO(name.encode() * 2000))
    truncated = archive.getvalue()[:4000]
    response = session.put("/generic-local/broken/a.tar", truncated, headers={"X-Explode-Archive": "true"})
    assert (response.status_code, list_stored()) == (500, before)


def test_seed_generates_files(sandbox, artifactory):
    generate = [{"path": "a/{n}/b-{n}.txt", "count": 3, "content": "same", "by": "reader"}]
    repository = {"key": "many-local", "rclass": "local", "packageType": "generic", "generate": generate}
    sandbox.seed({"artifact": {"repositories": [repository]}})
    files = artifactory.get("/api/storage/many-local?list&deep=1").json()["files"]
    assert [file["uri"] for file in files] == ["/a/0/b-0.txt", "/a/1/b-1.txt", "/a/2/b-2.txt"]
    assert artifactory.get("/many-local/a/2/b-2.txt").content == b"same"
    assert artifactory.get("/api/storage/many-local/a/2/b-2.txt").json()["createdBy"] == "reader"
