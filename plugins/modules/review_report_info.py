#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_report_info
short_description: Get a report of Klocwork issues
description:
  - Count the issues of a Klocwork project in a table with two axes, or by queries.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_report_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permission C(webapi_access) and access to the project.
  - Warnings of the server, for example about an unknown keyword in a query, become warnings of the task.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  build:
    description: Name of the build to report on. If not set, the latest build is used.
    type: str
  query:
    description:
      - Count only issues that match this query, such as V(severity:1-2 state:New).
      - Reports support the keywords C(state), C(status), C(severity), C(module), C(owner), C(category), C(code) and
        C(reference). Without C(state), Klocwork counts new and existing issues.
    type: str
  view:
    description: Name of a view that limits the report.
    type: str
  rows:
    description: Property of the issues that the rows represent. Required together with O(columns).
    type: str
    choices: &axes
      category: Category of the checker.
      code: Code of the checker.
      component: Component of the source tree.
      module: Module of the project.
      owner: Owner of the issue.
      severity: Severity of the issue.
      state: State of the issue (new, existing or fixed).
      status: Status of the issue.
  columns:
    description: Property of the issues that the columns represent. Required together with O(rows).
    type: str
    choices: *axes
  rows_drilldown:
    description:
      - Path of names to drill down in the rows, from the outermost to the innermost, such as a taxonomy and one of its
        categories. The module sends one request for each name.
      - The task fails if a name does not exist or has no lower level.
    type: list
    elements: str
    default: []
  columns_drilldown:
    description: Path of names to drill down in the columns, in the same format as O(rows_drilldown).
    type: list
    elements: str
    default: []
  counts:
    description:
      - Dictionary of queries. For each key, the result contains the number of issues that match this query as well as
        O(query) and O(view), if they are set. The module sends one request for each query.
      - Can be used together with O(rows) and O(columns) or instead of them.
      - A value matches if it is a part of the text. Klocwork finds nothing for some invalid queries instead of
        reporting an error, so the module refuses queries that contain wildcards, operators such as C(AND), unbalanced
        quotation marks, keywords without a value, or unknown states, statuses or severity levels.
    type: dict
  group:
    description: Whether to count similar issues as one.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_churn_info
  - module: buildworks.toolchain.review_metric_info
"""

EXAMPLES = r"""
- name: Count issues by severity and state
  buildworks.toolchain.review_report_info:
    project: mobile-app
    rows: severity
    columns: state
  register: review

- name: Print the counts
  ansible.builtin.debug:
    msg: "{{ item.row }}, {{ item.column }}: {{ item.count }}"
  loop: "{{ review.report.counts }}"

- name: Count the categories of a taxonomy by severity
  buildworks.toolchain.review_report_info:
    project: mobile-app
    rows: category
    rows_drilldown: [C and C++]
    columns: severity

- name: Count the issues that match two queries
  buildworks.toolchain.review_report_info:
    project: mobile-app
    counts:
      new critical: "severity:1 state:New"
      to fix: "status:Fix"
"""

RETURN = r"""
report:
  description: The table. V(null) if O(rows) is not set.
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
    rows: [Critical, Error]
    columns: [Existing, New]
    data: [[1, 0], [1, 2]]
    counts:
      - {row: Critical, column: Existing, count: 1}
counts:
  description: Number of issues for each key of O(counts). V(null) if O(counts) is not set.
  returned: success
  type: dict
  sample:
    new critical: 0
    to fix: 1
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects.reports import AXES, Report
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_AXIS = dict(type="str", choices=sorted(AXES))
_PATH = dict(type="list", elements="str", default=[], each_element=NAME)

SPEC = REVIEW + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        build=dict(type="str", **NAME),
        query=dict(type="str", one_line=True),
        view=dict(type="str", **NAME),
        rows=_AXIS,
        columns=_AXIS,
        rows_drilldown=_PATH,
        columns_drilldown=_PATH,
        counts=dict(type="dict", text_values=True, not_empty=True),
        group=dict(type="bool", default=False),
    ),
    required_together=[("rows", "columns")],
    required_one_of=[("rows", "counts")],
)


def run(task: Task) -> None:
    report = Report(task, ReviewService(task))
    task.result = {
        "report": report.read_table() if task.params["rows"] else None,
        "counts": report.count_queries() if task.params["counts"] else None,
    }


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
