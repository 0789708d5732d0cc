#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_call
short_description: Call a Klocwork Web API action
description:
  - Call any action of the Klocwork Web API and return its records. Use this module for actions that no other
    module supports, for example actions of newer Klocwork versions.
  - Special characters in names and values are escaped.
  - If the response contains no records, as with a file download, the task fails unless O(dest) is set.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_call
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(webapi_access) and the permissions of the action.
  - Unless O(read_only=true), the action is called on each run and always reported as changed.
options:
  action:
    description: Name of the action, consisting of lower-case letters, digits and underscores.
    type: str
    required: true
  parameters:
    description:
      - Parameters of the action, with the names that Klocwork uses.
      - Booleans are sent as C(true) or C(false), lists as comma-separated values with escaped commas and backslashes.
        If O(read_only=true), parameters that are V(null) are not sent. Otherwise they are an error, because the action
        could affect more without them.
      - The result does not contain the values because they can be secret. Set C(no_log=true) on the task to also hide
        them from the logged task arguments.
    type: dict
  read_only:
    description:
      - Whether the action is read-only. If V(true), the task reports no change. If the action is also known to the
        module as one that only reads, it runs in check mode too, and is retried on temporary errors.
      - Cannot be V(true) for actions whose names begin with C(create_), C(update_), C(delete_) or C(import_), except
        C(import_status).
    type: bool
    default: false
  dest:
    description:
      - Path to the file to write if the action returns a file, for example C(compliance_download) of newer servers.
        Requires O(read_only=true).
      - The file is replaced after a complete download. If the download fails, the existing file is not changed.
      - The file is not written in check mode.
    type: path
"""

EXAMPLES = r"""
- name: Get the builds of a project as the server returns them
  buildworks.toolchain.review_call:
    action: builds
    parameters:
      project: mobile-app
    read_only: true
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
  description: Records in the response. V(null) if no request was sent, or if the response is a file.
  returned: success
  type: list
  elements: dict
plan:
  description:
    - The planned call, with the name of the C(action) and the names of its C(parameters). V(null) with
      O(read_only=true).
  returned: success
  type: dict
  sample:
    action: update_build
    parameters: [keepit, name, project]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import TO_FILE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.action_call import ActionCall
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + TO_FILE) + ArgumentSpec(
    dict(
        action=dict(type="str", required=True, matches=("[a-z0-9_]+", "lower-case letters, digits and underscores")),
        parameters=dict(
            type="dict",
            text_values=True,
            narrows_scope=True,
            accepts_null="not sent by reads, refused for writes",
            unchecked="elements that are null are refused by name",
        ),
        read_only=dict(type="bool", default=False),
        dest=dict(type="path", not_empty=True),
    )
)


def run(task: Task) -> None:
    call = ActionCall(task, ReviewService(task))
    if call.is_proven:
        task.result = {"plan": None, **call.read()}
    elif task.params["read_only"]:
        operate(task, call.plan(), call.read, changes_state=False, result_names=["records"])
    else:
        operate(task, call.plan(), call.write, result_names=["records"])


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
