#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_server_info
short_description: Get Klocwork server information
description:
  - Get the version of a Klocwork server, its licenses, running tasks and project imports.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_server_info
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the permission C(webapi_access). All information except the version also requires the role C(Projects root
    admin).
options:
  gather:
    description: Information to return. The module sends one request for each entry.
    type: list
    elements: str
    choices:
      version: Version of the server.
      licenses: Licenses and their expiry.
      tasks: Tasks that are running on the server.
      imports: Imports of projects and server configurations.
    default: [version]
  feature:
    description: Return only the licenses of this feature.
    type: str
"""

EXAMPLES = r"""
- name: Get the version
  buildworks.toolchain.review_server_info:
  register: server

- name: Verify the version
  ansible.builtin.assert:
    that: server.version.numbers[0] >= 20

- name: Get the licenses of one feature and the running tasks
  buildworks.toolchain.review_server_info:
    gather: [licenses, tasks]
    feature: kwadmin10
"""

RETURN = r"""
version:
  description: The version. V(null) if it was not requested.
  returned: success
  type: dict
  contains:
    text:
      description: The version as the server reports it.
      type: str
    numbers:
      description: The numbers in the version.
      type: list
      elements: int
  sample:
    text: "20.4"
    numbers: [20, 4]
licenses:
  description: The licenses, sorted by feature. V(null) if they were not requested.
  returned: success
  type: list
  elements: dict
  contains:
    feature:
      description: Licensed feature.
      type: str
    version:
      description: Version of the license.
      type: str
    count:
      description: Number of licenses.
      type: int
    permanent:
      description: Whether the license does not expire.
      type: bool
    days_to_expiry:
      description: Number of days until the license expires. Not meaningful for permanent licenses.
      type: int
    servers:
      description: License servers, as C(port@host).
      type: list
      elements: str
tasks:
  description: The running tasks, as the server returns them. V(null) if they were not requested.
  returned: success
  type: list
  elements: dict
imports:
  description: The imports, as the server returns them. V(null) if they were not requested.
  returned: success
  type: list
  elements: dict
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(
        gather=dict(
            type="list",
            elements="str",
            choices=["version", "licenses", "tasks", "imports"],
            default=["version"],
        ),
        feature=dict(type="str", **NAME),
    )
)


def run(task: Task) -> None:
    review = ReviewService(task)
    readers: dict[str, t.Callable[[], t.Any]] = {
        "version": lambda: server.read_version(review),
        "licenses": lambda: server.list_licenses(review, task.params["feature"]),
        "tasks": lambda: server.read_records(review, "task_status"),
        "imports": lambda: server.read_records(review, "import_status"),
    }
    task.result = {name: read() if name in task.params["gather"] else None for name, read in readers.items()}


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
