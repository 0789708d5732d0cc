# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""YAML documents as the Configuration as Code plugin reads and writes them."""

from __future__ import annotations

import re
import sys
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError

_FLAGS = {"true": True, "false": False}
_NULL = ("", "~", "null")
_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
_MERGE = "<<"
_MAX_DEPTH = 100
_TOO_DEEP = "the document is nested too deeply"


class InvalidYaml(Exception):
    """A text that is not a usable YAML document.

    :arg line: number of the line
    :arg problem: the reason
    """

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")


def parse(text: str) -> t.Any:
    """Return the content of a document. Only `true`, `false`, null and whole numbers are not strings.

    Jenkins reads all scalars as strings. Other types of YAML, such as dates, would lose information.

    :raises InvalidYaml: if it is not a single YAML document, or has a key twice
    """
    yaml = _import_yaml()
    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    try:
        _check_depth(yaml, text, loader)
        root = yaml.compose(text, Loader=loader)
        return None if root is None else _Converter().convert(root)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        raise InvalidYaml(mark.line + 1 if mark else 1, getattr(error, "problem", None) or "invalid YAML") from None
    except RecursionError:
        raise InvalidYaml(1, _TOO_DEEP) from None


def _check_depth(yaml: t.Any, text: str, loader: t.Any) -> None:
    """Refuse deep documents: the C library composes nodes recursively, and a stack overflow would end the process.

    :raises InvalidYaml: if the document is nested too deeply
    """
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH:
            raise InvalidYaml(event.start_mark.line + 1, _TOO_DEEP)


def dump(data: t.Any) -> str:
    """Return data as a YAML document."""
    return str(_import_yaml().safe_dump(data, sort_keys=False, allow_unicode=True))


def _import_yaml() -> t.Any:
    """Return the package PyYAML. Where ansible-core runs, it is installed.

    :raises ToolchainError: if it is missing
    """
    try:
        import yaml
    except ImportError:
        raise ToolchainError(
            f"The Python package 'PyYAML' is missing for {sys.executable}, which reads YAML files. "
            f"Install it with '{sys.executable} -m pip install PyYAML'."
        ) from None
    return yaml


class _Converter:
    """Converts the nodes of a document, each once, because aliases of aliases can stand for billions of nodes."""

    def __init__(self) -> None:
        self._converted: dict[int, t.Any] = {}

    def convert(self, node: t.Any) -> t.Any:
        """Return the value of a node."""
        if id(node) not in self._converted:
            self._converted[id(node)] = self._convert_new(node)
        return self._converted[id(node)]

    def _convert_new(self, node: t.Any) -> t.Any:
        if node.id == "mapping":
            return self._convert_mapping(node)
        if node.id == "sequence":
            return [self.convert(element) for element in node.value]
        return _convert_scalar(node)

    def _convert_mapping(self, node: t.Any) -> dict[str, t.Any]:
        own: dict[str, t.Any] = {}
        merged: dict[str, t.Any] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.id != "scalar":
                raise InvalidYaml(line, "a key must be a string")
            if key.value == _MERGE and not key.style:
                bases = value.value if value.id == "sequence" else [value]
                for base in reversed(bases):
                    merged.update(self.convert(base) if base.id == "mapping" else {})
            elif key.value in own:
                raise InvalidYaml(line, f"the key '{key.value}' occurs twice")
            else:
                own[key.value] = self.convert(value)
        return {**merged, **own}


def _convert_scalar(node: t.Any) -> t.Any:
    text = node.value
    if node.style:  # quoted
        return text
    if text in _NULL:
        return None
    if text in _FLAGS:
        return _FLAGS[text]
    return int(text) if _INTEGER.fullmatch(text) else text
