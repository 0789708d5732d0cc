# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_rate_limit_info
short_description: Show the rate limits of a model-inference API
description:
  - Tells the rate limits of a project, or with O(private=true) those of the organization as the dashboard has them.
  - Both come in one shape. A limit that is not there is none; a number of 2147483647 stands for as many as one likes,
    and is named in C(unlimited); zero means that the model cannot do that at all.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
  - buildworks.toolchain.inference_project
notes:
  - Needs an O(admin_key); with O(private=true) an O(session_token).
options:
  private:
    description:
      - Ask the private page of the dashboard. It may change or vanish at any time, and is meant for personal and
        internal use only.
      - Then O(project_id) and O(project_name) cannot be given.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.inference_rate_limit
  - module: buildworks.toolchain.inference_model_limit_info
"""

EXAMPLES = r"""
- name: See the limits of a project
  buildworks.toolchain.inference_rate_limit_info:
    project_name: Sandbox
  register: limits

- name: See the limits of the whole organization
  buildworks.toolchain.inference_rate_limit_info:
    private: true
    session_token: sess-sandbox000000000000000000000000000005  # better from a vault
  register: limits
"""

RETURN = r"""
rate_limits:
  description:
    - The limits, by model; V(*) stands for all others.
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import projects, rate_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.admin import Admin
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE + projects.PROJECT + ArgumentSpec(dict(private=dict(type="bool", default=False)))


def run(task):
    chosen = task.select_provided("project_id", "project_name")
    if task.params["private"] == bool(chosen):
        raise BadOption("private", "takes true without a project, or false with 'project_id' or 'project_name'")
    if task.params["private"]:
        task.result["rate_limits"] = rate_limits.of_dashboard(InferenceService(task))
    else:
        admin = Admin(task)
        task.result["rate_limits"] = rate_limits.of_project(admin, projects.identified(admin, task.params))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
