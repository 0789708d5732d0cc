#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_model_info
short_description: Get OpenAI model information
description:
  - List the models of an OpenAI-compatible API that the API key can use.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_model_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires an O(api_key) that has read permission for models.
options:
  pattern:
    description:
      - Return only models whose ID matches this pattern. C(*) matches any text, C(?) matches one character.
      - If not set, all models are returned.
    type: str
"""

EXAMPLES = r"""
- name: List all models
  buildworks.toolchain.inference_model_info:
  register: inference

- name: List the models of the gpt-4o family
  buildworks.toolchain.inference_model_info:
    pattern: gpt-4o*
  register: family
"""

RETURN = r"""
models:
  description: The models, newest first. Empty if no model matches.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the model.
      type: str
    created:
      description: Creation time, as a Unix timestamp.
      type: int
    created_at:
      description: Creation time, in ISO 8601 format (UTC).
      type: str
      sample: "2023-06-05T21:26:42Z"
    owned_by:
      description: Owner of the model.
      type: str
    shutdown_date:
      description: Announced shutdown date. V(null) if none is announced.
      type: str
"""

import fnmatch

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import models
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = INFERENCE + ArgumentSpec(dict(pattern=dict(type="str", one_line=True)))


def run(task: Task) -> None:
    pattern = task.params["pattern"] or "*"
    available = models.list_models(InferenceService(task))
    task.result["models"] = [model for model in available if fnmatch.fnmatchcase(model["id"], pattern)]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
