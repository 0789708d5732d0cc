#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_role_info
short_description: List the roles of a code-analysis server
description:
  - Lists roles with their permissions, their status transitions and their assignments.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission, and the one to manage roles.
options:
  name:
    description: Only the role of exactly this name.
    type: str
  search:
    description: Only roles with this text in their names. A plus at its beginning is a part of the text.
    type: str
seealso:
  - module: buildworks.toolchain.review_role
"""

EXAMPLES = r"""
- name: List all roles
  buildworks.toolchain.review_role_info:
  register: review

- name: See who administers projects
  buildworks.toolchain.review_role_info:
    name: Project admin
  register: admins

- name: List the roles that have to do with builds
  buildworks.toolchain.review_role_info:
    search: build
"""

RETURN = r"""
roles:
  description: The roles, sorted by name. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the role.
      type: str
    readonly:
      description: Whether the server keeps it itself.
      type: bool
    permissions:
      description: Permission to whether it is on.
      type: dict
    transitions:
      description: The allowed changes of an issue's status (C(from), C(to)), sorted.
      type: list
      elements: dict
    assignments:
      description: Who has the role (C(account) or C(group)), and on which C(project), none for everywhere.
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(name=dict(type="str", **NAME), search=dict(type="str", **NAME)),
    mutually_exclusive=[("name", "search")],
)


def run(task):
    name, known = task.params["name"], roles.Roles(ReviewService(task))
    if name is None:
        found = known.with_text(task.params["search"])
    else:
        found = [role for role in [known.find(name, with_assignments=True)] if role]
    task.result["roles"] = [roles.as_result(role) for role in found]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
