#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_call
short_description: Call any action of a code-analysis server
description:
  - Calls an action of the Web API for which there is no module, such as one of a server to come, and gives its records.
  - Names and values arrive unharmed, whatever is in them.
  - An answer that is no record, such as the file that a download gives, is an error, unless O(dest) says where it goes.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and those of the action.
  - An action that changes something is called each time, and is always reported as a change.
options:
  action:
    description: Name of the action, of lower-case letters, digits and underscores.
    type: str
    required: true
  parameters:
    description:
      - Parameters of the action, as the server names them.
      - A boolean is sent as C(true) or C(false), a list with commas between its elements, in which commas and
        backslashes are escaped. What is null is left out.
      - Values are not shown, for a password may be among them. Use C(no_log) on the task to hide what was passed to it.
    type: dict
  reads:
    description:
      - Whether the action changes nothing. It is called in check mode too then, repeated where it fails in passing, and
        reported as no change.
      - Refused for an action whose name says that it creates, updates, deletes or imports.
    type: bool
    default: false
  dest:
    description:
      - File for what the action answers, where that is a file and no records, such as C(compliance_download) of newer
        servers. Needs O(reads=true).
      - It is replaced when all of it was read; if that fails, the old file stays. Not written in check mode.
    type: path
"""

EXAMPLES = r"""
- name: List what the server knows of builds
  buildworks.toolchain.review_call:
    action: builds
    parameters:
      project: mobile-app
    reads: true
  register: review

- name: Keep a build
  buildworks.toolchain.review_call:
    action: update_build
    parameters:
      project: mobile-app
      name: "{{ review.records[0].name }}"
      keepit: true
"""

RETURN = r"""
records:
  description: The records of the answer, as the server tells them. None when the action was not called, or gave a file.
  returned: success
  type: list
  elements: dict
plan:
  description: What is called, the C(action) and the names of its C(parameters). None with O(reads=true).
  returned: success
  type: dict
  sample:
    action: update_build
    parameters: [keepit, name, project]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import TO_FILE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.call import ActionCall
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + TO_FILE) + ArgumentSpec(
    dict(
        action=dict(type="str", required=True, matches=("[a-z0-9_]+", "lower-case letters, digits and underscores")),
        parameters=dict(
            type="dict", text_values=True, narrows_scope=True, unchecked="what is none is refused by its name"
        ),
        reads=dict(type="bool", default=False),
        dest=dict(type="path", not_empty=True),
    )
)


def run(task):
    call = ActionCall(task, ReviewService(task))
    if task.params["reads"]:
        task.result = {"plan": None, **call.ask()}
    else:
        operate(task, call.plan(), call.act, result_names=["records"])


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
