# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Node properties with options: environment variables and tool locations."""

from __future__ import annotations

import re
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import elements
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

ENVIRONMENT = "hudson.slaves.EnvironmentVariablesNodeProperty"
TOOLS = "hudson.tools.ToolLocationNodeProperty"
_PARENT = "nodeProperties"
_TOOL = ("type", "name", "home")
_LOCATION = "hudson.tools.ToolLocationNodeProperty_-ToolLocation"
# Characters other than line breaks and tabs that Jenkins does not read
_CONTROL = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\ufffe\uffff]")
# Known to all versions of Jenkins. New ones return that of java.lang.String
_COMPARATOR = "hudson.util.CaseInsensitiveComparator"


def parse_environment(variables: Fields) -> dict[str, str]:
    """Return the declared variables.

    :raises BadOption: if a value is not a string, or two names differ only in case, which Jenkins ignores
    """
    names: dict[str, str] = {}
    for name in variables:
        if not name or "=" in name or _CONTROL.search(name):
            raise BadOption("environment_variables", f"'{name}' is not the name of an environment variable")
        other = names.setdefault(name.lower(), name)
        if other != name:
            raise BadOption(
                "environment_variables", f"'{other}' and '{name}' are the same variable, because Jenkins ignores case"
            )
    return {name: _parse_value(name, value) for name, value in variables.items()}


def _parse_value(name: str, value: t.Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise BadOption(f"environment_variables.{name}", "must be a string in quotes")
    if _CONTROL.search(str(value)):
        raise BadOption(f"environment_variables.{name}", "must not contain control characters")
    return str(value)


def read_environment(root: ET.Element) -> dict[str, str]:
    """Return the environment variables of a node."""
    texts = [text.text or "" for text in root.findall(f"{_PARENT}/{ENVIRONMENT}/envVars/tree-map/string")]
    return dict(zip(texts[::2], texts[1::2]))


def write_environment(root: ET.Element, variables: dict[str, str]) -> None:
    """Replace the environment variables of a node."""
    if not variables:
        elements.remove(root, f"{_PARENT}/{ENVIRONMENT}")
        return
    stored = root.find(f"{_PARENT}/{ENVIRONMENT}/envVars/tree-map/default/comparator")
    environment = elements.obtain(root, f"{_PARENT}/{ENVIRONMENT}")
    elements.remove(environment, "envVars")
    values = ET.SubElement(environment, "envVars", {"serialization": "custom"})
    ET.SubElement(values, "unserializable-parents")
    tree = ET.SubElement(values, "tree-map")
    comparator = ET.Element("comparator", {"class": _COMPARATOR}) if stored is None else stored
    ET.SubElement(tree, "default").append(comparator)
    ET.SubElement(tree, "int").text = str(len(variables))
    for name in sorted(variables, key=str.lower):  # the order of the comparator
        ET.SubElement(tree, "string").text = name
        ET.SubElement(tree, "string").text = variables[name]


def parse_tools(tools: list[Fields]) -> list[Fields]:
    """Return the declared tool locations, sorted.

    :raises BadOption: if a tool is incomplete or listed twice
    """
    seen: set[tuple[str, str]] = set()
    for index, tool in enumerate(tools):
        for name in _TOOL:
            if tool[name] is None:
                raise BadOption(f"tools[{index}].{name}", "is required")
        key = (tool["type"], tool["name"])
        if key in seen:
            raise BadOption(f"tools[{index}].name", f"'{tool['name']}' is listed twice")
        seen.add(key)
    return _sort([{name: tool[name] for name in _TOOL} for tool in tools])


def read_tools(root: ET.Element) -> list[Fields]:
    """Return the tool locations of a node, sorted."""
    locations = root.findall(f"{_PARENT}/{TOOLS}/locations/{_LOCATION}")
    return _sort([{name: elements.read_text(location, name) for name in _TOOL} for location in locations])


def write_tools(root: ET.Element, tools: list[Fields]) -> None:
    """Replace the tool locations of a node."""
    if not tools:
        elements.remove(root, f"{_PARENT}/{TOOLS}")
        return
    elements.remove(root, f"{_PARENT}/{TOOLS}/locations")
    locations = elements.obtain(root, f"{_PARENT}/{TOOLS}/locations")
    for tool in tools:
        location = ET.SubElement(locations, _LOCATION)
        for name in _TOOL:
            ET.SubElement(location, name).text = tool[name]


def _sort(tools: list[Fields]) -> list[Fields]:
    return sorted(tools, key=lambda tool: (tool["type"], tool["name"]))
