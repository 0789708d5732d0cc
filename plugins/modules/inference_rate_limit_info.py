# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_rate_limit_info
short_description: Get OpenAI rate limits of a project
description:
  - Get the rate limits of an OpenAI project or, with O(dashboard=true), of the organization.
  - A limit of V(0) means that the project cannot use the model in this way.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_rate_limit_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
  - buildworks.toolchain.inference_project_selection
notes:
  - Requires O(admin_key). With O(dashboard=true), O(session_token) is required instead.
options:
  dashboard:
    description:
      - Whether to read the limits of the organization from a private endpoint of the OpenAI dashboard. This endpoint
        may change or disappear at any time and is intended for personal and internal use only.
      - Mutually exclusive with O(project_id) and O(project_name). One of the three is required.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.inference_rate_limit
  - module: buildworks.toolchain.inference_model_limit_info
"""

EXAMPLES = r"""
- name: Get the rate limits of a project
  buildworks.toolchain.inference_rate_limit_info:
    project_name: Sandbox
  register: limits

- name: Get the rate limits of the organization from the dashboard
  buildworks.toolchain.inference_rate_limit_info:
    dashboard: true
    session_token: sess-sandbox000000000000000000000000000005  # better from a vault
  register: limits
"""

RETURN = r"""
rate_limits:
  description:
    - The limits by model. V(*) is the entry for all other models. With O(dashboard=true), C(id) is V(null).
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

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import projects, rate_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module


def check_dashboard(params: dict[str, t.Any]) -> None:
    has_project = params["project_id"] is not None or params["project_name"] is not None
    if params["dashboard"] == has_project:
        raise BadOption("dashboard", "must be true without a project and false with 'project_id' or 'project_name'")


SPEC = (
    INFERENCE
    + projects.PROJECT_OPTIONS
    + ArgumentSpec(
        dict(dashboard=dict(type="bool", default=False)),
        checks=[check_dashboard],
    )
)


def run(task: Task) -> None:
    if task.params["dashboard"]:
        task.result["rate_limits"] = rate_limits.fetch_dashboard_limits(InferenceService(task))
    else:
        admin = AdminClient(task)
        task.result["rate_limits"] = rate_limits.fetch_project_limits(
            admin, projects.resolve_project_id(admin, task.params)
        )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
