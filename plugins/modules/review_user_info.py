#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_user_info
short_description: List the users of a code-analysis server
description:
  - Lists users with the roles that they hold. All are listed, however many there are.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission, and the one to manage users.
options:
  name:
    description: Only the user of exactly this name.
    type: str
  search:
    description: Only users with such names, in which C(*) stands for anything.
    type: str
seealso:
  - module: buildworks.toolchain.review_user
"""

EXAMPLES = r"""
- name: List all users
  buildworks.toolchain.review_user_info:
  register: review

- name: List the users whose names begin so
  buildworks.toolchain.review_user_info:
    search: "dev*"

- name: Look at one user
  buildworks.toolchain.review_user_info:
    name: alice
"""

RETURN = r"""
users:
  description: The users, sorted by name. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the user.
      type: str
    readonly:
      description: Whether the user comes from a directory (LDAP, NIS), which the server does not change.
      type: bool
    roles:
      description: The roles that it holds, C(name) and C(project_id) each, none for everywhere.
      type: list
      elements: dict
    groups:
      description: The groups that the user is in, sorted.
      type: list
      elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import users
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(name=dict(type="str", **NAME), search=dict(type="str", **NAME)),
    mutually_exclusive=[("name", "search")],
)


def run(task):
    name, review = task.params["name"], ReviewService(task)
    if name is None:
        task.result["users"] = users.listed(review, task.params["search"])
    else:
        task.result["users"] = [found for found in [users.find(review, name, prove_absence=True)] if found]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
