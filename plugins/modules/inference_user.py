# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_user
short_description: Manage a user of an organization
description:
  - Sees to it that somebody is in the organization with a role in it and in its projects, or is not.
  - A person is known by the e-mail address, in upper or lower case. Who is not there yet is invited. An invite that has
    expired is made anew; one that is pending cannot be changed, so it is taken back and made anew when it differs.
  - With O(state=absent) the user is removed and invites are taken back. Nobody is removed, or made a reader, who is the
    last owner of the organization or the owner of the O(admin_key).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs an O(admin_key).
  - The projects of a user cost a request for each project of the organization, at the pace of O(admin_pace); they are
    read only with O(projects).
options:
  email:
    description: Whom it is about, an e-mail address, in upper or lower case.
    type: str
    required: true
  role:
    description: Role in the organization. Who is invited without one becomes a V(reader).
    type: str
    choices: [owner, reader]
  projects:
    description:
      - All projects that the user belongs to; from others the user is removed. An empty list means none.
      - Without it the projects of a user are left alone, and the service invites others into its default project.
      - Those of an owner of the organization can be added to, but neither changed nor taken away.
    type: list
    elements: dict
    suboptions:
      id:
        description: Id of the project. This or C(name) says which one is meant.
        type: str
      name:
        description: Name of the project, which must be the only one of that name that is not archived.
        type: str
      role:
        description: Role in the project.
        type: str
        choices: [owner, member]
        default: member
seealso:
  - module: buildworks.toolchain.inference_user_info
"""

EXAMPLES = r"""
- name: Have somebody in two projects, by invitation if need be
  buildworks.toolchain.inference_user:
    email: dora@sandbox.example
    role: reader
    projects:
      - name: Sandbox
        role: owner
      - id: proj_default

- name: Invite somebody without any project
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
  description: The person afterwards, or as it would be in check mode. None when there is neither user nor invite.
  returned: success
  type: dict
  contains:
    id:
      description: Id of the user. None for who is invited.
      type: str
    email:
      description: E-mail address.
      type: str
    name:
      description: Name, if it is known.
      type: str
    role:
      description: Role in the organization.
      type: str
    status:
      description: V(member) for a user, V(pending) for who is invited.
      type: str
    projects:
      description: Projects with C(id) and C(role), by id. For a user only with O(projects).
      type: list
      elements: dict
    added:
      description: When the user was added, in seconds since 1970.
      type: int
    added_at:
      description: The same as a date and time, in UTC.
      type: str
    invite_id:
      description: Id of the invite, for who is invited.
      type: str
    expires:
      description: When the invite expires, in seconds since 1970.
      type: int
    expires_at:
      description: The same as a date and time, in UTC.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import users
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (INFERENCE + STATE) + ArgumentSpec(
    dict(
        email=dict(type="str", required=True, one_line=True, matches=users.EMAIL),
        role=dict(type="str", choices=list(users.ROLES)),
        projects=users.PROJECTS,
    )
)


def run(task):
    user = users.User(task)
    reconcile(
        task,
        "user",
        read=user.find,
        desired=user.desired,
        create=user.create,
        update=user.update,
        delete=user.remove,
        replace_reason=user.stale,
        replace=user.renew,
        check=user.check,
        to_result=user.shown,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
