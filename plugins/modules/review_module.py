#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_module
short_description: Manage a module of a code-analysis project
description:
  - Creates, changes, renames or removes a module, that is a part of a project's files, and says who sees its issues.
  - Only what is given is compared and changed.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and the one to manage the modules of the project.
  - Whether a server tells who is let in and kept out is not known of all versions. Where it does, the lists are
    compared as all else.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Name of the module. V(*default*) is the server's own and is refused.
    type: str
    required: true
  new_name:
    description:
      - Name that the module shall have. It is renamed, unless one of this name is there and none of the old one.
      - Not to be combined with O(state=absent).
    type: str
  paths:
    description:
      - Patterns of the paths that belong to the module, such as C(**/vendor/*). The list is the whole set, and must
        not be empty.
      - Required for a module that is not there yet.
    type: list
    elements: str
  tags:
    description: Tags of the module. The list is the whole set; an empty one removes all.
    type: list
    elements: str
  allow_all:
    description:
      - Whether everybody sees its issues.
      - So it is with a new module, unless O(allow_users) or O(allow_groups) are given.
    type: bool
  allow_users:
    description: Users that are let in. The list is the whole set.
    type: list
    elements: str
  allow_groups:
    description: Groups that are let in. The list is the whole set.
    type: list
    elements: str
  deny_users:
    description: Users that are kept out. The list is the whole set.
    type: list
    elements: str
  deny_groups:
    description: Groups that are kept out. The list is the whole set.
    type: list
    elements: str
  update_unreadable:
    description:
      - When O(allow_users), O(allow_groups), O(deny_users) and O(deny_groups) are sent, where the server does not tell
        them, so that they cannot be compared.
      - V(with_changes) sends them to a new module, and together with anything else that is changed. Else they
        are left out, with a warning.
      - V(always) sends them each time, and the task is always changed.
    type: str
    choices: [with_changes, always]
    default: with_changes
seealso:
  - module: buildworks.toolchain.review_module_info
"""

EXAMPLES = r"""
- name: Keep the code of others apart
  buildworks.toolchain.review_module:
    project: mobile-app
    name: third_party
    paths: ["**/vendor/*", "**/3rdparty/*"]
    tags: [external]

- name: Let the developers alone see it, by another name
  buildworks.toolchain.review_module:
    project: mobile-app
    name: third_party
    new_name: vendored
    allow_all: false
    allow_groups: [developers]

- name: Remove a module
  buildworks.toolchain.review_module:
    project: mobile-app
    name: vendored
    state: absent
"""

RETURN = r"""
module:
  description: The module afterwards, or as it would be in check mode. None when it is absent.
  returned: success
  type: dict
  contains:
    name:
      description: Name of the module.
      type: str
    paths:
      description: The patterns of its files, sorted.
      type: list
      elements: str
    tags:
      description: The tags, sorted.
      type: list
      elements: str
    allow_all:
      description: Whether everybody sees its issues.
      type: bool
    allow_users:
      description: The users that are let in. None where the server does not tell.
      type: list
      elements: str
    allow_groups:
      description: The groups that are let in. None where the server does not tell.
      type: list
      elements: str
    deny_users:
      description: The users that are kept out. None where the server does not tell.
      type: list
      elements: str
    deny_groups:
      description: The groups that are kept out. None where the server does not tell.
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import missing, modules, rights
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.naming import Naming
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.unreadable import (
    UPDATE_UNREADABLE,
    Unreadable,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

_NAMES = dict(type="list", elements="str", each_element=NAME)

SPEC = (REVIEW + STATE + missing.PREDICT_MISSING + UPDATE_UNREADABLE) + ArgumentSpec(
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


def run(task):
    project, naming = task.params["project"], Naming("module", task.params)
    naming.check_not(modules.DEFAULT_MODULE)
    given = {"name": naming.wanted, **modules.given(task.select_provided("allow_all", *modules.LISTS))}
    unreadable, review = Unreadable(task, modules.ACCESS_LISTS), ReviewService(task)

    def update(fields):
        review.write("update_module", project=project, **naming.wire_fields(fields))

    reconcile(
        task,
        "module",
        read=lambda: unreadable.read(naming.find(missing.of_project(task, review, project, modules.listed))),
        desired=lambda before: unreadable.desired(before, given if before else modules.new(given)),
        create=lambda new: unreadable.write(lambda all_: review.write("create_module", project=project, **all_), new),
        update=lambda fields: unreadable.write(update, fields),
        delete=lambda: review.write("delete_module", project=project, name=naming.wanted),
        check=modules.check_write,
        predict_refusal=lambda: rights.predict_removal(task, review, "manage_modules", project),
        to_result=modules.as_result,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
