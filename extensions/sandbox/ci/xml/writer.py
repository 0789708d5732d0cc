# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rewriting of submitted configurations, as loading and saving them does.

Jenkins reads a configuration into objects and writes these: elements that their class does not have are dropped,
defaults are added, secrets are encrypted, and the first object of a plugin names the plugin and its version.
"""

from __future__ import annotations

import re

from lxml import etree

from ..authorization import matrix_property
from ..jobs.item_kinds import FOLDER
from ..plugins.installed_plugins import InstalledPlugins
from ..storage import Storage
from . import document, secrets, values
from .migrations import migrate
from .models import MODELS, Model
from .plugin_classes import CORE, KNOWN, find_plugins, match_package


class ConfigurationWriter:
    """Writes configurations of one server."""

    def __init__(self, plugins: InstalledPlugins, storage: Storage) -> None:
        self._versions = {row["name"]: row["version"] for row in plugins.list_loaded() if row.get("active", True)}
        self._storage = storage

    def write(self, root: etree._Element, tag: str | None = None, class_name: str | None = None) -> str:
        """Return a submitted document as Jenkins stores it.

        :arg tag: name of the root element, if Jenkins renames it
        :arg class_name: class of the root object, if the element is not named after it
        """
        return document.write(self.complete(root, tag, class_name))

    def has_view(self, element: etree._Element) -> bool:
        """Return whether an installed plugin that the sandbox does not know otherwise provides a view."""
        class_name = str(element.tag)
        is_other = class_name.endswith(("View", "Dashboard")) and not find_plugins(class_name)
        return is_other and bool(self._find_plugin(class_name, element))

    def has_class(self, class_name: str) -> bool:
        """Return whether an installed plugin, or Jenkins itself, has a class."""
        return self._find_plugin(class_name, etree.Element("object")) is not None

    def complete(
        self, element: etree._Element, tag: str | None = None, class_name: str | None = None, plugin: str = CORE
    ) -> etree._Element:
        """Return an object as Jenkins writes it.

        :arg plugin: plugin of the object that contains it
        """
        class_name = class_name or element.get("class") or element.tag
        if element.tag in matrix_property.GROUPS:  # its class writes it without the name of the plugin
            return matrix_property.rewrite_property(element)
        own_plugin = self._find_plugin(class_name, element) or plugin
        written = etree.Element(tag or element.tag)
        attributes = {str(name): str(value) for name, value in element.items()}
        written.attrib.update(
            {name: value for name, value in attributes.items() if not _is_omitted(element, name, value)}
        )
        is_reference = "reference" in element.attrib  # another place has the object
        if own_plugin not in (plugin, CORE) and not is_reference:
            written.set("plugin", f"{own_plugin}@{self._versions[own_plugin]}")
        model = None if is_reference else MODELS.get(class_name)
        element = migrate(class_name, element)
        if model is None:
            written.text = element.text
            written.extend(self.complete(child, plugin=own_plugin) for child in element if self._is_known(child))
            return written
        members = [self._complete_member(element, name, model, own_plugin) for name in model.elements]
        written.extend(member for member in members if member is not None)
        return written

    def _complete_member(self, element: etree._Element, name: str, model: Model, plugin: str) -> etree._Element | None:
        """Return a member of an object, or None for one without a default. The last element with its name counts."""
        child, default = next(element.iterchildren(name, reversed=True), None), model.elements[name]
        if child is not None and not (self._has_class(child) and values.is_readable(child)):
            child = None
        if child is None and default:
            child = etree.fromstring(default, etree.XMLParser(remove_blank_text=True))
        if child is None:
            return None
        member = self.complete(child, plugin=plugin)
        if name in model.texts:
            del member[:]
        if name in model.secrets or not len(member):
            member.text = self._convert(model, name, member.text)
        return member

    def _convert(self, model: Model, name: str, content: str | None) -> str | None:
        """Return the text of a member as Jenkins writes it."""
        if name in model.secrets:
            return secrets.reencrypt(self._storage, content or "")
        if name in model.texts:
            return _unify_line_ends(content or "", model.line_end)
        return values.convert(name, content, model.elements[name] in _list_flags(name))

    def _find_plugin(self, class_name: str, element: etree._Element) -> str | None:
        """Return the plugin of a class, an empty text for the core; None for names that are no classes.

        A class that the sandbox does not know belongs to the plugin that its element names, to one after which its
        package is named, or to one that an element around it names.
        """
        known = find_plugins(class_name)
        if "." in class_name and not known:
            around = (element, *element.iterancestors())
            named = {inner.get("plugin", "").partition("@")[0] for inner in around} - KNOWN
            matching = [] if "plugin" in element.attrib else match_package(class_name, self._versions)
            known = (*matching, *named)
        return next((name for name in known if name == CORE or name in self._versions), None)

    def _has_class(self, element: etree._Element) -> bool:
        """Return whether Jenkins has the class of a member. Names without dots are no classes of plugins."""
        class_name = element.get("class", "")
        return "." not in class_name or self._find_plugin(class_name, element) is not None

    def _is_known(self, element: etree._Element) -> bool:
        """Return whether Jenkins keeps an element of a list. Names without dots are no classes."""
        if element.tag == matrix_property.FOLDER_PROPERTY and element.getroottree().getroot().tag not in FOLDER.roots:
            return False
        if element.tag in matrix_property.GROUPS and matrix_property.lacks_sid(element):
            return False
        return "." not in element.tag or self._find_plugin(element.tag, element) is not None


def _is_omitted(element: etree._Element, attribute: str, value: str) -> bool:
    """Return whether Jenkins does not write an attribute: the plugin, and the usual class of a collection."""
    usual = ("list", "vector") if element.tag == "triggers" else ("list",)
    return attribute == "plugin" or (attribute == "class" and value in usual)


def _list_flags(name: str) -> tuple[str, ...]:
    """Return the defaults that a boolean can have."""
    return f"<{name}>false</{name}>", f"<{name}>true</{name}>"


def _unify_line_ends(text: str, line_end: str | None) -> str:
    return text if line_end is None else re.sub("\r\n|\r|\n", line_end, text)
