#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_property_set_info
short_description: Get Artifactory property set information
description:
  - Get all property sets of Artifactory, or one of them, with one request.
  - You can pass RV(property_sets) to O(buildworks.toolchain.artifact_property_set#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_property_set_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. The open-source edition is sufficient.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description: Name of the property set to return. If not set, all property sets are returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_property_set
"""

EXAMPLES = r"""
- name: Get all property sets
  buildworks.toolchain.artifact_property_set_info:
  register: artifact

- name: List the names of all properties
  ansible.builtin.debug:
    msg: "{{ artifact.property_sets | map(attribute='properties') | flatten | map(attribute='name') }}"

- name: Get one property set
  buildworks.toolchain.artifact_property_set_info:
    name: quality
"""

RETURN = r"""
property_sets:
  description: The property sets, sorted by name. The list is empty if no property set exists, or if the property set
    O(name) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the property set.
      type: str
    visible:
      description: Whether users can see the property set.
      type: bool
    properties:
      description: Properties of the set, in the order in which Artifactory returns them.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the property.
          type: str
        type:
          description: Which values users can select. One of V(any), V(single) and V(multi).
          type: str
        values:
          description: Predefined values, in the order in which Artifactory returns them.
          type: list
          elements: str
        default_values:
          description: Values that are selected by default.
          type: list
          elements: str
  sample:
    - name: quality
      visible: true
      properties:
        - name: qa.status
          type: single
          values: [open, passed, failed]
          default_values: [open]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import objects, property_sets
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(name=dict(type="str", **NAME)))


def run(task: Task) -> None:
    task.result["property_sets"] = objects.list_objects(task, property_sets.PROPERTY_SETS, task.params["name"])


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
