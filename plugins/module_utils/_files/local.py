# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Local files to upload: patterns, checksums, streaming, and detection of changes."""

from __future__ import annotations

import dataclasses
import glob
import hashlib
import os
import re
import typing as t
from concurrent.futures import ThreadPoolExecutor

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal

ALGORITHMS = ("sha256", "sha1", "md5")
_HASH_CHUNK = 1024 * 1024
# Each chunk must be sent within `timeout`
_UPLOAD_CHUNK = 256 * 1024


def check_local_path(path: str) -> str:
    """Return a path that may contain names from a server.

    :raises ToolchainError: if no file system can store it
    """
    if "\0" in path or re.search("[\ud800-\udfff]", path):
        raise ToolchainError(f"The path {path!a} cannot be used on this host: a name contains invalid characters.")
    return path


def check_readable(path: str, option: str) -> None:
    """
    :raises BadOption: if the path is not a readable regular file
    """
    resolved_path = rehearsal.resolve_read(path)
    if not os.path.isfile(resolved_path):
        problem = "it is not a regular file" if os.path.exists(resolved_path) else "it does not exist"
    elif not os.access(resolved_path, os.R_OK):
        problem = "permission denied"
    else:
        return
    raise BadOption(option, f"'{path}' cannot be read: {problem}")


def read_text(path: str, option: str) -> str:
    """Return the content of a text file.

    :raises BadOption: if the path is not a readable text file in UTF-8
    """
    check_readable(path, option)
    try:
        with open(rehearsal.resolve_read(path), encoding="utf-8-sig") as file:
            return file.read()
    except ValueError:
        raise BadOption(option, f"must be a text file in UTF-8, but '{path}' is not") from None


def is_pattern(path: str) -> bool:
    """Return whether a path is a pattern. The path of an existing file is not."""
    return glob.has_magic(path) and not os.path.lexists(rehearsal.resolve_read(path))


def find_files(pattern: str) -> dict[str, str]:
    """Return the sorted files that match a pattern, with their paths relative to the part without wildcards."""
    fixed = pattern
    while glob.has_magic(fixed):
        fixed = os.path.dirname(fixed)
    candidates = {*glob.iglob(pattern, recursive=True), *rehearsal.find_copies(pattern, fixed)}
    files = (path for path in sorted(candidates) if os.path.isfile(rehearsal.resolve_read(path)))
    return {path: os.path.relpath(path, fixed or os.curdir) for path in files}


def new_hash(algorithm: str) -> t.Any:
    """Return a new hash object."""
    return hashlib.new(algorithm, usedforsecurity=False)


def compute_checksums(path: str, algorithms: t.Sequence[str] = ALGORITHMS) -> dict[str, str]:
    """Return the checksums of a file by algorithm. The file is read once, and large files are hashed in parallel.

    :raises ToolchainError: if the file cannot be read
    """
    digests = [new_hash(algorithm) for algorithm in algorithms]
    try:
        with open(rehearsal.resolve_read(path), "rb", buffering=0) as file, ThreadPoolExecutor(len(digests)) as pool:
            while chunk := file.read(_HASH_CHUNK):
                apply = pool.map if len(chunk) == _HASH_CHUNK else map
                list(apply(_update, digests, [chunk] * len(digests)))
    except OSError as error:
        raise ToolchainError(f"Cannot read '{path}': {error.strerror}.") from None
    return {algorithm: digest.hexdigest() for algorithm, digest in zip(algorithms, digests)}


@dataclasses.dataclass(frozen=True)
class LocalText:
    """A text to upload."""

    data: bytes
    checksums: dict[str, str]

    @property
    def size(self) -> int:
        """The size in bytes."""
        return len(self.data)

    def check_unchanged(self) -> None:
        """Do nothing, because a text cannot change."""

    @classmethod
    def from_text(cls, text: str) -> LocalText:
        """Return a text with its checksums."""
        data = text.encode()
        checksums = {}
        for algorithm in ALGORITHMS:
            digest = new_hash(algorithm)
            digest.update(data)
            checksums[algorithm] = digest.hexdigest()
        return cls(data, checksums)


@dataclasses.dataclass(frozen=True)
class LocalFile:
    """A file to upload. It can be iterated repeatedly, and must not change after it was hashed.

    :ivar size: size in bytes
    :ivar fingerprint: result of `get_fingerprint` when it was hashed
    :ivar progress: called with the number of bytes sent
    """

    path: str
    size: int
    checksums: dict[str, str]
    fingerprint: tuple[int, ...]
    progress: t.Callable[[int], None] = dataclasses.field(compare=False)

    @property
    def data(self) -> LocalFile:
        """The body of the upload."""
        return self

    @classmethod
    def from_path(cls, path: str, progress: t.Callable[[int], None]) -> LocalFile:
        """Return a file with its checksums.

        :arg progress: called with the number of bytes sent
        :raises ToolchainError: if the file cannot be read, or changes in the meantime
        """
        before = get_fingerprint(path)
        file = cls(path, before[0], compute_checksums(path), before, progress)
        file.check_unchanged()
        return file

    @classmethod
    def from_path_unhashed(cls, path: str) -> LocalFile:
        """Return a file without checksums.

        :raises ToolchainError: if it does not exist
        """
        before = get_fingerprint(path)
        return cls(path, before[0], {}, before, lambda _sent: None)

    def check_unchanged(self) -> None:
        """
        :raises ToolchainError: if the file has changed since it was hashed
        """
        if get_fingerprint(self.path) != self.fingerprint:
            raise self._change_error()

    def __iter__(self) -> t.Iterator[bytes]:
        remaining = self.size
        with open(rehearsal.resolve_read(self.path), "rb", buffering=0) as file:
            while remaining:
                piece = file.read(min(_UPLOAD_CHUNK, remaining))
                if not piece:
                    raise self._change_error()
                remaining -= len(piece)
                yield piece
                self.progress(self.size - remaining)

    def _change_error(self) -> ToolchainError:
        return ToolchainError(
            f"'{self.path}' changed while it was being read, so it was not uploaded. Run the task again."
        )


def _update(digest: t.Any, chunk: bytes) -> None:
    digest.update(chunk)


def get_fingerprint(path: str) -> tuple[int, ...]:
    """Return the size of a file in bytes, its modification time, inode and device.

    :raises ToolchainError: if it does not exist
    """
    try:
        status = os.stat(rehearsal.resolve_read(path))
    except OSError as error:
        raise ToolchainError(f"Cannot read '{path}': {error.strerror}.") from None
    return status.st_size, status.st_mtime_ns, status.st_ino, status.st_dev
