# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The state of a cleanup in a database on disk, so that memory usage does not depend on the number of artifacts.

As `state_file`, it lets an interrupted cleanup continue: each step writes its result and its progress in one
transaction.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import tempfile
import threading
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal

_MEMORY_IN_KIB = 8 * 1024
# Version of the tables. Increase it when they change, so that files with older tables are refused
_VERSION = 3
_TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- Artifacts to which a rule applies, once for each of their groups
CREATE TABLE IF NOT EXISTS seen (
    rule INTEGER, repo TEXT, path TEXT, team TEXT, folder TEXT, moment TEXT, size INTEGER, sha1 TEXT, manifest TEXT,
    downloaded TEXT, old INTEGER, PRIMARY KEY (rule, repo, path, team)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS kept (repo TEXT, path TEXT, PRIMARY KEY (repo, path)) WITHOUT ROWID;
-- Files of repositories by folder. In a tag folder, surplus is an entry that is not part of the tag
CREATE TABLE IF NOT EXISTS folders (
    repo TEXT, folder TEXT, files INTEGER, bytes INTEGER, surplus TEXT, PRIMARY KEY (repo, folder)
) WITHOUT ROWID;
-- Selected tags that are not safe to delete, with the entry of their folder that is not part of the tag
CREATE TABLE IF NOT EXISTS unsafe (
    repo TEXT, path TEXT, rule TEXT, selected_by INTEGER, surplus TEXT, PRIMARY KEY (repo, path)
) WITHOUT ROWID;
-- kind is file, tag or folder. folder contains the files of the item. outcome is set when the item is complete
CREATE TABLE IF NOT EXISTS plan (
    id INTEGER PRIMARY KEY, kind TEXT, repo TEXT, path TEXT, folder TEXT, manifest TEXT, size INTEGER, files INTEGER,
    sha1 TEXT, moment TEXT, downloaded TEXT, rule TEXT, selected_by INTEGER,
    is_newest INTEGER DEFAULT 0, outcome TEXT
);
"""


class Store:
    """A database that all threads of the task share.

    :arg path: path of the file to keep; `None` for a temporary file
    :raises ToolchainError: if the file cannot be used
    """

    def __init__(self, path: str | None) -> None:
        self._lock = threading.RLock()
        self._is_persistent = path is not None
        self._name = path or tempfile.gettempdir()
        try:
            self._folder = None if path else tempfile.TemporaryDirectory(prefix="toolchain-cleanup-")
            plan_path = rehearsal.resolve_write(path) if path else None
            self._path = plan_path or os.path.join(
                t.cast("tempfile.TemporaryDirectory[str]", self._folder).name, "plan.db"
            )
            os.close(os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600))
            if not os.path.isfile(self._path):
                raise self._unusable_error("it is not a regular file")
            self._database = sqlite3.connect(
                self._path, timeout=0, isolation_level=None, check_same_thread=False, cached_statements=32
            )
            self._prepare()
        except sqlite3.DatabaseError as error:
            raise self._unusable_error(_explain(error)) from None
        except OSError as error:
            raise self._unusable_error(str(error.strerror)) from None

    def _unusable_error(self, problem: str) -> ToolchainError:
        if self._is_persistent:
            return BadOption("state_file", f"'{self._name}' cannot be used: {problem}")
        return ToolchainError(f"Cannot write into '{self._name}': {problem}. {self._advice}")

    @property
    def _advice(self) -> str:
        if self._is_persistent:
            return "Free disk space and run the task again to continue."
        return "Free disk space, set TMPDIR to a directory with more space, or set 'state_file'."

    def _prepare(self) -> None:
        for pragma in ("locking_mode = EXCLUSIVE", "journal_mode = WAL", "synchronous = OFF", "temp_store = FILE"):
            self._database.execute(f"PRAGMA {pragma}")
        self._database.execute(f"PRAGMA cache_size = -{_MEMORY_IN_KIB}")
        (version,) = self._database.execute("PRAGMA user_version").fetchone()
        if version != _VERSION and self._database.execute("SELECT 1 FROM sqlite_master").fetchone():
            raise self._unusable_error("another version of this module wrote it. Delete it to create a new plan")
        with self.transaction():
            for statement in _TABLES.split(";"):
                self._database.execute(statement)
            self._database.execute(f"PRAGMA user_version = {_VERSION}")

    @contextlib.contextmanager
    def transaction(self) -> t.Iterator[None]:
        """Commit all writes in the block, or roll them back."""
        with self._lock:
            if self._database.in_transaction:
                yield
                return
            with self._translate_errors():
                self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                with self._translate_errors():
                    self._database.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # sqlite rolls back itself if the disk is full
                    self._database.execute("ROLLBACK")
                raise

    def execute(self, statement: str, values: t.Sequence[t.Any] = ()) -> int:
        """Execute a statement and return the number of rows that it changed."""
        with self._lock, self._translate_errors():
            return self._database.execute(statement, _escape_surrogates(values)).rowcount

    def execute_many(self, statement: str, rows: t.Iterable[t.Sequence[t.Any]]) -> None:
        with self._lock, self._translate_errors():
            self._database.executemany(statement, map(_escape_surrogates, rows))

    def fetch_rows(self, query: str, values: t.Sequence[t.Any] = ()) -> t.Iterator[t.Any]:
        """Yield the rows of a query."""
        with self._lock, self._translate_errors():
            cursor = self._database.cursor()
            cursor.execute(query, values)
        while True:
            with self._lock, self._translate_errors():
                batch = cursor.fetchmany(1000)
            if not batch:
                return
            yield from batch

    def fetch_one(self, query: str, values: t.Sequence[t.Any] = ()) -> t.Any:
        """Return the first row of a query, or `None`."""
        return next(self.fetch_rows(query, values), None)

    def get_fact(self, name: str) -> t.Any:
        """Return the value stored under a name, or `None`."""
        row = self.fetch_one("SELECT value FROM facts WHERE name = ?", [name])
        return row and json.loads(row[0])

    def set_fact(self, name: str, value: t.Any) -> None:
        self.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", [name, json.dumps(value)])

    @property
    def has_progress(self) -> bool:
        """Return whether a step is complete that a later run need not repeat."""
        return self.fetch_one("SELECT 1 FROM facts WHERE name IN ('repositories', 'planned')") is not None

    def close(self, delete: bool) -> None:
        """Close the file.

        :arg forget: whether to delete it, because there is nothing to continue
        """
        self._database.close()
        if self._folder:
            self._folder.cleanup()
        elif delete:
            for end in ("", "-wal", "-shm"):
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self._path + end)

    @contextlib.contextmanager
    def _translate_errors(self) -> t.Iterator[None]:
        try:
            yield
        except sqlite3.DatabaseError as error:
            raise ToolchainError(f"Cannot write '{self._name}': {_explain(error)}. {self._advice}") from None


def _escape_surrogates(values: t.Sequence[t.Any]) -> list[t.Any]:
    """Return values that the database accepts: unpaired surrogates are escaped as in JSON."""
    return [
        value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) and not value.isascii() else value
        for value in values
    ]


def _explain(error: sqlite3.DatabaseError) -> str:
    """Return a message for a database error."""
    text = str(error)
    if "locked" in text:
        return "it is in use by another task"
    if "full" in text or "disk I/O" in text:
        return f"the disk is full or defective ({text})"
    return f"it is not a state file of a cleanup ({text})"
