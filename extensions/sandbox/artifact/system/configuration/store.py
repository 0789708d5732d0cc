# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storage of the central configuration in the database."""

from __future__ import annotations

import functools
import json
from collections.abc import Collection
from typing import Any

from ....runtime.runtime import Runtime
from .new_server import list_specific
from .schema import SECTIONS, Keyed
from .values import UnknownRepository, ViolatesSchema, complete, drop_unknown

# Members that are switches of the sandbox.
_SWITCHES = {
    ("security", "anonAccessEnabled"): "anonymous",
    ("security", "hideUnauthorizedResources"): "hide_unauthorized",
    ("trashcanConfig", "enabled"): "trashcan",
}

SCHEMA = "CREATE TABLE artifact_configuration (section TEXT PRIMARY KEY, value TEXT NOT NULL);\n"


@functools.cache
def _section_of_new_server(name: str, version: str, is_oss: bool) -> str:
    specific, kind = list_specific(version, is_oss), SECTIONS[name]
    is_absent = kind is None or (name not in specific and isinstance(kind, (dict, Keyed)))
    return json.dumps(None if is_absent else complete(kind, specific.get(name), name))


class Configuration:
    """The sections of the configuration, with mappings of named objects by key.

    Repositories, replications and the revision are stored elsewhere.
    """

    def __init__(self, runtime: Runtime) -> None:
        """Create the store."""
        self._runtime = runtime

    def load(self) -> dict[str, Any]:
        """Return all sections that are present."""
        sections = {name: self.load_section(name) for name in SECTIONS}
        return {name: value for name, value in sections.items() if value is not None}

    def load_section(self, name: str) -> Any:
        """Return a section, or `None` if it is absent."""
        row = self._runtime.db.execute("SELECT value FROM artifact_configuration WHERE section = ?", (name,)).fetchone()
        value = json.loads(row["value"]) if row else self.load_section_of_new_server(name)
        for (section, member), switch in _SWITCHES.items():
            if section == name and value is not None:
                value[member] = self._runtime.get_switch("artifact", switch)
        return value

    def load_section_of_new_server(self, name: str) -> Any:
        """Return a section of a server that was not configured yet, or null if it is absent."""
        return json.loads(self._section_of_new_server(name))

    def _section_of_new_server(self, name: str) -> str:
        version, edition = (self._runtime.get_switch("artifact", switch) for switch in ("version", "edition"))
        return _section_of_new_server(name, version, edition == "oss")

    def save(self, document: dict[str, Any]) -> None:
        """Replace all sections by those of a complete document."""
        for name, kind in SECTIONS.items():
            if kind is not None:
                self._save_section(name, document.get(name))
        switches = {
            switch: document.get(section, SECTIONS[section])[member] for (section, member), switch in _SWITCHES.items()
        }
        self._runtime.set_switches({"artifact": switches})

    def _save_section(self, name: str, value: Any) -> None:
        text = json.dumps(value)
        if text == self._section_of_new_server(name):
            self._runtime.db.execute("DELETE FROM artifact_configuration WHERE section = ?", (name,))
        else:
            self._runtime.db.execute("INSERT OR REPLACE INTO artifact_configuration VALUES (?, ?)", (name, text))

    def remove_repository(self, key: str) -> None:
        """Remove a deleted repository from the backups that exclude it and from the indexer."""
        for section, member in (("backups", "excludedRepositories"), ("indexer", "includedRepositories")):
            value = self.load_section(section) or {}
            for fields in value.values() if section == "backups" else (value,):
                if key in (fields.get(member) or ()):
                    fields[member] = [other for other in fields[member] if other != key]
                    self._save_section(section, value)

    @property
    def url_base(self) -> str | None:
        """The custom base URL."""
        value: str | None = self.load_section("urlBase")
        return value or None


def complete_document(document: dict[str, Any], *, ignores_unknown: bool = False) -> dict[str, Any]:
    """Return the sections of a configuration with all defaults.

    :arg ignores_unknown: whether members that do not exist are dropped
    :raises ViolatesSchema: if the schema does not allow a section
    """
    completed = {
        name: complete(SECTIONS[name], drop_unknown(SECTIONS[name], value) if ignores_unknown else value, name)
        for name, value in document.items()
        if value is not None
    }
    _check_ids(completed)
    return completed


def check_references(document: dict[str, Any], repositories: Collection[str]) -> None:
    """Fail if a repository does not exist that the backups or the indexer refer to.

    :raises UnknownRepository: for the first of these repositories
    """
    backups = [backup or {} for backup in (document.get("backups") or {}).values()]
    keys = [key for backup in backups for key in backup.get("excludedRepositories") or ()]
    keys += (document.get("indexer") or {}).get("includedRepositories") or ()
    for key in map(str, keys):
        if key not in repositories:
            raise UnknownRepository(key)


def _check_ids(document: dict[str, Any]) -> None:
    """Fail if a key occurs in several sections."""
    keys: set[str] = set()
    for name, kind in SECTIONS.items():
        if isinstance(kind, Keyed) and kind.is_id:
            for key in document.get(name) or ():
                if key in keys:
                    raise ViolatesSchema(f"{name}.{key}")
                keys.add(key)
