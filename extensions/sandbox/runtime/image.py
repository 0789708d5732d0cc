# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A copy of the database in memory, which resets restore instead of adding the seed again."""

from __future__ import annotations

import sqlite3
import time

from .file_store import FileStore

# The times in a seed are relative to now, so a copy soon becomes wrong.
LIFETIME = 30.0  # seconds
MAX_PAGES = 2048  # of 4 KiB


class Image:
    """A copy of a seeded database, and the file contents that belong to it."""

    def __init__(self, db: sqlite3.Connection, files: FileStore, contents: set[str]) -> None:
        """Copy a database, unless it is large.

        :arg contents: checksums of the file contents
        """
        self._files = files
        self._contents = contents
        self._copy = sqlite3.connect(":memory:", check_same_thread=False)
        self._expires = 0.0
        if db.execute("PRAGMA page_count").fetchone()[0] <= MAX_PAGES:
            db.backup(self._copy)
            self._expires = time.monotonic() + LIFETIME

    def restore(self, db: sqlite3.Connection) -> bool:
        """Restore the database and the file contents, and return whether that was possible."""
        if time.monotonic() > self._expires or not all(self._files.path(sha256).exists() for sha256 in self._contents):
            return False
        try:
            self._copy.backup(db)
        except sqlite3.OperationalError:  # a query on this connection has not ended
            return False
        self._files.remove_others(self._contents)
        return True
