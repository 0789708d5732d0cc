#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_defect_type
short_description: Manage Klocwork defect types
description:
  - Enable or disable defect types (checkers) of a Klocwork project and set their severities.
  - Select defect types by code, by a pattern of codes, or by taxonomy. The module writes only the defect types that
    differ.
  - Changes take effect with the next analysis. Existing issues are not changed. Importing a problems configuration with
    M(buildworks.toolchain.review_config_file) overrides all settings.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_defect_type
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(webapi_access), and C(change_project_settings) on the project.
  - The module sends one request to read the defect types, one for each named taxonomy, and one for each defect type to
    change.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  defect_types:
    description:
      - Desired settings of defect types. If several entries match a defect type, the last entry that sets a value
        applies.
      - The task fails if the list is empty or if an entry matches no defect type.
    type: list
    elements: dict
    required: true
    suboptions:
      code:
        description:
          - Code of the defect type, or a pattern with the wildcards C(*) and C(?).
          - At least one of O(defect_types[].code) and O(defect_types[].taxonomy) is required. If both are set, both
            must match.
        type: str
      taxonomy:
        description: Name of a taxonomy, such as V(C and C++).
        type: str
      enabled:
        description: Whether the analysis reports this defect type.
        type: bool
      severity:
        description: Severity from 1 to 10. V(1) is critical.
        type: int
seealso:
  - module: buildworks.toolchain.review_defect_type_info
  - module: buildworks.toolchain.review_config_file
"""

EXAMPLES = r"""
- name: Enable array overflow checkers and disable all MISRA checkers except one
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
    - State of the selected defect types after the task or, in check mode, their predicted state.
    - The keys are the codes. Each value has C(name), C(enabled), C(severity) (1 to 10) and C(support_level), which is
      V(null) before Klocwork 2023.
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects.defect_types import DefectTypeRules
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + VISIBILITY) + ArgumentSpec(
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


def run(task: Task) -> None:
    rules = DefectTypeRules(task, ReviewService(task))
    reconcile(
        task,
        "defect_types",
        read=rules.read,
        desired=rules.desired,
        update=rules.update,
        to_result=rules.select_managed,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
