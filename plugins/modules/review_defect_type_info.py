#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_defect_type_info
short_description: List the defect types of a code-analysis project
description:
  - Lists what the analysis of a project can look for, whether it does, and how bad it is.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission and access to the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  taxonomy:
    description: Only those of this taxonomy, such as V(C and C++).
    type: str
  code:
    description:
      - Only those whose codes fit this pattern, in which C(*) stands for anything and C(?) for one character.
    type: str
  enabled:
    description: Only those that are enabled, or only those that are not.
    type: bool
seealso:
  - module: buildworks.toolchain.review_defect_type
  - module: buildworks.toolchain.review_project_info
"""

EXAMPLES = r"""
- name: List the defect types that are looked for
  buildworks.toolchain.review_defect_type_info:
    project: mobile-app
    enabled: true
  register: review

- name: Name the critical ones
  ansible.builtin.debug:
    msg: "{{ review.defect_types | dict2items | selectattr('value.severity', 'eq', 1) | map(attribute='key') }}"
"""

RETURN = r"""
defect_types:
  description:
    - The defect types.
    - By their codes. Each has C(name), C(enabled), C(severity) (1 to 10) and C(support_level) (none before 2023).
  returned: success
  type: dict
  sample:
    ABV.GENERAL:
      name: Buffer Overflow - Array Index Out of Bounds
      enabled: true
      severity: 1
      support_level: null
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import defect_types
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        taxonomy=dict(type="str", **NAME),
        code=dict(type="str", **NAME),
        enabled=dict(type="bool"),
    )
)


def run(task):
    found = defect_types.by_code(ReviewService(task), task.params["project"], task.params["taxonomy"])
    enabled = task.params["enabled"]
    task.result["defect_types"] = {
        code: one
        for code, one in defect_types.fitting(found, task.params["code"]).items()
        if enabled in (None, one["enabled"])
    }


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
