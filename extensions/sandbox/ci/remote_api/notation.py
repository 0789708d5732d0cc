# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Serialization of the remote API: JSON, Python literals and XML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from .beans import Bean


@dataclass(frozen=True)
class Notation:
    """The differences between JSON and Python literals."""

    null: str
    true: str
    false: str


JSON = Notation("null", "true", "false")
PYTHON = Notation("None", "True", "False")


def to_literal(data: Any, notation: Notation, pretty: bool = False) -> str:
    """Serialize data: compact, or pretty with blanks around colons."""
    return "".join(_literal(data, notation, 0 if pretty else None))


def _literal(value: Any, notation: Notation, indent: int | None) -> Iterable[str]:
    if isinstance(value, dict):
        colon = '" : ' if indent is not None else '":'
        items = [[f'"{name}{colon}', *_literal(item, notation, _deeper(indent))] for name, item in value.items()]
        yield from _enclose("{", items, "}", indent)
    elif isinstance(value, list):
        yield from _enclose("[", [list(_literal(item, notation, _deeper(indent))) for item in value], "]", indent)
    elif isinstance(value, str):
        yield _quote(value)
    elif isinstance(value, bool):
        yield notation.true if value else notation.false
    else:
        yield notation.null if value is None else str(value)


def _deeper(indent: int | None) -> int | None:
    return None if indent is None else indent + 1


def _enclose(opening: str, items: list[list[str]], closing: str, indent: int | None) -> Iterable[str]:
    inner, outer = ("", "") if indent is None else ("\n" + "  " * (indent + 1), "\n" + "  " * indent)
    yield opening + inner
    for number, item in enumerate(items):
        if number:
            yield "," + inner
        yield from item
    yield outer + closing


_ESCAPES = {'"': '\\"', "\\": "\\\\"}
_SPECIAL = re.compile(r'["\\\x00-\x1f]')


def _quote(text: str) -> str:
    return '"' + _SPECIAL.sub(lambda m: _ESCAPES.get(m[0], f"\\u{ord(m[0]):04x}"), text) + '"'


def to_schema(bean: Bean) -> str:
    """Return the XML schema of an object: the names of its members, without types."""
    token = bean.class_name.replace("$", "-")
    members = "".join(f'<element name="{member.name}" type="xsd:anyType" minOccurs="0"/>' for member in bean.properties)
    return (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
        '<schema xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns="http://www.w3.org/2001/XMLSchema">'
        f'<element name="{bean.simple_name}" type="{token}"/>'
        f'<complexType name="{token}"><sequence>{members}</sequence></complexType>'
        "</schema>"
    )


def to_xml(bean: Bean, data: dict[str, Any]) -> str:
    """Serialize to XML: without declaration and nulls, with repeated elements for lists."""
    return "".join(_xml(bean.simple_name, data))


def _xml(name: str, value: Any) -> Iterable[str]:
    if value is None:
        return
    if isinstance(value, list):
        for item in value:
            yield from _xml(_singular(name), item)
    elif isinstance(value, dict):
        class_name = value.get("_class")
        yield f"<{name} _class='{class_name}'>" if class_name else f"<{name}>"
        for member, item in value.items():
            if member != "_class":
                yield from _xml(member, item)
        yield f"</{name}>"
    else:
        text = value if isinstance(value, str) else str(value).lower()
        yield f"<{name}>{escape(text)}</{name}>"


def _singular(name: str) -> str:
    return re.sub(r"s$", "", re.sub(r"ies$", "y", name))


def escape(text: str) -> str:
    """Escape text for XML elements."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
