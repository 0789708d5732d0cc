# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_user_info
short_description: Get OpenAI user information
description:
  - List the users of an OpenAI organization or of one of its projects, optionally with open invitations.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_user_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
  - buildworks.toolchain.inference_project_selection
notes:
  - Requires O(admin_key).
  - If neither O(project_id) nor O(project_name) is set, the users of the organization are returned.
options:
  emails:
    description:
      - Return only users and invitations with these email addresses. Not case-sensitive. An empty list matches no user.
      - If not set, all users are returned.
    type: list
    elements: str
  invites:
    description: Whether to also return invitations. Not supported for the users of a project.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.inference_user
  - module: buildworks.toolchain.inference_project_info
"""

EXAMPLES = r"""
- name: List all users of the organization
  buildworks.toolchain.inference_user_info:
  register: members

- name: Check whether two users belong to a project
  buildworks.toolchain.inference_user_info:
    project_name: Sandbox
    emails: [alice@sandbox.example, bob@sandbox.example]
  register: members
"""

RETURN = r"""
users:
  description: The users in the order returned by the API. Empty if no user matches.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the user.
      type: str
    name:
      description: Name of the user, if known.
      type: str
    email:
      description: Email address.
      type: str
    role:
      description: Role in the organization (V(owner) or V(reader)) or in the project (V(owner) or V(member)).
      type: str
    added:
      description: Time at which the user was added, as a Unix timestamp.
      type: int
    added_at:
      description: Time at which the user was added, in ISO 8601 format (UTC).
      type: str
invites:
  description: The invitations in the order returned by the API.
  returned: when O(invites=true)
  type: list
  elements: dict
  contains:
    id:
      description: ID of the invitation.
      type: str
    email:
      description: Email address of the invited user.
      type: str
    role:
      description: Role in the organization after the invitation is accepted.
      type: str
    status:
      description: One of V(pending), V(expired) or V(accepted).
      type: str
    projects:
      description:
        - Projects of the user after the invitation is accepted, with C(id) and C(role), sorted by ID. V(null) if the
          API does not return them.
      type: list
      elements: dict
    created:
      description: Creation time, as a Unix timestamp.
      type: int
    created_at:
      description: Creation time, in ISO 8601 format (UTC).
      type: str
    expires:
      description: Expiration time, as a Unix timestamp. V(null) if the invitation does not expire.
      type: int
    expires_at:
      description: Expiration time, in ISO 8601 format (UTC).
      type: str
    accepted:
      description: Time at which the invitation was accepted, as a Unix timestamp. V(null) if the invitation has not
        been accepted.
      type: int
    accepted_at:
      description: Time at which the invitation was accepted, in ISO 8601 format (UTC).
      type: str
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import listings, projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module


def check_invites(params: dict[str, t.Any]) -> None:
    has_project = params["project_id"] is not None or params["project_name"] is not None
    if has_project and params["invites"]:
        raise BadOption("invites", "must be false for the users of a project")


SPEC = (
    INFERENCE
    + projects.PROJECT_OPTIONS
    + ArgumentSpec(
        dict(emails=dict(type="list", elements="str", each_element=NAME), invites=dict(type="bool", default=False)),
        checks=[check_invites],
    )
)


def run(task: Task) -> None:
    project_options = task.select_provided("project_id", "project_name")
    admin = AdminClient(task)
    project = projects.resolve_project_id(admin, task.params) if project_options else None
    task.result["users"] = listings.filter_by_email(listings.list_users(admin, project), task.params["emails"])
    if task.params["invites"]:
        task.result["invites"] = listings.filter_by_email(listings.list_invites(admin), task.params["emails"])


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
