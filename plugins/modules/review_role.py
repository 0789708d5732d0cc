#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_role
short_description: Manage Klocwork roles
description:
  - Create, update or delete a Klocwork role with its permissions, status transitions and assignments.
  - The module compares and changes only the options that are set. Read-only roles, which the server manages, can be
    assigned but not changed or deleted.
  - Before the first write, the module verifies that the accounts, groups and projects of new assignments exist. It adds
    assignments before it removes others, so that the role is never unassigned in between.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_role
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permissions C(webapi_access), C(manage_roles) and C(assign_role).
options:
  name:
    description: Name of the role.
    type: str
    required: true
  permissions:
    description:
      - Permissions to grant (V(true)) or revoke (V(false)). Other permissions are not changed. A new role has only the
        permissions that are granted here.
      - "Klocwork has the permissions C(access_source_files), C(assign_role), C(change_issue_status) (limited by
        O(transitions)), C(change_project_settings), C(create_build), C(create_project), C(delete_build),
        C(delete_project), C(execute_kwxsync), C(manage_modules), C(manage_roles), C(manage_users),
        C(use_local_configuration), C(webapi_access) and, since Klocwork 2023, C(create_stream) and C(delete_stream).
        M(buildworks.toolchain.review_role_info) returns the permissions of a server. The task fails if the server
        does not have one of the permissions."
      - C(create_project), C(manage_roles), C(manage_users) and C(webapi_access) take effect only if the role is
        assigned globally.
    type: dict
  transitions:
    description:
      - Status transitions of issues that the role allows. Replaces the current transitions. An empty list allows none.
      - The statuses are V(Any), V(Analyze), V(Ignore), V(Not a Problem), V(Fix), V(Fix in Next Release),
        V(Fix in Later Release), V(Defer) and V(Filter). They are not case-sensitive.
    type: list
    elements: dict
    suboptions:
      from:
        description: Status before the transition.
        type: str
        required: true
      to:
        description: Status after the transition.
        type: str
        required: true
  assignments:
    description: Assignments of the role. Other assignments are not changed unless O(purge=true).
    type: list
    elements: dict
    suboptions:
      account:
        description: Name of the account. Either O(assignments[].account) or O(assignments[].group) is required.
        type: str
      group:
        description: Name of the group.
        type: str
      project:
        description: Name of the project. If not set, the role is assigned globally.
        type: str
  allow_lockout:
    description:
      - Whether to allow a change that takes the permissions C(manage_roles), C(manage_users), C(assign_role) or
        C(webapi_access) from the account of this task, directly or through a group.
      - If V(false), the task fails before such a change.
      - If V(true) and the account loses its permissions, it cannot read back the result. The task then fails with the
        error of the server.
    type: bool
    default: false
  purge:
    description: Whether to remove assignments that are not in O(assignments). Ignored if O(assignments) is not set.
seealso:
  - module: buildworks.toolchain.review_role_info
"""

EXAMPLES = r"""
- name: Allow developers to cite the issues of a project
  buildworks.toolchain.review_role:
    name: Triage
    permissions:
      access_source_files: true
      change_issue_status: true
    transitions:
      - from: Any
        to: Analyze
      - from: Analyze
        to: Fix in Next Release
    assignments:
      - group: developers
        project: mobile-app

- name: Restrict global Web API access to one account
  buildworks.toolchain.review_role:
    name: Automation
    permissions:
      webapi_access: true
    assignments:
      - account: alice
    purge: true

- name: Delete a role
  buildworks.toolchain.review_role:
    name: Triage
    state: absent
"""

RETURN = r"""
role:
  description: State of the role after the task or, in check mode, the predicted state. V(null) if the role does not
    exist.
  returned: success
  type: dict
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
        - Assignments with C(account) or C(group), and C(project). The project is V(null) for global assignments.
      returned: when O(assignments) is set
      type: list
      elements: dict
  sample:
    name: Triage
    readonly: false
    permissions:
      access_source_files: true
      change_issue_status: true
    transitions:
      - from: Any
        to: Analyze
    assignments:
      - account: null
        group: developers
        project: mobile-app
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import permission_check, roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + PREDICT_MISSING + PURGE + STATE + VISIBILITY) + ArgumentSpec(
    dict(
        allow_lockout=dict(type="bool", default=False),
        name=dict(type="str", required=True, **NAME),
        permissions=dict(
            type="dict", refuses_null=True, unchecked="checked against the permissions that the server lists"
        ),
        transitions=dict(
            type="list",
            elements="dict",
            options={
                "from": dict(type="str", required=True, unchecked="checked as a status"),
                "to": dict(type="str", required=True, unchecked="checked as a status"),
            },
        ),
        assignments=dict(
            type="list",
            elements="dict",
            options=dict(
                account=dict(type="str", **NAME),
                group=dict(type="str", **NAME),
                project=dict(type="str", narrows_scope=True, **NAME),
            ),
            mutually_exclusive=[("account", "group")],
            required_one_of=[("account", "group")],
        ),
    )
)


def run(task: Task) -> None:
    params = task.params
    desired = roles.parse_role(params)
    review = ReviewService(task)
    all_roles = roles.Roles(review, may_be_missing=task.predicts_missing)
    if params["assignments"] is not None:
        desired["assignments"] = all_roles.parse_assignments(params["assignments"])
    reconcile(
        task,
        "role",
        read=lambda: all_roles.find(
            params["name"], "assignments" in desired, prove_absence=params["state"] == "absent"
        ),
        desired=lambda before: roles.add_purge(before, desired, params["purge"]),
        create=lambda fields: all_roles.create(params["name"], fields),
        update=lambda fields: all_roles.update(params["name"], fields),
        delete=lambda: all_roles.delete(params["name"]),
        check=lambda before, desired: all_roles.check_change(before, desired, params["allow_lockout"]),
        predict_refusal=lambda: permission_check.check_removal(task, review, "manage_roles"),
        to_result=roles.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
