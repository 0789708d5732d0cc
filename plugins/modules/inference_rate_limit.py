# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_rate_limit
short_description: Manage OpenAI rate limits of a project
description:
  - Set the rate limits of models in an OpenAI project. Only the limits that are set are compared. The module sends one
    request for each model whose limits differ.
  - A limit cannot be removed and cannot exceed the limit of the organization.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_rate_limit
  - buildworks.toolchain.inference
  - buildworks.toolchain.inference_project_selection
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires O(admin_key), and O(project_id) or O(project_name).
options:
  limits:
    description: The limits by model. Each entry must set at least one limit.
    type: list
    elements: dict
    required: true
    suboptions:
      model:
        description: ID of the model.
        type: str
        required: true
      max_requests_per_1_minute:
        description: Maximum number of requests per minute.
        type: int
      max_tokens_per_1_minute:
        description: Maximum number of tokens per minute.
        type: int
      max_images_per_1_minute:
        description: Maximum number of images per minute.
        type: int
      max_audio_megabytes_per_1_minute:
        description: Maximum number of megabytes of audio per minute.
        type: int
      max_requests_per_1_day:
        description: Maximum number of requests per day.
        type: int
      batch_1_day_max_input_tokens:
        description: Maximum number of input tokens in queued batches per day.
        type: int
seealso:
  - module: buildworks.toolchain.inference_rate_limit_info
"""

EXAMPLES = r"""
- name: Limit the usage of two models in a project
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
    - The limits of the models in O(limits) after the task or, in check mode, the predicted limits, by model.
    - Each entry has C(id), the ID of the limits in the project, and C(kind). The limits are
      C(max_requests_per_1_minute), C(max_tokens_per_1_minute), C(max_images_per_1_minute),
      C(max_audio_megabytes_per_1_minute), C(max_requests_per_1_day) and C(batch_1_day_max_input_tokens). A limit is
      V(null) if the model does not have it.
    - C(unlimited) lists the limits whose value, 2147483647, means unlimited.
    - The C(kind) is V(model), V(fallback) (all models without an entry), V(fine_tuned) (models fine-tuned from this
      one) or V(long_context) (long prompts to a model). Requests can only specify entries of the kind V(model).
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import projects, rate_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import PREDICT_MISSING, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (
    INFERENCE
    + (VISIBILITY + PREDICT_MISSING)
    + projects.PROJECT_OPTIONS
    + ArgumentSpec(
        dict(
            limits=dict(type="list", elements="dict", required=True, not_empty=True, options=rate_limits.MODEL_OPTIONS),
        ),
        required_one_of=[("project_id", "project_name")],
    )
)


def run(task: Task) -> None:
    desired = rate_limits.parse_limits(task.params["limits"])
    admin = AdminClient(task)
    limits = rate_limits.ProjectLimits(admin, projects.resolve_or_predict(task, admin), desired)
    reconcile(
        task,
        "rate_limits",
        read=limits.read,
        desired=desired,
        update=limits.update,
        check=limits.check,
        predict_refusal=limits.predict_refusal,
        to_result=rate_limits.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
