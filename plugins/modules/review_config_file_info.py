#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_config_file_info
short_description: Get Klocwork configuration file information
description:
  - Get the configuration files of a Klocwork project, such as checker configurations (C(.pconf)) and metric thresholds
    (C(.mconf)), and optionally the file types that the server supports.
  - The Web API does not support configuration files, so the module runs C(kwadmin) on the host on which the task runs.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_config_file_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.admin_tool
  - buildworks.toolchain.attributes_info
notes:
  - Requires permission to access the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Return only the file with this exact name.
    type: str
  types:
    description: Whether to also return the supported types of configuration files.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_config_file
"""

EXAMPLES = r"""
- name: Get the configuration files of a project
  buildworks.toolchain.review_config_file_info:
    project: mobile-app
  register: review
"""

RETURN = r"""
config_files:
  description: The configuration files, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the file.
      type: str
    type:
      description: Type of the file, as the server reports it.
      type: str
  sample:
    - name: analysis_profile.pconf
      type: Problems Configuration
types:
  description: The supported types with C(type) and C(extension), in the order returned by the server.
  returned: when O(types=true)
  type: list
  elements: dict
  sample:
    - type: Problems Configuration
      extension: .pconf
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.kwadmin import ADMIN_TOOL, AdminTool
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import config_files
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + ADMIN_TOOL) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        name=dict(type="str", **NAME),
        types=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    name, tool = task.params["name"], AdminTool(task)
    files = config_files.list_config_files(tool, task.params["project"])
    task.result["config_files"] = [file for file in files if name in (None, file["name"])]
    if task.params["types"]:
        task.result["types"] = config_files.list_types(tool)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
