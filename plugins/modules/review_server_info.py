#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_server_info
short_description: Look at a code-analysis server
description:
  - Tells the version of a server, its licences, and what it is doing.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs the Web API permission; for all but the version, the role C(Projects root admin).
options:
  gather:
    description:
      - What to ask for; each costs one request.
      - V(version), V(licenses), V(tasks) that run on the server, or V(imports) of projects.
    type: list
    elements: str
    choices: [version, licenses, tasks, imports]
    default: [version]
  feature:
    description: Only the licences of this feature.
    type: str
"""

EXAMPLES = r"""
- name: Ask for the version
  buildworks.toolchain.review_server_info:
  register: server

- name: Be sure that the server creates projects
  ansible.builtin.assert:
    that: server.version.numbers[0] >= 20

- name: Look at the licences of one feature, and at what runs
  buildworks.toolchain.review_server_info:
    gather: [licenses, tasks]
    feature: kwadmin10
"""

RETURN = r"""
version:
  description: The version. None when it was not asked for.
  returned: success
  type: dict
  contains:
    text:
      description: As the server tells it.
      type: str
    numbers:
      description: The numbers in it.
      type: list
      elements: int
  sample:
    text: "20.4"
    numbers: [20, 4]
licenses:
  description: The licences, sorted by feature. None when they were not asked for.
  returned: success
  type: list
  elements: dict
  contains:
    feature:
      description: What is licensed.
      type: str
    version:
      description: Version of the licence.
      type: str
    count:
      description: How many there are.
      type: int
    permanent:
      description: Whether it never ends.
      type: bool
    days_to_expiry:
      description: Days until it ends. Says nothing of a permanent one.
      type: int
    servers:
      description: The licence servers, as C(port@host).
      type: list
      elements: str
tasks:
  description: The tasks that run, as the server tells them. None when they were not asked for.
  returned: success
  type: list
  elements: dict
imports:
  description: The imports, as the server tells them. None when they were not asked for.
  returned: success
  type: list
  elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

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


def run(task):
    review = ReviewService(task)
    asks = {
        "version": lambda: server.version(review),
        "licenses": lambda: server.licenses(review, task.params["feature"]),
        "tasks": lambda: server.raw(review, "task_status"),
        "imports": lambda: server.raw(review, "import_status"),
    }
    task.result = {what: ask() if what in task.params["gather"] else None for what, ask in asks.items()}


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
