# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives: deployed as what is in them, and their entries noted where they are kept whole."""

from __future__ import annotations

import contextlib
import lzma
import pathlib
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Generator, Iterator
from typing import BinaryIO, Self

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ...runtime.file_store import FileStore, StoredFile
from ..call import Call
from ..items.storage import ClientChecksums, NotAFolder
from ..items.tree import Item
from ..maven import poms
from ..protocol.errors import ArtifactError
from ..repositories.repositories import Repository
from .content_path import check_names, conflict

# The longer ones first: a.tar.gz is no gz
TYPES = ("tar.gz", "tar.bz2", "zip", "tar", "tgz", "7z")
INDEXED = (".jar", ".war", ".ear", ".zip")
# Limits of an archive, so that a small upload cannot fill the disk or the memory
LARGEST_NUMBER = 10_000  # of entries
LARGEST_SIZE = 2**30  # bytes, of all entries together
CHUNK = 65536  # bytes
LARGEST_ENTRY = 100 * 2**20  # bytes, of an entry that is downloaded by itself
Members = Generator[tuple[str, BinaryIO]]
# Types of the entries of a tar that describe the next entry
LONG_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
# A RuntimeError is that of an encrypted entry, or of an unknown compression
BROKEN = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, RuntimeError)


async def explode(call: Call, repository: Repository, path: str) -> Response:
    """PUT /{repo}/{folder}/{archive} with X-Explode-Archive: what is in it lands in the folder."""
    call.require_pro()
    folder, _slash, name = path.rpartition("/")
    kind = next((kind for kind in TYPES if name.lower().endswith(f".{kind}")), None)
    if kind is None:
        extension = name.rpartition(".")[2]
        raise ArtifactError(
            500,
            f"Unsupported archive extension: '{extension}'; nested exception is java.lang.IllegalArgumentException: "
            f"Unsupported archive extension: '{extension}'",
        )
    archive = await call.runtime.files.put_stream(call.request.stream())
    members: list[tuple[str, StoredFile]] = []
    try:
        await run_in_threadpool(_read, call.runtime.files, archive, kind, members)
        stored = _deploy(call, repository, folder, members)
    finally:
        for content in (archive, *(content for _name, content in members)):
            call.items.release_content(content)
    await call.maven.update_after_upload(repository.key, stored, call.principal.name)
    return Response(status_code=200)


def _read(files: FileStore, archive: StoredFile, kind: str, members: list[tuple[str, StoredFile]]) -> None:
    """Keep the content of each member of an archive, and add it to the list."""
    try:
        with contextlib.closing(_READERS[kind](files.path(archive.sha256))) as found:
            for name, content in found:
                members.append((_safe(name), files.put(_chunks(content))))
    except BROKEN as error:
        raise ArtifactError(500, f"Could not read the archive: {error}") from None


def _chunks(content: BinaryIO) -> Iterator[bytes]:
    while chunk := content.read(CHUNK):
        yield chunk


def _deploy(call: Call, repository: Repository, folder: str, members: list[tuple[str, StoredFile]]) -> list[str]:
    """Store the members of an archive, all or none; return their paths."""
    paths = [f"{folder}/{name}".lstrip("/") for name, _content in members]
    with call.runtime.transaction():
        for path, (_name, content) in zip(paths, members, strict=True):
            _store(call, repository, path, content)
    return paths


def _store(call: Call, repository: Repository, path: str, content: StoredFile) -> None:
    repo = repository.key
    call.require_deploy(repo, path)
    repository.check_path(path)
    check_names(repo, path)
    call.require_overwrite(repo, path, content.sha1)
    poms.check(repository, path, call.runtime.files.path(content.sha256))
    try:
        call.items.put_file(repo, path, content, ClientChecksums(), call.principal.name)
    except NotAFolder as error:
        raise conflict(repo, path, str(error)) from None


def _safe(name: str) -> str:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ArtifactError(400, f"The archive has an entry outside of it: '{name}'.")
    return "/".join(parts)


class _Limits:
    """Counts the entries of an archive and their sizes as the archive states them, before any is read."""

    def __init__(self) -> None:
        self._number = self._size = 0

    def count(self, size: int) -> None:
        """Count one more entry, and refuse the archive if it is too many or too much."""
        self._number += 1
        self._size += size
        if self._number > LARGEST_NUMBER:
            raise ArtifactError(413, f"The archive has more than {LARGEST_NUMBER} entries.")
        if self._size > LARGEST_SIZE:
            raise ArtifactError(413, f"The entries of the archive have more than {LARGEST_SIZE} bytes.")


class _TarEntry(tarfile.TarInfo):
    """An entry of a tar. Headers with long names and attributes, which are read at once, have at most a chunk."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        entry = super().frombuf(buf, encoding, errors)
        if entry.type in LONG_HEADERS and entry.size > CHUNK:
            raise ArtifactError(413, f"A header in the archive has more than {CHUNK} bytes.")
        return entry


def _in_zip(path: pathlib.Path) -> Members:
    limits = _Limits()
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            limits.count(entry.file_size)
        for entry in archive.infolist():
            if not entry.is_dir():
                with archive.open(entry) as content:
                    yield entry.filename, content  # type: ignore[misc]


def _in_tar(path: pathlib.Path) -> Members:
    limits = _Limits()
    with tarfile.open(path, tarinfo=_TarEntry) as archive:
        for entry in archive:
            limits.count(entry.size)
            content = archive.extractfile(entry) if entry.isfile() else None
            if content is not None:
                yield entry.name, content  # type: ignore[misc]


def _in_7z(path: pathlib.Path) -> Members:
    import py7zr  # takes a tenth of a second, for what few ever send

    limits = _Limits()
    with tempfile.TemporaryDirectory() as folder:
        try:
            with py7zr.SevenZipFile(path) as archive:
                for entry in archive.list():
                    limits.count(entry.uncompressed)
                archive.extractall(folder)
        except py7zr.exceptions.ArchiveError as error:
            raise OSError(str(error)) from None
        for file in sorted(pathlib.Path(folder).rglob("*")):
            if file.is_file():
                with file.open("rb") as content:
                    yield file.relative_to(folder).as_posix(), content


_READERS = {"zip": _in_zip, "7z": _in_7z} | dict.fromkeys(("tar", "tar.gz", "tgz", "tar.bz2"), _in_tar)


async def entry(files: FileStore, archive: Item, name: str) -> bytes | None:
    """The content of one entry of an archive that is kept whole, if there is one."""
    path = files.path(archive.sha256 or "")
    if not archive.name.lower().endswith(INDEXED) or not path.is_file():
        return None
    return await run_in_threadpool(_read_entry, path, name)


def _read_entry(path: pathlib.Path, name: str) -> bytes | None:
    with contextlib.suppress(KeyError, *BROKEN), zipfile.ZipFile(path) as archive:
        if archive.getinfo(name).file_size > LARGEST_ENTRY:
            raise ArtifactError(413, f"The entry has more than {LARGEST_ENTRY} bytes.")
        return archive.read(name)
    return None


async def entries(files: FileStore, path: str, content: StoredFile) -> list[tuple[str, str]]:
    """Return folder and name of each entry of an archive that is stored whole; nothing for other files."""
    if not path.lower().endswith(INDEXED):
        return []
    return await run_in_threadpool(_entries, files.path(content.sha256))


def _entries(path: pathlib.Path) -> list[tuple[str, str]]:
    with contextlib.suppress(*BROKEN), zipfile.ZipFile(path) as archive:
        found = (entry.filename.rpartition("/") for entry in archive.infolist() if not entry.is_dir())
        return [(folder or ".", entry) for folder, _slash, entry in found]
    return []
