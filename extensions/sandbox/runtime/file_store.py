# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Content-addressed storage: each file content is stored once, under its SHA-256 checksum."""

from __future__ import annotations

import contextlib
import hashlib
import pathlib
import re
import shutil
import tempfile
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from starlette.concurrency import run_in_threadpool

SHA256 = re.compile("[0-9a-f]{64}")
CHUNK_SIZE = 1024 * 1024


@dataclass(frozen=True)
class StoredFile:
    """Checksums and size of a stored content."""

    sha256: str
    sha1: str
    md5: str
    size: int


class FileStore:
    """A directory with file contents, named by their SHA-256 checksums."""

    def __init__(self, directory: pathlib.Path) -> None:
        """Create the directory, and remove incomplete files of an earlier process."""
        self._directory = directory
        self._stored: set[str] | None = None  # within `replace_all`, the checksums stored since it started
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        directory.chmod(0o700)
        self.incoming = directory / ".incoming"  # for incomplete files, which are not kept when the sandbox stops
        self.remove_incoming()
        self.incoming.mkdir(mode=0o700)

    def path(self, sha256: str) -> pathlib.Path:
        """Return the path of a content by its checksum."""
        return self._directory / sha256[:2] / sha256

    def put(self, chunks: Iterable[bytes]) -> StoredFile:
        """Store a content."""
        with self._create_incoming() as incoming:
            for chunk in chunks:
                incoming.write(chunk)
            return self._commit(incoming)

    def put_bytes(self, content: bytes) -> StoredFile:
        """Store a content that is in memory. If it is already stored, nothing is written."""
        stored = StoredFile(
            hashlib.sha256(content).hexdigest(),
            hashlib.sha1(content).hexdigest(),
            hashlib.md5(content).hexdigest(),
            len(content),
        )
        if not self.path(stored.sha256).exists():
            return self.put([content])
        self._record(stored)
        return stored

    async def put_stream(self, chunks: AsyncIterable[bytes]) -> StoredFile:
        """Store a content while it is received."""
        with self._create_incoming() as incoming:
            async for chunk in chunks:
                incoming.write(chunk)
            return self._commit(incoming)

    def create_partial(self) -> pathlib.Path:
        """Create an empty file for a content that arrives in several requests."""
        with tempfile.NamedTemporaryFile(dir=self.incoming, delete=False) as file:
            return pathlib.Path(file.name)

    async def put_file(self, partial: pathlib.Path) -> StoredFile:
        """Store the content of a file from `create_partial`, and remove the file even if that fails."""
        try:
            return await run_in_threadpool(lambda: self.put(_read_chunks(partial)))
        finally:
            partial.unlink(missing_ok=True)

    def remove(self, sha256: str) -> None:
        """Remove a content."""
        self.path(sha256).unlink(missing_ok=True)

    @contextlib.contextmanager
    def replace_all(self) -> Iterator[set[str]]:
        """Remove all contents at the end of the block except those stored within it, whose checksums it receives."""
        stored: set[str] = set()
        self._stored = stored
        try:
            yield stored
        finally:
            self._stored = None
        self.remove_others(stored)

    def remove_others(self, kept: set[str]) -> None:
        """Remove all contents except those with the given checksums."""
        for path in self._directory.glob("??/*"):
            if path.name not in kept:
                path.unlink()

    def remove_orphaned(self, is_used: Callable[[str], bool]) -> None:
        """Remove the contents that no service uses.

        :arg is_used: function that returns whether the content with a checksum is used
        """
        for path in self._directory.glob("??/*"):
            if SHA256.fullmatch(path.name) and not is_used(path.name):
                path.unlink()

    def remove_incoming(self) -> None:
        """Remove incomplete files."""
        shutil.rmtree(self.incoming, ignore_errors=True)

    def _record(self, stored: StoredFile) -> None:
        if self._stored is not None:
            self._stored.add(stored.sha256)

    @contextlib.contextmanager
    def _create_incoming(self) -> Iterator[_IncomingFile]:
        with tempfile.NamedTemporaryFile(dir=self.incoming, delete=False) as file:
            try:
                yield _IncomingFile(file)
            finally:
                pathlib.Path(file.name).unlink(missing_ok=True)

    def _commit(self, incoming: _IncomingFile) -> StoredFile:
        stored = incoming.close()
        path = self.path(stored.sha256)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        incoming.path.replace(path)
        self._record(stored)
        return stored


def _read_chunks(path: pathlib.Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_SIZE):
            yield chunk


class _IncomingFile:
    """A temporary file whose checksums are calculated while it is written."""

    def __init__(self, file: Any) -> None:
        self._file: BinaryIO = file
        self.path = pathlib.Path(file.name)
        self._sha256, self._sha1, self._md5 = hashlib.sha256(), hashlib.sha1(), hashlib.md5()
        self._size = 0

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        for digest in (self._sha256, self._sha1, self._md5):
            digest.update(chunk)
        self._size += len(chunk)

    def close(self) -> StoredFile:
        self._file.close()
        return StoredFile(self._sha256.hexdigest(), self._sha1.hexdigest(), self._md5.hexdigest(), self._size)
