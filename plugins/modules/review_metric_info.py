#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_metric_info
short_description: Get Klocwork metrics
description:
  - Get the metrics of the files and functions of a Klocwork project, either all values or a summary of each metric.
  - With O(to_file), values are written as they are received, so that memory use does not depend on their number.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_metric_info
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
  tags:
    description:
      - Return only metrics with one of these tags, such as V(NCNBLOC_FILE). Tags consist of letters, digits,
        underscores and dots. Must not be empty.
    type: list
    elements: str
  query:
    description: Return only values that match this query, such as V(file:src/core).
    type: str
  view:
    description: Name of a view that limits the result.
    type: str
  limit:
    description: Maximum number of values to return.
    type: int
  aggregate:
    description: Whether to return a summary of each metric instead of its values.
    type: bool
    default: false
  system_files:
    description: Whether to include system files, which are not part of the project.
    type: bool
    default: true
seealso:
  - module: buildworks.toolchain.review_report_info
"""

EXAMPLES = r"""
- name: Get the lines of code of each project file
  buildworks.toolchain.review_metric_info:
    project: mobile-app
    tags: [NCNBLOC_FILE]
    system_files: false
  register: review

- name: Print the longest file
  ansible.builtin.debug:
    msg: "{{ (review.metrics | sort(attribute='value') | last).file }}"

- name: Get a summary of all metrics
  buildworks.toolchain.review_metric_info:
    project: mobile-app
    aggregate: true
"""

RETURN = r"""
metrics:
  description:
    - The metrics. Each value has C(file), C(entity), C(entity_id), C(tag) and C(value).
    - With O(aggregate=true), each entry has C(tag), C(entries), C(sum), C(min) and C(max).
  returned: success, unless O(to_file) is set
  type: list
  elements: dict
  contains:
    file:
      description: Path to the file.
      type: str
    entity:
      description: Name of the measured entity, such as a function.
      type: str
    entity_id:
      description: ID of the measured entity.
      type: int
    tag:
      description: Tag of the metric.
      type: str
    value:
      description: Value in the unit of the metric.
      type: float
    entries:
      description: Number of values.
      type: int
    sum:
      description: Sum of the values.
      type: float
    min:
      description: Smallest value.
      type: float
    max:
      description: Largest value.
      type: float
  sample:
    - file: src/core/list.c
      entity: next_of
      entity_id: 3
      tag: CYCLOMATIC
      value: 7.0
count:
  description: Number of entries.
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
    places: ["main: tag"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import metrics
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_TAG = dict(matches=(r"[\w.]+", "a tag of letters, digits, underscores and dots"))

SPEC = (REVIEW + LISTING) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        tags=dict(type="list", elements="str", not_empty=True, each_element=_TAG),
        query=dict(type="str", one_line=True),
        view=dict(type="str", **NAME),
        limit=dict(type="int", at_least=1, at_most=999_999_999),
        aggregate=dict(type="bool", default=False),
        system_files=dict(type="bool", default=True),
    )
)


def run(task: Task) -> None:
    task.result["count"] = output_list(task, "metrics", metrics.read_metrics(ReviewService(task), task.params))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
