#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_project
short_description: Manage Klocwork projects
description:
  - Create, update, rename or delete a Klocwork project. A renamed project keeps its ID.
  - Creating projects with the Web API requires Klocwork 2023 or later. On older servers, set O(use_admin_tool=true) to
    create projects with C(kwadmin create-project).
  - The module compares and changes only the options that are set.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_project
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.admin_tool
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(webapi_access), and C(change_project_settings), C(create_project) or C(delete_project)
    depending on the change.
options:
  name:
    description: Name of the project.
    type: str
    required: true
  new_name:
    description:
      - New name of the project. If a project with this name exists and there is no project called O(name), the task
        treats the project as already renamed.
      - Cannot be used with O(state=absent).
    type: str
  description:
    description: Description of the project. An empty string removes the description.
    type: str
  tags:
    description: Tags of the project. Replaces the current tags. An empty list removes all tags.
    type: list
    elements: str
  auto_delete_builds:
    description:
      - Whether the server deletes old builds when a new build is loaded. Builds that are marked as kept are never
        deleted.
      - The Web API does not return this value. O(use_admin_tool) and O(update_unreadable) determine how the module
        handles this.
    type: bool
  auto_delete_threshold:
    description:
      - Number of builds that automatic deletion retains. The server's default is 20.
      - The Web API does not return this value. O(use_admin_tool) and O(update_unreadable) determine how the module
        handles this.
    type: int
  use_admin_tool:
    description:
      - Whether to run O(admin_tool), on the host on which the task runs, for operations that the Web API does not
        support. It reads O(auto_delete_builds) and O(auto_delete_threshold), so that they are compared like all other
        options, and creates projects on servers before Klocwork 2023.
      - C(kwadmin) does not report O(auto_delete_threshold) while automatic deletion is disabled.
    type: bool
    default: false
  allow_delete:
    description:
      - Whether O(state=absent) may delete a project that has builds, or that has a stream with builds. If V(false), the
        task fails, also in check mode.
      - Projects without builds are always deleted.
    type: bool
    default: false
  update_unreadable:
    description:
      - When to send O(auto_delete_builds) and O(auto_delete_threshold) if their current values cannot be read.
    type: str
    choices:
      with_changes: Send them when the project is created or another option changes. Otherwise the task warns.
      always: Send them on each run. The task always reports a change.
    default: with_changes
  state:
    description:
      - Desired state of the project.
      - V(absent) permanently deletes the project with all its builds, issues and their history, which may require
        O(allow_delete).
seealso:
  - module: buildworks.toolchain.review_project_info
"""

EXAMPLES = r"""
- name: Set the description and tags of a project
  buildworks.toolchain.review_project:
    name: mobile-app
    description: The app
    tags: [ios, android]

- name: Enable automatic deletion of old builds, sent on each run
  buildworks.toolchain.review_project:
    name: mobile-app
    auto_delete_builds: true
    auto_delete_threshold: 30
    update_unreadable: always

- name: Create a project on any Klocwork version and retain five builds
  buildworks.toolchain.review_project:
    name: firmware
    auto_delete_builds: true
    auto_delete_threshold: 5
    use_admin_tool: true

- name: Rename a project
  buildworks.toolchain.review_project:
    name: platform
    new_name: services

- name: Delete a project with all its builds
  buildworks.toolchain.review_project:
    name: services
    state: absent
    allow_delete: true
"""

RETURN = r"""
project:
  description: State of the project after the task or, in check mode, the predicted state. V(null) if the project does
    not exist.
  returned: success
  type: dict
  contains:
    id:
      description: ID of the project. V(null) in check mode for a new project.
      type: str
    name:
      description: Name of the project.
      type: str
    creator:
      description: Account that created the project.
      type: str
    description:
      description: Description of the project.
      type: str
    tags:
      description: Tags, sorted.
      type: list
      elements: str
    auto_delete_builds:
      description: The value reported by C(kwadmin) or sent by this task. V(null) if it is unknown.
      type: bool
    auto_delete_threshold:
      description: The value reported by C(kwadmin) or sent by this task. V(null) if it is unknown.
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import permission_check
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.kwadmin import ADMIN_TOOL
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.resource_name import ResourceName
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.write_only import (
    UPDATE_UNREADABLE,
    WriteOnlyFields,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + STATE + UPDATE_UNREADABLE + ADMIN_TOOL + VISIBILITY) + ArgumentSpec(
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


def run(task: Task) -> None:
    name, write_only = ResourceName("project", task.params), WriteOnlyFields(task, projects.WRITE_ONLY)
    desired = {"name": name.desired, **task.select_provided("description", "tags", *projects.WRITE_ONLY)}
    if "tags" in desired:
        desired["tags"] = sort_unique(desired["tags"])
    review = ReviewService(task)
    all_projects = projects.Projects(task, review)

    def update(fields: Fields) -> None:
        review.write("update_project", **name.to_wire(fields))

    reconcile(
        task,
        "project",
        read=lambda: write_only.add_sent(all_projects.find(name)),
        desired=lambda before: write_only.select_fields(before, desired),
        create=lambda fields: all_projects.create(write_only, fields),
        update=lambda fields: write_only.send(update, fields),
        delete=lambda: review.write("delete_project", name=name.desired),
        check=lambda before, _wanted: all_projects.check_change(name.desired, before),
        predict_refusal=lambda: permission_check.check_removal(task, review, "delete_project", name.desired),
        to_result=projects.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
