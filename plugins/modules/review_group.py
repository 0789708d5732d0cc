#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_group
short_description: Manage a group of a code-analysis server
description:
  - Creates, changes or removes a group of users.
  - A group that comes from a directory (LDAP, NIS) is read-only, and is refused before anything is written. So is a new
    member who is not there.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and the one to manage users.
options:
  name:
    description: Name of the group.
    type: str
    required: true
  users:
    description:
      - The members. The list is the whole set, unless O(append=true); an empty one removes all.
      - Without it the members stay as they are.
    type: list
    elements: str
  append:
    description:
      - Whether members that are not in O(users) stay.
      - Klocwork stores the members as one list. If two tasks add members to a group at the same time, the second list
        replaces the first. Each task therefore reads the group back, and adds its members again if they are missing. An
        addition that is replaced later is lost until the next run. Do not add members to one group from several hosts
        in parallel. List them in one task, or use C(throttle=1).
    type: bool
    default: false
  allow_lockout:
    description:
      - Whether the account of this task may leave the group that gives it C(manage_roles), C(manage_users),
        C(assign_role) or C(webapi_access).
      - Without it a task that would take the last such role from it is refused.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_group_info
  - module: buildworks.toolchain.review_user
"""

EXAMPLES = r"""
- name: Make these the developers, and nobody else
  buildworks.toolchain.review_group:
    name: developers
    users: [alice, bob]

- name: Let one more in
  buildworks.toolchain.review_group:
    name: developers
    users: [admin]
    append: true

- name: Remove a group
  buildworks.toolchain.review_group:
    name: contractors
    state: absent
"""

RETURN = r"""
group:
  description: The group afterwards, or as it would be in check mode. None when it is absent.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the group.
      type: str
    readonly:
      description: Whether the group comes from a directory (LDAP, NIS), which the server does not change.
      type: bool
    users:
      description: The members, sorted.
      type: list
      elements: str
    roles:
      description: The roles that it holds, C(name) and C(project_id) each, none for everywhere.
      type: list
      elements: dict
    groups:
      description: The groups that the server tells with it, sorted.
      type: list
      elements: str
  sample:
    name: developers
    readonly: false
    users: [alice, bob]
    roles:
      - name: Project admin
        project_id: mobile_app
    groups: []
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import groups, missing, rights
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + STATE + missing.PREDICT_MISSING) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        users=dict(type="list", elements="str", each_element=NAME),
        append=dict(type="bool", default=False),
        allow_lockout=dict(type="bool", default=False),
    )
)


def run(task):
    given, review = task.select_provided("name", "users"), ReviewService(task)
    if "users" in given:
        given["users"] = sort_unique(given["users"])

    def check(before, wanted):
        groups.check(review, before, wanted, task.params["allow_lockout"])
        if not missing.is_predicted(task):
            groups.check_members(review, before, wanted)

    reconcile(
        task,
        "group",
        read=lambda: groups.find(review, given["name"], prove_absence=task.params["state"] == "absent"),
        desired=lambda before: groups.desired(before, given, task.params["append"]),
        create=lambda fields: groups.create(review, fields),
        update=lambda fields: groups.set_members(review, given["name"], fields["users"]),
        delete=lambda: review.write("delete_group", name=given["name"]),
        check=check,
        predict_refusal=lambda: rights.predict_removal(task, review, "manage_users"),
        to_result=groups.as_result,
        cumulative=task.params["append"],
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
