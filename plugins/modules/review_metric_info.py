#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_metric_info
short_description: Read metrics of a code-analysis project
description:
  - Reads what was measured of the files and functions of a project, value by value, or summed up for each metric.
  - Values are read one by one as they come, so memory stays flat with O(to_file).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission and access to the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  tags:
    description:
      - Only these metrics, by their tags, of letters, digits, underscores and dots, such as V(NCNBLOC_FILE).
      - The list must not be empty.
    type: list
    elements: str
  query:
    description: Only what this query finds, such as V(file:src/core).
    type: str
  view:
    description: Only what belongs to this view.
    type: str
  limit:
    description: How many to read at most, 1 to 999,999,999.
    type: int
  aggregate:
    description: Whether to tell for each metric what its values come to, in place of the values.
    type: bool
    default: false
  system_files:
    description: Whether files that are not of the project itself are looked at as well.
    type: bool
    default: true
seealso:
  - module: buildworks.toolchain.review_report_info
"""

EXAMPLES = r"""
- name: Read how long the files of the project itself are
  buildworks.toolchain.review_metric_info:
    project: mobile-app
    tags: [NCNBLOC_FILE]
    system_files: false
  register: review

- name: Name the longest one
  ansible.builtin.debug:
    msg: "{{ (review.metrics | sort(attribute='value') | last).file }}"

- name: Sum all metrics up
  buildworks.toolchain.review_metric_info:
    project: mobile-app
    aggregate: true
"""

RETURN = r"""
metrics:
  description:
    - What was measured. A value has C(file), C(entity), C(entity_id), C(tag) and C(value).
    - With O(aggregate=true) each has C(tag), C(entries), C(sum), C(min) and C(max).
  returned: when O(to_file) is not given
  type: list
  elements: dict
  contains:
    file:
      description: Path of the file.
      type: str
    entity:
      description: What was measured, such as the name of a function.
      type: str
    entity_id:
      description: Its id.
      type: int
    tag:
      description: Tag of the metric.
      type: str
    value:
      description: The value, in the unit of the metric.
      type: float
    entries:
      description: How many values there are.
      type: int
    sum:
      description: What they come to.
      type: float
    min:
      description: The least of them.
      type: float
    max:
      description: The greatest of them.
      type: float
  sample:
    - file: src/core/list.c
      entity: next_of
      entity_id: 3
      tag: CYCLOMATIC
      value: 7.0
count:
  description: How many there are.
  returned: success
  type: int
masked:
  description: What O(mask_secrets) masked.
  returned: with O(mask_secrets)
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Where they were, the first 100 of them.
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import metrics
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

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


def run(task):
    task.result["count"] = output_list(task, "metrics", metrics.found(ReviewService(task), task.params))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
