#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_view_info
short_description: List the views of a code-analysis project
description:
  - Lists the views of a project that the account may see, with their queries.
version_added: 0.1.0
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
    description: Only views of exactly this name. Several accounts may have one.
    type: str
seealso:
  - module: buildworks.toolchain.review_view
"""

EXAMPLES = r"""
- name: List all views of a project
  buildworks.toolchain.review_view_info:
    project: mobile-app
  register: review

- name: Look at one view
  buildworks.toolchain.review_view_info:
    project: mobile-app
    name: "*default*"
"""

RETURN = r"""
views:
  description: The views, sorted by name. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the view.
      type: int
    name:
      description: Name of the view.
      type: str
    query:
      description: The query.
      type: str
    tags:
      description: The tags, sorted.
      type: list
      elements: str
    public:
      description: Whether other accounts see it.
      type: bool
    creator:
      description: The account that created it.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import views
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(dict(project=dict(type="str", required=True, **NAME), name=dict(type="str", **NAME)))


def run(task):
    name, found = task.params["name"], views.listed(ReviewService(task), task.params["project"])
    task.result["views"] = [view for view in found if name in (None, view["name"])]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
