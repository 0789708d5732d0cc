#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_group
short_description: Manage Klocwork groups
description:
  - Create, update or delete a group of Klocwork users.
  - Groups that are imported from an external directory (LDAP or NIS) are read-only, so the module refuses to change
    them. It also refuses to add users that do not exist.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_group
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permissions C(webapi_access) and C(manage_users).
options:
  name:
    description: Name of the group.
    type: str
    required: true
  users:
    description:
      - Members of the group. Replaces the current members unless O(append=true). An empty list removes all members.
      - If not set, the members are not changed.
    type: list
    elements: str
  append:
    description:
      - Whether to add O(users) to the current members instead of replacing them.
      - Klocwork stores the members as one list, so concurrent tasks that change the same group can overwrite each
        other. The module reads the group back and retries if its members are missing, but a later write can still
        remove them until the next run. Add all members in one task, or set C(throttle=1).
    type: bool
    default: false
  allow_lockout:
    description:
      - Whether to allow a change that takes the permissions C(manage_roles), C(manage_users), C(assign_role) or
        C(webapi_access) from the account of this task.
      - If V(false), the task fails before such a change.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_group_info
  - module: buildworks.toolchain.review_user
"""

EXAMPLES = r"""
- name: Create a group with exactly these members
  buildworks.toolchain.review_group:
    name: developers
    users: [alice, bob]

- name: Add a member
  buildworks.toolchain.review_group:
    name: developers
    users: [admin]
    append: true

- name: Delete a group
  buildworks.toolchain.review_group:
    name: contractors
    state: absent
"""

RETURN = r"""
group:
  description: State of the group after the task or, in check mode, the predicted state. V(null) if the group does not
    exist.
  returned: success
  type: dict
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import groups, permission_check
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + STATE + PREDICT_MISSING + VISIBILITY) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        users=dict(type="list", elements="str", each_element=NAME),
        append=dict(type="bool", default=False),
        allow_lockout=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    desired, review = task.select_provided("name", "users"), ReviewService(task)
    if "users" in desired:
        desired["users"] = sort_unique(desired["users"])

    def check(before: Fields | None, fields: Fields | None) -> None:
        groups.check_change(review, before, fields, task.params["allow_lockout"])
        if not task.predicts_missing:
            groups.check_members(review, before, fields)

    reconcile(
        task,
        "group",
        read=lambda: groups.find(review, desired["name"], prove_absence=task.params["state"] == "absent"),
        desired=lambda before: groups.merge_members(before, desired, task.params["append"]),
        create=lambda fields: groups.create(review, fields),
        update=lambda fields: groups.set_members(review, desired["name"], fields["users"]),
        delete=lambda: review.write("delete_group", name=desired["name"]),
        check=check,
        predict_refusal=lambda: permission_check.check_removal(task, review, "manage_users"),
        to_result=groups.to_result,
        replaces=True,
        cumulative=task.params["append"],
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
