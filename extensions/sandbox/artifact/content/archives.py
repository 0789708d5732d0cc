# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archives: extraction on upload, the index of entries, and downloads of single entries."""

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
from .content_path import conflict_error, validate_names

# Longer extensions first: a.tar.gz must not match gz.
EXTENSIONS = ("tar.gz", "tar.bz2", "zip", "tar", "tgz", "7z")
INDEXED_EXTENSIONS = (".jar", ".war", ".ear", ".zip")
# Limits of extracted archives, so that a small upload cannot exhaust disk or memory.
MAX_ENTRIES = 10_000  # entries
MAX_TOTAL_SIZE = 2**30  # bytes of all entries
CHUNK_SIZE = 65536  # bytes
MAX_ENTRY_SIZE = 100 * 2**20  # bytes of a single entry that is downloaded
Members = Generator[tuple[str, BinaryIO]]
# Types of tar entries that describe the next entry.
HEADER_TYPES = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
# `zipfile` raises RuntimeError for encrypted entries and unknown compression methods.
READ_ERRORS = (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError, RuntimeError)


async def explode(call: Call, repository: Repository, path: str) -> Response:
    """Handle `PUT /{repo}/{folder}/{archive}` with X-Explode-Archive: store the entries in the folder."""
    call.require_pro()
    folder, _slash, name = path.rpartition("/")
    kind = next((kind for kind in EXTENSIONS if name.lower().endswith(f".{kind}")), None)
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
        await run_in_threadpool(_extract, call.runtime.files, archive, kind, members)
        stored = _store_all(call, repository, folder, members)
    finally:
        for content in (archive, *(content for _name, content in members)):
            call.items.release_content(content)
    await call.maven.update_after_upload(repository.key, stored, call.principal.name)
    return Response(status_code=200)


def _extract(files: FileStore, archive: StoredFile, kind: str, members: list[tuple[str, StoredFile]]) -> None:
    """Store the content of each entry and append name and content to `members`."""
    try:
        with contextlib.closing(_READERS[kind](files.path(archive.sha256))) as archive_members:
            for name, content in archive_members:
                members.append((_normalize_name(name), files.put(_iterate_chunks(content))))
    except READ_ERRORS as error:
        raise ArtifactError(500, f"Could not read the archive: {error}") from None


def _iterate_chunks(content: BinaryIO) -> Iterator[bytes]:
    while chunk := content.read(CHUNK_SIZE):
        yield chunk


def _store_all(call: Call, repository: Repository, folder: str, members: list[tuple[str, StoredFile]]) -> list[str]:
    """Create items for all entries or, if one is refused, for none. Return their paths."""
    paths = [f"{folder}/{name}".lstrip("/") for name, _content in members]
    with call.runtime.transaction():
        for path, (_name, content) in zip(paths, members, strict=True):
            _store_entry(call, repository, path, content)
    return paths


def _store_entry(call: Call, repository: Repository, path: str, content: StoredFile) -> None:
    repo = repository.key
    call.require_deploy(repo, path)
    call.check_path(repository, path)
    validate_names(repo, path)
    call.require_overwrite(repo, path, content.sha1)
    poms.check_pom(repository, path, call.runtime.files.path(content.sha256))
    try:
        call.items.put_file(repo, path, content, ClientChecksums(), call.principal.name)
    except NotAFolder as error:
        raise conflict_error(repo, path, str(error)) from None


def _normalize_name(name: str) -> str:
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ArtifactError(400, f"The archive has an entry outside of it: '{name}'.")
    return "/".join(parts)


class _SizeLimits:
    """Limits for the number and the total declared size of the entries, checked before extraction."""

    def __init__(self) -> None:
        """Start with no entries."""
        self._number = self._size = 0

    def count(self, size: int) -> None:
        """Count an entry, or fail if a limit is exceeded."""
        self._number += 1
        self._size += size
        if self._number > MAX_ENTRIES:
            raise ArtifactError(413, f"The archive has more than {MAX_ENTRIES} entries.")
        if self._size > MAX_TOTAL_SIZE:
            raise ArtifactError(413, f"The entries of the archive have more than {MAX_TOTAL_SIZE} bytes.")


class _TarEntry(tarfile.TarInfo):
    """A tar entry. Headers for long names and attributes, which `tarfile` reads at once, are limited to a chunk."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        """Parse a header, or fail if it is too large."""
        entry = super().frombuf(buf, encoding, errors)
        if entry.type in HEADER_TYPES and entry.size > CHUNK_SIZE:
            raise ArtifactError(413, f"A header in the archive has more than {CHUNK_SIZE} bytes.")
        return entry


def _read_zip(path: pathlib.Path) -> Members:
    limits = _SizeLimits()
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            limits.count(entry.file_size)
        for entry in archive.infolist():
            if not entry.is_dir():
                with archive.open(entry) as content:
                    yield entry.filename, content  # type: ignore[misc]


def _read_tar(path: pathlib.Path) -> Members:
    limits = _SizeLimits()
    with tarfile.open(path, tarinfo=_TarEntry) as archive:
        for entry in archive:
            limits.count(entry.size)
            content = archive.extractfile(entry) if entry.isfile() else None
            if content is not None:
                yield entry.name, content  # type: ignore[misc]


def _read_7z(path: pathlib.Path) -> Members:
    import py7zr  # imported here because it takes 0.1 seconds and is rarely needed

    limits = _SizeLimits()
    with tempfile.TemporaryDirectory() as directory:
        try:
            with py7zr.SevenZipFile(path) as archive:
                for entry in archive.list():
                    limits.count(entry.uncompressed)
                archive.extractall(directory)
        except py7zr.exceptions.ArchiveError as error:
            raise OSError(str(error)) from None
        for file in sorted(pathlib.Path(directory).rglob("*")):
            if file.is_file():
                with file.open("rb") as content:
                    yield file.relative_to(directory).as_posix(), content


_READERS = {"zip": _read_zip, "7z": _read_7z} | dict.fromkeys(("tar", "tar.gz", "tgz", "tar.bz2"), _read_tar)


async def read_entry(files: FileStore, archive: Item, name: str) -> bytes | None:
    """Return the content of an archive's entry, or `None` if there is no such entry."""
    path = files.path(archive.sha256 or "")
    if not archive.name.lower().endswith(INDEXED_EXTENSIONS) or not path.is_file():
        return None
    return await run_in_threadpool(_read_entry, path, name)


def _read_entry(path: pathlib.Path, name: str) -> bytes | None:
    with contextlib.suppress(KeyError, *READ_ERRORS), zipfile.ZipFile(path) as archive:
        if archive.getinfo(name).file_size > MAX_ENTRY_SIZE:
            raise ArtifactError(413, f"The entry has more than {MAX_ENTRY_SIZE} bytes.")
        return archive.read(name)
    return None


async def list_entries(files: FileStore, path: str, content: StoredFile) -> list[tuple[str, str]]:
    """Return folder and name of each entry of an archive; nothing for other files."""
    if not path.lower().endswith(INDEXED_EXTENSIONS):
        return []
    return await run_in_threadpool(_list_zip_entries, files.path(content.sha256))


def _list_zip_entries(path: pathlib.Path) -> list[tuple[str, str]]:
    with contextlib.suppress(*READ_ERRORS), zipfile.ZipFile(path) as archive:
        names = (entry.filename.rpartition("/") for entry in archive.infolist() if not entry.is_dir())
        return [(folder or ".", name) for folder, _slash, name in names]
    return []
