#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_view_info
short_description: Get Klocwork view information
description:
  - Get the views of a Klocwork project that the account can see, with their search queries.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_view_info
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
    description: Return only views with this exact name. Several accounts can have a view with the same name.
    type: str
seealso:
  - module: buildworks.toolchain.review_view
"""

EXAMPLES = r"""
- name: Get all views of a project
  buildworks.toolchain.review_view_info:
    project: mobile-app
  register: review

- name: Get the built-in view
  buildworks.toolchain.review_view_info:
    project: mobile-app
    name: "*default*"
"""

RETURN = r"""
views:
  description: The views, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the view.
      type: int
    name:
      description: Name of the view.
      type: str
    query:
      description: Search query.
      type: str
    tags:
      description: Tags, sorted.
      type: list
      elements: str
    public:
      description: Whether other accounts can see the view.
      type: bool
    creator:
      description: Account that created the view.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import views
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = REVIEW + ArgumentSpec(dict(project=dict(type="str", required=True, **NAME), name=dict(type="str", **NAME)))


def run(task: Task) -> None:
    name, all_views = task.params["name"], views.list_views(ReviewService(task), task.params["project"])
    task.result["views"] = [view for view in all_views if name in (None, view["name"])]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
