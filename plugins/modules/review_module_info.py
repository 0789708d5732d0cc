#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_module_info
short_description: Get Klocwork module information
description:
  - Get the modules of a Klocwork project with their path patterns and, if the server returns them, the users and groups
    that can see their issues.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_module_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permission C(webapi_access) and access to the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Return only the module with this exact name.
    type: str
seealso:
  - module: buildworks.toolchain.review_module
"""

EXAMPLES = r"""
- name: Get all modules of a project
  buildworks.toolchain.review_module_info:
    project: mobile-app
  register: review

- name: Get the built-in module
  buildworks.toolchain.review_module_info:
    project: mobile-app
    name: "*default*"
"""

RETURN = r"""
modules:
  description: The modules, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the module.
      type: str
    paths:
      description: Path patterns, sorted.
      type: list
      elements: str
    tags:
      description: Tags, sorted.
      type: list
      elements: str
    allow_all:
      description: Whether all users can see the issues.
      type: bool
    allow_users:
      description: Users who can see the issues. V(null) if the server does not return them.
      type: list
      elements: str
    allow_groups:
      description: Groups that can see the issues. V(null) if the server does not return them.
      type: list
      elements: str
    deny_users:
      description: Users who cannot see the issues. V(null) if the server does not return them.
      type: list
      elements: str
    deny_groups:
      description: Groups that cannot see the issues. V(null) if the server does not return them.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import modules
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = REVIEW + ArgumentSpec(dict(project=dict(type="str", required=True, **NAME), name=dict(type="str", **NAME)))


def run(task: Task) -> None:
    name, all_modules = task.params["name"], modules.list_modules(ReviewService(task), task.params["project"])
    task.result["modules"] = [modules.to_result(module) for module in all_modules if name in (None, module["name"])]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
