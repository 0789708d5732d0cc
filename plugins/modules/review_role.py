#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_role
short_description: Manage a role of a code-analysis server
description:
  - Creates, changes or removes a role, with its permissions, its status transitions and its assignments.
  - Only what is given is compared and changed. A permission that is not given stays as it is, and is off in a new role.
  - Roles that the server keeps itself (read-only ones) can be assigned, but neither changed nor removed.
  - Before the first write the accounts, groups and projects of new assignments are looked up. The role is given before
    it is taken, so that it is never without a holder on the way.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and those to manage and to assign roles.
options:
  name:
    description: Name of the role.
    type: str
    required: true
  permissions:
    description:
      - Permissions to switch on or off, each with V(true) or V(false). Others stay as they are, and are off in a new
        role.
      - The names are those that the server lists, see M(buildworks.toolchain.review_role_info). Another name is refused
        before anything is written.
      - Servers have C(access_source_files), C(assign_role), C(change_issue_status) (as far as O(transitions) allow),
        C(change_project_settings), C(create_build), C(create_project), C(delete_build), C(delete_project),
        C(execute_kwxsync), C(manage_modules), C(manage_roles), C(manage_users), C(use_local_configuration) and
        C(webapi_access), from 2023 on also C(create_stream) and C(delete_stream), and may have more.
      - C(create_project), C(manage_roles), C(manage_users) and C(webapi_access) have an effect only if the role is
        assigned everywhere.
    type: dict
  transitions:
    description:
      - The changes of an issue's status that the role allows. The list is the whole set; an empty one allows none.
      - A status is V(Any), V(Analyze), V(Ignore), V(Not a Problem), V(Fix), V(Fix in Next Release),
        V(Fix in Later Release), V(Defer) or V(Filter), in upper or lower case.
    type: list
    elements: dict
    suboptions:
      from:
        description: Status before.
        type: str
        required: true
      to:
        description: Status after.
        type: str
        required: true
  assignments:
    description: Who has the role, and where. Assignments that are not listed stay, unless O(purge=true).
    type: list
    elements: dict
    suboptions:
      account:
        description: Name of the account. Either this or O(assignments[].group) is needed.
        type: str
      group:
        description: Name of the group.
        type: str
      project:
        description: Name of the project. Without it the role is assigned everywhere.
        type: str
  allow_lockout:
    description:
      - Whether the account of this task may lose the last role that gives it C(manage_roles), C(manage_users),
        C(assign_role) or C(webapi_access).
      - Without it a task that would take such a role from it, by itself or through a group, is refused.
      - An account that has lost it cannot read back what it did, and the task ends with the server's refusal.
    type: bool
    default: false
  purge:
    description: Take the role from all who are not in O(assignments). Without O(assignments) it does nothing.
seealso:
  - module: buildworks.toolchain.review_role_info
"""

EXAMPLES = r"""
- name: Let developers cite issues of one project
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

- name: Let one account, and no other, use the Web API everywhere
  buildworks.toolchain.review_role:
    name: Automation
    permissions:
      webapi_access: true
    assignments:
      - account: alice
    purge: true

- name: Remove a role
  buildworks.toolchain.review_role:
    name: Triage
    state: absent
"""

RETURN = r"""
role:
  description: The role afterwards, or as it would be in check mode. None when it is absent.
  returned: success
  type: dict
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
      returned: when O(assignments) were given
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import PURGE, STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import missing, rights, roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + missing.PREDICT_MISSING + PURGE + STATE) + ArgumentSpec(
    dict(
        allow_lockout=dict(type="bool", default=False),
        name=dict(type="str", required=True, **NAME),
        permissions=dict(type="dict", unchecked="checked against the permissions that the server lists"),
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


def run(task):
    params = task.params
    given = roles.given_role(params)
    review = ReviewService(task)
    known = roles.Roles(review, may_be_missing=missing.is_predicted(task))
    if params["assignments"] is not None:
        given["assignments"] = known.wanted(params["assignments"])
    reconcile(
        task,
        "role",
        read=lambda: known.find(params["name"], "assignments" in given, prove_absence=params["state"] == "absent"),
        desired=lambda before: roles.desired_role(before, given, params["purge"]),
        create=lambda fields: known.create(params["name"], fields),
        update=lambda fields: known.update(params["name"], fields),
        delete=lambda: known.delete(params["name"]),
        check=lambda before, wanted: known.check(before, wanted, params["allow_lockout"]),
        predict_refusal=lambda: rights.predict_removal(task, review, "manage_roles"),
        to_result=roles.as_result,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
