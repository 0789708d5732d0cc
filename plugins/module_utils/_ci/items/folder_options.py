# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of a folder, and how those of several folders depend on each other."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import names, tree
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.folder import (
    ELEMENTS,
    OTHERS,
    OUTDATED_VIEWS,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Levels of deletions, which come after all other changes
_DELETIONS = 1_000_000


def parse(params: Fields) -> ET.Element | None:
    """Return the root element of the declared configuration, or `None`.

    :raises BadOption: if an option is invalid
    """
    name, previous_name = params["name"], params["previous_name"]
    if params["state"] == "absent":
        if previous_name is not None:
            raise BadOption("previous_name", "must not be set with 'state: absent'")
        return None
    names.check_new_name(name, "name")
    if previous_name and f"{name}/".startswith(f"{previous_name}/"):
        raise BadOption("previous_name", "must be neither 'name' nor a folder that contains it")
    return None if params["config"] is None else _parse_configuration(params["config"], params)


def resolve(task: Task, item: Fields) -> Fields:
    """Return the options of an item that decide about its order."""
    return {option: item.get(option) or task.params[option] for option in ("name", "previous_name", "state")}


def check_together(items: list[Fields]) -> None:
    """Refuse items whose changes would undo each other.

    :raises BadOption: if there are such items
    """
    declared = {item["name"] for item in items}
    present = sorted(item["name"] for item in items if item["state"] == "present")
    for index, item in enumerate(items):
        if item["previous_name"] in declared:
            problem = f"'{item['previous_name']}' is also the name of an item"
            raise BadOption(f"items[{index}].previous_name", problem)
        inner = [name for name in present if name.startswith(f"{item['name']}/")]
        if inner and item["state"] == "absent":
            raise BadOption(f"items[{index}].state", f"must not be 'absent', because '{inner[0]}' should be present")


def find_level(item: Fields) -> int:
    """Return the level of an item: folders precede the folders in them, and deletions come last, in reverse order."""
    depth = item["name"].count("/")
    return depth if item["state"] == "present" else _DELETIONS - depth


def _parse_configuration(text: str, params: Fields) -> ET.Element:
    """Return the root element of a declared configuration.

    :arg params: the options of the folder
    :raises BadOption: if it is not the configuration of a folder, or contains what other options and modules manage
    """
    try:
        root = document.parse(text)
    except document.XmlError as error:
        raise BadOption("config", f"must be XML: {error}") from None
    tree.refuse_organization(root.tag, "config")
    if root.tag != tree.FOLDER:
        raise BadOption("config", f"must have the root element '{tree.FOLDER}', not '{root.tag}'")
    for option, element in ELEMENTS.items():
        if params[option] is not None and root.find(element) is not None:
            raise BadOption("config", f"must not contain '{element}' if '{option}' is set")
    for path in OTHERS:
        is_left_out = path == OUTDATED_VIEWS and params["on_dropped"] == "warn"
        if root.find(path) is not None and not is_left_out:
            raise BadOption("config", f"must not contain '{path}', because changing it here could lose {OTHERS[path]}")
    for actions in root.findall("actions"):  # added by Jenkins, not always
        root.remove(actions)
    return root
