#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_user
short_description: Manage Klocwork users
description:
  - Create or delete a Klocwork user.
  - Klocwork cannot update existing users. Use M(buildworks.toolchain.review_role) to assign roles and
    M(buildworks.toolchain.review_group) to manage group membership.
  - The module refuses to delete users that are imported from an external directory (LDAP or NIS), because they are
    read-only. Unless O(allow_lockout=true), it also refuses to delete the account of the task.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_user
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permissions C(webapi_access) and C(manage_users).
options:
  name:
    description: Name of the user.
    type: str
    required: true
  password:
    description:
      - Password of a new user. The password of an existing user is neither compared nor changed.
      - Must not be empty, so that an unset variable cannot create a user without a password.
    type: str
  update_password:
    description: When to set O(password).
    type: str
    choices:
      on_create: Set the password only when the user is created. Klocwork cannot change it later.
    default: on_create
  allow_lockout:
    description:
      - Whether to allow the deletion of the account of this task.
      - If V(true), the module cannot verify the deletion of its account. The task then fails with the error of the
        server, although the account was deleted.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_user_info
"""

EXAMPLES = r"""
- name: Create a user
  buildworks.toolchain.review_user:
    name: carol
    password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/carol.password', length=20) }}"

- name: Delete a user
  buildworks.toolchain.review_user:
    name: carol
    state: absent
"""

RETURN = r"""
user:
  description: State of the user after the task or, in check mode, the predicted state. V(null) if the user does not
    exist.
  returned: success
  type: dict
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
  sample:
    name: carol
    readonly: false
    roles: []
    groups: [developers]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import permission_check, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + STATE + VISIBILITY) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        password=dict(type="str", no_log=True, not_empty=True),
        update_password=dict(type="str", choices=["on_create"], default="on_create", no_log=False),
        allow_lockout=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    name, review = task.params["name"], ReviewService(task)
    reconcile(
        task,
        "user",
        read=lambda: users.find(review, name, prove_absence=task.params["state"] == "absent"),
        desired={"name": name},
        create=lambda _fields: review.write("create_user", **task.select("name", "password")),
        delete=lambda: review.write("delete_user", name=name),
        check=lambda before, desired: users.check_change(review, before, desired, task.params["allow_lockout"]),
        predict_refusal=lambda: permission_check.check_removal(task, review, "manage_users"),
        to_result=users.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
