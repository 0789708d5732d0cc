# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_dashboard_info
short_description: Show what private pages of the dashboard read
description:
  - Asks one of the private endpoints that the dashboard of a model-inference API uses in a browser.
  - B(They are private and unstable) - nobody documents or supports them, they may change or vanish at any time, and
    they are meant for personal and internal use only. So the answer is given as it comes, and nothing is expected to be
    in it.
  - What is also told by a documented call is better asked with that - the users of a project with
    M(buildworks.toolchain.inference_user_info), limits with M(buildworks.toolchain.inference_rate_limit_info).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs an O(session_token), the token of a browser session. A key of another class is refused before the request.
  - It sends the headers that a browser sends along (C(Origin), C(Referer), C(User-Agent)).
options:
  subject:
    description:
      - V(subscription) is the plan with its limits of spending, V(user_keys) the keys of the user that belong to no
        project, V(feature_flags) what is switched on, V(project_users) who works on a project.
      - V(project_users) needs O(organization) and O(project).
    type: str
    required: true
    choices: [subscription, user_keys, feature_flags, project_users]
seealso:
  - module: buildworks.toolchain.inference_organization_info
  - module: buildworks.toolchain.inference_rate_limit_info
"""

EXAMPLES = r"""
- name: See how much may be spent
  buildworks.toolchain.inference_dashboard_info:
    subject: subscription
    session_token: sess-sandbox000000000000000000000000000005  # better from a vault
  register: plan

- name: See who works on a project
  buildworks.toolchain.inference_dashboard_info:
    subject: project_users
    organization: org-sandbox
    project: proj_sandbox
    session_token: sess-sandbox000000000000000000000000000005
  register: people
"""

RETURN = r"""
answer:
  description:
    - The answer as it came, an object or a list. A member that has a whole key in it is hidden.
  returned: success
  type: raw
  sample:
    object: billing_subscription
    hard_limit_usd: 100.0
amounts:
  description:
    - The amounts of money in the answer, by the name of the member, each with C(amount), C(currency) and C(unit). Empty
      when there is none.
    - They are those whose names end with C(_usd).
  returned: success
  type: dict
  sample:
    hard_limit_usd:
      amount: 100.0
      currency: USD
      unit: dollar
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import dashboards
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE + ArgumentSpec(
    dict(subject=dict(type="str", required=True, choices=list(dashboards.SUBJECTS))),
    required_if=[("subject", "project_users", ("organization", "project"))],
)


def run(task):
    answer = dashboards.answer(task, task.params["subject"])
    task.result.update(answer=answer, amounts=dashboards.amounts(answer))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
