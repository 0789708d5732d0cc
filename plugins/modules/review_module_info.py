#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_module_info
short_description: List the modules of a code-analysis project
description:
  - Lists the modules of a project, with the patterns of their files and, where the server tells it, who sees them.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission and access to the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Only the module of exactly this name.
    type: str
seealso:
  - module: buildworks.toolchain.review_module
"""

EXAMPLES = r"""
- name: List all modules of a project
  buildworks.toolchain.review_module_info:
    project: mobile-app
  register: review

- name: Look at one module
  buildworks.toolchain.review_module_info:
    project: mobile-app
    name: "*default*"
"""

RETURN = r"""
modules:
  description: The modules, sorted by name. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the module.
      type: str
    paths:
      description: The patterns of its files, sorted.
      type: list
      elements: str
    tags:
      description: The tags, sorted.
      type: list
      elements: str
    allow_all:
      description: Whether everybody sees its issues.
      type: bool
    allow_users:
      description: The users that are let in. None where the server does not tell.
      type: list
      elements: str
    allow_groups:
      description: The groups that are let in. None where the server does not tell.
      type: list
      elements: str
    deny_users:
      description: The users that are kept out. None where the server does not tell.
      type: list
      elements: str
    deny_groups:
      description: The groups that are kept out. None where the server does not tell.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import modules
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(dict(project=dict(type="str", required=True, **NAME), name=dict(type="str", **NAME)))


def run(task):
    name, found = task.params["name"], modules.listed(ReviewService(task), task.params["project"])
    task.result["modules"] = [modules.as_result(module) for module in found if name in (None, module["name"])]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
