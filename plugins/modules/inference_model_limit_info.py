# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_model_limit_info
short_description: Show the limits of tuning jobs of a model-inference API
description:
  - Tells for each model that can be tuned how many jobs may wait, and how many may begin in a day.
  - These are no limits of tokens or requests; M(buildworks.toolchain.inference_rate_limit_info) has those.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs an O(api_key) that may read models.
options: {}
seealso:
  - module: buildworks.toolchain.inference_rate_limit_info
"""

EXAMPLES = r"""
- name: See how many tuning jobs are left for today
  buildworks.toolchain.inference_model_limit_info:
  register: tuning
"""

RETURN = r"""
model_limits:
  description: The models that can be tuned, by id.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the model.
      type: str
    curr_pending_jobs:
      description: Jobs that wait or run.
      type: int
    max_pending_jobs:
      description: Jobs that may wait or run at the same time.
      type: int
    jobs_so_far_today:
      description: Jobs that began today.
      type: int
    max_jobs_per_day:
      description: Jobs that may begin in a day.
      type: int
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import models
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE


def run(task):
    task.result["model_limits"] = models.tuning_limits(InferenceService(task))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
