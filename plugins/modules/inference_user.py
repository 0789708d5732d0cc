# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_user
short_description: Manage an OpenAI organization user
description:
  - Invite, update or remove a user of an OpenAI organization, including the user's projects.
  - The user is identified by the email address. If no user has this address, the module sends an invitation. The API
    cannot change invitations. If an invitation has expired or differs from the options, the module deletes it and sends
    a new one.
  - With O(state=absent), the module removes the user and deletes open invitations.
  - The module never removes or demotes the last owner of the organization. Unless O(allow_lockout=true), it also
    refuses to remove or demote the owner of the O(admin_key).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_user
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires O(admin_key).
  - If O(projects) is set, the module sends one request for each project of the organization, because the API does not
    list the projects of a user. O(admin_requests_per_minute) limits the request rate.
options:
  email:
    description: Email address of the user. Not case-sensitive.
    type: str
    required: true
  role:
    description:
      - Role in the organization.
      - If not set, the role of an existing user is not changed, and a new user is invited as V(reader).
    type: str
    choices:
      owner: Can administer the organization.
      reader: Can use the API but not administer the organization.
  projects:
    description:
      - All projects of the user. The user is removed from projects that are not listed. An empty list removes the user
        from all projects.
      - If not set, the projects of an existing user are not changed, and the API adds an invited user to the default
        project.
      - An owner of the organization can be added to projects, but cannot be removed from a project or given another
        role in it.
    type: list
    elements: dict
    suboptions:
      id:
        description: ID of the project. Mutually exclusive with O(projects[].name). One of them is required.
        type: str
      name:
        description: Name of the project. Only one active project may have this name.
        type: str
      role:
        description: Role in the project.
        type: str
        choices:
          owner: Can administer the project.
          member: Can use the project.
        default: member
  allow_lockout:
    description:
      - Whether to allow the removal or demotion of the owner of the O(admin_key) with which this task authenticates.
      - If V(false), the task fails before such a change. It also fails if the owner of the key is unknown, because the
        API does not list the key.
      - If V(true) and the key becomes invalid, the module cannot read the result. The task then fails with the error of
        the API, although the change took effect.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.inference_user_info
"""

EXAMPLES = r"""
- name: Add a user to two projects
  buildworks.toolchain.inference_user:
    email: dora@sandbox.example
    role: reader
    projects:
      - name: Sandbox
        role: owner
      - id: proj_default

- name: Invite a user without projects
  buildworks.toolchain.inference_user:
    email: emil@sandbox.example
    projects: []

- name: Remove a user
  buildworks.toolchain.inference_user:
    email: bob@sandbox.example
    state: absent
"""

RETURN = r"""
user:
  description:
    - State of the user or invitation after the task or, in check mode, the predicted state. V(null) if neither the user
      nor an invitation exists.
  returned: success
  type: dict
  contains:
    id:
      description: ID of the user. V(null) for an invitation.
      type: str
    email:
      description: Email address.
      type: str
    name:
      description: Name of the user, if known.
      type: str
    role:
      description: Role in the organization.
      type: str
    status:
      description: V(member) for a user, V(pending) for an invitation.
      type: str
    projects:
      description: Projects with C(id) and C(role), sorted by ID. V(null) for a user if O(projects) is not set.
      type: list
      elements: dict
    added:
      description: Time at which the user joined the organization, as a Unix timestamp.
      type: int
    added_at:
      description: Time at which the user joined the organization, in ISO 8601 format (UTC).
      type: str
    invite_id:
      description: ID of the invitation. V(null) for a user.
      type: str
    expires:
      description: Expiration time of the invitation, as a Unix timestamp.
      type: int
    expires_at:
      description: Expiration time of the invitation, in ISO 8601 format (UTC).
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import users
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (INFERENCE + STATE + VISIBILITY + PREDICT_MISSING) + ArgumentSpec(
    dict(
        email=dict(type="str", required=True, one_line=True, matches=users.EMAIL),
        role=dict(type="str", choices=list(users.ROLES)),
        projects=users.PROJECT_OPTIONS,
        allow_lockout=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    user = users.User(task)
    reconcile(
        task,
        "user",
        read=user.find,
        desired=user.desired,
        create=user.create,
        update=user.update,
        delete=user.remove,
        replace_reason=user.replace_reason,
        replace=user.replace,
        check=user.check,
        to_result=user.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
