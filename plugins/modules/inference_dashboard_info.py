# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_dashboard_info
short_description: Get OpenAI dashboard data from private endpoints
description:
  - Read one of the private endpoints that the OpenAI dashboard uses in a browser.
  - B(These endpoints are undocumented and unsupported.) They may change or disappear at any time and are intended for
    personal and internal use only. The module therefore returns the response unchanged.
  - Use a documented endpoint where one exists. M(buildworks.toolchain.inference_user_info) lists the users of a
    project, and M(buildworks.toolchain.inference_rate_limit_info) returns rate limits.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_dashboard_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires O(session_token). Other kinds of credentials are rejected before the request is sent.
  - The requests contain the C(Origin), C(Referer) and C(User-Agent) headers that a browser would send.
options:
  subject:
    description: The data to read.
    type: str
    required: true
    choices:
      subscription: The billing plan and its spending limits.
      user_keys: The API keys of the user that do not belong to a project.
      feature_flags: The enabled features.
      project_users: The users of O(project). Requires O(organization) and O(project).
seealso:
  - module: buildworks.toolchain.inference_organization_info
  - module: buildworks.toolchain.inference_rate_limit_info
"""

EXAMPLES = r"""
- name: Get the spending limits
  buildworks.toolchain.inference_dashboard_info:
    subject: subscription
    session_token: sess-sandbox000000000000000000000000000005  # better from a vault
  register: plan

- name: List the users of a project
  buildworks.toolchain.inference_dashboard_info:
    subject: project_users
    organization: org-sandbox
    project: proj_sandbox
    session_token: sess-sandbox000000000000000000000000000005
  register: members
"""

RETURN = r"""
response:
  description:
    - The unchanged response, an object or a list. Values that contain a complete key are masked.
  returned: success
  type: raw
  sample:
    object: billing_subscription
    hard_limit_usd: 100.0
amounts:
  description:
    - Amounts of money in the response by field name, each with C(amount), C(currency) and C(unit). Only fields whose
      names end with C(_usd) are included.
  returned: success
  type: dict
  sample:
    hard_limit_usd:
      amount: 100.0
      currency: USD
      unit: dollar
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import dashboard
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = INFERENCE + ArgumentSpec(
    dict(subject=dict(type="str", required=True, choices=list(dashboard.PATHS))),
    required_if=[("subject", "project_users", ("organization", "project"))],
)


def run(task: Task) -> None:
    response = dashboard.fetch(task, task.params["subject"])
    task.result.update(response=response, amounts=dashboard.extract_amounts(response))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
