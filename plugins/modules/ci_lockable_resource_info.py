#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_lockable_resource_info
short_description: Get Jenkins lockable resource information
description:
  - Get the resources that Jenkins builds can lock, and the builds and accounts that use these resources.
  - You can pass RV(resources) to O(buildworks.toolchain.ci_lockable_resource#module:items). That module makes temporary
    resources permanent.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_lockable_resource_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Lockable Resources/View permission.
  - Requires the plugin C(lockable-resources).
  - The module sends one request.
  - Tested against the simulated server (sandbox) that comes with this collection. The module has not been tested
    against a real Jenkins server.
options:
  names:
    description: Return only the resources with these names. Names of resources that do not exist are ignored. If not
      set, the names do not matter.
    type: list
    elements: str
  label:
    description: Return only the resources that have this label. If not set, the labels do not matter.
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
  description: The resources, sorted by name. An empty list if no resource matches O(names) and O(label).
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the resource.
      type: str
    description:
      description: Description of the resource. An empty string if it has no description.
      type: str
    labels:
      description: Sorted labels of the resource. An empty list if it has no labels.
      type: list
      elements: str
    note:
      description: Note that Jenkins displays with the resource. An empty string if it has no note.
      type: str
    properties:
      description: Properties of the resource. The keys are the names of the properties. An empty dictionary if it has
        no properties.
      type: dict
  sample:
    - name: printer-1
      description: Printer in the hall
      labels: [printer]
      note: ""
      properties: {ADDRESS: 192.0.2.16}
states:
  description:
    - The use of each resource. The keys are the names of the resources. The values are dictionaries with the keys
      C(reserved_by), C(locked_by), C(stolen) and C(ephemeral).
    - C(reserved_by) is the full name of the account that has reserved the resource. It is V(null) if the resource is
      not reserved.
    - C(locked_by) is the name of the build that has locked the resource. It is V(null) if the resource is not locked.
    - C(stolen) is V(true) if the account that has reserved the resource has taken it over from a build or another
      account.
    - C(ephemeral) is V(true) if the resource is temporary. Jenkins deletes a temporary resource when a build releases
      it.
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
