# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configuration files of a Klocwork project, managed with kwadmin, and the checksums of imported files."""

from __future__ import annotations

import json
import os
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable, compute_checksums
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_writable,
    read_text,
    store_text,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.kwadmin import AdminTool
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_FILE_LINE = re.compile(r"(?P<name>.+) \((?P<type>[^()]*)\)\s*")
_TYPE_LINE = re.compile(r"(?P<type>.+?)\s+(?P<extension>\.\w+)\s*")


def list_config_files(tool: AdminTool, project: str) -> list[Fields]:
    """Return `name` and `type` of the configuration files, sorted by name."""
    files = (
        _parse_line("list-config-files", _FILE_LINE, line) for line in tool.read_lines("list-config-files", project)
    )
    return sorted(files, key=lambda file: file["name"])


def list_types(tool: AdminTool) -> list[Fields]:
    """Return `type` and `extension` of the supported configuration files."""
    return [_parse_line("list-config-types", _TYPE_LINE, line) for line in tool.read_lines("list-config-types")]


class ConfigFile:
    """A configuration file of a project and the local file to import."""

    def __init__(self, task: Task, tool: AdminTool) -> None:
        self._tool, self._project = tool, task.params["project"]
        self._source = task.params["src"]
        self._removes = task.params["state"] == "absent"
        self.name = task.params["name"] or os.path.basename(self._source)
        self._force = task.params["force"]
        self.desired: Fields = {"name": self.name}
        if self._source and not self._removes:
            check_readable(self._source, "src")
            self._checksum_file = ChecksumFile(task, task.params["checksum_file"] or f"{self._source}.sent")
            self.desired["sha256"] = compute_checksums(self._source, ["sha256"])["sha256"]

    def find(self) -> Fields | None:
        """Return the file on the server, with the checksum of the last import if it is known, or `None`."""
        existing = next((file for file in self._list_files() if file["name"] == self.name), None)
        if existing is None or "sha256" not in self.desired:
            return existing
        sent = None if self._force else self._checksum_file.get(self._project, self.name)
        return {**existing, "sha256": sent}

    def _list_files(self) -> list[Fields]:
        """Return the files of the project. The list is empty if a file of a missing project is to be deleted."""
        try:
            return list_config_files(self._tool, self._project)
        except ToolchainError:
            projects = self._tool.read_lines("list-projects") if self._removes else []
            if not projects or self._project in projects:
                raise
            return []

    def check(self, _before: Fields | None, desired: Fields | None) -> None:
        """Verify that the checksum can be stored before the file is imported.

        :arg desired: `None` for a deletion
        :raises BadOption: if the checksum file is not writable or invalid
        """
        if desired is not None:
            self._checksum_file.check()

    def import_file(self, _fields: Fields) -> None:
        """Import the file and store its checksum."""
        self._tool.write("import-config", self._project, os.path.abspath(rehearsal.resolve_read(self._source)))
        self._checksum_file.set(self._project, self.name, self.desired["sha256"])
        self._force = False

    def delete(self) -> None:
        """Delete the file from the project."""
        self._tool.write("delete-config", self._project, self.name)


class ChecksumFile:
    """A JSON file with the SHA-256 checksums of the last imports, by server, project and name."""

    def __init__(self, task: Task, path: str) -> None:
        self._task, self._path = task, path
        self._url = task.params["url"].rstrip("/")

    def get(self, project: str, name: str) -> str | None:
        """Return the SHA-256 checksum of the last import, or `None` if it is unknown."""
        return self._read().get(self._url, {}).get(project, {}).get(name)

    def check(self) -> None:
        """Verify that the file is writable and valid.

        :raises BadOption: if it is not
        """
        check_writable(self._task, self._path, "checksum_file")
        self._read()

    def set(self, project: str, name: str, sha256: str) -> None:
        """Store the checksum of an import. Other entries are retained."""
        entries = self._read()
        entries.setdefault(self._url, {}).setdefault(project, {})[name] = sha256
        store_text(self._task, Target(self._path), json.dumps(entries, indent=2, sort_keys=True))
        self._task.changed = True  # Klocwork does not report whether the import changed anything

    def _read(self) -> dict[str, dict[str, dict[str, str]]]:
        text = read_text(self._path)
        try:
            entries = json.loads(text) if text else {}
        except ValueError:
            entries = None
        if not _is_valid(entries):
            raise BadOption("checksum_file", f"'{self._path}' is not a checksum file of this module. Use another path")
        return t.cast("dict[str, dict[str, dict[str, str]]]", entries)


def _is_valid(entries: t.Any) -> bool:
    return isinstance(entries, dict) and all(
        isinstance(projects, dict) and all(isinstance(files, dict) for files in projects.values())
        for projects in entries.values()
    )


def _parse_line(command: str, pattern: re.Pattern[str], line: str) -> Fields:
    match = pattern.fullmatch(line)
    if match is None:
        raise ToolchainError(f"Cannot parse the output of 'kwadmin {command}': {line}")
    return match.groupdict()
