# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Resources of a project that does not exist, because an earlier task would create it or because it was deleted."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import MissingName, ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import NOT_PERMITTED, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


def list_in_project(
    task: Task, review: ReviewService, project: str, listed: t.Callable[[ReviewService, str], list[Fields]]
) -> list[Fields]:
    """Return the resources of a project.

    If the project does not exist, the list is empty when its creation is predicted or when the task deletes a resource.
    """
    try:
        return listed(review, project)
    except ServerRefusal as refusal:
        # The status for an unknown project depends on the version of Klocwork
        if refusal.status in NOT_PERMITTED or not projects.is_missing(review, project):
            raise
        if task.params["state"] == "absent" or task.predicts_missing:
            return []
        raise MissingName(
            "project", f"project '{project}' does not exist, or the account has no access to it"
        ) from None
