#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_group_info
short_description: Get Klocwork group information
description:
  - Get Klocwork groups with their members and roles. The number of results is not limited.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_group_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permissions C(webapi_access) and C(manage_users).
options:
  name:
    description: Return only the group with this exact name. Mutually exclusive with O(search).
    type: str
  search:
    description: Return only groups whose name matches this pattern. C(*) matches any text.
    type: str
seealso:
  - module: buildworks.toolchain.review_group
"""

EXAMPLES = r"""
- name: Get all groups
  buildworks.toolchain.review_group_info:
  register: review

- name: Get the groups whose names begin with "dev"
  buildworks.toolchain.review_group_info:
    search: "dev*"

- name: Get one group
  buildworks.toolchain.review_group_info:
    name: developers
"""

RETURN = r"""
groups:
  description: The groups, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the group.
      type: str
    readonly:
      description: Whether the group is imported from an external directory (LDAP or NIS) and cannot be changed.
      type: bool
    users:
      description: Members of the group, sorted.
      type: list
      elements: str
    roles:
      description: Roles of the group, with C(name) and C(project_id). The project ID is V(null) for global roles.
      type: list
      elements: dict
    groups:
      description: Groups that the server reports for this group, sorted.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import groups
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(name=dict(type="str", **NAME), search=dict(type="str", **NAME)),
    mutually_exclusive=[("name", "search")],
)


def run(task: Task) -> None:
    name, review = task.params["name"], ReviewService(task)
    if name is None:
        task.result["groups"] = groups.list_groups(review, task.params["search"])
    else:
        task.result["groups"] = [group for group in [groups.find(review, name, prove_absence=True)] if group]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
