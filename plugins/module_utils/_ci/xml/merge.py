# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Merge a declared configuration into the stored one.

Jenkins completes a configuration with elements that were not declared: defaults, elements of plugins, and what users
change in its pages. They are kept, with these exceptions:

- An element with another `class` is replaced as a whole, because its content belongs to the other class.
- A list is replaced as a whole, because the order of its elements matters. Lists are elements whose children are named
  after classes or types, except for those in `UNORDERED`.
- Elements with the same name are replaced as a group. In a list, those that have a name or an ID are compared with the
  stored element of the same name or ID, so that an encrypted secret stays with the object that it belongs to.
- A declared element of the class `Removed` removes the stored one.
"""

from __future__ import annotations

import copy
import re
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.document import is_blank
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.normal_forms import COMPARATOR, is_same_class

# Contain at most one object of each class, in any order, and often objects that Jenkins or a plugin has added
UNORDERED = frozenset(("properties", "actions", "nodeProperties"))
_TYPES = frozenset(("string", "int", "long", "boolean", "entry"))
# A secret that Jenkins has encrypted, with a new result for each write
_ENCRYPTED = re.compile(r"\{[A-Za-z0-9+/=]{20,}\}")
# Values of elements that Jenkins adds and that do not count as differences of an exact configuration
_DEFAULTS = {"canRoam": "true"}
# Objects that each folder or multibranch Pipeline has. If they are missing, Jenkins resets them: other branches are
# built, and branch jobs are deleted with their builds
_RESET = frozenset(("folderViews", "icon", "orphanedItemStrategy", "factory"))


class Removed(ET.Element):
    """A declared element that should not exist."""


def is_encrypted(text: str | None) -> bool:
    """Return whether a text is a secret that Jenkins has encrypted."""
    return bool(text and _ENCRYPTED.fullmatch(text))


def merge(
    stored: ET.Element, declared: ET.Element, *, exact: bool = False, replaces_secrets: bool = False
) -> ET.Element:
    """Return a copy of the stored configuration with the declared elements.

    :arg exact: whether to remove elements that are not declared, unless they are empty, `false` or in `_RESET`
    :arg replaces_secrets: whether declared texts replace encrypted ones. If false, the encrypted ones are kept
    """
    if "class" in declared.attrib and not is_same_class(stored, declared):
        return copy_declared(declared)
    merged = ET.Element(stored.tag, {**stored.attrib, **declared.attrib})
    if not len(declared):
        return _merge_leaf(merged, stored, declared, exact, replaces_secrets)
    merged.text = declared.text
    is_list = _is_list(stored, declared)
    if is_list and declared.find(COMPARATOR) is None:
        merged.extend(copy.deepcopy(child) for child in stored.findall(COMPARATOR))
    pairs = _pair(stored, declared, by_name=is_list)
    for current, desired in pairs if is_list else _keep_order(stored, pairs):
        if isinstance(desired, Removed):
            continue
        if current is None:
            merged.append(copy_declared(t.cast(ET.Element, desired)))
        elif desired is not None:
            merged.append(merge(current, desired, exact=exact, replaces_secrets=replaces_secrets))
        elif not exact or _is_default(current):
            merged.append(copy.deepcopy(current))
    return merged


def copy_declared(declared: ET.Element) -> ET.Element:
    """Return a copy of a declared configuration without the elements that should not exist."""
    copied = ET.Element(declared.tag, declared.attrib)
    copied.text = declared.text
    copied.extend(copy_declared(child) for child in declared if not isinstance(child, Removed))
    return copied


def _merge_leaf(
    merged: ET.Element, stored: ET.Element, declared: ET.Element, exact: bool, replaces_secrets: bool
) -> ET.Element:
    """Complete an element for which no children are declared. An empty element empties a list, but not an object."""
    if len(stored) and not declared.text and not _is_list(stored, declared):
        merged.extend(copy.deepcopy(child) for child in stored if not exact or _is_default(child))
    else:
        is_kept = is_encrypted(stored.text) and not replaces_secrets
        merged.text = stored.text if is_kept else declared.text
    return merged


def _is_list(stored: ET.Element, declared: ET.Element) -> bool:
    names = {child.tag for child in (*stored, *declared)}
    return declared.tag not in UNORDERED and any("." in name or name in _TYPES for name in names)


def _pair(
    stored: ET.Element, declared: ET.Element, *, by_name: bool
) -> list[tuple[ET.Element | None, ET.Element | None]]:
    """Return the declared children in their order, each with the stored child that it describes.

    :arg by_name: whether children are matched by their name or ID, if they have one, and not only by their occurrence
    """
    remaining: dict[str, list[ET.Element]] = {child.tag: [] for child in declared}
    for child in stored:
        if child.tag in remaining:
            remaining[child.tag].append(child)
    return [(_take(remaining[child.tag], _name(child) if by_name else None), child) for child in declared]


def _take(candidates: list[ET.Element], name: str | None) -> ET.Element | None:
    """Remove the first stored element, or the one with a name, from the candidates and return it."""
    for index, candidate in enumerate(candidates):
        if name is None or _name(candidate) == name:
            return candidates.pop(index)
    return None


def _name(element: ET.Element) -> str | None:
    return element.findtext("name") or element.findtext("id") or None


def _keep_order(
    stored: ET.Element, pairs: list[tuple[ET.Element | None, ET.Element | None]]
) -> t.Iterator[tuple[ET.Element | None, ET.Element | None]]:
    """Yield the children in the stored order, with undeclared ones, then those that are not stored."""
    declared_names = {desired.tag for _current, desired in pairs if desired is not None}
    by_stored = {id(current): desired for current, desired in pairs if current is not None}
    for child in stored:
        if child.tag not in declared_names or id(child) in by_stored:
            yield child, by_stored.get(id(child))
    yield from ((None, desired) for current, desired in pairs if current is None)


def _is_default(element: ET.Element) -> bool:
    """Return whether Jenkins adds such an element to each configuration."""
    if element.tag in _RESET:
        return True
    if len(element):
        return all(map(_is_default, element))
    return is_blank(element.text) or element.text in ("false", _DEFAULTS.get(element.tag))
