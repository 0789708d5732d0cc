# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that keeps the state: for one sandbox at a time, and private to the account that runs it."""

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
# The lock file has this content while a sandbox uses the folder, and keeps it if the sandbox is killed.
IN_USE = b"in use\n"
PRIVATE_FILES = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm")


class StateDirectory:
    """A locked folder; `was_killed` says whether the sandbox that had it before did not end by itself."""

    def __init__(self, folder: pathlib.Path | None) -> None:
        """
        :arg folder: null for a temporary one, which `close` removes
        :raises StateError: if another sandbox uses the folder
        """
        self.is_temporary = folder is None
        if folder is None:
            _remove_orphaned()
        self.path = folder or pathlib.Path(tempfile.mkdtemp(prefix=TEMPORARY_PREFIX))
        self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make_private(self.path)
        self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        if not _try_lock(self._lock):
            os.close(self._lock)
            raise StateError(f"another sandbox uses the state folder {self.path}; end it, or use another folder")
        os.fchmod(self._lock, 0o600)
        self.was_killed = os.read(self._lock, len(IN_USE)) == IN_USE
        os.pwrite(self._lock, IN_USE, 0)

    def close(self, is_complete: bool = True) -> None:
        """Let another sandbox use the folder.

        :arg is_complete: whether nothing that was begun was left unfinished
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


def _make_private(folder: pathlib.Path) -> None:
    """Take away the rights of other accounts; a folder that holds files of others keeps its mode."""
    if (folder / DATABASE).exists() or not any(folder.iterdir()):
        # A volume can belong to another account; the files in the folder are private in any case.
        with contextlib.suppress(PermissionError):
            folder.chmod(0o700)
    for name in PRIVATE_FILES:
        with contextlib.suppress(FileNotFoundError):
            (folder / name).chmod(0o600)


def _remove_orphaned() -> None:
    """Remove the temporary folders of sandboxes that were killed."""
    for folder in _find_orphaned(pathlib.Path(tempfile.gettempdir())):
        shutil.rmtree(folder, ignore_errors=True)


def _find_orphaned(parent: pathlib.Path) -> Iterator[pathlib.Path]:
    for folder in parent.glob(f"{TEMPORARY_PREFIX}*"):
        with contextlib.suppress(OSError):
            if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
                continue
            lock = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                # A sandbox that starts writes this after it has the lock, which must be free until then.
                if os.read(lock, len(IN_USE)) == IN_USE and _try_lock(lock):
                    yield folder
            finally:
                os.close(lock)
