#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_module
short_description: Manage Klocwork modules
description:
  - Create, update, rename or delete a module of a Klocwork project. A module groups files by path patterns and controls
    who can see the issues in them.
  - The module compares and changes only the options that are set.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_module
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(webapi_access), and C(manage_modules) on the project.
  - Some Klocwork versions do not return the allowed and denied users and groups. If the server returns them, they are
    compared like all other options. If the server does not return them, O(update_unreadable) determines when they are
    sent.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Name of the module. The built-in module V(*default*) cannot be changed.
    type: str
    required: true
  new_name:
    description:
      - New name of the module. If a module with this name exists and there is no module called O(name), the task treats
        the module as already renamed.
      - Cannot be used with O(state=absent).
    type: str
  paths:
    description:
      - Path patterns of the files that belong to the module, such as C(**/vendor/*). Replaces the current patterns.
        Must not be empty.
      - Required to create a module.
    type: list
    elements: str
  tags:
    description: Tags of the module. Replaces the current tags. An empty list removes all tags.
    type: list
    elements: str
  allow_all:
    description:
      - Whether all users can see the issues of the module.
      - If not set, a new module is visible to all users unless O(allow_users) or O(allow_groups) is set.
    type: bool
  allow_users:
    description: Users who can see the issues. Replaces the current list.
    type: list
    elements: str
  allow_groups:
    description: Groups that can see the issues. Replaces the current list.
    type: list
    elements: str
  deny_users:
    description: Users who cannot see the issues. Replaces the current list.
    type: list
    elements: str
  deny_groups:
    description: Groups that cannot see the issues. Replaces the current list.
    type: list
    elements: str
  update_unreadable:
    description:
      - When to send O(allow_users), O(allow_groups), O(deny_users) and O(deny_groups) if the server does not return
        their current values.
    type: str
    choices:
      with_changes: Send them when the module is created or another option changes. Otherwise the task warns.
      always: Send them on each run. The task always reports a change.
    default: with_changes
seealso:
  - module: buildworks.toolchain.review_module_info
"""

EXAMPLES = r"""
- name: Create a module for third-party code
  buildworks.toolchain.review_module:
    project: mobile-app
    name: third_party
    paths: ["**/vendor/*", "**/3rdparty/*"]
    tags: [external]

- name: Rename the module and restrict it to developers
  buildworks.toolchain.review_module:
    project: mobile-app
    name: third_party
    new_name: vendored
    allow_all: false
    allow_groups: [developers]

- name: Delete the module
  buildworks.toolchain.review_module:
    project: mobile-app
    name: vendored
    state: absent
"""

RETURN = r"""
module:
  description: State of the module after the task or, in check mode, the predicted state. V(null) if the module does not
    exist.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the module.
      type: str
    paths:
      description: Path patterns, sorted.
      type: list
      elements: str
    tags:
      description: Tags, sorted.
      type: list
      elements: str
    allow_all:
      description: Whether all users can see the issues.
      type: bool
    allow_users:
      description: Users who can see the issues. V(null) if the server does not return them.
      type: list
      elements: str
    allow_groups:
      description: Groups that can see the issues. V(null) if the server does not return them.
      type: list
      elements: str
    deny_users:
      description: Users who cannot see the issues. V(null) if the server does not return them.
      type: list
      elements: str
    deny_groups:
      description: Groups that cannot see the issues. V(null) if the server does not return them.
      type: list
      elements: str
  sample:
    name: third_party
    paths: ["**/3rdparty/*", "**/vendor/*"]
    tags: [external]
    allow_all: true
    allow_users: null
    allow_groups: null
    deny_users: null
    deny_groups: null
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import prediction
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import permission_check
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import modules
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.resource_name import ResourceName
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.write_only import (
    UPDATE_UNREADABLE,
    WriteOnlyFields,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_NAMES = dict(type="list", elements="str", each_element=NAME)

SPEC = (REVIEW + STATE + PREDICT_MISSING + UPDATE_UNREADABLE + VISIBILITY) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        name=dict(type="str", required=True, **NAME),
        new_name=dict(type="str", **NAME),
        paths=dict(**_NAMES, not_empty=True),
        tags=_NAMES,
        allow_all=dict(type="bool", narrows_scope=True),
        **{name: dict(**_NAMES, narrows_scope=True) for name in modules.ACCESS_LISTS},
    )
)


def run(task: Task) -> None:
    project, name = task.params["project"], ResourceName("module", task.params)
    name.check_not_builtin(modules.DEFAULT_MODULE)
    desired = {"name": name.desired, **modules.normalize(task.select_provided("allow_all", *modules.LIST_FIELDS))}
    write_only, review = WriteOnlyFields(task, modules.ACCESS_LISTS), ReviewService(task)

    def update(fields: Fields) -> None:
        review.write("update_module", project=project, **name.to_wire(fields))

    reconcile(
        task,
        "module",
        read=lambda: write_only.add_sent(
            name.find(prediction.list_in_project(task, review, project, modules.list_modules))
        ),
        desired=lambda before: write_only.select_fields(before, desired if before else modules.add_defaults(desired)),
        create=lambda fields: write_only.send(
            lambda sent: review.write("create_module", project=project, **sent), fields
        ),
        update=lambda fields: write_only.send(update, fields),
        delete=lambda: review.write("delete_module", project=project, name=name.desired),
        check=modules.check_change,
        predict_refusal=lambda: permission_check.check_removal(task, review, "manage_modules", project),
        to_result=modules.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
