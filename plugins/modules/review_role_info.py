#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_role_info
short_description: Get Klocwork role information
description:
  - Get Klocwork roles with their permissions, status transitions and assignments.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_role_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permissions C(webapi_access) and C(manage_roles).
options:
  name:
    description: Return only the role with this exact name. Mutually exclusive with O(search).
    type: str
  search:
    description: Return only roles whose name contains this text. A leading plus sign is part of the text.
    type: str
seealso:
  - module: buildworks.toolchain.review_role
"""

EXAMPLES = r"""
- name: Get all roles
  buildworks.toolchain.review_role_info:
  register: review

- name: Get the project administrators
  buildworks.toolchain.review_role_info:
    name: Project admin
  register: admins

- name: Get the roles whose names contain "build"
  buildworks.toolchain.review_role_info:
    search: build
"""

RETURN = r"""
roles:
  description: The roles, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the role.
      type: str
    readonly:
      description: Whether the server manages the role, so that it cannot be changed.
      type: bool
    permissions:
      description: Permissions by name. The value is V(true) if the permission is granted.
      type: dict
    transitions:
      description: Allowed status transitions with C(from) and C(to), sorted.
      type: list
      elements: dict
    assignments:
      description:
        - Assignments of the role. Each has the key C(account) or C(group), and the key C(project), which is V(null) for
          a global assignment.
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(name=dict(type="str", **NAME), search=dict(type="str", **NAME)),
    mutually_exclusive=[("name", "search")],
)


def run(task: Task) -> None:
    name, all_roles = task.params["name"], roles.Roles(ReviewService(task))
    if name is None:
        matches = all_roles.search_text(task.params["search"])
    else:
        matches = [role for role in [all_roles.find(name, with_assignments=True)] if role]
    task.result["roles"] = [roles.to_result(role) for role in matches]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
