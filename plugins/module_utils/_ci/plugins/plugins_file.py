# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files in the formats of the Jenkins Plugin Installation Manager: plugins.txt and plugins.yaml."""

from __future__ import annotations

import re
import sys
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import read_text

LATEST = "latest"
_YAML_SUFFIXES = (".yaml", ".yml")
_COMMENT = re.compile(r"(^|\s)#.*")
_BLANKS = re.compile(r"\s", re.ASCII)
_LINE_END = re.compile(r"\r\n|\r|\n")
_MEMBERS = ("artifactId", "groupId", "source")
_SOURCE_MEMBERS = ("version", "url")


class Entry(t.NamedTuple):
    """A plugin in a file.

    :ivar place: where it is, such as `line 3 of 'plugins.txt'`
    :ivar version: version or `latest`; `None` if only a URL is specified
    """

    place: str
    name: str
    version: str | None
    url: str | None


class _InvalidLine(Exception):
    """A line that cannot be used.

    :arg line: its number
    :arg problem: the reason
    """

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line


def read_entries(path: str, option: str) -> list[Entry]:
    """Return the plugins in a file.

    :arg option: the option that the path comes from
    :raises BadOption: if the file is invalid, empty, or has an entry that Jenkins cannot install
    """
    if not path.endswith((".txt", *_YAML_SUFFIXES)):
        raise BadOption(option, f"must be a .txt, .yaml or .yml file, not '{path}'")
    text = read_text(path, option)
    try:
        rows = _parse_yaml(text) if path.endswith(_YAML_SUFFIXES) else _parse_lines(text)
        entries = [_to_entry(path, *row) for row in rows]
    except _InvalidLine as error:
        raise BadOption(option, f"line {error.line} of '{path}': {error}") from None
    if not entries:
        raise BadOption(option, f"must list at least one plugin, but '{path}' lists none")
    return entries


def _to_entry(path: str, line: int, name: str, version: str | None, url: str | None, group: str | None) -> Entry:
    if version == "experimental":
        raise _InvalidLine(
            line,
            "Jenkins cannot install 'experimental' versions. Configure the experimental update site in Jenkins and "
            f"use '{LATEST}', or specify the version and the URL of the plugin file",
        )
    is_incremental = bool(version) and str(version).startswith("incrementals")
    if is_incremental or (group and not url):
        raise _InvalidLine(
            line,
            "Jenkins cannot install incremental versions by group ID. Specify the version and the URL of the plugin "
            "file",
        )
    return Entry(f"line {line} of '{path}'", name, version or (None if url else LATEST), url)


_Row = tuple[int, str, t.Optional[str], t.Optional[str], t.Optional[str]]


def _parse_lines(text: str) -> t.Iterator[_Row]:
    """Yield the lines of a plugins.txt file: `NAME`, `NAME:VERSION` or `NAME:VERSION:URL`.

    The Plugin Installation Manager removes comments, and then all whitespace (PluginListParser, `parsePluginTxtFile`).
    """
    for number, line in enumerate(_LINE_END.split(text), 1):
        content = _BLANKS.sub("", _COMMENT.sub("", line))
        if not content:
            continue
        name, version, url = [*content.split(":", 2), "", ""][:3]
        yield number, name, version, url or None, None


def _parse_yaml(text: str) -> t.Iterator[_Row]:
    """Yield the entries of a YAML file. Scalars are read as strings, so that version 1.10 stays 1.10."""
    try:
        import yaml
    except ImportError:
        raise ToolchainError(
            f"The Python package 'PyYAML' is missing for {sys.executable}, which reads YAML files. "
            f"Install it with '{sys.executable} -m pip install PyYAML'."
        ) from None
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise _InvalidLine(mark.line + 1 if mark else 1, "is not valid YAML") from None
    plugins = _members(root, None).get("plugins") if root else None
    if plugins is None:
        return
    if plugins.id != "sequence":
        raise _InvalidLine(_line(plugins), "'plugins' must be a list")
    for node in plugins.value:
        members = _members(node, _MEMBERS)
        source = _members(members["source"], _SOURCE_MEMBERS) if "source" in members else {}
        if "artifactId" not in members:
            raise _InvalidLine(_line(node), "requires 'artifactId'")
        name, group = _text(members, "artifactId"), _text(members, "groupId")
        yield _line(node), str(name), _text(source, "version"), _text(source, "url"), group


def _members(node: t.Any, names: tuple[str, ...] | None) -> dict[str, t.Any]:
    """Return the members of a mapping.

    :arg names: the allowed names, or `None` for any
    """
    if node.id != "mapping":
        raise _InvalidLine(_line(node), "must be a mapping")
    members = {}
    for key, value in node.value:
        if names and key.value not in names:
            raise _InvalidLine(_line(key), f"'{key.value}' is unknown. Use {', '.join(names)}")
        if key.value in members:
            raise _InvalidLine(_line(key), f"'{key.value}' occurs twice")
        members[key.value] = value
    return members


def _text(members: dict[str, t.Any], name: str) -> str | None:
    if name not in members:
        return None
    node = members[name]
    if node.id != "scalar" or not node.value:
        raise _InvalidLine(_line(node), f"'{name}' must be a string that is not empty")
    return str(node.value)


def _line(node: t.Any) -> int:
    return int(node.start_mark.line) + 1
