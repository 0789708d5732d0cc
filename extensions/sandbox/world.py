# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state that all services share: database, file contents, clock, switches."""

from __future__ import annotations

import contextlib
import hashlib
import json
import pathlib
import shutil
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

SETTINGS = "CREATE TABLE IF NOT EXISTS sandbox_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL)"


@dataclass(frozen=True)
class Stored:
    """A content that the sandbox holds."""

    sha256: str
    sha1: str
    md5: str
    size: int


class Files:
    """Contents on disk, each once, named by its SHA-256."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def path(self, sha256: str) -> pathlib.Path:
        """Where the content with this checksum lies."""
        return self._folder / sha256[:2] / sha256

    def put(self, chunks: Iterable[bytes]) -> Stored:
        """Keep a content."""
        with self._incoming() as incoming:
            for chunk in chunks:
                incoming.write(chunk)
            return incoming.keep()

    async def put_stream(self, chunks: AsyncIterable[bytes]) -> Stored:
        """Keep a content that is still arriving."""
        with self._incoming() as incoming:
            async for chunk in chunks:
                incoming.write(chunk)
            return incoming.keep()

    def clear(self) -> None:
        """Forget all contents."""
        for folder in self._folder.glob("??"):
            shutil.rmtree(folder)

    @contextlib.contextmanager
    def _incoming(self) -> Iterator[_Incoming]:
        with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
            try:
                yield _Incoming(self, file)
            finally:
                pathlib.Path(file.name).unlink(missing_ok=True)


class _Incoming:
    def __init__(self, files: Files, file: Any) -> None:
        self._files = files
        self._file: BinaryIO = file
        self._sha256, self._sha1, self._md5 = hashlib.sha256(), hashlib.sha1(), hashlib.md5()
        self._size = 0

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        for digest in (self._sha256, self._sha1, self._md5):
            digest.update(chunk)
        self._size += len(chunk)

    def keep(self) -> Stored:
        self._file.close()
        stored = Stored(self._sha256.hexdigest(), self._sha1.hexdigest(), self._md5.hexdigest(), self._size)
        path = self._files.path(stored.sha256)
        path.parent.mkdir(exist_ok=True)
        pathlib.Path(self._file.name).replace(path)
        return stored


class Clock:
    """The time in the sandbox, which the control API can move and stop."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Show the real time again."""
        self.offset = 0.0
        self._stopped_at: float | None = None

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._stopped_at if self._stopped_at is not None else time.time() + self.offset

    @property
    def frozen(self) -> bool:
        """Whether the time stands still."""
        return self._stopped_at is not None

    def freeze(self, frozen: bool) -> None:
        """Stop the time, or let it go on from where it stands."""
        now = self.now()
        self._stopped_at = now if frozen else None
        self.offset = now - time.time()

    def set(self, now: float) -> None:
        """Jump to a time."""
        self.offset = now - time.time()
        if self.frozen:
            self._stopped_at = now

    def state(self) -> dict[str, Any]:
        """What the control API shows, and what a state folder keeps."""
        return {"now": self.now(), "offset": self.offset, "frozen": self.frozen}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on as a kept state says."""
        self.offset = state["offset"]
        self._stopped_at = state["now"] if state["frozen"] else None


class World:
    """Everything the services know, in one place."""

    def __init__(self, folder: pathlib.Path | None = None) -> None:
        self._temporary = folder is None
        self.state = folder or pathlib.Path(tempfile.mkdtemp(prefix="sandbox-"))
        self.state.mkdir(parents=True, exist_ok=True)
        self.files = Files(self.state / "files")
        self.clock = Clock()
        database = ":memory:" if folder is None else self.state / "sandbox.sqlite3"
        self.db = sqlite3.connect(database, isolation_level=None)
        self.db.row_factory = sqlite3.Row
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = OFF")
        self.db.execute(SETTINGS)
        self._defaults: dict[str, dict[str, Any]] = {}
        self._switches: dict[str, dict[str, Any]] = {}

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Group writes; inside another transaction it joins that one. Nothing may be awaited within."""
        if self.db.in_transaction:
            yield
            return
        self.db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")

    def declare_switches(self, service: str, defaults: dict[str, Any]) -> None:
        """Make the switches of a service known."""
        self._defaults[service] = dict(defaults)
        self._switches[service] = {**defaults, **self.recall(f"switches.{service}", {})}

    def switch(self, service: str, name: str) -> Any:
        """The present value of a switch."""
        return self._switches[service][name]

    def switches(self) -> dict[str, dict[str, Any]]:
        """All switches by service."""
        return {service: dict(values) for service, values in self._switches.items()}

    def set_switches(self, changes: dict[str, dict[str, Any]]) -> None:
        """Set some switches, or none of them: a wrong name or type is a ValueError."""
        for service, values in changes.items():
            self._check_switches(service, values)
        for service, values in changes.items():
            self._switches[service].update(values)
            self.remember(f"switches.{service}", self._switches[service])

    def _check_switches(self, service: str, values: Any) -> None:
        if service not in self._switches:
            raise ValueError(f"There is no service {service!r}.")
        if not isinstance(values, dict):
            raise ValueError(f"The switches of {service!r} must be an object.")
        for name, value in values.items():
            if name not in self._defaults[service]:
                raise ValueError(f"Service {service!r} has no switch {name!r}.")
            default = self._defaults[service][name]
            if default is not None and not _same_kind(default, value):
                raise ValueError(f"Switch {name!r} of {service!r} takes a {type(default).__name__}.")

    def reset(self) -> None:
        """Forget all contents, and put clock and switches back to their defaults."""
        self.clock.reset()
        self.files.clear()
        self.db.execute("DELETE FROM sandbox_settings")
        self._switches = {service: dict(values) for service, values in self._defaults.items()}

    def remember(self, name: str, value: Any) -> None:
        """Keep a setting in the state folder."""
        self.db.execute("INSERT OR REPLACE INTO sandbox_settings VALUES (?, ?)", (name, json.dumps(value)))

    def recall(self, name: str, default: Any = None) -> Any:
        """A setting that an earlier run kept."""
        row = self.db.execute("SELECT value FROM sandbox_settings WHERE name = ?", (name,)).fetchone()
        return json.loads(row["value"]) if row else default

    def close(self) -> None:
        """Let go of the database, and of the folder if it was only borrowed."""
        self.db.close()
        if self._temporary:
            shutil.rmtree(self.state, ignore_errors=True)


def _same_kind(default: Any, value: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, (int, float)):
        return isinstance(value, (int, float))
    return isinstance(value, type(default))
