# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files of this machine that travel: found by patterns, hashed in one pass, sent in pieces, watched for changes."""

from __future__ import annotations

import dataclasses
import glob
import hashlib
import os
import typing as t
from concurrent.futures import ThreadPoolExecutor

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal

ALGORITHMS = ("sha256", "sha1", "md5")
_HASHED_AT_ONCE = 1024 * 1024
# Each piece has to be on its way within `timeout`
_SENT_AT_ONCE = 256 * 1024


def check_readable(path: str, option: str) -> None:
    """
    :raises BadOption: when it is not a regular file that can be read
    """
    found = rehearsal.resolve_read(path)
    if not os.path.isfile(found):
        problem = "it is not a regular file" if os.path.exists(found) else "there is none"
    elif not os.access(found, os.R_OK):
        problem = "no permission"
    else:
        return
    raise BadOption(option, f"'{path}' cannot be read: {problem}")


def is_pattern(path: str) -> bool:
    """Whether a path stands for several files; one that there is stands for itself."""
    return glob.has_magic(path) and not os.path.lexists(rehearsal.resolve_read(path))


def find_files(pattern: str) -> dict[str, str]:
    """The files that a pattern matches, sorted, each with its path below what precedes the first wildcard."""
    fixed = pattern
    while glob.has_magic(fixed):
        fixed = os.path.dirname(fixed)
    found = {*glob.iglob(pattern, recursive=True), *rehearsal.find_copies(pattern, fixed)}
    files = (path for path in sorted(found) if os.path.isfile(rehearsal.resolve_read(path)))
    return {path: os.path.relpath(path, fixed or os.curdir) for path in files}


def new_hash(algorithm: str) -> t.Any:
    """A new checksum, to be updated."""
    return hashlib.new(algorithm, usedforsecurity=False)


def compute_checksums(path: str, algorithms: t.Sequence[str] = ALGORITHMS) -> dict[str, str]:
    """The checksums of a file by algorithm: read once, and of large files computed side by side.

    :raises ToolchainError: when it cannot be read
    """
    digests = [new_hash(algorithm) for algorithm in algorithms]
    try:
        with open(rehearsal.resolve_read(path), "rb", buffering=0) as file, ThreadPoolExecutor(len(digests)) as pool:
            while piece := file.read(_HASHED_AT_ONCE):
                each = pool.map if len(piece) == _HASHED_AT_ONCE else map
                list(each(_update, digests, [piece] * len(digests)))
    except OSError as error:
        raise ToolchainError(f"Cannot read '{path}': {error.strerror}.") from None
    return {algorithm: one.hexdigest() for algorithm, one in zip(algorithms, digests)}


@dataclasses.dataclass(frozen=True)
class LocalText:
    """A text to be sent."""

    data: bytes
    checksums: dict[str, str]

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.data)

    def check_unchanged(self) -> None:
        """A text never changes."""

    @classmethod
    def from_text(cls, text: str) -> LocalText:
        """A text with its checksums."""
        data = text.encode()
        found = {}
        for algorithm in ALGORITHMS:
            one = new_hash(algorithm)
            one.update(data)
            found[algorithm] = one.hexdigest()
        return cls(data, found)


@dataclasses.dataclass(frozen=True)
class LocalFile:
    """A file to be sent, as it was when it was hashed. What sends it iterates over it, each time from its beginning.

    :ivar size: in bytes
    :ivar fingerprint: what tells that it is still the same
    """

    path: str
    size: int
    checksums: dict[str, str]
    fingerprint: tuple[int, ...]
    progress: t.Callable[[int], None] = dataclasses.field(compare=False)

    @property
    def data(self) -> LocalFile:
        """What is to be sent."""
        return self

    @classmethod
    def from_path(cls, path: str, progress: t.Callable[[int], None]) -> LocalFile:
        """A file with its checksums.

        :arg progress: told how many bytes were sent
        :raises ToolchainError: when it cannot be read, or changes meanwhile
        """
        before = get_fingerprint(path)
        file = cls(path, before[0], compute_checksums(path), before, progress)
        file.check_unchanged()
        return file

    @classmethod
    def from_path_unhashed(cls, path: str) -> LocalFile:
        """A file whose checksums nobody asks for.

        :raises ToolchainError: when it is not there
        """
        before = get_fingerprint(path)
        return cls(path, before[0], {}, before, lambda _sent: None)

    def check_unchanged(self) -> None:
        """
        :raises ToolchainError: when the file is not as it was when it was hashed
        """
        if get_fingerprint(self.path) != self.fingerprint:
            raise self._changed()

    def __iter__(self) -> t.Iterator[bytes]:
        left = self.size
        with open(rehearsal.resolve_read(self.path), "rb", buffering=0) as file:
            while left:
                piece = file.read(min(_SENT_AT_ONCE, left))
                if not piece:
                    raise self._changed()
                left -= len(piece)
                yield piece
                self.progress(self.size - left)

    def _changed(self) -> ToolchainError:
        return ToolchainError(
            f"'{self.path}' changed while it was being read, so the server was not given it. "
            "Try again when nothing writes it any more."
        )


def _update(one: t.Any, piece: bytes) -> None:
    one.update(piece)


def get_fingerprint(path: str) -> tuple[int, ...]:
    """The size of a file in bytes, and what tells that it is still the same.

    :raises ToolchainError: when it is not there
    """
    try:
        found = os.stat(rehearsal.resolve_read(path))
    except OSError as error:
        raise ToolchainError(f"Cannot read '{path}': {error.strerror}.") from None
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev
