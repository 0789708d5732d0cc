# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of uploading archives that Artifactory extracts."""

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


def make_zip(*empty_names: str) -> bytes:
    """Return a ZIP archive with `FILES` and additional empty entries."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, content in {**FILES, **dict.fromkeys(empty_names, b"")}.items():
            archive.writestr(name, content)
    return target.getvalue()


def make_tar(mode: str) -> bytes:
    """Return a tar archive with `FILES`, compressed according to `mode`."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:
        for name, content in FILES.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def make_7z() -> bytes:
    """Return a 7z archive with `FILES`."""
    target = io.BytesIO()
    with py7zr.SevenZipFile(target, "w") as archive:
        for name, content in FILES.items():
            archive.writestr(content, name)
    return target.getvalue()


def make_zip_with_declared_size(size: int) -> bytes:
    """Return a ZIP archive whose directory declares `size` for its only entry."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("a.txt", b"one")
        archive.getinfo("a.txt").file_size = size
    return target.getvalue()


def make_damaged_zip() -> bytes:
    """Return a ZIP archive with corrupt compressed data."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.txt", b"one" * 1000)
    header, name, data = target.getvalue().partition(b"a.txt")
    return header + name + b"\xff\xff" + data[2:]


def make_patched_zip(offset: int, value: int) -> bytes:
    """Return a ZIP archive with one byte of its directory entry replaced: 8 holds flags, 10 the compression method."""
    header, mark, entry = make_zip_with_declared_size(3).partition(b"PK\x01\x02")
    patched = bytearray(mark + entry)
    patched[offset] = value
    return header + bytes(patched)


def make_tar_header(size: int, kind: bytes = tarfile.REGTYPE, mode: str = "w:gz") -> bytes:
    """Return the header of a tar archive whose entry declares `size`."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as archive:
        entry = tarfile.TarInfo("a.txt")
        entry.size, entry.type = size, kind
        archive.fileobj.write(entry.tobuf())
    return target.getvalue()


ARCHIVES = {
    "zip": make_zip,
    "tar": lambda: make_tar("w:"),
    "tar.gz": lambda: make_tar("w:gz"),
    "tgz": lambda: make_tar("w:gz"),
    "tar.bz2": lambda: make_tar("w:bz2"),
    "7z": make_7z,
}


@pytest.mark.parametrize("kind", ARCHIVES)
def test_entries_are_stored_beside_the_archive_when_it_is_exploded(artifactory: Session, kind: str) -> None:
    response = artifactory.put(f"/generic-local/box/in.{kind}", ARCHIVES[kind](), headers=EXPLODE)
    assert (response.status_code, response.content) == (200, b"")
    for name, content in FILES.items():
        assert artifactory.get(f"/generic-local/box/{name}").content == content
    assert artifactory.get(f"/generic-local/box/in.{kind}").status_code == 404


def test_upload_is_refused_when_the_archive_type_is_unknown(artifactory: Session) -> None:
    status, message = error_of(artifactory.put("/generic-local/box/in.rar", b"x", headers=EXPLODE))
    assert status == 500
    assert message.startswith("Unsupported archive extension: 'rar'; nested exception is java.lang.")


@pytest.mark.parametrize("kind", ARCHIVES)
def test_explode_stores_nothing_when_the_archive_is_truncated(artifactory: Session, kind: str) -> None:
    content = ARCHIVES[kind]()
    assert artifactory.put(f"/generic-local/box/in.{kind}", content[:40], headers=EXPLODE).status_code == 500
    assert artifactory.get("/api/storage/generic-local/box").status_code == 404


@pytest.mark.parametrize(
    "content",
    [make_damaged_zip(), make_patched_zip(8, 1), make_patched_zip(10, 99)],
    ids=["damaged", "encrypted", "method"],
)
def test_explode_stores_nothing_when_an_entry_is_unreadable(artifactory: Session, content: bytes) -> None:
    status, message = error_of(artifactory.put("/generic-local/box/in.zip", content, headers=EXPLODE))
    assert (status, message.partition(":")[0]) == (500, "Could not read the archive")
    assert artifactory.get("/api/storage/generic-local/box").status_code == 404
    assert artifactory.put("/generic-local/in.zip", content).status_code == 201
    assert error_of(artifactory.get("/generic-local/in.zip!/a.txt")) == (404, "File not found.")


@pytest.mark.parametrize(("name", "status"), [("x/.DS_Store", 409), ("a*b", 500), ("a.txt/below", 400), ("deep", 500)])
def test_explode_stores_nothing_when_an_entry_is_refused(artifactory: Session, name: str, status: int) -> None:
    assert artifactory.put("/generic-local/box/in.zip", make_zip(name), headers=EXPLODE).status_code == status
    assert artifactory.get("/api/storage/generic-local/box").status_code == 404


def test_explode_stores_nothing_when_delete_permission_is_missing(sandbox: Sandbox, artifactory: Session) -> None:
    sandbox.seed({"artifact": {"users": [{"name": "deployer", "password": "pw", "permissions": {"*": "rw"}}]}})
    artifactory.put("/generic-local/box/second", b"old")
    deployer = Session(artifactory.base, ("deployer", "pw"))
    refused = deployer.put("/generic-local/box/in.zip", make_zip("first", "second"), headers=EXPLODE)
    assert (refused.status_code, "needs DELETE permission" in refused.text) == (403, True)
    assert artifactory.get("/generic-local/box/second").content == b"old"
    assert artifactory.get("/generic-local/box/first").status_code == 404


def test_upload_creates_a_folder_when_the_path_ends_with_a_slash(artifactory: Session) -> None:
    response = artifactory.put("/generic-local/box/", make_zip(), headers=EXPLODE)
    assert response.status_code == 201
    assert artifactory.get("/api/storage/generic-local/box").json()["children"] == []


LARGEST = 2**30
TOO_LARGE = f"The entries of the archive have more than {LARGEST} bytes."


@pytest.mark.parametrize(
    ("name", "archive", "message"),
    [
        ("a.zip", make_zip_with_declared_size(LARGEST + 1), TOO_LARGE),
        ("a.tar.gz", make_tar_header(LARGEST + 1), TOO_LARGE),
        ("a.tar", make_tar_header(LARGEST + 1, mode="w:"), TOO_LARGE),
        ("a.tgz", make_tar_header(2**17, tarfile.XHDTYPE), "A header in the archive has more than 65536 bytes."),
        (
            "a.tgz",
            make_tar_header(2**17, tarfile.GNUTYPE_LONGNAME),
            "A header in the archive has more than 65536 bytes.",
        ),
        ("a.zip", make_zip(*map(str, range(9_999))), "The archive has more than 10000 entries."),
    ],
    ids=["zip", "tar.gz", "tar", "attributes", "long name", "entries"],
)
def test_archive_is_not_exploded_when_it_is_too_large(artifactory, name, archive, message):
    assert error_of(artifactory.put(f"/generic-local/big/{name}", archive, headers=EXPLODE)) == (413, message)
    assert artifactory.get("/api/storage/generic-local/big").status_code == 404


def test_entry_of_an_archive_is_not_downloaded_when_it_is_too_large(artifactory):
    artifactory.put("/generic-local/a.zip", make_zip_with_declared_size(100 * 2**20 + 1))
    response = artifactory.get("/generic-local/a.zip!/a.txt")
    assert error_of(response) == (413, "The entry has more than 104857600 bytes.")
