# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Forms of a configuration that mean the same to Jenkins, and the one in which configurations are compared."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import IDS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.values import normalize_value

# Commands whose line ends Jenkins unifies, by the step: hudson.tasks.BatchFile (LineEndingConversion, CRLF) and
# hudson.tasks.Shell (fixCrLf, LF)
_COMMANDS = {"hudson.tasks.BatchFile": "command", "hudson.tasks.Shell": "command"}
# Sets that Jenkins sorts, by the element that contains their values: hudson.model.ListView (TreeSet) and the properties
# of matrix-auth (AbstractAuthorizationPropertyConverter)
MATRICES = (
    "hudson.security.AuthorizationMatrixProperty",
    "com.cloudbees.hudson.plugins.folder.properties.AuthorizationMatrixProperty",
    "org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty",
)
_SETS = {"jobNames": "string", **dict.fromkeys(MATRICES, "permission")}
# java.util.TreeMap of hudson.EnvVars, which ignores the case of its keys
_SORTED_MAP = "tree-map"
_SORTED_CLASSES = ("sorted-set", "tree-map", "tree-set", "java.util.TreeMap", "java.util.TreeSet")
# The order of a set, which is not configurable (java.util.TreeSet)
COMPARATOR = "comparator"
_PREFIXES = ("USER:", "GROUP:")
# Names of collections in XStream (`XStream.setupAliases`). Jenkins omits the class if it is the usual one of a field
_COLLECTIONS = frozenset(
    (
        "concurrent-hash-map",
        "empty-list",
        "empty-map",
        "empty-set",
        "enum-map",
        "enum-set",
        "hashtable",
        "linked-hash-map",
        "linked-hash-set",
        "linked-list",
        "list",
        "map",
        "properties",
        "set",
        "singleton-list",
        "singleton-map",
        "singleton-set",
        "sorted-set",
        "tree-map",
        "tree-set",
        "vector",
    )
)
_COLLECTION_PACKAGES = ("java.util.", "com.google.common.collect.", "hudson.util.CopyOnWrite", "hudson.util.Persisted")
# Its elements are in another element
_WRAPPER = "java.util.Arrays$ArrayList"


def normalize(root: ET.Element, owner: str = "") -> ET.Element:
    """Return a copy of a configuration in the form in which configurations are compared.

    :arg owner: class of the object that contains the root element
    """
    copied = ET.Element(root.tag, {name: value for name, value in root.attrib.items() if not _is_omitted(name, value)})
    copied.text = root.text if len(root) else normalize_value(owner, root.tag, root.text or "")
    children = [normalize(child, root.get("class") or root.tag) for child in root]
    for child in children:
        if child.tag == _COMMANDS.get(root.tag) and child.text:
            child.text = child.text.replace("\r\n", "\n").replace("\r", "\n")
    copied.extend(_sort(root, children))
    return copied


def is_same_class(first: ET.Element, second: ET.Element) -> bool:
    """Return whether two elements contain objects of the same class. The classes of collections do not count."""
    return _get_class(first) == _get_class(second)


def _get_class(element: ET.Element) -> str | None:
    name = element.get("class")
    return None if name and _is_omitted("class", name) else name


def _is_omitted(attribute: str, value: str) -> bool:
    if attribute != "class" or value == _WRAPPER:
        return False
    return value in _COLLECTIONS or value.startswith(_COLLECTION_PACKAGES)


def _sort(root: ET.Element, children: list[ET.Element]) -> list[ET.Element]:
    """Return the children of an element, sorted if Jenkins sorts them."""
    if root.tag in _SETS:
        return _sort_set(root.tag, children)
    if root.tag == _SORTED_MAP:
        return _sort_pairs(children)
    if root.get("class") in _SORTED_CLASSES:
        return sorted(children, key=lambda child: [(inner.tag, inner.text or "") for inner in child.iter()])
    return children


def _sort_pairs(children: list[ET.Element]) -> list[ET.Element]:
    """Return the children of a map: its size, and the pairs of texts, each key once, with its last value."""
    texts = [child.text or "" for child in children if child.tag == "string"]
    pairs: dict[str, tuple[str, str]] = {}
    for key, value in zip(texts[::2], texts[1::2]):
        first, _value = pairs.get(key.lower(), (key, value))
        pairs[key.lower()] = (first, value)
    sorted_texts = [text for _key, pair in sorted(pairs.items()) for text in pair]
    return [_new_value("int", str(len(pairs))), *(_new_value("string", text) for text in sorted_texts)]


def _sort_set(tag: str, children: list[ET.Element]) -> list[ET.Element]:
    """Return the children of a set: first those that are no values, then its values, sorted, each once."""
    ignores_case = any(child.tag == COMPARATOR for child in children)
    values: dict[str, str] = {}
    for child in children:
        if child.tag == _SETS[tag]:
            value = _normalize_permission(child.text or "") if tag in MATRICES else child.text or ""
            values.setdefault(value.lower() if ignores_case else value, value)
    others = [child for child in children if child.tag not in (_SETS[tag], COMPARATOR)]
    return [*others, *(_new_value(_SETS[tag], value) for value in sorted(values.values()))]


def split_permission(row: str) -> tuple[str, str, str]:
    """Return the prefix of a row of a matrix, such as `USER:`, the ID of its permission, and the name of the holder."""
    prefix = next((prefix for prefix in _PREFIXES if row.startswith(prefix)), "")
    permission, _colon, name = row[len(prefix) :].partition(":")
    return prefix, IDS.get(permission, permission), name


def _normalize_permission(row: str) -> str:
    """Return a row as Jenkins stores it: with the ID of the permission, such as `hudson.model.Item.Read`."""
    prefix, permission, name = split_permission(row)
    return f"{prefix}{permission}:{name}" if name else row


def _new_value(tag: str, value: str) -> ET.Element:
    element = ET.Element(tag)
    element.text = value
    return element
