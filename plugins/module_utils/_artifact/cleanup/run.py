# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A clean-up from its options to its end."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion import Deletion
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning import Planning
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_GIVES = ("counts", "failures", "outcomes", "deleted")


class CleanUp:
    """Plans, and carries the plan out. What is known of it is kept for a later run until all was tried."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._store = Store(None if task.check_mode else task.params["state_file"])
        self._deletion: Deletion | None = None

    def carry_out(self) -> None:
        """
        :raises ToolchainError: when an option cannot work, the plan is beyond its guards, or items failed
        """
        planned_nothing = False
        try:
            planning = Planning(self._task, ArtifactService(self._task), self._store)
            planning.check()
            plan = planning.plan()
            planned_nothing = plan is None
            operate(self._task, plan, self._delete, gives=_GIVES)
        finally:
            done = self._deletion.complete if self._deletion else planned_nothing
            self._store.end(forget=done or not self._store.found_anything)

    def _delete(self) -> Fields:
        self._deletion = Deletion(self._task, self._store)
        return self._deletion.carry_out()
