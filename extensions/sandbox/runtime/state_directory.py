# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state directory. Only one sandbox at a time can use it, and only the account that runs it can read it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator

from .database import DATABASE, StateError

LOCK = "sandbox.lock"
TEMPORARY_PREFIX = "toolchain-sandbox-"
# The lock file has this content while a sandbox uses the directory, and keeps it if the sandbox is killed.
IN_USE = b"in use\n"
PRIVATE_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")


class StateDirectory:
    """A locked directory. `was_killed` is whether the sandbox that used it before was killed."""

    def __init__(self, directory: pathlib.Path | None) -> None:
        """Create the directory if it does not exist, and lock it.

        :arg directory: null for a temporary one, which `close` removes
        :raises StateError: if another sandbox uses the directory
        """
        self.is_temporary = directory is None
        if directory is None:
            _remove_orphaned()
        self.path = directory or pathlib.Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(self.path)
        self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        if not _try_lock(self._lock):
            os.close(self._lock)
            raise StateError(f"another sandbox uses the state directory {self.path}. Stop it or use another directory.")
        os.fchmod(self._lock, 0o600)
        self.was_killed = os.read(self._lock, len(IN_USE)) == IN_USE
        os.pwrite(self._lock, IN_USE, 0)

    def close(self, is_complete: bool = True) -> None:
        """Release the lock.

        :arg is_complete: whether no operation was interrupted
        """
        if self.is_temporary:
            shutil.rmtree(self.path, ignore_errors=True)
        elif is_complete:
            os.ftruncate(self._lock, 0)
        os.close(self._lock)


def _try_lock(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make_private(directory: pathlib.Path) -> None:
    """Revoke the permissions of other accounts. A directory with other files than the state keeps its mode."""
    if (directory / DATABASE).exists() or not any(directory.iterdir()):
        # A mounted volume can belong to another account. The files in the directory are private in any case.
        with contextlib.suppress(PermissionError):
            directory.chmod(0o700)
    for name in PRIVATE_FILES:
        with contextlib.suppress(FileNotFoundError):
            (directory / name).chmod(0o600)


def _remove_orphaned() -> None:
    """Remove the temporary directories of sandboxes that were killed."""
    for directory in _find_orphaned(pathlib.Path(tempfile.gettempdir())):
        shutil.rmtree(directory, ignore_errors=True)


def _find_orphaned(parent: pathlib.Path) -> Iterator[pathlib.Path]:
    for directory in parent.glob(f"{TEMPORARY_PREFIX}*"):
        with contextlib.suppress(OSError):
            if directory.is_symlink() or directory.stat().st_uid != os.geteuid():
                continue
            lock = os.open(directory / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                # A starting sandbox locks the file before it writes IN_USE. Without IN_USE, it may be about to do so.
                if os.read(lock, len(IN_USE)) == IN_USE and _try_lock(lock):
                    yield directory
            finally:
                os.close(lock)
