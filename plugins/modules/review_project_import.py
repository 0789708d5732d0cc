#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_project_import
short_description: Import a Klocwork project from another server
description:
  - Import a project from another Klocwork server and wait until the import has finished. By default, nothing is
    imported if a project with this name exists.
  - If an import of the project is already running, the module waits for it instead of starting another one.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_project_import
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.review_source
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(webapi_access) and the role C(Projects root admin) on both servers.
  - Klocwork does not document how it reports imports. The module considers an import finished or failed if a status or
    state in its record says so, or finished if two consecutive responses do not list it.
  - Records that existed before the task, and records of other projects or sources, are ignored. Records are identified
    by their IDs. If another import starts at the same time and neither record names a project or source, the task waits
    for both.
  - If an import fails before the server lists it and leaves no record, the task fails only after O(wait_timeout).
options:
  name:
    description: Name of the project on both servers.
    type: str
    required: true
  force:
    description:
      - Whether to import the project even if a project with this name exists.
      - The server may refuse such an import. Check mode cannot predict this.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_server_import
  - module: buildworks.toolchain.review_project
"""

EXAMPLES = r"""
- name: Import a project from the old server
  buildworks.toolchain.review_project_import:
    name: firmware
    source_url: https://old-review.example.com:8443
    source_username: admin
    source_password: "{{ lookup('ansible.builtin.env', 'OLD_REVIEW_PASSWORD') }}"
    wait_timeout: 3600
"""

RETURN = r"""
plan:
  description:
    - Planned action. V(null) if the project exists. The C(action) is V(wait) if an import is already running.
  returned: success
  type: dict
  sample:
    action: import
    source: https://old-review.example.com:8443
    project: firmware
project:
  description: The project. V(null) if it does not exist yet.
  returned: success
  type: dict
  contains:
    id:
      description: ID of the project.
      type: str
    name:
      description: Name of the project.
      type: str
    creator:
      description: Account that created the project.
      type: str
    description:
      description: Description of the project.
      type: str
    tags:
      description: Tags, sorted.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects.imports import SOURCE, Import
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + SOURCE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        force=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    project_import = Import(task, ReviewService(task), task.params["name"])
    plan = project_import.plan()
    operate(task, plan, project_import.run, changes_state=project_import.should_start)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
