#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_churn_info
short_description: Tell how much changes in a code-analysis project
description:
  - Tells the churns of files that the server counts, by components and builds.
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
  view:
    description: Only what belongs to this view.
    type: str
  view_creator:
    description: The account that created the view, where several have one of this name. Needs O(view).
    type: str
  latest_builds:
    description: How many of the latest builds to look at, 1 to 10,000. Without it the server decides.
    type: int
  component:
    description: Only what is in this component, as the server names it.
    type: str
seealso:
  - module: buildworks.toolchain.review_report_info
  - module: buildworks.toolchain.review_metric_info
"""

EXAMPLES = r"""
- name: See where the latest three builds changed something
  buildworks.toolchain.review_churn_info:
    project: mobile-app
    latest_builds: 3
  register: review
"""

RETURN = r"""
churns:
  description: The table.
  returned: success
  type: dict
  contains:
      rows:
        description: Names of the rows.
        type: list
        elements: str
      columns:
        description: Names of the columns.
        type: list
        elements: str
      data:
        description: The numbers, a list for each row.
        type: list
        elements: list
      counts:
        description: The same, one by one, with C(row), C(column) and C(count).
        type: list
        elements: dict
  sample:
    rows: [src]
    columns: [build_1, build_2, build_3]
    data: [[2, 1, 1]]
    counts:
      - {row: src, column: build_1, count: 2}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import reports
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        view=dict(type="str", **NAME),
        view_creator=dict(type="str", **NAME),
        latest_builds=dict(type="int", at_least=1, at_most=10_000),
        component=dict(type="str", **NAME),
    ),
    required_by={"view_creator": ["view"]},
)


def run(task):
    task.result["churns"] = reports.churns(task, ReviewService(task))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
