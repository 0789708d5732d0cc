#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_defect_type
short_description: Manage defect types of a code-analysis project
description:
  - Enables or disables defect types of a project, and sets their severities, many in one task.
  - Defect types are named by their codes, by patterns of codes, or by taxonomies. Only what differs is written.
  - The next analysis goes by it; issues that are there stay as they are. Importing a problems configuration with
    M(buildworks.toolchain.review_config_file) sets all of it anew.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and the one to change the settings of the project.
  - One request tells how they are, one more each taxonomy that is named; each defect type that differs costs one.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  defect_types:
    description:
      - Which defect types shall be how. Of several entries for one of them the last that says something counts.
      - An entry that fits none is an error. The list must not be empty.
    type: list
    elements: dict
    required: true
    suboptions:
      code:
        description:
          - A code, or a pattern of codes, in which C(*) stands for anything and C(?) for one character.
          - At least one of O(defect_types[].code) and O(defect_types[].taxonomy) is needed; with both, both must fit.
        type: str
      taxonomy:
        description: Name of a taxonomy, such as V(C and C++).
        type: str
      enabled:
        description: Whether the analysis looks for it.
        type: bool
      severity:
        description: How bad it is, 1 to 10, where 1 is critical.
        type: int
seealso:
  - module: buildworks.toolchain.review_defect_type_info
  - module: buildworks.toolchain.review_config_file
"""

EXAMPLES = r"""
- name: Look for overflows, and for nothing of MISRA but goto
  buildworks.toolchain.review_defect_type:
    project: mobile-app
    defect_types:
      - {code: "ABV.*", enabled: true, severity: 1}
      - {taxonomy: MISRA Checkers Package, enabled: false}
      - {code: MISRA.GOTO, enabled: true}
"""

RETURN = r"""
defect_types:
  description:
    - The defect types that were named, as they are afterwards, or would be in check mode.
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.defect_types import Rules
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        defect_types=dict(
            type="list",
            elements="dict",
            required=True,
            not_empty=True,
            options=dict(
                code=dict(type="str", narrows_scope=True, **NAME),
                taxonomy=dict(type="str", narrows_scope=True, **NAME),
                enabled=dict(type="bool"),
                severity=dict(type="int", at_least=1, at_most=10),
            ),
            required_one_of=[("code", "taxonomy"), ("enabled", "severity")],
        ),
    )
)


def run(task):
    rules = Rules(task, ReviewService(task))
    reconcile(task, "defect_types", read=rules.read, desired=rules.desired, update=rules.update, to_result=rules.shown)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
