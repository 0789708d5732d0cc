# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_user_info
short_description: Show the users of an organization or a project
description:
  - Lists the users of the organization that the key belongs to, or of one of its projects.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
  - buildworks.toolchain.inference_project
notes:
  - Needs an O(admin_key).
options:
  emails:
    description: Only users with these e-mail addresses, in upper or lower case. An empty list finds nobody.
    type: list
    elements: str
  invites:
    description: Whether invites into the organization are listed too. Not for the users of a project.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.inference_user
  - module: buildworks.toolchain.inference_project_info
"""

EXAMPLES = r"""
- name: List all users of the organization
  buildworks.toolchain.inference_user_info:
  register: people

- name: See whether two of them work on a project
  buildworks.toolchain.inference_user_info:
    project_name: Sandbox
    emails: [alice@sandbox.example, bob@sandbox.example]
  register: people
"""

RETURN = r"""
users:
  description: The users, in the order of the server. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the user.
      type: str
    name:
      description: Name, if it is known.
      type: str
    email:
      description: E-mail address.
      type: str
    role:
      description: Role in the organization (V(owner), V(reader)), or in the project (V(owner), V(member)).
      type: str
    added:
      description: When it was added, in seconds since 1970.
      type: int
    added_at:
      description: The same as a date and time, in UTC.
      type: str
invites:
  description: The invites, in the order of the server, of these O(emails) only.
  returned: when O(invites=true)
  type: list
  elements: dict
  contains:
    id:
      description: Id of the invite.
      type: str
    email:
      description: E-mail address.
      type: str
    role:
      description: Role that the person gets.
      type: str
    status:
      description: V(pending), V(expired) or V(accepted).
      type: str
    projects:
      description: Projects that the person gets into (C(id), C(role)), by id. None when the service does not tell them.
      type: list
      elements: dict
    created:
      description: When it was made, in seconds since 1970.
      type: int
    created_at:
      description: The same as a date and time, in UTC.
      type: str
    expires:
      description: When it expires, in seconds since 1970; none if never.
      type: int
    expires_at:
      description: The same as a date and time, in UTC.
      type: str
    accepted:
      description: When it was accepted, in seconds since 1970; none if it was not.
      type: int
    accepted_at:
      description: The same as a date and time, in UTC.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import members, projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.admin import Admin
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (
    INFERENCE
    + projects.PROJECT
    + ArgumentSpec(
        dict(emails=dict(type="list", elements="str", each_element=NAME), invites=dict(type="bool", default=False)),
    )
)


def run(task):
    in_project = task.select_provided("project_id", "project_name")
    if in_project and task.params["invites"]:
        raise BadOption("invites", "takes true for the whole organization only")
    admin = Admin(task)
    found = members.users(admin, projects.identified(admin, task.params) if in_project else None)
    task.result["users"] = members.with_emails(found, task.params["emails"])
    if task.params["invites"]:
        task.result["invites"] = members.with_emails(members.invites(admin), task.params["emails"])


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
