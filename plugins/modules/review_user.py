#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_user
short_description: Manage a user of a code-analysis server
description:
  - Creates or removes a user.
  - The server can change nothing of a user that is there, so neither can this module. Roles are given by
    M(buildworks.toolchain.review_role), groups are filled by M(buildworks.toolchain.review_group).
  - A user that comes from a directory (LDAP, NIS) is read-only, and its removal is refused before anything is written.
    So is that of the account which the task itself works with.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and the one to manage users.
options:
  name:
    description: Name of the user.
    type: str
    required: true
  password:
    description:
      - Password of a new user. It is not compared, for the server never tells it.
      - It must not be empty, lest a variable that happens to be so lets anybody in as the new user.
    type: str
  update_password:
    description: When O(password) is set. The server takes it when a user is created, and at no other time.
    type: str
    choices: [on_create]
    default: on_create
seealso:
  - module: buildworks.toolchain.review_user_info
"""

EXAMPLES = r"""
- name: See to it that there is a user
  buildworks.toolchain.review_user:
    name: carol
    password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/carol.password', length=20) }}"

- name: Remove a user
  buildworks.toolchain.review_user:
    name: carol
    state: absent
"""

RETURN = r"""
user:
  description: The user afterwards, or as it would be in check mode. None when it is absent.
  returned: success
  type: dict
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
  sample:
    name: carol
    readonly: false
    roles: []
    groups: [developers]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import rights, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + STATE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        password=dict(type="str", no_log=True, not_empty=True),
        update_password=dict(type="str", choices=["on_create"], default="on_create", no_log=False),
    )
)


def run(task):
    name, review = task.params["name"], ReviewService(task)
    reconcile(
        task,
        "user",
        read=lambda: users.find(review, name, prove_absence=task.params["state"] == "absent"),
        desired={"name": name},
        create=lambda _fields: review.write("create_user", **task.select("name", "password")),
        delete=lambda: review.write("delete_user", name=name),
        check=lambda before, wanted: users.check(review, before, wanted),
        predict_refusal=lambda: rights.predict_removal(task, review, "manage_users"),
        to_result=users.as_result,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
