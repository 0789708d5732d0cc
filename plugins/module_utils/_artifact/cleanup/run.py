# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A clean-up from its options to its end."""

from __future__ import annotations

import itertools
import os

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion import Deletion
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning import Planning
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.summary import GuardRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_GIVES = ("counts", "failures", "outcomes", "deleted")
_FILES = ("from_plan", "plan_file", "state_file", "to_file")


class CleanUp:
    """Plans, and carries the plan out. What is known of it is kept for a later run until all was tried."""

    def __init__(self, task: Task) -> None:
        _check_files(task.params)
        self._task = task
        self._store = Store(None if task.check_mode else task.params["state_file"])
        self._deletion: Deletion | None = None

    def carry_out(self) -> None:
        """
        :raises ToolchainError: when an option cannot work, the plan is beyond its guards, or items failed
        """
        is_done = False
        try:
            planning = Planning(self._task, ArtifactService(self._task), self._store)
            planning.check()
            plan = planning.plan()
            is_done = plan is None
            operate(self._task, plan, self._delete, result_names=_GIVES)
        except GuardRefusal:
            is_done = True  # the next run plans anew, perhaps with other guards
            raise
        finally:
            if self._deletion:
                is_done = self._deletion.complete
            self._store.end(forget=is_done or not self._store.found_anything)

    def _delete(self) -> Fields:
        self._deletion = Deletion(self._task, self._store)
        return self._deletion.carry_out()


def _check_files(params: Fields) -> None:
    """
    :raises BadOption: when two options name the same file, however they spell it: one would overwrite the other
    """
    for one, other in itertools.combinations([name for name in _FILES if params[name]], 2):
        if _is_same_file(params[one], params[other]):
            raise BadOption(other, f"'{params[other]}' is the same file as '{one}': name another one")


def _is_same_file(path: str, other: str) -> bool:
    if os.path.realpath(path) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False  # one of them does not exist yet
