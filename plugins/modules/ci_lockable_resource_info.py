#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_lockable_resource_info
short_description: Get Jenkins lockable resource information
description:
  - Get the resources that Jenkins builds can lock, and who uses them.
  - You can pass RV(resources) to O(buildworks.toolchain.ci_lockable_resource#module:items). A temporary resource
    becomes permanent then.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Lockable Resources/View permission.
  - Requires the plugin C(lockable-resources).
  - The module sends one request.
  - Tested against the sandbox of this collection. Not tested against a real Jenkins.
options:
  names:
    description: Return only the resources with these names. Missing resources are left out.
    type: list
    elements: str
  label:
    description: Return only the resources with this label.
    type: str
seealso:
  - module: buildworks.toolchain.ci_lockable_resource
"""

EXAMPLES = r"""
- name: Get all lockable resources
  buildworks.toolchain.ci_lockable_resource_info:
  register: lockable

- name: List the reserved ones
  ansible.builtin.debug:
    msg: "{{ lockable.states | dict2items | selectattr('value.reserved_by') | map(attribute='key') }}"

- name: Get the printers
  buildworks.toolchain.ci_lockable_resource_info:
    label: printer
"""

RETURN = r"""
resources:
  description: The resources, sorted by name.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the resource.
      type: str
    description:
      description: Description. An empty string if there is none.
      type: str
    labels:
      description: Labels, sorted.
      type: list
      elements: str
    note:
      description: Note. An empty string if there is none.
      type: str
    properties:
      description: Values of the properties by name.
      type: dict
  sample:
    - name: printer-1
      description: Printer in the hall
      labels: [printer]
      note: ""
      properties: {ADDRESS: 192.0.2.16}
states:
  description:
    - Who uses the resources, by name. The keys of the values are C(reserved_by), C(locked_by), C(stolen) and
      C(ephemeral).
    - C(reserved_by) is the full name of the account that has reserved the resource, C(locked_by) the name of the build
      that has locked it. Both are V(null) for a free resource.
    - C(stolen) is whether the reservation was taken over from a build or another account. C(ephemeral) is whether
      Jenkins deletes the resource when a build releases it.
  returned: success
  type: dict
  sample:
    printer-1:
      reserved_by: Alice Smith
      locked_by: null
      stolen: false
      ephemeral: false
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.lockable_resources import resources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI + ArgumentSpec(
    dict(names=dict(type="list", elements="str", each_element=NAME), label=dict(type="str", **NAME))
)
_DECLARED = ("name", "description", "labels", "note", "properties")
_STATE = ("reserved_by", "locked_by", "stolen", "ephemeral")


def run(task: Task) -> None:
    names, label = task.params["names"], task.params["label"]
    selected = [
        resource
        for resource in resources.list_resources(CiService(task))
        if (names is None or resource["name"] in names) and (label is None or label in resource["labels"])
    ]
    task.result["resources"] = [{field: resource[field] for field in _DECLARED} for resource in selected]
    task.result["states"] = {resource["name"]: {field: resource[field] for field in _STATE} for resource in selected}


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
