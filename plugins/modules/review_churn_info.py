#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_churn_info
short_description: Get Klocwork file churn
description:
  - Get the number of changed files in a Klocwork project, by component and build.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_churn_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permission C(webapi_access) and access to the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  view:
    description: Name of a view that limits the report.
    type: str
  view_creator:
    description:
      - Account that created the view. Set this option if several accounts have views with the same name.
      - Requires O(view).
    type: str
  latest_builds:
    description: Number of latest builds to include. If not set, the server's default applies.
    type: int
  component:
    description: Name of a component that limits the report.
    type: str
seealso:
  - module: buildworks.toolchain.review_report_info
  - module: buildworks.toolchain.review_metric_info
"""

EXAMPLES = r"""
- name: Get the churn of the latest three builds
  buildworks.toolchain.review_churn_info:
    project: mobile-app
    latest_builds: 3
  register: review
"""

RETURN = r"""
churns:
  description: Table of file changes.
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
        description: The values, one list per row.
        type: list
        elements: list
      counts:
        description: The values as a flat list with C(row), C(column) and C(count).
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import reports
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

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


def run(task: Task) -> None:
    task.result["churns"] = reports.read_churn(task, ReviewService(task))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
