# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read and set texts in the configuration of a node."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

# Option by name, with its path in the XML and its default, which determines the type
Members = t.Mapping[str, tuple[str, t.Any]]


def read_text(parent: ET.Element, path: str, default: str = "") -> str:
    """Return a text, or the default if the element is missing or empty."""
    return parent.findtext(path) or default


def read_members(parent: ET.Element, members: Members) -> dict[str, t.Any]:
    """Return the values of options, with defaults for missing elements."""
    return {option: read_value(parent, path, default) for option, (path, default) in members.items()}


def read_value(parent: ET.Element, path: str, default: t.Any) -> t.Any:
    """Return a value of the type of the default."""
    text = read_text(parent, path).strip() if not isinstance(default, str) else read_text(parent, path)
    if isinstance(default, bool):
        return text == "true" if text else default
    if isinstance(default, int):
        return int(text) if text.lstrip("-").isdigit() else default
    return text or default


def write_members(parent: ET.Element, members: Members, values: t.Mapping[str, t.Any]) -> None:
    """Set the given options. An empty text removes its element, because Jenkins distinguishes null from empty texts."""
    for option, (path, _default) in members.items():
        if option in values:
            write_value(parent, path, values[option])


def write_value(parent: ET.Element, path: str, value: t.Any) -> None:
    """Set a value, or remove its element if it is an empty text."""
    if value == "":
        remove(parent, path)
    else:
        obtain(parent, path).text = str(value).lower() if isinstance(value, bool) else str(value)


def obtain(parent: ET.Element, path: str) -> ET.Element:
    """Return the element with a path. Missing ones are added."""
    for tag in path.split("/"):
        child = parent.find(tag)
        parent = ET.SubElement(parent, tag) if child is None else child
    return parent


def replace(parent: ET.Element, tag: str, element: ET.Element) -> None:
    """Replace the child with a tag, at the same position, or append it."""
    element.tag = tag
    for position, child in enumerate(parent):
        if child.tag == tag:
            parent[position] = element
            return
    parent.append(element)


def remove(parent: ET.Element, path: str) -> None:
    """Remove the element with a path, if it exists."""
    head, _slash, tag = path.rpartition("/")
    owner = parent.find(head) if head else parent
    if owner is None:
        return
    for child in owner.findall(tag):
        owner.remove(child)
    if not len(owner):
        owner.text = None  # the blanks before the first child
