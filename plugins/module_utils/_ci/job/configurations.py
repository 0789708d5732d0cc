# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configurations of existing jobs, without secrets."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.location import item_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document, stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import hide_encrypted, list_texts
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Fields that are read from the configuration of a job, which takes a request for each job
FIELDS: dict[str, t.Callable[[ET.Element], t.Any]] = {"config": document.serialize, "elements": list_texts}


def add_configurations(
    task: Task, ci: CiService, jobs: t.Iterable[dict[str, t.Any]], fields: t.Collection[str]
) -> t.Iterable[dict[str, t.Any]]:
    """Return jobs with those of the fields that are in `FIELDS`. A job that was deleted in the meantime has null.

    In a list, a job whose configuration the account may not read has null as well. The result `refused` names it.
    """
    selected = [name for name in fields if name in FIELDS]
    if not selected:
        return jobs
    found = list(jobs)
    refused: list[str] = []

    def read(_task: Task, name: str) -> ET.Element | None:
        try:
            return stored.fetch(ci, item_path(name))
        except ServerRefusal as refusal:
            if refusal.status != 403 or task.params["job"] is not None:
                raise
            refused.append(name)
            return None

    configurations = read_concurrently(task, [job["name"] for job in found], read)
    for job in found:
        root = configurations.get(job["name"])
        job.update({name: None if root is None else FIELDS[name](hide_encrypted(root)) for name in selected})
    if task.params["job"] is None:
        task.result["refused"] = sorted(refused)
    return found
