# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: archives that are deployed as what is in them."""

from __future__ import annotations

import io
import tarfile
import zipfile

import py7zr
import pytest

from sandbox.client import Sandbox
from support.session import Session
from support.wire.artifact import error_of

EXPLODE = {"X-Explode-Archive": "true"}
FILES = {"a.txt": b"one", "deep/b c.txt": b"two"}


def zipped(*more: str) -> bytes:
    """The files in a zip, with more that are empty."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in {**FILES, **dict.fromkeys(more, b"")}.items():
            archive.writestr(name, content)
    return target.getvalue()


def tarred(mode: str) -> bytes:
    """The files in a tar, compressed as the mode says."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:
        for name, content in FILES.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def sevenzipped() -> bytes:
    """The files in a 7z."""
    target = io.BytesIO()
    with py7zr.SevenZipFile(target, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(content, name)
    return target.getvalue()


def claiming(size: int) -> bytes:
    """A zip that says of an entry that it has a size."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.txt", b"one")
        archive.getinfo("a.txt").file_size = size
    return target.getvalue()


def damaged() -> bytes:
    """A zip with compressed data that is damaged."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"one" * 1000)
    header, name, data = target.getvalue().partition(b"a.txt")
    return header + name + b"\xff\xff" + data[2:]


def flagged(place: int, value: int) -> bytes:
    """A zip with a byte of the entry in its directory replaced: 8 has flags, 10 the method of compression."""
    header, mark, entry = claiming(3).partition(b"PK\x01\x02")
    changed = bytearray(mark + entry)
    changed[place] = value
    return header + bytes(changed)


def tar_header(size: int, kind: bytes = tarfile.REGTYPE, mode: str = "w:gz") -> bytes:
    """The beginning of a tar with an entry of a size."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size, entry.type = size, kind
        archive.fileobj.write(entry.tobuf())
    return target.getvalue()


ARCHIVES = {
    "zip": zipped,
    "tar": lambda: tarred("w:"),
    "tar.gz": lambda: tarred("w:gz"),
    "tgz": lambda: tarred("w:gz"),
    "tar.bz2": lambda: tarred("w:bz2"),
    "7z": sevenzipped,
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_what_is_in_it_lands_beside_it(artifactory: Session, kind: str) -> None:
    answer = artifactory.put(f"/generic-local/box/in.{kind}", ARCHIVES[kind](), headers=EXPLODE)
    assert (answer.status_code, answer.content) == (200, b"")
    for name, content in FILES.items():
        assert artifactory.get(f"/generic-local/box/{name}").content == content
    assert artifactory.get(f"/generic-local/box/in.{kind}").status_code == 404


def test_a_type_that_is_not_known(artifactory: Session) -> None:
    status, message = error_of(artifactory.put("/generic-local/box/in.rar", b"x", headers=EXPLODE))
    assert status == 500
    assert message.startswith("Unsupported archive extension: 'rar'; nested exception is java.lang.")


@pytest.mark.parametrize("kind", ARCHIVES)
def test_one_that_is_broken_leaves_nothing(artifactory: Session, kind: str) -> None:
    content = ARCHIVES[kind]()
    assert artifactory.put(f"/generic-local/box/in.{kind}", content[:40], headers=EXPLODE).status_code == 500
    assert artifactory.get("/api/storage/generic-local/box").status_code == 404


@pytest.mark.parametrize("content", [damaged(), flagged(8, 1), flagged(10, 99)], ids=["damaged", "encrypted", "method"])
def test_explode_leaves_nothing_when_an_entry_cannot_be_read(artifactory: Session, content: bytes) -> None:
    status, message = error_of(artifactory.put("/generic-local/box/in.zip", content, headers=EXPLODE))
    assert (status, message.partition(":")[0]) == (500, "Could not read the archive")
    assert artifactory.get("/api/storage/generic-local/box").status_code == 404
    assert artifactory.put("/generic-local/in.zip", content).status_code == 201
    assert error_of(artifactory.get("/generic-local/in.zip!/a.txt")) == (404, "File not found.")


@pytest.mark.parametrize(("name", "status"), [("x/.DS_Store", 409), ("a*b", 500), ("a.txt/below", 400), ("deep", 500)])
def test_explode_leaves_nothing_when_an_entry_is_refused(artifactory: Session, name: str, status: int) -> None:
    assert artifactory.put("/generic-local/box/in.zip", zipped(name), headers=EXPLODE).status_code == status
    assert artifactory.get("/api/storage/generic-local/box").status_code == 404


def test_explode_leaves_nothing_when_it_replaces_a_file_without_the_right(
    sandbox: Sandbox, artifactory: Session
) -> None:
    sandbox.seed({"artifact": {"users": [{"name": "deployer", "password": "pw", "permissions": {"*": "rw"}}]}})
    artifactory.put("/generic-local/box/second", b"old")
    deployer = Session(artifactory.base, ("deployer", "pw"))
    refused = deployer.put("/generic-local/box/in.zip", zipped("first", "second"), headers=EXPLODE)
    assert (refused.status_code, "needs DELETE permission" in refused.text) == (403, True)
    assert artifactory.get("/generic-local/box/second").content == b"old"
    assert artifactory.get("/generic-local/box/first").status_code == 404


def test_a_bare_slash_makes_a_folder(artifactory: Session) -> None:
    answer = artifactory.put("/generic-local/box/", zipped(), headers=EXPLODE)
    assert answer.status_code == 201
    assert artifactory.get("/api/storage/generic-local/box").json()["children"] == []


LARGEST = 2**30
TOO_MUCH = f"The entries of the archive have more than {LARGEST} bytes."


@pytest.mark.parametrize(
    ("name", "archive", "message"),
    [
        ("a.zip", claiming(LARGEST + 1), TOO_MUCH),
        ("a.tar.gz", tar_header(LARGEST + 1), TOO_MUCH),
        ("a.tar", tar_header(LARGEST + 1, mode="w:"), TOO_MUCH),
        ("a.tgz", tar_header(2**17, tarfile.XHDTYPE), "A header in the archive has more than 65536 bytes."),
        ("a.tgz", tar_header(2**17, tarfile.GNUTYPE_LONGNAME), "A header in the archive has more than 65536 bytes."),
        ("a.zip", zipped(*map(str, range(9_999))), "The archive has more than 10000 entries."),
    ],
    ids=["zip", "tar.gz", "tar", "attributes", "long name", "entries"],
)
def test_archive_is_not_exploded_when_it_is_too_large(artifactory, name, archive, message):
    assert error_of(artifactory.put(f"/generic-local/big/{name}", archive, headers=EXPLODE)) == (413, message)
    assert artifactory.get("/api/storage/generic-local/big").status_code == 404


def test_entry_of_an_archive_is_not_downloaded_when_it_is_too_large(artifactory):
    artifactory.put("/generic-local/a.zip", claiming(100 * 2**20 + 1))
    answer = artifactory.get("/generic-local/a.zip!/a.txt")
    assert error_of(answer) == (413, "The entry has more than 104857600 bytes.")
