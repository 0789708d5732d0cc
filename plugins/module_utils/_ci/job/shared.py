# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values that the items of a task on jobs share."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import names
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.tree import Tree
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job import types
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import required
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import is_selected

MEMBERS = "fullName,buildable"


class SharedJobs:
    """Values that the items of a task share: the items of the server, and its plugins."""

    def __init__(self) -> None:
        self.tree = Tree(MEMBERS)
        self._values = SharedValues()

    def check_plugins(self, ci: CiService, plugins: t.Iterable[str], purpose: str) -> None:
        """
        :raises ToolchainError: if a plugin is not installed or not active
        """
        for plugin in sorted(set(plugins) - ci.predicted_plugins):
            required.check_required(self.list_plugins(ci), plugin, purpose)

    def list_plugins(self, ci: CiService) -> dict[str, bool] | None:
        """Return whether each installed plugin is active, or `None` if the account may not list them."""
        return self._values.get("plugins", lambda: required.list_plugins(ci))

    def list_undeclared(self, task: Task, ci: CiService, items: t.Iterable[Fields]) -> set[str]:
        """Return the jobs in the folders of these items, except for jobs that an item renames and for branch jobs.

        The option `type` of the task selects them.
        """
        found: set[str] = set()
        for folder in {names.split(item["name"])[0] for item in items}:
            listing = self.tree.list(ci, folder)
            if listing and listing.class_name != types.MULTIBRANCH:
                found |= {
                    name
                    for name, item in listing.items.items()
                    if item.class_name not in types.FOLDERS and is_selected(task, type=types.get_type(item.class_name))
                }
        return found - {item.get("previous_name") for item in items}
