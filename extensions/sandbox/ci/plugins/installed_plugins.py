# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Loaded plugins, and the plugin files for the next start."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..jobs.item_kinds import Kind
from ..state import State
from .archive import Archive
from .versions import is_older

# A row has the members of the loaded manifest, and: loaded (listed), enabled, active, deleted, file (another manifest
# that the next start loads), backup (the manifest before an upgrade), failed (why it did not load).
Row = dict[str, Any]

_OF_ROWS = ("loaded", "enabled", "active", "deleted", "file", "backup", "failed", "has_update")


class LoadFailure(Exception):
    """A plugin cannot be loaded. Its file is kept."""


class InstalledPlugins:
    """The rows of the plugins."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._storage = state.storage

    def list_loaded(self) -> list[Row]:
        """Return the plugins that Jenkins lists."""
        return [row for row in self._storage.plugins() if row.get("loaded", True)]

    def provide(self, kind: Kind) -> bool:
        """Return whether an active plugin provides this kind of items."""
        return self.have(kind.plugins)

    def have(self, names: Collection[str]) -> bool:
        """Return whether one of these plugins is active, or whether none is required."""
        return not names or any(row["name"] in names and row.get("active", True) for row in self.list_loaded())

    def find(self, name: str) -> Row | None:
        """Return a plugin that Jenkins lists."""
        return next((row for row in self.list_loaded() if row["name"] == name), None)

    def list_failed(self) -> dict[str, str]:
        """Return the plugins that failed to load, with the cause."""
        return {row["name"]: row["failed"] for row in self._storage.plugins() if row.get("failed")}

    def change(self, name: str, **members: Any) -> None:
        """Change members of a row."""
        row = self.find(name)
        assert row, "whoever changes a plugin has found it"
        self._storage.put_plugin({**row, **members})

    def deploy(self, archive: Archive, dynamic: bool) -> bool:
        """Store a plugin file and load it if possible. Return whether a restart is required.

        :raises LoadFailure: if it cannot be loaded
        """
        row = self.find(archive["name"])
        if row:
            backup = {name: value for name, value in row.items() if name not in _OF_ROWS}
            self._storage.put_plugin({**row, "file": archive, "backup": backup, "deleted": False})
            return True
        if not dynamic or archive.get("supports_dynamic_load") == "NO":
            self._storage.put_plugin({**archive, "loaded": False})
            return True
        obstacle = self._obstacle(archive, {row["name"]: row for row in self.list_loaded() if row.get("active", True)})
        self._storage.put_plugin({**archive, "loaded": not obstacle, "failed": obstacle})
        if obstacle:
            raise LoadFailure(obstacle)
        return False

    def downgrade(self, name: str) -> bool:
        """Load the previous archive at the next start. Return whether there is one."""
        row = self.find(name)
        if not row or not row.get("backup"):
            return False
        self._storage.put_plugin({**row, "file": row["backup"], "backup": None})
        return True

    def start(self) -> None:
        """Load the plugin files, as a start does."""
        rows = {row["name"]: row for row in self._storage.plugins()}
        for name, row in list(rows.items()):
            if row.get("deleted"):
                self._storage.delete_plugin(name)
                del rows[name]
        archives = {name: row.get("file") or row for name, row in rows.items()}
        active = {name: archives[name] for name, row in rows.items() if row.get("enabled", True)}
        failed: dict[str, str] = {}
        while obstacles := {name: why for name in active if (why := self._obstacle(active[name], active, rows))}:
            failed |= obstacles
            active = {name: archive for name, archive in active.items() if name not in obstacles}
        for name, row in rows.items():
            lasting = ("enabled", "backup") if row.get("file") else ("enabled", "backup", "has_update")
            lasting_members = {member: row[member] for member in lasting if member in row}
            archive = {member: value for member, value in archives[name].items() if member not in _OF_ROWS}
            outcome = {"active": name in active, "loaded": name not in failed, "failed": failed.get(name)}
            self._storage.put_plugin({**archive, **lasting_members, **outcome})

    def _obstacle(self, archive: Archive, active: dict[str, Archive], rows: dict[str, Row] | None = None) -> str | None:
        """Return why a plugin cannot be loaded, as in the log of Jenkins, or None."""
        loaded = rows if rows is not None else {row["name"]: row for row in self.list_loaded()}
        reasons = [_missing_dependency(needed, active, loaded) for needed in archive.get("dependencies", [])]
        core = archive.get("required_core_version") or "0"
        if is_older(self._state.switch("version"), core):
            reasons.append(f"Jenkins ({core}) or higher required")
        reasons.append(archive.get("broken"))
        lines = "".join(f"\n - {reason}" for reason in reasons if reason)
        title = f"{archive.get('long_name', archive['name'])} ({archive['name']} {archive['version']})"
        return f"java.io.IOException: Failed to load: {title}{lines}" if lines else None


def _missing_dependency(needed: dict[str, Any], active: dict[str, Archive], loaded: dict[str, Row]) -> str | None:
    """Return the problem with a dependency, or None."""
    name, version = needed["name"], needed["version"]
    if name in active:
        if not is_older(active[name]["version"], version):
            return None
        return f"Update required: {name} ({active[name]['version']}) to be updated to {version} or higher"
    if needed.get("optional"):
        return None
    if name in loaded and not loaded[name].get("enabled", True):
        return f"Required plugin is disabled: {name}"
    return f"Plugin is missing: {name} ({version})"
