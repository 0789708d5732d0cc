#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_project_info
short_description: List the projects of a code-analysis server
description:
  - Lists the projects that the account may see. A project's name is what other modules take; its id is in addresses.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
options:
  name:
    description: Only the project of exactly this name.
    type: str
"""

EXAMPLES = r"""
- name: List all projects
  buildworks.toolchain.review_project_info:
  register: review

- name: Look at one project
  buildworks.toolchain.review_project_info:
    name: mobile-app
"""

RETURN = r"""
projects:
  description: The projects, sorted by name. Empty when there is none.
  returned: success
  type: list
  elements: dict
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.views import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(dict(name=dict(type="str")))


def run(task):
    name = task.params["name"]
    task.result["projects"] = [found for found in projects(ReviewService(task)) if name in (None, found["name"])]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
