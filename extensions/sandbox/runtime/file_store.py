# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of files, each once, by their checksums."""

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
    """A content that the sandbox holds."""

    sha256: str
    sha1: str
    md5: str
    size: int


class FileStore:
    """Contents on disk, each once, named by its SHA-256."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._stored: set[str] | None = None  # within `replacing`, what was stored since it began
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        self.incoming = folder / ".incoming"  # for files that are obsolete once the sandbox has ended
        self.remove_incoming()
        self.incoming.mkdir(mode=0o700)

    def path(self, sha256: str) -> pathlib.Path:
        """Where the content with this checksum lies."""
        return self._folder / sha256[:2] / sha256

    def put(self, chunks: Iterable[bytes]) -> StoredFile:
        """Keep a content."""
        with self._incoming() as incoming:
            for chunk in chunks:
                incoming.write(chunk)
            return incoming.keep()

    def put_bytes(self, content: bytes) -> StoredFile:
        """Store a content that is in memory; costs no write if it exists."""
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
        """Keep a content that is still arriving."""
        with self._incoming() as incoming:
            async for chunk in chunks:
                incoming.write(chunk)
            return incoming.keep()

    def create_partial(self) -> pathlib.Path:
        """Create an empty file for a content that arrives in several requests."""
        with tempfile.NamedTemporaryFile(dir=self.incoming, delete=False) as file:
            return pathlib.Path(file.name)

    async def put_file(self, partial: pathlib.Path) -> StoredFile:
        """Keep the content of a file from `new_partial`, which is removed in any case."""
        try:
            return await run_in_threadpool(lambda: self.put(_read_chunks(partial)))
        finally:
            partial.unlink(missing_ok=True)

    def remove(self, sha256: str) -> None:
        """Forget a content."""
        self.path(sha256).unlink(missing_ok=True)

    @contextlib.contextmanager
    def replace_all(self) -> Iterator[None]:
        """Remove all contents at the end of the block except those stored within it."""
        kept: set[str] = set()
        self._stored = kept
        try:
            yield
        finally:
            self._stored = None
        for path in self._folder.glob("??/*"):
            if path.name not in kept:
                path.unlink()

    def remove_orphaned(self, is_held: Callable[[str], bool]) -> None:
        """Remove the contents that no service uses, by their checksums."""
        for path in self._folder.glob("??/*"):
            if SHA256.fullmatch(path.name) and not is_held(path.name):
                path.unlink()

    def remove_incoming(self) -> None:
        """Remove what is left of contents that never arrived as a whole."""
        shutil.rmtree(self.incoming, ignore_errors=True)

    def _record(self, stored: StoredFile) -> None:
        if self._stored is not None:
            self._stored.add(stored.sha256)

    @contextlib.contextmanager
    def _incoming(self) -> Iterator[_IncomingFile]:
        with tempfile.NamedTemporaryFile(dir=self.incoming, delete=False) as file:
            try:
                yield _IncomingFile(self, file)
            finally:
                pathlib.Path(file.name).unlink(missing_ok=True)


def _read_chunks(path: pathlib.Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_SIZE):
            yield chunk


class _IncomingFile:
    def __init__(self, files: FileStore, file: Any) -> None:
        self._files = files
        self._file: BinaryIO = file
        self._sha256, self._sha1, self._md5 = hashlib.sha256(), hashlib.sha1(), hashlib.md5()
        self._size = 0

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        for digest in (self._sha256, self._sha1, self._md5):
            digest.update(chunk)
        self._size += len(chunk)

    def keep(self) -> StoredFile:
        self._file.close()
        stored = StoredFile(self._sha256.hexdigest(), self._sha1.hexdigest(), self._md5.hexdigest(), self._size)
        path = self._files.path(stored.sha256)
        path.parent.mkdir(mode=0o700, exist_ok=True)
        pathlib.Path(self._file.name).replace(path)
        self._files._record(stored)
        return stored
