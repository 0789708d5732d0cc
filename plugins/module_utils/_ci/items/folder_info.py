# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Folders in the form that the module ci_folder takes."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import location, names, tree
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.folder import (
    MAX_DEPTH,
    MEMBERS,
    to_config,
    to_fields,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_CONTENT = "jobs[fullName]"


class FolderReader:
    """Reads folders.

    :arg include_config: whether to read the configurations
    :arg include_content: whether to list the items in each folder
    """

    def __init__(self, ci: CiService, include_config: bool, include_content: bool) -> None:
        self._ci, self._include_config, self._include_content = ci, include_config, include_content

    def fetch(self, name: str) -> Fields | None:
        """Return a folder, or `None` if it does not exist or is not a folder."""
        members = f"{MEMBERS},{_CONTENT}" if self._include_content else MEMBERS
        item = tree.fetch(self._ci, name, members)
        if item is None or not item.is_folder:
            return None
        content = [tree.to_item(record) for record in item.record.maybe_records("jobs")]
        return self._to_result(item, content)

    def list_all(self, folder: str, depth: int | None) -> t.Iterator[Fields]:
        """Yield the folders in a folder.

        :arg folder: full name, empty for the root
        :arg depth: number of folder levels, or `None` for all
        :raises BadOption: if no folder can have this name
        :raises ToolchainError: if the folder does not exist
        """
        location.item_path(folder, "folder")
        levels = MAX_DEPTH if depth is None else depth
        items = tree.walk(self._ci, folder, MEMBERS, levels + 1 if self._include_content else levels)
        if not self._include_content:
            yield from (self._to_result(item, []) for item in items if item.is_folder)
            return
        by_folder: dict[str, list[tree.Item]] = {}
        for item in items:
            by_folder.setdefault(names.split(item.name)[0], []).append(item)
        yield from self._list_with_content(by_folder, folder, levels)

    def _list_with_content(self, items: dict[str, list[tree.Item]], folder: str, levels: int) -> t.Iterator[Fields]:
        """Yield the folders in a folder.

        :arg items: items by the name of their folder
        """
        for item in items.get(folder, []) if levels else []:
            if item.is_folder:
                yield self._to_result(item, items.get(item.name, []))
                yield from self._list_with_content(items, item.name, levels - 1)

    def _to_result(self, item: tree.Item, content: list[tree.Item]) -> Fields:
        result = to_fields(item)
        if self._include_config:
            root = stored.fetch(self._ci, location.item_path(item.name))
            result["config"] = None if root is None else to_config(root)
        if self._include_content:
            result["content"] = [{"name": other.name, "class": other.class_name} for other in content]
        return result
