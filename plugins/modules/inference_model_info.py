#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_model_info
short_description: List the models of a model-inference API
description:
  - Lists the models that the key may use.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs an O(api_key) that may read models.
options:
  pattern:
    description: Only models whose ids fit this pattern. C(*) stands for any text, C(?) for one character.
    type: str
"""

EXAMPLES = r"""
- name: List all models, the newest first
  buildworks.toolchain.inference_model_info:
  register: inference

- name: Find the newest of a family
  buildworks.toolchain.inference_model_info:
    pattern: gpt-4o*
  register: family
"""

RETURN = r"""
models:
  description: The models, the newest first. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Id of the model.
      type: str
    created:
      description: When it was made, in seconds since 1970.
      type: int
    created_at:
      description: The same as a date and time, in UTC.
      type: str
      sample: "2023-06-05T21:26:42Z"
    owned_by:
      description: Who owns it.
      type: str
    shutdown_date:
      description: When it will be switched off, if that is announced.
      type: str
"""

import fnmatch

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import models
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE + ArgumentSpec(dict(pattern=dict(type="str", one_line=True)))


def run(task):
    pattern = task.params["pattern"] or "*"
    listed = models.listed(InferenceService(task))
    task.result["models"] = [model for model in listed if fnmatch.fnmatchcase(model["id"], pattern)]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
