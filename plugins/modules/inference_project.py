# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_project
short_description: Manage a project of an organization
description:
  - Creates, renames or archives a project. A project that is archived counts as absent; that cannot be undone.
  - A project is known by its name, or by its O(id). The service lets several projects have one name; then a task that
    goes by the name fails.
  - A name that only archived projects have is free, and a new project gets it. The task warns then, in check mode, too.
  - The default project, known by its name, can be neither changed nor archived, and no other gets its name.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs an O(admin_key).
options:
  name:
    description: Name of the project. With O(id) this is the name that it shall have.
    type: str
  id:
    description: Id of the project. Needed to rename it; there must be one.
    type: str
  external_key_id:
    description: Id of a key outside the service, with which its data are encrypted.
    type: str
  residency:
    description:
      - Where its data are kept and processed, such as V(EU_STORAGE_PROCESSING). Only for a new project; the service
        does not tell it of others, so it is not compared.
    type: str
seealso:
  - module: buildworks.toolchain.inference_project_info
  - module: buildworks.toolchain.inference_rate_limit
"""

EXAMPLES = r"""
- name: See to it that there is a project
  buildworks.toolchain.inference_project:
    name: Search
  register: search

- name: Rename it
  buildworks.toolchain.inference_project:
    id: "{{ search.project.id }}"
    name: Search and find

- name: Archive it, which cannot be undone
  buildworks.toolchain.inference_project:
    name: Search and find
    state: absent
"""

RETURN = r"""
project:
  description: The project afterwards, or as it would be in check mode. None when it is archived or not there.
  returned: success
  type: dict
  contains:
    id:
      description: Id of the project.
      type: str
    name:
      description: Name of the project.
      type: str
    external_key_id:
      description: Id of the key outside the service that its data are encrypted with, if it has one.
      type: str
    status:
      description: V(active) or V(archived).
      type: str
    created:
      description: When it was made, in seconds since 1970.
      type: int
    created_at:
      description: The same as a date and time, in UTC.
      type: str
    archived:
      description: When it was archived, in seconds since 1970; none if never.
      type: int
    archived_at:
      description: The same as a date and time, in UTC.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.projects import Projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (INFERENCE + STATE) + ArgumentSpec(
    dict(
        name=dict(type="str", **NAME),
        id=dict(type="str", **NAME),
        external_key_id=dict(type="str", **NAME),
        residency=dict(type="str", **NAME),
    ),
    required_one_of=[("name", "id")],
)


def run(task):
    projects = Projects(task)
    reconcile(
        task,
        "project",
        read=projects.find,
        desired=task.select_provided("name", "external_key_id"),
        create=projects.create,
        update=projects.update,
        delete=projects.archive,
        check=projects.check,
        to_result=projects.shown,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
