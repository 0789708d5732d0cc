# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents on disk: each once, for as long as an item has it."""

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
    """A repository service, and what tells which contents are on its disk, apart from those of the seed."""
    state = tmp_path_factory.mktemp("state")
    with client.start(state=state) as sandbox:
        seeded = set(contents(state))
        session = Session(f"{sandbox.url}/artifactory", sandbox.environment["JFROG_ACCESS_TOKEN"])
        yield session, lambda: set(contents(state)) - seeded


def contents(state: pathlib.Path) -> Iterator[str]:
    """The checksums of all files in a state folder."""
    return (path.name for path in (state / "files").rglob("*") if path.is_file())


def sha256(content: bytes) -> str:
    """The checksum under which a content is kept."""
    return hashlib.sha256(content).hexdigest()


def test_a_content_goes_with_its_last_item(repository):
    session, kept = repository
    for name in ("one", "two"):
        session.put(f"/generic-local/shared/{name}", b"shared")
    assert kept() == {sha256(b"shared")}
    session.delete("/generic-local/shared")
    session.delete("/auto-trashcan/generic-local/shared/one")
    assert kept() == {sha256(b"shared")}
    session.delete("/auto-trashcan/generic-local/shared")
    assert kept() == set()


def test_a_content_goes_when_another_takes_its_place(repository):
    session, kept = repository
    for content in (b"first", b"second"):
        session.put("/generic-local/replaced", content)
        assert kept() == {sha256(content)}
    session.delete("/generic-local/replaced")
    session.put("/generic-local/replaced", b"third")
    assert kept() == {sha256(b"second"), sha256(b"third")}
    session.delete("/generic-local/replaced")
    assert kept() == {sha256(b"third")}
    session.delete("/auto-trashcan/generic-local/replaced")
    assert kept() == set()


def test_a_content_goes_with_its_repository(repository):
    session, kept = repository
    session.put("/api/repositories/short-local", json={"rclass": "local", "packageType": "generic"})
    session.put("/short-local/file", b"short-lived")
    assert kept() == {sha256(b"short-lived")}
    session.delete("/api/repositories/short-local")
    assert kept() == set()


def test_what_is_refused_is_not_kept(repository):
    session, kept = repository
    wrong = {"X-Checksum-Sha256": "0" * 64}
    assert session.put("/generic-local/refused", b"refused", headers=wrong).status_code == 409
    assert session.put("/generic-local/app/1.0", b"a folder is there").status_code == 500
    assert kept() == set()


def test_nothing_of_an_archive_is_kept_when_a_part_is_broken(repository):
    session, kept = repository
    before, archive = kept(), io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w:") as writer:
        for name in "ab":
            entry = tarfile.TarInfo(name)
            entry.size = 2000
            writer.addfile(entry, io.BytesIO(name.encode() * 2000))
    cut = archive.getvalue()[:4000]
    answer = session.put("/generic-local/broken/a.tar", cut, headers={"X-Explode-Archive": "true"})
    assert (answer.status_code, kept()) == (500, before)


def test_many_files_are_generated(sandbox, artifactory):
    generate = [{"path": "a/{n}/b-{n}.txt", "count": 3, "content": "same", "by": "reader"}]
    repository = {"key": "many-local", "rclass": "local", "packageType": "generic", "generate": generate}
    sandbox.seed({"artifact": {"repositories": [repository]}})
    listed = artifactory.get("/api/storage/many-local?list&deep=1").json()["files"]
    assert [file["uri"] for file in listed] == ["/a/0/b-0.txt", "/a/1/b-1.txt", "/a/2/b-2.txt"]
    assert artifactory.get("/many-local/a/2/b-2.txt").content == b"same"
    assert artifactory.get("/api/storage/many-local/a/2/b-2.txt").json()["createdBy"] == "reader"
