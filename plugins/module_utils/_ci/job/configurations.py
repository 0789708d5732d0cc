# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configurations of existing jobs, without secrets."""

from __future__ import annotations

import copy
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.location import item_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document, stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import ENCRYPTED, list_texts
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import is_encrypted
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Fields that are read from the configuration of a job, which takes a request for each job
FIELDS: dict[str, t.Callable[[ET.Element], t.Any]] = {"config": document.serialize, "elements": list_texts}


def add_configurations(
    task: Task, ci: CiService, jobs: t.Iterable[dict[str, t.Any]], fields: t.Collection[str]
) -> t.Iterable[dict[str, t.Any]]:
    """Return jobs with those of the fields that are in `FIELDS`. A job that was deleted in the meantime has null."""
    selected = [name for name in fields if name in FIELDS]
    if not selected:
        return jobs
    found = list(jobs)
    names = [job["name"] for job in found]
    configurations = read_concurrently(task, names, lambda _task, name: stored.fetch(ci, item_path(name)))
    for job in found:
        root = configurations.get(job["name"])
        job.update({name: None if root is None else FIELDS[name](_hide_secrets(root)) for name in selected})
    return found


def _hide_secrets(root: ET.Element) -> ET.Element:
    hidden = copy.deepcopy(root)
    for element in hidden.iter():
        if is_encrypted(element.text):
            element.text = ENCRYPTED
    return hidden
