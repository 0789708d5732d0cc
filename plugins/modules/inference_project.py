# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_project
short_description: Manage an OpenAI project
description:
  - Create, rename or archive a project of an OpenAI organization.
  - The project is identified by O(id) or, if that is not set, by O(name). If several projects have this name, the task
    fails.
  - Archiving cannot be undone. The module treats an archived project as absent, so a new project can reuse its name. If
    the name belongs to an archived project, the task warns, also in check mode.
  - The default project, C(Default project), can be neither changed nor archived, and no other project can have its
    name.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_project
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires O(admin_key).
options:
  name:
    description: Name of the project. If O(id) is set, the project is renamed to this name.
    type: str
  id:
    description: ID of an existing project. Required to rename a project.
    type: str
  external_key_id:
    description: ID of the external key that encrypts the project's data.
    type: str
  residency:
    description:
      - Data residency of a new project, such as V(EU_STORAGE_PROCESSING).
      - The API does not return the residency of existing projects, so the module does not compare this option.
    type: str
seealso:
  - module: buildworks.toolchain.inference_project_info
  - module: buildworks.toolchain.inference_rate_limit
"""

EXAMPLES = r"""
- name: Create a project
  buildworks.toolchain.inference_project:
    name: Search
  register: search

- name: Rename the project
  buildworks.toolchain.inference_project:
    id: "{{ search.project.id }}"
    name: Search and find

- name: Archive the project (cannot be undone)
  buildworks.toolchain.inference_project:
    name: Search and find
    state: absent
"""

RETURN = r"""
project:
  description:
    - State of the project after the task or, in check mode, the predicted state. V(null) if the project does not exist
      or is archived.
  returned: success
  type: dict
  contains:
    id:
      description: ID of the project.
      type: str
    name:
      description: Name of the project.
      type: str
    external_key_id:
      description: ID of the external key that encrypts the project's data.
      type: str
    status:
      description: Either V(active) or V(archived).
      type: str
    created:
      description: Creation time, as a Unix timestamp.
      type: int
    created_at:
      description: Creation time, in ISO 8601 format (UTC).
      type: str
    archived:
      description: Time at which the project was archived, as a Unix timestamp. V(null) if the project is not archived.
      type: int
    archived_at:
      description: Time at which the project was archived, in ISO 8601 format (UTC).
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.projects import Project
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (INFERENCE + STATE + VISIBILITY) + ArgumentSpec(
    dict(
        name=dict(type="str", **NAME),
        id=dict(type="str", **NAME),
        external_key_id=dict(type="str", **NAME),
        residency=dict(type="str", **NAME),
    ),
    required_one_of=[("name", "id")],
)


def run(task: Task) -> None:
    project = Project(task)
    reconcile(
        task,
        "project",
        read=project.find,
        desired=task.select_provided("name", "external_key_id"),
        create=project.create,
        update=project.update,
        delete=project.archive,
        check=project.check,
        to_result=project.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
