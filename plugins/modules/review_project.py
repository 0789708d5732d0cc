#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_project
short_description: Manage a project of a code-analysis server
description:
  - Changes, renames or removes a project, and creates it where the server can, which is from 2023 on.
  - On older servers projects come to be there by C(kwadmin create-project), an import, or the first load of a build;
    with O(use_admin_tool=true) they are created, too.
  - Only what is given is compared and changed. A project keeps its id when it is renamed.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.admin_tool
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and the one to change the settings of the project, to create, or to delete projects.
options:
  name:
    description: Name of the project.
    type: str
    required: true
  new_name:
    description:
      - Name that the project shall have. It is renamed, unless one of this name is there and none of the old one.
      - Not to be combined with O(state=absent).
    type: str
  description:
    description: What the project is. An empty text removes it.
    type: str
  tags:
    description: Tags of the project. The list is the whole set; an empty one removes all.
    type: list
    elements: str
  auto_delete_builds:
    description:
      - Whether the server deletes old builds, but for those that are kept, when a new one is loaded.
      - The Web API does not tell it, see O(use_admin_tool) and O(update_unreadable).
    type: bool
  auto_delete_threshold:
    description:
      - How many builds stay then, 1 to 1,000,000. The server's own default is 20.
      - The Web API does not tell it, see O(use_admin_tool) and O(update_unreadable).
    type: int
  use_admin_tool:
    description:
      - Whether to run O(admin_tool), on the machine that the task runs on, for what the Web API has not. It tells
        O(auto_delete_builds) and O(auto_delete_threshold), which are fields as any other then, and creates the project
        where the server is older than 2023.
      - While O(auto_delete_builds=false), it does not tell O(auto_delete_threshold).
    type: bool
    default: false
  allow_delete:
    description:
      - Whether O(state=absent) may delete a project that has builds, or a stream with builds. Without it the task
        fails, in check mode, too.
      - A project without builds is deleted in either case.
    type: bool
    default: false
  update_unreadable:
    description:
      - When O(auto_delete_builds) and O(auto_delete_threshold) are sent, which cannot be compared.
      - V(with_changes) sends them to a new project, and together with anything else that is changed. Else they
        are left out, with a warning.
      - V(always) sends them each time, and the task is always changed.
    type: str
    choices: [with_changes, always]
    default: with_changes
  state:
    description:
      - Whether the project shall be there.
      - With V(absent) it is deleted with all its builds, issues and their history, for good, see O(allow_delete).
seealso:
  - module: buildworks.toolchain.review_project_info
"""

EXAMPLES = r"""
- name: Say what a project is
  buildworks.toolchain.review_project:
    name: mobile-app
    description: The app
    tags: [ios, android]

- name: Let the server delete old builds, and say so each time
  buildworks.toolchain.review_project:
    name: mobile-app
    auto_delete_builds: true
    auto_delete_threshold: 30
    update_unreadable: always

- name: Create a project on whichever server, and keep its five newest builds
  buildworks.toolchain.review_project:
    name: firmware
    auto_delete_builds: true
    auto_delete_threshold: 5
    use_admin_tool: true

- name: Rename a project
  buildworks.toolchain.review_project:
    name: platform
    new_name: services

- name: Remove a project and all that is in it
  buildworks.toolchain.review_project:
    name: services
    state: absent
    allow_delete: true
"""

RETURN = r"""
project:
  description: The project afterwards, or as it would be in check mode. None when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: Id of the project, none in check mode for a new one.
      type: str
    name:
      description: Name of the project.
      type: str
    creator:
      description: The account that created it.
      type: str
    description:
      description: Its description.
      type: str
    tags:
      description: Its tags, sorted.
      type: list
      elements: str
    auto_delete_builds:
      description: As the administration tool tells it, or what was sent by this task. None when it is not known.
      type: bool
    auto_delete_threshold:
      description: As the administration tool tells it, or what was sent by this task. None when it is not known.
      type: int
  sample:
    id: mobile_app
    name: mobile-app
    creator: admin
    description: The app
    tags: [android, ios]
    auto_delete_builds: null
    auto_delete_threshold: null
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import projects, rights
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.admin_tool import ADMIN_TOOL
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.naming import Naming
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.unreadable import (
    UPDATE_UNREADABLE,
    Unreadable,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + STATE + UPDATE_UNREADABLE + ADMIN_TOOL) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        new_name=dict(type="str", **NAME),
        description=dict(type="str", unchecked="any text"),
        tags=dict(type="list", elements="str", each_element=NAME),
        auto_delete_builds=dict(type="bool"),
        auto_delete_threshold=dict(type="int", at_least=1, at_most=1_000_000),
        use_admin_tool=dict(type="bool", default=False),
        allow_delete=dict(type="bool", default=False),
    )
)


def run(task):
    naming, unreadable = Naming("project", task.params), Unreadable(task, projects.UNREADABLE)
    given = {"name": naming.wanted, **task.select_provided("description", "tags", *projects.UNREADABLE)}
    if "tags" in given:
        given["tags"] = sort_unique(given["tags"])
    review = ReviewService(task)
    known = projects.Projects(task, review)

    def update(fields):
        review.write("update_project", **naming.wire_fields(fields))

    reconcile(
        task,
        "project",
        read=lambda: unreadable.read(known.find(naming)),
        desired=lambda before: unreadable.desired(before, given),
        create=lambda fields: known.create(unreadable, fields),
        update=lambda fields: unreadable.write(update, fields),
        delete=lambda: review.write("delete_project", name=naming.wanted),
        check=lambda before, _wanted: known.check(naming.wanted, before),
        predict_refusal=lambda: rights.predict_removal(task, review, "delete_project", naming.wanted),
        to_result=projects.as_result,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
