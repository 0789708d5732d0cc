# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The resources that all services share."""

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
from .switch_rules import Rules, SwitchesByVersion, check_switch, select_by_version

SETTINGS_SCHEMA = "CREATE TABLE sandbox_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL);"


class Runtime:
    """The resources that all services share: database, file store, clock, switches and child processes."""

    def __init__(self, directory: pathlib.Path | None = None) -> None:
        """Open the state directory.

        :arg directory: null for a temporary one
        :raises StateError: if another sandbox uses it
        """
        self.state_directory = StateDirectory(directory)
        self.state_path = self.state_directory.path
        self.guard = Guard(self.state_path if self.state_directory.is_temporary else None)
        self.evaluator = Evaluator(self.guard)
        self.files = FileStore(self.state_path / "files")
        self.clock = Clock()
        self.db = connect_writer(self.state_path / DATABASE)
        self.readers = Readers(self.state_path / DATABASE)
        self._defaults: dict[str, dict[str, Any]] = {}
        self._changed_switches: dict[str, dict[str, Any]] = {}
        self._switches: dict[str, dict[str, Any]] = {}  # of both
        self._switch_rules: dict[str, Rules] = {}
        self._switches_by_version: dict[str, SwitchesByVersion] = {}

    def create(self, schema: str) -> None:
        """Create the tables of the services.

        :raises StateError: if the state directory was created by another version
        """
        create_tables(self.db, SETTINGS_SCHEMA + schema)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """Commit the writes of the block together, or undo them and changes of switches. A nested block joins it.

        The block must not contain `await`, because other requests would join the transaction.
        """
        if self.db.in_transaction:
            yield
            return
        self.db.execute("BEGIN IMMEDIATE")
        switches = {service: dict(values) for service, values in self._changed_switches.items()}
        try:
            yield
        except BaseException:
            self.db.execute("ROLLBACK")
            for service, values in switches.items():
                self._change_switches(service, values)
            raise
        self.db.execute("COMMIT")

    def declare_switches(
        self, service: str, defaults: dict[str, Any], rules: Rules, by_version: SwitchesByVersion
    ) -> None:
        """Register the switches of a service, and restore their saved values."""
        self._switch_rules[service] = rules
        self._defaults[service] = dict(defaults)
        self._switches_by_version[service] = by_version
        self._load_switches(service)

    def _load_switches(self, service: str) -> None:
        """Restore the saved values of switches."""
        self._change_switches(service, self.load_setting(f"switches.{service}", {}))

    def _change_switches(self, service: str, changed: dict[str, Any]) -> None:
        """Let `changed` be the only switches that do not have their defaults."""
        self._changed_switches[service] = changed
        defaults = self._defaults[service]
        version = changed.get("version", defaults.get("version"))
        by_version = select_by_version(self._switches_by_version[service], version)
        self._switches[service] = {**defaults, **by_version, **changed}

    def get_switch(self, service: str, name: str) -> Any:
        """Return the current value of a switch."""
        return self._switches[service][name]

    def all_switches(self) -> dict[str, dict[str, Any]]:
        """Return all switches by service."""
        return {service: dict(values) for service, values in self._switches.items()}

    def set_switches(self, changes: dict[str, dict[str, Any]]) -> None:
        """Set switches. If one name or value is invalid, no switch is set.

        :raises ValueError: if a name or a value is invalid
        """
        for service, values in changes.items():
            self._check_switches(service, values)
        for service, values in changes.items():
            self._change_switches(service, {**self._changed_switches[service], **values})
            self.save_setting(f"switches.{service}", self._changed_switches[service])

    def _check_switches(self, service: str, values: Any) -> None:
        if service not in self._switches:
            raise ValueError(f"Unknown service {service!r}.")
        if not isinstance(values, dict):
            raise ValueError(f"The switches of {service!r} must be an object.")
        for name, value in values.items():
            if name not in self._defaults[service]:
                raise ValueError(f"Unknown switch {name!r} of {service!r}.")
            try:
                check_switch(name, self._defaults[service][name], value, self._switch_rules[service].get(name))
            except ValueError as error:
                raise ValueError(
                    f"Invalid value for switch {name!r} of {service!r}: {error}, not {json.dumps(value)}."
                ) from None

    def reset(self) -> None:
        """Reset clock, settings and switches to their defaults."""
        self.clock.reset()
        self.db.execute("DELETE FROM sandbox_settings")
        for service in self._defaults:
            self._change_switches(service, {})

    def reload(self) -> None:
        """Reset the clock, and restore the switches that a restored database contains."""
        self.clock.reset()
        for service in self._defaults:
            self._load_switches(service)

    def save_setting(self, name: str, value: Any) -> None:
        """Save a setting in the state directory."""
        self.db.execute("INSERT OR REPLACE INTO sandbox_settings VALUES (?, ?)", (name, json.dumps(value)))

    def load_setting(self, name: str, default: Any = None) -> Any:
        """Return a saved setting."""
        row = self.db.execute("SELECT value FROM sandbox_settings WHERE name = ?", (name,)).fetchone()
        return json.loads(row["value"]) if row else default

    def close(self, is_complete: bool = True) -> None:
        """Close the database and release the state directory.

        :arg is_complete: whether all threads have finished; if not, the guard cleans up when the process has exited
        """
        self.evaluator.stop()
        self.readers.close()
        if is_complete:
            self.db.close()
            self.files.remove_incoming()
        self.state_directory.close(is_complete)
        if is_complete:
            self.guard.stop()
