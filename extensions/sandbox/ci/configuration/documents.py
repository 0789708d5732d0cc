# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML as the Configuration as Code plugin reads and writes it: all scalars are texts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import yaml

INTEGER = re.compile(r"0|-?[1-9]\d{0,9}")
NULL = ("", "~", "null")
VARIABLE = re.compile(r"(\^?)\$\{([^}:]*)(?::-([^}]*))?\}")


class ConfiguratorError(Exception):
    """Configuration that the plugin refuses.

    :arg kind: class of the exception, for the command-line interface
    """

    def __init__(self, message: str, kind: str = "ConfiguratorException") -> None:
        super().__init__(message)
        self.kind = kind


class Unparsable(ConfiguratorError):
    """A text that is not YAML."""


class Plain(str):
    """A text that is exported without quotes, such as the name of a constant."""


class Document:
    """A YAML document.

    :arg name: its name in messages
    """

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        try:
            self.root = yaml.compose(text, Loader=yaml.BaseLoader)
        except yaml.YAMLError as error:
            raise Unparsable(self._describe(error)) from None
        if isinstance(self.root, yaml.ScalarNode) and is_null(self.root):
            self.root = None
        if self.root is not None and not isinstance(self.root, yaml.MappingNode):
            raise Unparsable(
                "Can't construct a java object for tag:yaml.org,2002:io.jenkins.plugins.casc.model.Mapping; "
                f'exception=For input string: "{_first_scalar(self.root)}"\n{self._locate(self.root.start_mark)}'
            )

    def describe_conflict(self, node: yaml.Node) -> str:
        """Return the message for a member that another source has as well."""
        return f"Found conflicting configuration at YamlSource: {self.name} {self._locate(node.start_mark)}".rstrip(
            "\n"
        )

    def _locate(self, mark: yaml.Mark) -> str:
        return f" in {self.name}, line {mark.line + 1}, column {mark.column + 1}:\n{mark.get_snippet()}\n"

    def _describe(self, error: yaml.YAMLError) -> str:
        parts = []
        for text, mark in (("context", "context_mark"), ("problem", "problem_mark")):
            if getattr(error, text, None):
                parts.append(getattr(error, text).replace("'<stream end>'", "<stream end>"))
            if getattr(error, mark, None):
                parts.append(self._locate(getattr(error, mark)).rstrip("\n"))
        message = "\n".join(parts) or str(error)
        tab = "found character '\\t' that cannot start any token"
        explained = "found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)"
        return message.replace(tab, explained) + "\n"


def _first_scalar(node: yaml.Node) -> str:
    while isinstance(node, yaml.CollectionNode) and node.value:
        node = node.value[0][0] if isinstance(node, yaml.MappingNode) else node.value[0]
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def is_null(node: yaml.Node) -> bool:
    """Return whether a node is an unquoted null."""
    return isinstance(node, yaml.ScalarNode) and not node.style and node.value in NULL


def merge(documents: list[Document]) -> dict[str, yaml.Node]:
    """Return the root members of all documents.

    :raises ConfiguratorError: if two documents set the same member
    """
    merged: yaml.Node | None = None
    for document in documents:
        if document.root is None:
            continue
        merged = document.root if merged is None else _merge_nodes(merged, document.root, document)
    return read_members(merged) if isinstance(merged, yaml.MappingNode) else {}


def _merge_nodes(first: yaml.Node, second: yaml.Node, document: Document) -> yaml.Node:
    if not (isinstance(first, yaml.MappingNode) and isinstance(second, yaml.MappingNode)):
        raise ConfiguratorError(document.describe_conflict(second), "ConfiguratorConflictException")
    entries = {key.value: (key, value) for key, value in first.value}
    for key, value in second.value:
        if key.value in entries:
            value = _merge_nodes(entries[key.value][1], value, document)
        entries[key.value] = (key, value)
    return yaml.MappingNode(first.tag, list(entries.values()), first.start_mark, first.end_mark)


def read_members(node: yaml.MappingNode) -> dict[str, yaml.Node]:
    """Return the members of a mapping. The last one of several with the same name counts."""
    members: dict[str, yaml.Node] = {}
    for key, value in node.value:
        if key.value == "<<" and not key.style:
            bases = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for base in bases:
                members = {**read_members(base), **members}
        else:
            members[key.value] = value
    return members


class Resolver:
    """Replaces variables in texts."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def resolve(self, text: str) -> str:
        """Return a text with the values of its variables. Unknown ones without a default are empty."""

        def value(match: re.Match[str]) -> str:
            if match[1]:
                return match[0][1:]
            return self._environment.get(match[2], match[3] or "")

        return VARIABLE.sub(value, text)


# Characters that SnakeYAML escapes in quotes
_NAMED = {
    "\0": "0",
    "\a": "a",
    "\b": "b",
    "\t": "t",
    "\v": "v",
    "\f": "f",
    "\r": "r",
    "\x1b": "e",
    '"': '"',
    "\\": "\\",
}
_ESCAPES = {
    **{code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))},
    **{code: f"\\u{code:04x}" for code in (0xFEFF, 0xFFFE, 0xFFFF)},
    **{ord(character): f"\\{name}" for character, name in _NAMED.items()},
    0x85: "\\N",
    0xA0: "\\_",
    0x2028: "\\L",
    0x2029: "\\P",
}


def to_data(node: yaml.Node, resolver: Resolver) -> Any:
    """Return the value of a node. Unquoted numbers and booleans are kept as such, without null members."""
    if isinstance(node, yaml.MappingNode):
        return {name: to_data(inner, resolver) for name, inner in read_members(node).items() if not is_null(inner)}
    if isinstance(node, yaml.SequenceNode):
        return [to_data(inner, resolver) for inner in node.value]
    text = str(node.value)
    is_plain = isinstance(node, yaml.ScalarNode) and not node.style
    if is_plain and text in ("true", "false"):
        return text == "true"
    return int(text) if is_plain and INTEGER.fullmatch(text) else resolver.resolve(text)


def is_blank(value: Any) -> bool:
    """Return whether a value is not exported."""
    return value is None or (isinstance(value, str) and not value.strip())


def write_document(roots: Mapping[str, Any]) -> str:
    """Return the text of an export."""
    return "".join(_write_member(name, value, 0) for name, value in roots.items())


def _write_member(name: str, value: Any, indent: int) -> str:
    blanks = " " * indent
    if isinstance(value, dict):
        if not value:
            return f"{blanks}{name}: {{\n{blanks}  }}\n"
        return f"{blanks}{name}:\n{_write_members(value, indent + 2)}"
    if isinstance(value, list):
        elements = [_write_element(element, indent) for element in value if not is_blank(element)]
        return f"{blanks}{name}:\n{''.join(elements)}" if elements else ""
    return "" if is_blank(value) else f"{blanks}{name}: {_write_scalar(value, indent)}\n"


def _write_members(members: dict[str, Any], indent: int) -> str:
    return "".join(_write_member(name, value, indent) for name, value in sorted(members.items()))


def _write_element(value: Any, indent: int) -> str:
    blanks = " " * indent
    if isinstance(value, dict):
        return f"{blanks}- {_write_members(value, indent + 2)[indent + 2 :]}"
    return f"{blanks}- {_write_scalar(value, indent)}\n"


def _write_scalar(value: Any, indent: int) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, Plain)):
        return str(value)
    text = str(value).replace("${", "^${")
    return _write_lines(text, indent) if "\n" in text else f'"{text.translate(_ESCAPES)}"'


def _write_lines(text: str, indent: int) -> str:
    """Return a text with several lines as a literal block, or in quotes if a block cannot represent it."""
    node = yaml.ScalarNode("tag:yaml.org,2002:str", text, style="|")
    key = yaml.ScalarNode("tag:yaml.org,2002:str", "a")
    written = yaml.serialize(yaml.MappingNode("tag:yaml.org,2002:map", [(key, node)]), allow_unicode=True, width=2**31)
    first, *lines = written.removeprefix("a: ").removesuffix("\n").removesuffix("\n...").split("\n")
    blanks = " " * indent
    return "\n".join([first, *(f"{blanks}{line}" if line else "" for line in lines)])
