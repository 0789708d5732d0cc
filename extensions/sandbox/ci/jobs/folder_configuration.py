# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of folders: their views, and properties of plugins.

The views are stored separately, so that the calls for views can change them. Those in the stored configuration count
only if they were submitted without their owner: Jenkins fails to show them for ever.
"""

from __future__ import annotations

import copy
from typing import Protocol

from lxml import etree

from ..storage import Job, Storage, View
from ..xml import document, models
from ..xml.writer import ConfigurationWriter

VIEWS = "folderViews/views"
OWNER = '<owner class="com.cloudbees.hudson.plugins.folder.Folder" reference="../../../.."/>'


class PropertyLoader(Protocol):
    """Changes a submitted property as its class does when Jenkins loads it."""

    def __call__(self, loaded: etree._Element, writer: ConfigurationWriter, storage: Storage) -> None:
        """Change the element of the property."""


# By the element of the property. Parts of the sandbox that simulate a plugin with such a property add it
PROPERTY_LOADERS: dict[str, PropertyLoader] = {}


def read(storage: Storage, folder: Job) -> str:
    """Return the configuration of a folder with its views."""
    root = document.parse(folder.config)
    if not is_broken(folder):
        holder = root.find("folderViews")
        assert holder is not None  # added when the folder was stored
        for stored in holder.findall("views"):
            holder.remove(stored)
        views = etree.Element("views")
        views.extend(_export(document.parse(row.config)) for row in storage.views(folder.name))
        holder.insert(0, views if len(views) else _default_views())
    return document.write(root)


def put(storage: Storage, writer: ConfigurationWriter, folder: Job) -> None:
    """Store a folder with a submitted configuration, completed with defaults, which replaces its views."""
    root = document.parse(folder.config)
    for loaded in root.iterfind("properties/*"):
        if loaded.tag in PROPERTY_LOADERS:
            PROPERTY_LOADERS[loaded.tag](loaded, writer, storage)
    folder.config = document.write(root)
    storage.put_job(folder)
    for row in storage.views(folder.name):
        storage.delete_view(row)
    views = root.find(VIEWS)
    if views is None or is_broken(folder) or etree.tostring(views) == etree.tostring(_default_views()):
        return
    for view in views:
        storage.put_view(_to_row(folder.name, view))


def add_actions(storage: Storage, folder: Job) -> None:
    """Add the empty list of actions that a folder has after its actions were read."""
    root = document.parse(folder.config)
    if root.find("actions") is None:
        root.insert(0, etree.Element("actions"))
        folder.config = document.write(root)
        storage.put_job(folder)


def is_broken(folder: Job) -> bool:
    """Return whether Jenkins fails to show the views of a folder, because they were submitted without their owner."""
    return any(view.find("owner") is None for view in document.parse(folder.config).iterfind(f"{VIEWS}/*"))


def _export(view: etree._Element) -> etree._Element:
    view.insert(0, etree.fromstring(OWNER))
    return view


def _to_row(folder: str, view: etree._Element) -> View:
    view = copy.deepcopy(view)
    for owner in view.findall("owner"):
        view.remove(owner)
    return View(folder, view.findtext("name", ""), document.write(view))


def _default_views() -> etree._Element:
    views = etree.fromstring(models.FOLDER_VIEWS, etree.XMLParser(remove_blank_text=True)).find("views")
    assert views is not None
    return views
