#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_view
short_description: Manage Klocwork views
description:
  - Create, update, rename or delete a view of a Klocwork project. A view is a saved search query for issues.
  - The module compares and changes only the options that are set.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_view
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(webapi_access) and access to the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Name of the view. The built-in view V(*default*) cannot be changed.
    type: str
    required: true
  new_name:
    description:
      - New name of the view. If a view with this name exists and there is no view called O(name), the task treats the
        view as already renamed.
      - Cannot be used with O(state=absent).
    type: str
  query:
    description:
      - Klocwork search query of the view. Must not contain C(build:).
      - A value matches if it is a part of the text. Klocwork finds nothing for some invalid queries instead of
        reporting an error, so the module refuses queries that contain wildcards, operators such as C(AND), unbalanced
        quotation marks, keywords without a value, or unknown states, statuses or severity levels.
      - Required to create a view.
    type: str
  tags:
    description: Tags of the view. Replaces the current tags. An empty list removes all tags.
    type: list
    elements: str
  public:
    description:
      - Whether other accounts can see the view.
      - If not set, a new view is public, because automation accounts usually create views for other users.
    type: bool
  take_over:
    description:
      - Whether the task may update or delete a public view that another account created. A view of the account itself
        takes precedence over views of other accounts with the same name.
      - If V(false), the task fails if such a view would be updated. With O(state=absent), the view is ignored.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_view_info
"""

EXAMPLES = r"""
- name: Create a view of new critical issues
  buildworks.toolchain.review_view:
    project: mobile-app
    name: critical
    query: "severity:1 state:New"
    tags: [gate]

- name: Remove the tags of a view that another account created
  buildworks.toolchain.review_view:
    project: mobile-app
    name: critical
    tags: []
    take_over: true

- name: Rename a view
  buildworks.toolchain.review_view:
    project: mobile-app
    name: critical
    new_name: new and critical

- name: Delete a view
  buildworks.toolchain.review_view:
    project: mobile-app
    name: new and critical
    state: absent
"""

RETURN = r"""
view:
  description: State of the view after the task or, in check mode, the predicted state. V(null) if the view does not
    exist.
  returned: success
  type: dict
  contains:
    id:
      description: ID of the view. V(null) in check mode for a new view.
      type: int
    name:
      description: Name of the view.
      type: str
    query:
      description: Search query.
      type: str
    tags:
      description: Tags, sorted.
      type: list
      elements: str
    public:
      description: Whether other accounts can see the view.
      type: bool
    creator:
      description: Account that created the view.
      type: str
  sample:
    id: 9
    name: critical
    query: severity:1 state:New
    tags: [gate]
    public: true
    creator: admin
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import prediction
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import views
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.resource_name import ResourceName
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + STATE + PREDICT_MISSING + VISIBILITY) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        name=dict(type="str", required=True, **NAME),
        new_name=dict(type="str", **NAME),
        query=dict(type="str", one_line=True),
        tags=dict(type="list", elements="str", each_element=NAME),
        public=dict(type="bool", narrows_scope=True),
        take_over=dict(type="bool", default=False),
    ),
)


def run(task: Task) -> None:
    project, name = task.params["project"], ResourceName("view", task.params)
    desired = {"name": name.desired, **task.select_provided("query", "tags", "public")}
    take_over = task.params["take_over"]
    include_foreign = take_over or task.params["state"] == "present"
    if "tags" in desired:
        desired["tags"] = sort_unique(desired["tags"])
    views.check_options(name, desired)
    review = ReviewService(task)

    def update(fields: Fields) -> None:
        review.write("update_view", project=project, **name.to_wire(views.to_wire(fields)))

    reconcile(
        task,
        "view",
        read=lambda: views.select_view(
            review, prediction.list_in_project(task, review, project, views.list_views), project, name, include_foreign
        ),
        desired=lambda before: desired if before else {"public": True, **desired},
        create=lambda fields: review.write("create_view", project=project, **views.to_wire(fields)),
        update=update,
        delete=lambda: review.write("delete_view", project=project, name=name.desired),
        check=lambda before, desired: views.check_change(review, before, desired, take_over),
        to_result=views.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
