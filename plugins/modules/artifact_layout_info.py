#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_layout_info
short_description: Get Artifactory repository layout information
description:
  - Get all layouts of Artifactory, or one of them, with one request.
  - You can pass RV(layouts) to O(buildworks.toolchain.artifact_layout#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_layout_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. The open-source edition is sufficient.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description: Name of the layout to return. If not set, all layouts are returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_layout
"""

EXAMPLES = r"""
- name: Get all layouts
  buildworks.toolchain.artifact_layout_info:
  register: artifact

- name: List the layouts with a descriptor pattern
  ansible.builtin.debug:
    msg: "{{ artifact.layouts | selectattr('distinctive_descriptor_path_pattern') | map(attribute='name') }}"

- name: Get one layout
  buildworks.toolchain.artifact_layout_info:
    name: firmware
"""

RETURN = r"""
layouts:
  description: The layouts, sorted by name. The list is empty if no layout exists, or if the layout O(name) does not
    exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the layout.
      type: str
    artifact_path_pattern:
      description: Pattern for the paths of artifacts.
      type: str
    distinctive_descriptor_path_pattern:
      description: Whether descriptors, such as POM files, have their own path pattern.
      type: bool
    descriptor_path_pattern:
      description: Pattern for the paths of descriptors. An empty string if it is not set.
      type: str
    folder_integration_revision_regexp:
      description: Regular expression for the integration revision in folder names.
      type: str
    file_integration_revision_regexp:
      description: Regular expression for the integration revision in file names.
      type: str
  sample:
    - name: firmware
      artifact_path_pattern: "[orgPath]/[module]/[module]-[baseRev].[ext]"
      distinctive_descriptor_path_pattern: false
      descriptor_path_pattern: ""
      folder_integration_revision_regexp: SNAPSHOT
      file_integration_revision_regexp: "[0-9]{8}"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import forms, objects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(name=dict(type="str", **NAME)))


def run(task: Task) -> None:
    task.result["layouts"] = objects.list_objects(task, forms.LAYOUTS, task.params["name"])


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
