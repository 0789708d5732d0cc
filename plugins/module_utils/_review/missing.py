# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is not there yet in check mode, because an earlier task of the play would only now have made it."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

PREDICT_MISSING = ArgumentSpec(dict(predict_missing=dict(type="bool", default=False)))


def is_predicted(task: Task) -> bool:
    """Whether what is not there is no error."""
    return bool(task.check_mode and task.params["predict_missing"])


def of_project(
    task: Task, review: ReviewService, project: str, listed: t.Callable[[ReviewService, str], list[Fields]]
) -> list[Fields]:
    """What is listed of a project; nothing of one that may be missing and is."""
    try:
        return listed(review, project)
    except ServerRefusal:
        # Servers differ in the status that tells it
        if is_predicted(task) and project not in projects.ids(review):
            return []
        raise
