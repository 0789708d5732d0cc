#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_user_info
short_description: Get Klocwork user information
description:
  - Get Klocwork users with their roles and groups. The number of results is not limited.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_user_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permissions C(webapi_access) and C(manage_users).
options:
  name:
    description: Return only the user with this exact name. Mutually exclusive with O(search).
    type: str
  search:
    description: Return only users whose name matches this pattern. C(*) matches any text.
    type: str
seealso:
  - module: buildworks.toolchain.review_user
"""

EXAMPLES = r"""
- name: Get all users
  buildworks.toolchain.review_user_info:
  register: review

- name: Get the users whose names begin with "dev"
  buildworks.toolchain.review_user_info:
    search: "dev*"

- name: Get one user
  buildworks.toolchain.review_user_info:
    name: alice
"""

RETURN = r"""
users:
  description: The users, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the user.
      type: str
    readonly:
      description: Whether the user is imported from an external directory (LDAP or NIS) and cannot be changed.
      type: bool
    roles:
      description: Roles of the user, with C(name) and C(project_id). The project ID is V(null) for global roles.
      type: list
      elements: dict
    groups:
      description: Groups of the user, sorted.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import users
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(name=dict(type="str", **NAME), search=dict(type="str", **NAME)),
    mutually_exclusive=[("name", "search")],
)


def run(task: Task) -> None:
    name, review = task.params["name"], ReviewService(task)
    if name is None:
        task.result["users"] = users.list_users(review, task.params["search"])
    else:
        task.result["users"] = [user for user in [users.find(review, name, prove_absence=True)] if user]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
