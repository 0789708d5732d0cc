# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a cleanup: plan it, and delete the items of the plan."""

from __future__ import annotations

import itertools
import os

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion.deleter import Deletion
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning.planner import Planner
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning.summary import (
    LimitExceeded,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import writable_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_RESULT_NAMES = ("counts", "failures", "outcomes", "hidden", "deleted")
_FILES = ("from_plan", "plan_file", "state_file", "to_file")


class Cleanup:
    """A cleanup. Its state is kept for a later run until all items were tried."""

    def __init__(self, task: Task) -> None:
        _check_files(task.params)
        self._task = task
        self._store = Store(writable_path(task, task.params["state_file"]))
        self._deletion: Deletion | None = None

    def run(self) -> None:
        """Plan the cleanup and, outside check mode, delete the items of the plan.

        :raises ToolchainError: if an option is invalid, the plan exceeds a limit, or items failed
        """
        is_done = False
        try:
            planner = Planner(self._task, ArtifactService(self._task), self._store)
            planner.check_options()
            plan = planner.plan()
            is_done = plan is None
            operate(self._task, plan, lambda: self._delete(planner), result_names=_RESULT_NAMES)
        except LimitExceeded:
            is_done = True  # the next run creates a new plan, perhaps with other limits
            raise
        finally:
            if self._deletion:
                is_done = self._deletion.is_complete
            self._store.close(delete=is_done or not self._store.has_progress)

    def _delete(self, planner: Planner) -> Fields:
        planner.prepare_deletion()
        self._deletion = Deletion(self._task, self._store)
        return self._deletion.run()


def _check_files(params: Fields) -> None:
    """Verify that options refer to different files, because one would overwrite the other.

    :raises BadOption: if two options refer to the same file
    """
    for one, other in itertools.combinations([name for name in _FILES if params[name]], 2):
        if _is_same_file(params[one], params[other]):
            raise BadOption(other, f"'{params[other]}' is the same file as in '{one}'. Specify another file")


def _is_same_file(path: str, other: str) -> bool:
    if os.path.realpath(path) == os.path.realpath(other):
        return True
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False  # one of them does not exist yet
