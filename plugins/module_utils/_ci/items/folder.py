# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Folders and their changes.

Jenkins replaces the whole configuration of a folder with each write, and loses the omitted members: credentials, views,
properties. So the stored configuration is read, completed and written back.
"""

from __future__ import annotations

import copy
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import location, names, tree
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import require_plugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document, fields, stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import LossPolicy
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import is_encrypted
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ToolchainError,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

MEMBERS = "fullName,displayNameOrNull,description"
MAX_DEPTH = 100
# Elements of the configuration that options of their own manage
ELEMENTS = {"description": "description", "display_name": "displayName"}
OUTDATED_VIEWS = "views"  # the folder has them in folderViews now
# Elements that other modules manage
OTHERS = {
    "folderViews": "views of the folder",
    OUTDATED_VIEWS: "views of the folder",
    "properties/com.cloudbees.hudson.plugins.folder.properties."
    "FolderCredentialsProvider_-FolderCredentialsProperty": "credentials of the folder",
}


class SharedFolders:
    """Values that the items of a task share: the items of the server, and the check of the plugin."""

    def __init__(self) -> None:
        self.tree = tree.Tree(MEMBERS)
        self._values = SharedValues()

    def require_plugin(self, ci: CiService) -> None:
        """Check that the plugin for folders is active."""
        self._values.get("plugin", lambda: require_plugin(ci, "cloudbees-folder", "Managing folders"))

    def list_undeclared(self, ci: CiService, task: Task, items: t.Iterable[Fields]) -> set[str]:
        """Return the full names of the folders that may be deleted because no item declares them.

        Folders that contain a declared folder, and folders that an item moves, are omitted.
        """
        kept = {item["previous_name"] for item in items}
        for item in items:
            parent, _last = names.split(item["name"])
            while parent:
                kept.add(parent)
                parent, _last = names.split(parent)
        found = tree.walk(ci, task.params["undeclared_in"] or "", "fullName", MAX_DEPTH)
        return {item.name for item in found if item.is_folder} - kept


class ManagedFolder:
    """The folder that a task manages.

    :arg configuration: root element of the declared configuration, or `None`
    """

    def __init__(self, task: Task, ci: CiService, shared: SharedFolders, configuration: ET.Element | None) -> None:
        self._task, self._ci, self._shared = task, ci, shared
        self._name: str = task.params["name"]
        self._previous_name: str | None = task.params["previous_name"]
        self._declared = task.select_provided(*ELEMENTS)
        losses = LossPolicy(task, ci, f"folder '{self._name}'")
        self._configuration = (
            None if configuration is None else fields.DesiredConfiguration(configuration, losses=losses)
        )
        self._first_name: str | None = None  # before this task
        self._is_read = False
        self._place = self._name
        self._stored: ET.Element | None = None
        self._managed: set[str] = set()
        self._secret_paths: set[str] = set()
        if configuration is not None:
            for path, secret in fields.find_secrets(configuration).items():
                self._secret_paths.add(path)
                task.register_secret(secret)

    def find(self) -> Fields | None:
        """Return the folder, the one to move or rename, or `None` if neither exists.

        After the first call, the server is asked again.

        :raises ToolchainError: if the item with the name is not a folder
        """
        item, self._stored = self._find_item(), None
        if item is None:
            return None
        if not item.is_folder:
            raise ToolchainError(
                f"'{item.name}' is not a folder, but an item of the class {item.class_name}. Choose another name."
            )
        self._place = item.place
        folder = to_fields(item)
        if self._configuration and self._task.params["state"] == "present":
            root = self._fetch_configuration()
            texts = self._configuration.read(root, is_written=self._task.has_written)
            by_options = {ELEMENTS[option] for option in self._declared}
            folder["elements"] = texts.select(lambda path: path not in by_options)
        return folder

    def desired(self, _before: Fields | None) -> Fields:
        """Return the fields to compare."""
        folder = {"name": self._name, **self._declared}
        if self._configuration:
            folder["elements"] = self._configuration.list_desired(self._stored)
            self._managed.update(folder["elements"])
        return folder

    def check(self, before: Fields | None, changes: Fields | None) -> None:
        """Refuse changes that Jenkins would refuse, or that would lose the content of the folder or its secrets.

        :arg changes: the fields to write; `None` for a deletion
        :raises ToolchainError: if the change is refused
        """
        if changes is None:
            self._check_content()
            return
        if self._configuration:
            self._configuration.check_kept()
        if before is None or before["name"] != self._name:
            self._check_target()
        if before is None:
            tree.check_interrupted_move(self._shared.tree, self._ci, self._name, self._previous_name)
        if before is not None and changes.keys() - {"name"}:
            fields.check_complete(self._fetch_configuration(), f"folder '{self._place}'")

    def create(self, _fields: Fields) -> None:
        """Create the folder."""
        root = ET.Element(tree.FOLDER) if self._configuration is None else self._configuration.declared
        location.create(self._ci, self._name, self._complete(root))
        self._record_acceptance()

    def update(self, changes: Fields) -> None:
        """Write the configuration if it differs, then move and rename the folder if its name differs."""
        if changes.keys() - {"name"}:
            root = self._fetch_configuration()
            merged = self._configuration.merge(root) if self._configuration else root
            stored.write(self._ci, location.item_path(self._place), self._complete(merged))
            self._record_acceptance()
        if "name" in changes:
            location.relocate(self._ci, self._place, self._name)

    def delete(self) -> None:
        """Delete the folder and its content."""
        location.delete(self._ci, self._name)

    def record_change(self) -> None:
        """Record the change of this folder for the items that are processed later."""
        if self._task.params["state"] == "absent":
            self._shared.tree.record_deletion(self._name)
        elif self._first_name is None:
            self._shared.tree.record_creation(self._name)
        elif self._first_name != self._name:
            self._shared.tree.record_move(self._first_name, self._name)

    def to_result(self, folder: Fields) -> Fields:
        """Return the folder as the module returns it, of the configuration only the managed elements."""
        result = {"description": "", "display_name": "", **folder}
        if self._configuration and "elements" in folder:
            result["elements"] = {
                path: fields.ENCRYPTED if path in self._secret_paths else text
                for path, text in self._configuration.show(folder["elements"]).items()
                if path in self._managed
            }
        return result

    def explain_loss(self) -> str:
        """Return why the folder lacks declared elements, or an empty text."""
        return self._configuration.explain_loss() if self._configuration else ""

    def _record_acceptance(self) -> None:
        if self._configuration:
            self._configuration.record_acceptance()

    def _find_item(self) -> tree.Item | None:
        """Return the item with the name or, if it does not exist, with the previous name."""
        find = self._shared.tree.fetch if self._is_read else self._shared.tree.find
        item = find(self._ci, self._name)
        if item is None and self._previous_name:
            item = find(self._ci, self._previous_name)
        if not self._is_read:
            self._first_name = item.name if item else None
        self._is_read = True
        return item

    def _fetch_configuration(self) -> ET.Element:
        """Return the stored configuration, which is read once for each state of the folder."""
        if self._stored is None:
            self._stored = stored.fetch(self._ci, location.item_path(self._place))
        if self._stored is None:
            raise ToolchainError(f"Folder '{self._place}' was deleted while it was compared. Run the task again.")
        texts = fields.list_texts(self._stored)
        self._secret_paths |= {path for path, text in texts.items() if is_encrypted(text)}
        return self._stored

    def _complete(self, configuration: ET.Element) -> ET.Element:
        """Return a configuration with the elements that the options declare. An empty text removes the element."""
        root = copy.deepcopy(configuration)
        for option, text in self._declared.items():
            element = root.find(ELEMENTS[option])
            if element is None:
                element = ET.SubElement(root, ELEMENTS[option])
            element.text = text
            if not text:
                root.remove(element)
        return root

    def _check_content(self) -> None:
        if self._task.params["allow_delete_content"]:
            return
        content = self._shared.tree.list_content(self._ci, self._place)
        if content:
            raise ToolchainError(
                f"Folder '{self._place}' is not deleted, because it contains {join_names(content)}. Set "
                "'allow_delete_content: true' to delete this content as well."
            )

    def _check_target(self) -> None:
        """Check that an item with the name can be created in its folder or moved to it."""
        self._shared.require_plugin(self._ci)
        folder, _last = names.split(self._name)
        listing = self._shared.tree.list(self._ci, folder)
        if listing:
            tree.check_may_contain(listing, folder)
        elif not self._task.predicts_missing:
            raise tree.folder_missing(folder)


def to_fields(item: tree.Item) -> Fields:
    """Return the fields of a folder from a listing."""
    return {
        "name": item.name,
        "description": item.record.maybe_text("description") or "",
        "display_name": item.record.maybe_text("displayNameOrNull") or "",
    }


def to_config(root: ET.Element) -> str:
    """Return a stored configuration as the option `config` takes it."""
    root = copy.deepcopy(root)
    for path in ("actions", *ELEMENTS.values(), *OTHERS):
        parent, _slash, name = path.rpartition("/")
        for container in root.findall(parent or "."):
            for element in container.findall(name):
                container.remove(element)
    return document.serialize(root)
