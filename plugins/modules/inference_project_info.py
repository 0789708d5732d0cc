# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_project_info
short_description: Get OpenAI project information
description:
  - List the projects of an OpenAI organization, optionally with their rate limits, users, service accounts and API
    keys.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_project_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires O(admin_key).
  - Each entry of O(details) requires one more request for each project. O(admin_requests_per_minute) limits the request
    rate.
options:
  name:
    description: Return only projects with this name.
    type: str
  include_archived:
    description: Whether to also return archived projects.
    type: bool
    default: false
  details:
    description:
      - Additional information to return for each project. For archived projects, only V(rate_limits) is returned.
    type: list
    elements: str
    choices:
      rate_limits: The rate limits of the project.
      users: The users of the project.
      service_accounts: The service accounts of the project.
      api_keys: The API keys of the project, without their values.
    default: []
seealso:
  - module: buildworks.toolchain.inference_project
"""

EXAMPLES = r"""
- name: List all projects, including archived ones
  buildworks.toolchain.inference_project_info:
    include_archived: true
  register: all_projects

- name: Get the users, service accounts and API keys of a project
  buildworks.toolchain.inference_project_info:
    name: Sandbox
    details: [users, service_accounts, api_keys]
  register: sandbox
"""

RETURN = r"""
projects:
  description: The projects in the order returned by the API. Empty if no project matches.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the project.
      type: str
    name:
      description: Name of the project.
      type: str
    external_key_id:
      description: ID of the external key that encrypts the project's data.
      type: str
    status:
      description: Either V(active) or V(archived).
      type: str
    created:
      description: Creation time, as a Unix timestamp.
      type: int
    created_at:
      description: Creation time, in ISO 8601 format (UTC).
      type: str
    archived:
      description: Time at which the project was archived, as a Unix timestamp. V(null) if the project is not archived.
      type: int
    archived_at:
      description: Time at which the project was archived, in ISO 8601 format (UTC).
      type: str
    rate_limits:
      description: Rate limits of the project, as returned by M(buildworks.toolchain.inference_rate_limit_info).
      returned: when O(details) contains V(rate_limits)
      type: dict
    users:
      description: Users of the project, as returned by M(buildworks.toolchain.inference_user_info).
      returned: when O(details) contains V(users) and the project is not archived
      type: list
      elements: dict
    service_accounts:
      description: Service accounts with C(id), C(name), C(role), C(created) and C(created_at).
      returned: when O(details) contains V(service_accounts) and the project is not archived
      type: list
      elements: dict
    api_keys:
      description:
        - API keys of the project, with the same fields as in M(buildworks.toolchain.inference_admin_key_info). Project
          API keys do not expire.
      returned: when O(details) contains V(api_keys) and the project is not archived
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.project_details import (
    FETCHERS,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = INFERENCE + ArgumentSpec(
    dict(
        name=dict(type="str", **NAME),
        include_archived=dict(type="bool", default=False),
        details=dict(type="list", elements="str", choices=list(FETCHERS), default=[]),
    )
)


def run(task: Task) -> None:
    name = task.params["name"]
    admin = AdminClient(task)
    selected = [
        project
        for project in projects.list_projects(admin, task.params["include_archived"])
        if name in (None, project["name"])
    ]
    for project in selected:
        for detail in task.params["details"]:
            if project["status"] != "archived" or detail == "rate_limits":
                project[detail] = FETCHERS[detail](admin, project["id"])
    task.result["projects"] = selected


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
