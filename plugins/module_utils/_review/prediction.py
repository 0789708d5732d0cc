# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Resources that are missing: in check mode because an earlier task would create them, or with their project."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import NOT_PERMITTED, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

PREDICT_MISSING = ArgumentSpec(dict(predict_missing=dict(type="bool", default=False)))


def is_predicted(task: Task) -> bool:
    """Whether what is not there is no error."""
    return bool(task.check_mode and task.params.get("predict_missing"))


def list_in_project(
    task: Task, review: ReviewService, project: str, listed: t.Callable[[ReviewService, str], list[Fields]]
) -> list[Fields]:
    """Return what a project contains.

    A missing project contains nothing if it is predicted, or if the task removes something from it.
    """
    try:
        return listed(review, project)
    except ServerRefusal as refusal:
        # Servers differ in the status of an unknown project
        removes = task.params["state"] == "absent" and refusal.status not in NOT_PERMITTED
        if (removes or is_predicted(task)) and projects.is_missing(review, project):
            return []
        raise
