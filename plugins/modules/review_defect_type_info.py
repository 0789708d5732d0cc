#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_defect_type_info
short_description: Get Klocwork defect type information
description:
  - Get the defect types (checkers) of a Klocwork project, with their severities and whether they are enabled.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_defect_type_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permission C(webapi_access) and access to the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  taxonomy:
    description: Name of a taxonomy, such as V(C and C++). Only its defect types are returned.
    type: str
  code:
    description: Return only the defect types whose code matches this pattern. The wildcards are C(*) and C(?).
    type: str
  enabled:
    description: Return only enabled (V(true)) or only disabled (V(false)) defect types.
    type: bool
  taxonomies:
    description:
      - Whether to return the taxonomies of each defect type. The module sends one request to list the taxonomies and
        one for each taxonomy of the project.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_defect_type
  - module: buildworks.toolchain.review_project_info
"""

EXAMPLES = r"""
- name: Get the enabled defect types
  buildworks.toolchain.review_defect_type_info:
    project: mobile-app
    enabled: true
  register: review

- name: Print the codes of the critical ones
  ansible.builtin.debug:
    msg: "{{ review.defect_types | dict2items | selectattr('value.severity', 'eq', 1) | map(attribute='key') }}"
"""

RETURN = r"""
defect_types:
  description:
    - The defect types.
    - The keys are the codes. Each value has C(name), C(enabled), C(severity) (1 to 10) and C(support_level), which is
      V(null) before Klocwork 2023. With O(taxonomies=true) it also has C(taxonomies), a list of names.
    - In O(to_file), each line also has the C(code).
  returned: success, unless O(to_file) is set
  type: dict
  sample:
    ABV.GENERAL:
      name: Buffer Overflow - Array Index Out of Bounds
      enabled: true
      severity: 1
      support_level: null
count:
  description: Number of defect types.
  returned: success
  type: int
masked:
  description: The texts that O(mask_secrets) masked.
  returned: when O(mask_secrets) is set
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Locations of the first 100 masked texts.
      type: list
      elements: str
  sample:
    count: 1
    places: ["ABV: name"]
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import defect_types
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + LISTING) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        taxonomy=dict(type="str", **NAME),
        code=dict(type="str", **NAME),
        enabled=dict(type="bool"),
        taxonomies=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    task.result["count"] = output_list(task, "defect_types", _list_defect_types(task))
    if task.params["to_file"] is None:
        task.result["defect_types"] = {entry.pop("code"): entry for entry in task.result["defect_types"]}


def _list_defect_types(task: Task) -> t.Iterator[dict[str, t.Any]]:
    review, project, enabled = ReviewService(task), task.params["project"], task.params["enabled"]
    by_code = defect_types.filter_by_code(
        defect_types.list_defect_types(review, project, task.params["taxonomy"]), task.params["code"]
    )
    if task.params["taxonomies"]:
        by_code = defect_types.add_taxonomies(review, project, by_code)
    for code, defect_type in by_code.items():
        if enabled in (None, defect_type["enabled"]):
            yield {"code": code, **defect_type}


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
