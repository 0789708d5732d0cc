# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state that all services share: database, file contents, clock, switches."""

from __future__ import annotations

import contextlib
import json
import pathlib
from collections.abc import Iterator
from typing import Any

from .clock import Clock
from .database import DATABASE, Readers, connect_writer, create_tables
from .evaluator import Evaluator
from .file_store import FileStore
from .guard import Guard
from .state_directory import StateDirectory

SETTINGS = "CREATE TABLE sandbox_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);"


class Runtime:
    """Everything the services know, in one place."""

    def __init__(self, folder: pathlib.Path | None = None) -> None:
        self.state_directory = StateDirectory(folder)
        self.state_path = self.state_directory.path
        self.guard = Guard(self.state_path if self.state_directory.is_temporary else None)
        self.evaluator = Evaluator(self.guard)
        self.files = FileStore(self.state_path / "files")
        self.clock = Clock()
        self.db = connect_writer(self.state_path / DATABASE)
        self.readers = Readers(self.state_path / DATABASE)
        self._defaults: dict[str, dict[str, Any]] = {}
        self._switches: dict[str, dict[str, Any]] = {}

    def create(self, schema: str) -> None:
        """Make the tables of the services; StateError when the folder has those of another version."""
        create_tables(self.db, SETTINGS + schema)

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
        self._switches[service] = {**defaults, **self.load_setting(f"switches.{service}", {})}

    def get_switch(self, service: str, name: str) -> Any:
        """The present value of a switch."""
        return self._switches[service][name]

    def all_switches(self) -> dict[str, dict[str, Any]]:
        """All switches by service."""
        return {service: dict(values) for service, values in self._switches.items()}

    def set_switches(self, changes: dict[str, dict[str, Any]]) -> None:
        """Set some switches, or none of them: a wrong name or type is a ValueError."""
        for service, values in changes.items():
            self._check_switches(service, values)
        for service, values in changes.items():
            self._switches[service].update(values)
            self.save_setting(f"switches.{service}", self._switches[service])

    def _check_switches(self, service: str, values: Any) -> None:
        if service not in self._switches:
            raise ValueError(f"There is no service {service!r}.")
        if not isinstance(values, dict):
            raise ValueError(f"The switches of {service!r} must be an object.")
        for name, value in values.items():
            if name not in self._defaults[service]:
                raise ValueError(f"Service {service!r} has no switch {name!r}.")
            default = self._defaults[service][name]
            if default is not None and not _has_same_type(default, value):
                raise ValueError(f"Switch {name!r} of {service!r} takes a {type(default).__name__}.")

    def reset(self) -> None:
        """Put clock, settings and switches back to their defaults."""
        self.clock.reset()
        self.db.execute("DELETE FROM sandbox_settings")
        self._switches = {service: dict(values) for service, values in self._defaults.items()}

    def save_setting(self, name: str, value: Any) -> None:
        """Keep a setting in the state folder."""
        self.db.execute("INSERT OR REPLACE INTO sandbox_settings VALUES (?, ?)", (name, json.dumps(value)))

    def load_setting(self, name: str, default: Any = None) -> Any:
        """A setting that an earlier run kept."""
        row = self.db.execute("SELECT value FROM sandbox_settings WHERE name = ?", (name,)).fetchone()
        return json.loads(row["value"]) if row else default

    def close(self, is_complete: bool = True) -> None:
        """Let go of the database and the folder.

        :arg is_complete: whether no thread is at work; else the guard cleans up when the process has ended
        """
        self.evaluator.stop()
        self.readers.close()
        if is_complete:
            self.db.close()
            self.files.remove_incoming()
        self.state_directory.close(is_complete)
        if is_complete:
            self.guard.end()


def _has_same_type(default: Any, value: Any) -> bool:
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(default, bool) and isinstance(value, bool)
    if isinstance(default, (int, float)):
        return isinstance(value, (int, float))
    return isinstance(value, type(default))
