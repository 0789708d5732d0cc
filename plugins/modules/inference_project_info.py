# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_project_info
short_description: Show the projects of an organization
description:
  - Lists the projects of the organization, on demand with what belongs to them.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs an O(admin_key).
  - Each of O(details) costs a request for each project, and such requests are made at the pace of O(admin_pace).
options:
  name:
    description: Only projects of this name.
    type: str
  archived:
    description: Whether archived projects are listed too.
    type: bool
    default: false
  details:
    description:
      - What is told of each project besides. An archived one has none of it but its limits.
    type: list
    elements: str
    choices: [rate_limits, users, service_accounts, api_keys]
    default: []
seealso:
  - module: buildworks.toolchain.inference_project
"""

EXAMPLES = r"""
- name: List all projects
  buildworks.toolchain.inference_project_info:
    archived: true
  register: all_projects

- name: See who and what belongs to a project
  buildworks.toolchain.inference_project_info:
    name: Sandbox
    details: [users, service_accounts, api_keys]
  register: sandbox
"""

RETURN = r"""
projects:
  description: The projects, in the order of the server. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the project.
      type: str
    name:
      description: Name of the project.
      type: str
    external_key_id:
      description: Id of the key outside the service that its data are encrypted with, if it has one.
      type: str
    status:
      description: V(active) or V(archived).
      type: str
    created:
      description: When it was made, in seconds since 1970.
      type: int
    created_at:
      description: The same as a date and time, in UTC.
      type: str
    archived:
      description: When it was archived, in seconds since 1970; none if never.
      type: int
    archived_at:
      description: The same as a date and time, in UTC.
      type: str
    rate_limits:
      description: Its limits, as M(buildworks.toolchain.inference_rate_limit_info) tells them.
      returned: when O(details) has V(rate_limits)
      type: dict
    users:
      description: Its users, as M(buildworks.toolchain.inference_user_info) tells them.
      returned: when O(details) has V(users) and it is not archived
      type: list
      elements: dict
    service_accounts:
      description: Its service accounts (C(id), C(name), C(role), C(created), C(created_at)).
      returned: when O(details) has V(service_accounts) and it is not archived
      type: list
      elements: dict
    api_keys:
      description: Its keys, as M(buildworks.toolchain.inference_admin_key_info) tells those of the organization; they
        do not expire.
      returned: when O(details) has V(api_keys) and it is not archived
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.admin import Admin
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.details import DETAILS
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE + ArgumentSpec(
    dict(
        name=dict(type="str", **NAME),
        archived=dict(type="bool", default=False),
        details=dict(type="list", elements="str", choices=list(DETAILS), default=[]),
    )
)


def run(task):
    name = task.params["name"]
    admin = Admin(task)
    found = [project for project in projects.listed(admin, task.params["archived"]) if name in (None, project["name"])]
    for project in found:
        for detail in task.params["details"]:
            if project["status"] != "archived" or detail == "rate_limits":
                project[detail] = DETAILS[detail](admin, project["id"])
    task.result["projects"] = found


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
