#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_build_info
short_description: Get Klocwork build information
description:
  - Get the builds of a Klocwork project, newest first.
  - If the account cannot use the Web API, set O(via=admin_tool) to use C(kwadmin) instead. C(kwadmin) reports only the
    names of the builds.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_build_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.admin_tool
  - buildworks.toolchain.attributes_info
notes:
  - Requires access to the project and, unless O(via=admin_tool), the permission C(webapi_access).
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Return only the build with this exact name.
    type: str
  via:
    description: Interface used to read the builds.
    type: str
    choices:
      web_api: Use the Klocwork Web API.
      admin_tool: Run O(admin_tool) on the host on which the task runs.
    default: web_api
seealso:
  - module: buildworks.toolchain.review_build
"""

EXAMPLES = r"""
- name: Get all builds of a project
  buildworks.toolchain.review_build_info:
    project: mobile-app
  register: review

- name: Print when the newest build was loaded
  ansible.builtin.debug:
    msg: "{{ review.builds[0].name }} was loaded at {{ review.builds[0].date }}"
  when: review.builds | length > 0

- name: Get the names of the builds with kwadmin
  buildworks.toolchain.review_build_info:
    project: mobile-app
    via: admin_tool
"""

RETURN = r"""
builds:
  description: The builds, newest first.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the build. V(null) with O(via=admin_tool).
      type: int
    name:
      description: Name of the build.
      type: str
    date:
      description:
        - Time at which the build was loaded, in ISO 8601 format with a time zone. V(null) with O(via=admin_tool).
      type: str
    keep:
      description: Whether the build is excluded from automatic deletion. V(null) with O(via=admin_tool).
      type: bool
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.kwadmin import ADMIN_TOOL, AdminTool
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + ADMIN_TOOL) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        name=dict(type="str", **NAME),
        via=dict(type="str", choices=["web_api", "admin_tool"], default="web_api"),
    )
)


def run(task: Task) -> None:
    name, project = task.params["name"], task.params["project"]
    if task.params["via"] == "admin_tool":
        all_builds = builds.list_build_names(AdminTool(task), project)
    else:
        all_builds = builds.list_builds(ReviewService(task), project)
    task.result["builds"] = [build for build in all_builds if name in (None, build["name"])]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
