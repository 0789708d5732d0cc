#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_project_import
short_description: Import a project from another code-analysis server
description:
  - Imports a project from another server, unless there is one of this name, and waits for the end.
  - An import of it that is under way is waited for, and no other begun.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.review_source
  - buildworks.toolchain.wait
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and the role C(Projects root admin) on both servers.
  - How servers report imports is not published. An import has ended or failed if a status or state in its record says
    so. It has also ended if it is no longer listed in two responses in a row.
  - Records that existed before the task, and records of other projects or other sources, are ignored. Records are
    recognized by their ids. If another import begins at the same time, and neither record contains a project or a
    source, the task waits for both.
  - One that fails before it is ever listed, and leaves no word, is told only at the end of O(wait_timeout).
options:
  name:
    description: Name of the project, there as here.
    type: str
    required: true
  force:
    description:
      - Whether to import the project although a project of this name exists.
      - The server may refuse that. Check mode cannot tell and predicts an import.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_server_import
  - module: buildworks.toolchain.review_project
"""

EXAMPLES = r"""
- name: Take over a project of the old server
  buildworks.toolchain.review_project_import:
    name: firmware
    source_url: https://old-review.example.com:8443
    source_username: admin
    source_password: "{{ lookup('ansible.builtin.env', 'OLD_REVIEW_PASSWORD') }}"
    wait_timeout: 3600
"""

RETURN = r"""
plan:
  description: What is done. None for nothing to do. The C(action) is C(wait) when an import is under way.
  returned: success
  type: dict
  sample:
    action: import
    source: https://old-review.example.com:8443
    project: firmware
project:
  description: The project. None while it is not there.
  returned: success
  type: dict
  contains:
    id:
      description: Id of the project.
      type: str
    name:
      description: Name of the project.
      type: str
    creator:
      description: The account that created it.
      type: str
    description:
      description: Its description.
      type: str
    tags:
      description: Its tags, sorted.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.imports import SOURCE, Import
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + SOURCE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        force=dict(type="bool", default=False),
    )
)


def run(task):
    importing = Import(task, ReviewService(task), task.params["name"])
    plan = importing.plan()
    operate(task, plan, importing.carry_out, changes_state=importing.begins)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
