# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_rate_limit
short_description: Manage the rate limits of a project
description:
  - Sets rate limits of a project, of as many models as one likes. Only what is given is compared, and a request is
    sent only for a model of which something differs.
  - A limit cannot be removed, and none can be above that of the organization.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.inference_project
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Needs an O(admin_key).
options:
  limits:
    description: The limits, for each model those that are given.
    type: list
    elements: dict
    required: true
    suboptions:
      model:
        description: Id of the model.
        type: str
        required: true
      max_requests_per_1_minute:
        description: Requests in a minute, 0 to 2,147,483,647.
        type: int
      max_tokens_per_1_minute:
        description: Tokens in a minute, 0 to 2,147,483,647.
        type: int
      max_images_per_1_minute:
        description: Images in a minute, 0 to 2,147,483,647.
        type: int
      max_audio_megabytes_per_1_minute:
        description: Megabytes of audio in a minute, 0 to 2,147,483,647.
        type: int
      max_requests_per_1_day:
        description: Requests in a day, 0 to 2,147,483,647.
        type: int
      batch_1_day_max_input_tokens:
        description: Tokens that wait in batches in a day, 0 to 2,147,483,647.
        type: int
seealso:
  - module: buildworks.toolchain.inference_rate_limit_info
"""

EXAMPLES = r"""
- name: Keep a project within its share
  buildworks.toolchain.inference_rate_limit:
    project_name: Sandbox
    limits:
      - model: gpt-4o
        max_requests_per_1_minute: 100
        max_tokens_per_1_minute: 10000
      - model: gpt-4o-mini
        max_requests_per_1_day: 5000
"""

RETURN = r"""
rate_limits:
  description:
    - The limits of the given models afterwards, or as they would be in check mode, by model.
    - Each has C(id), the id of these limits in the project, none for those of the dashboard; the limits
      C(max_requests_per_1_minute), C(max_tokens_per_1_minute), C(max_images_per_1_minute),
      C(max_audio_megabytes_per_1_minute), C(max_requests_per_1_day) and C(batch_1_day_max_input_tokens) (tokens that
      wait in batches), each a number, or none when there is no such limit; C(unlimited), a list of those that are
      none in truth; and C(kind).
    - A C(kind) is V(model), V(fallback) for all models that have no row of their own, V(fine_tuned) for what was
      tuned from a model, or V(long_context) for long prompts to one. Requests can name only those of the kind
      V(model).
  returned: success
  type: dict
  sample:
    gpt-4o:
      id: rl-gpt-4o
      kind: model
      max_requests_per_1_minute: 500
      max_tokens_per_1_minute: 30000
      max_images_per_1_minute: null
      max_audio_megabytes_per_1_minute: null
      max_requests_per_1_day: null
      batch_1_day_max_input_tokens: 90000
      unlimited: []
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import projects, rate_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.admin import Admin
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (
    INFERENCE
    + projects.PROJECT
    + ArgumentSpec(
        dict(
            limits=dict(type="list", elements="dict", required=True, not_empty=True, options=rate_limits.OF_MODEL),
        ),
        required_one_of=[("project_id", "project_name")],
    )
)


def run(task):
    wanted = rate_limits.wanted_limits(task.params["limits"])
    admin = Admin(task)
    limits = rate_limits.ProjectLimits(admin, projects.identified(admin, task.params), wanted)
    reconcile(
        task,
        "rate_limits",
        read=limits.read,
        desired=wanted,
        update=limits.update,
        check=limits.check,
        predict_refusal=limits.predict_refusal,
        to_result=rate_limits.shown,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
