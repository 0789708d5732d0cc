# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configuration files of a project in the review service, by the administration tool; and what was sent of them."""

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
    """The files of a project, `name` and `type` each, by name."""
    found = (
        _parse_line("list-config-files", _FILE_LINE, line) for line in tool.read_lines("list-config-files", project)
    )
    return sorted(found, key=lambda file: file["name"])


def list_types(tool: AdminTool) -> list[Fields]:
    """The types that the server knows, `type` and `extension` each."""
    return [_parse_line("list-config-types", _TYPE_LINE, line) for line in tool.read_lines("list-config-types")]


class ConfigFile:
    """A configuration file of a project, and the file here that it is sent from."""

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
        """The file that the server has, with the checksum of what was sent last, if that is known here."""
        there = next((file for file in self._list_files() if file["name"] == self.name), None)
        if there is None or "sha256" not in self.desired:
            return there
        sent = None if self._force else self._checksum_file.get(self._project, self.name)
        return {**there, "sha256": sent}

    def _list_files(self) -> list[Fields]:
        """Return the files of the project; none of a missing project if a file of it is to be removed."""
        try:
            return list_config_files(self._tool, self._project)
        except ToolchainError:
            projects = self._tool.read_lines("list-projects") if self._removes else []
            if not projects or self._project in projects:
                raise
            return []

    def check(self, _before: Fields | None, wanted: Fields | None) -> None:
        """
        :arg wanted: `None` when the file will be removed
        :raises BadOption: when what is to be sent could not be kept in mind
        """
        if wanted is not None:
            self._checksum_file.check()

    def import_file(self, _fields: Fields) -> None:
        """Import the file, and keep its checksum."""
        self._tool.write("import-config", self._project, os.path.abspath(rehearsal.resolve_read(self._source)))
        self._checksum_file.set(self._project, self.name, self.desired["sha256"])
        self._force = False

    def delete(self) -> None:
        """Remove the file from the project."""
        self._tool.write("delete-config", self._project, self.name)


class ChecksumFile:
    """What was sent last: a file of JSON, with a checksum for each server, project and name."""

    def __init__(self, task: Task, path: str) -> None:
        self._task, self._path = task, path
        self._url = task.params["url"].rstrip("/")

    def get(self, project: str, name: str) -> str | None:
        """The SHA-256 of what was sent there, or `None` when that is not known."""
        return self._read().get(self._url, {}).get(project, {}).get(name)

    def check(self) -> None:
        """
        :raises BadOption: when what is to be sent could not be kept in mind
        """
        check_writable(self._task, self._path, "checksum_file")
        self._read()

    def set(self, project: str, name: str, sha256: str) -> None:
        """Keep the checksum of what was sent; what is known of others stays."""
        entries = self._read()
        entries.setdefault(self._url, {}).setdefault(project, {})[name] = sha256
        store_text(self._task, Target(self._path), json.dumps(entries, indent=2, sort_keys=True))
        self._task.changed = True  # whatever the server does with the file

    def _read(self) -> dict[str, dict[str, dict[str, str]]]:
        text = read_text(self._path)
        try:
            entries = json.loads(text) if text else {}
        except ValueError:
            entries = None
        if not _is_valid(entries):
            raise BadOption("checksum_file", f"'{self._path}' is something else than a record of what was sent")
        return t.cast("dict[str, dict[str, dict[str, str]]]", entries)


def _is_valid(entries: t.Any) -> bool:
    return isinstance(entries, dict) and all(
        isinstance(projects, dict) and all(isinstance(files, dict) for files in projects.values())
        for projects in entries.values()
    )


def _parse_line(command: str, pattern: re.Pattern[str], line: str) -> Fields:
    found = pattern.fullmatch(line)
    if found is None:
        raise ToolchainError(f"'kwadmin {command}' wrote a line of another form: {line}")
    return found.groupdict()
