# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Declared elements that Jenkins does not store: of missing plugins, unknown or outdated ones, and empty ones."""

from __future__ import annotations

import copy
import dataclasses
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.class_plugins import find_plugins
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.normal_forms import is_same_class
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.outdated import is_empty

# Texts for which an empty one differs from a missing one: a default (hudson.model.StringParameterDefinition), and a
# value of a list, such as a choice
_EMPTY_TEXTS = ("defaultValue", "string")
# What Jenkins sets instead of an object whose class it does not have
_DEFAULT_CLASSES = ("hudson.scm.NullSCM",)


@dataclasses.dataclass(frozen=True)
class Dropped:
    """An element or attribute that the stored configuration does not have.

    :ivar path: its path, such as `builders/hudson.tasks.Shell[2]`; the last part of an attribute begins with `@`
    :ivar owners: the elements that contain it, the element itself last
    :ivar replaced_by: the stored object, if it is of another class
    """

    path: str
    owners: tuple[ET.Element, ...]
    replaced_by: ET.Element | None = None

    @property
    def is_attribute(self) -> bool:
        """Whether it is an attribute."""
        return self.path.rpartition("/")[2].startswith("@")

    @property
    def has_class(self) -> bool:
        """Whether it is an object of a class that a plugin can have."""
        element = self.owners[-1]
        return not self.is_attribute and ("." in element.tag or "." in element.get("class", ""))

    @property
    def is_insignificant(self) -> bool:
        """Whether it is an empty element that means the same as a missing one."""
        if self.is_attribute or self.replaced_by is not None:
            return False
        element = self.owners[-1]
        return is_empty(element) and "." not in element.tag and element.tag not in _EMPTY_TEXTS

    @property
    def permission(self) -> str:
        """The permission, whose path does not name it, and a colon; an empty text for other elements."""
        element = self.owners[-1]
        return f"'{element.text}': " if element.tag == "permission" and not self.is_attribute else ""

    @property
    def is_acceptable(self) -> bool:
        """Whether nothing is stored in its place, apart from the object with which Jenkins replaces unknown ones."""
        return self.replaced_by is None or self.replaced_by.get("class") in _DEFAULT_CLASSES

    @property
    def plugin(self) -> tuple[str, str]:
        """The plugin that the configuration names for it, and its version; empty texts if it names none."""
        for owner in reversed(self.owners):
            if "plugin" in owner.attrib:
                name, _at, version = owner.attrib["plugin"].partition("@")
                return name, version
        return next(find_plugins(self.owners[-1]), ""), ""


def restore(
    stored: ET.Element, declared: ET.Element, accepts: t.Callable[[Dropped], bool], path: str = "", owners: t.Any = ()
) -> ET.Element:
    """Return a copy of a stored configuration with the declared elements and attributes that it does not have.

    :arg accepts: returns whether an element or attribute is added
    """
    owners = (*owners, declared)
    restored = ET.Element(stored.tag, stored.attrib)
    restored.text = stored.text
    if stored.text:  # in place of the declared children
        restored.extend(stored)
        return restored
    for name, value in declared.attrib.items():
        inner = f"{path}/@{name}".removeprefix("/")
        if name not in stored.attrib and name != "plugin" and accepts(Dropped(inner, owners)):
            restored.set(name, value)
    counts: dict[str, int] = {}
    for current, desired in _pair(stored, declared):
        tag = t.cast(ET.Element, desired if current is None else current).tag
        number = counts.get(tag, 0) + 1
        inner = f"{path}/{tag}{f'[{number}]' if number > 1 else ''}".removeprefix("/")
        child = current if desired is None else _restore_child(current, desired, accepts, inner, owners)
        if child is not None:
            counts[tag] = number
            restored.append(child)
    return restored


def omit(root: ET.Element, is_lost: t.Callable[[Dropped], bool], owners: tuple[ET.Element, ...] = ()) -> None:
    """Remove the elements from a configuration that Jenkins does not store."""
    owners = (*owners, root)
    for child in list(root):
        if is_lost(Dropped(child.tag, (*owners, child))):
            root.remove(child)
        else:
            omit(child, is_lost, owners)


def _restore_child(
    current: ET.Element | None,
    desired: ET.Element,
    accepts: t.Callable[[Dropped], bool],
    path: str,
    owners: tuple[ET.Element, ...],
) -> ET.Element | None:
    if current is None:
        return copy.deepcopy(desired) if accepts(Dropped(path, (*owners, desired))) else None
    if "class" in desired.attrib and "class" in current.attrib and not is_same_class(current, desired):
        is_added = accepts(Dropped(path, (*owners, desired), replaced_by=current))
        return copy.deepcopy(desired) if is_added else current
    return restore(current, desired, accepts, path, owners)


def _pair(stored: ET.Element, declared: ET.Element) -> list[tuple[ET.Element | None, ET.Element | None]]:
    """Return the stored children, each with the declared one that it has, and the declared ones without a stored one.

    The latter follow the stored child of their predecessor.
    """
    candidates: dict[str, list[ET.Element]] = {}
    for child in stored:
        candidates.setdefault(child.tag, []).append(child)
    remaining: dict[str, int] = {}
    for child in declared:
        remaining[child.tag] = remaining.get(child.tag, 0) + 1
    by_stored: dict[int, ET.Element] = {}
    followers: dict[int | None, list[ET.Element]] = {}
    predecessor: int | None = None
    for child in declared:
        same = candidates.get(child.tag, [])
        if same and (remaining[child.tag] <= len(same) or _is_contained(child, same[0])):
            predecessor = id(same[0])
            by_stored[predecessor] = child
            same.pop(0)
        else:
            followers.setdefault(predecessor, []).append(child)
        remaining[child.tag] -= 1
    pairs: list[tuple[ET.Element | None, ET.Element | None]] = [(None, child) for child in followers.get(None, ())]
    for child in stored:
        pairs.append((child, by_stored.get(id(child))))
        pairs += [(None, follower) for follower in followers.get(id(child), ())]
    return pairs


def _is_contained(declared: ET.Element, stored: ET.Element) -> bool:
    """Return whether a stored element has all texts of a declared one."""
    if not len(declared) and declared.text != stored.text and not len(stored):
        return False
    return all(
        current is not None and (desired is None or _is_contained(desired, current))
        for current, desired in _pair(stored, declared)
    )
