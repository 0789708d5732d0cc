#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_report_info
short_description: Count the issues of a code-analysis project
description:
  - Counts issues along two axes, as the reports of the server do, or by queries.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission and access to the project.
  - What the server warns of, such as an unknown keyword in a query, becomes a warning of the task.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  build:
    description: Name of the build that the report is about. Without it the last one is meant.
    type: str
  query:
    description:
      - Only the issues that this query finds, such as V(severity:1-2 state:New).
      - Reports know the keywords C(state), C(status), C(severity), C(module), C(owner), C(category), C(code) and
        C(reference). Without C(state) the server counts new and existing issues.
    type: str
  view:
    description: Only the issues of this view.
    type: str
  rows:
    description: What the rows are. Needs O(columns).
    type: str
    choices: [category, code, component, module, owner, severity, state, status]
  columns:
    description: What the columns are. Needs O(rows).
    type: str
    choices: [category, code, component, module, owner, severity, state, status]
  rows_below:
    description:
      - Names, from the outside to the inside, of what the rows shall show the inside of, such as a taxonomy and a
        category of it. Each costs a request.
      - A name that is not there, or has nothing below it, is an error.
    type: list
    elements: str
    default: []
  columns_below:
    description: The same for columns.
    type: list
    elements: str
    default: []
  counts:
    description:
      - Queries by names of your own, which must not be empty. How many issues each finds, within O(query) and O(view),
        is told by these names. Each costs a request.
      - It can be given beside O(rows) and O(columns), or instead of them.
      - A value finds what contains it. A wildcard, an operator such as C(AND), a quotation mark without its
        counterpart, a keyword without a value, and an unknown state, status or level of severity
        are refused.
    type: dict
  group:
    description: Whether issues that are alike count as one.
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

- name: Show them as a table
  ansible.builtin.debug:
    msg: "{{ item.row }}, {{ item.column }}: {{ item.count }}"
  loop: "{{ review.report.counts }}"

- name: Look into a taxonomy
  buildworks.toolchain.review_report_info:
    project: mobile-app
    rows: category
    rows_below: [C and C++]
    columns: severity

- name: Know how many issues there are of two kinds
  buildworks.toolchain.review_report_info:
    project: mobile-app
    counts:
      new critical: "severity:1 state:New"
      to fix: "status:Fix"
"""

RETURN = r"""
report:
  description: The table. None when it was not asked for.
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
    rows: [Critical, Error]
    columns: [Existing, New]
    data: [[1, 0], [1, 2]]
    counts:
      - {row: Critical, column: Existing, count: 1}
counts:
  description: The numbers of issues by the names in O(counts). None when they were not asked for.
  returned: success
  type: dict
  sample:
    new critical: 0
    to fix: 1
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.reports import AXES, Report
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

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
        rows_below=_PATH,
        columns_below=_PATH,
        counts=dict(type="dict", text_values=True, not_empty=True),
        group=dict(type="bool", default=False),
    ),
    required_together=[("rows", "columns")],
    required_one_of=[("rows", "counts")],
)


def run(task):
    report = Report(task, ReviewService(task))
    task.result = {
        "report": report.table() if task.params["rows"] else None,
        "counts": report.counts() if task.params["counts"] else None,
    }


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
