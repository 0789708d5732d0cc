# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_model_limit_info
short_description: Get OpenAI fine-tuning limits
description:
  - List the limits of fine-tuning jobs for each model of an OpenAI-compatible API that supports fine-tuning.
  - For limits of requests and tokens, see M(buildworks.toolchain.inference_rate_limit_info).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_model_limit_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires an O(api_key) that has read permission for models.
options: {}
seealso:
  - module: buildworks.toolchain.inference_rate_limit_info
"""

EXAMPLES = r"""
- name: Get the fine-tuning limits
  buildworks.toolchain.inference_model_limit_info:
  register: tuning
"""

RETURN = r"""
model_limits:
  description: The models that support fine-tuning, sorted by ID.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the model.
      type: str
    curr_pending_jobs:
      description: Number of pending and running jobs.
      type: int
    max_pending_jobs:
      description: Maximum number of pending and running jobs.
      type: int
    jobs_so_far_today:
      description: Number of jobs started today.
      type: int
    max_jobs_per_day:
      description: Maximum number of jobs that can be started per day.
      type: int
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import models
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = INFERENCE


def run(task: Task) -> None:
    task.result["model_limits"] = models.list_fine_tuning_limits(InferenceService(task))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
