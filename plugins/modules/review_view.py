#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_view
short_description: Manage a view of a code-analysis project
description:
  - Creates, changes, renames or removes a view, that is a stored query for issues of one project.
  - Only what is given is compared and changed.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission and access to the project.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Name of the view. V(*default*) is the server's own and is refused.
    type: str
    required: true
  new_name:
    description:
      - Name that the view shall have. It is renamed, unless one of this name is there and none of the old one.
      - Not to be combined with O(state=absent).
    type: str
  query:
    description:
      - The query, as in the search of the server. It cannot name a build.
      - A value finds what contains it. A wildcard, an operator such as C(AND), a quotation mark without its
        counterpart, a keyword without a value, and an unknown state, status or level of severity
        are refused.
      - Required for a view that is not there yet.
    type: str
  tags:
    description: Tags of the view. The list is the whole set; an empty one removes all.
    type: list
    elements: str
  public:
    description:
      - Whether other accounts see the view.
      - A new view is public unless this is V(false), for its creator is most often an account that nobody works with.
    type: bool
  take_over:
    description:
      - Whether the task may change or remove a public view of this name that another account created.
      - Without it such a view is not changed, which is an error, and with O(state=absent) left alone. A view of the
        account itself always goes before those of others.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.review_view_info
"""

EXAMPLES = r"""
- name: Show new critical issues
  buildworks.toolchain.review_view:
    project: mobile-app
    name: critical
    query: "severity:1 state:New"
    tags: [gate]

- name: Change the view that another account created
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

- name: Remove a view
  buildworks.toolchain.review_view:
    project: mobile-app
    name: new and critical
    state: absent
"""

RETURN = r"""
view:
  description: The view afterwards, or as it would be in check mode. None when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: Id of the view. Not there in check mode for a new one.
      type: int
    name:
      description: Name of the view.
      type: str
    query:
      description: The query.
      type: str
    tags:
      description: The tags, sorted.
      type: list
      elements: str
    public:
      description: Whether other accounts see it.
      type: bool
    creator:
      description: The account that created it.
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import missing, views
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.naming import Naming
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + STATE + missing.PREDICT_MISSING) + ArgumentSpec(
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


def run(task):
    project, naming = task.params["project"], Naming("view", task.params)
    desired = {"name": naming.wanted, **task.select_provided("query", "tags", "public")}
    take_over = task.params["take_over"]
    of_others = take_over or task.params["state"] == "present"
    if "tags" in desired:
        desired["tags"] = sort_unique(desired["tags"])
    views.check(naming, desired)
    review = ReviewService(task)

    def update(fields):
        review.write("update_view", project=project, **naming.wire_fields(views.wire_fields(fields)))

    reconcile(
        task,
        "view",
        read=lambda: views.find(
            review, missing.of_project(task, review, project, views.listed), project, naming, of_others
        ),
        desired=lambda before: desired if before else {"public": True, **desired},
        create=lambda fields: review.write("create_view", project=project, **views.wire_fields(fields)),
        update=update,
        delete=lambda: review.write("delete_view", project=project, name=naming.wanted),
        check=lambda before, wanted: views.check_write(review, before, wanted, take_over),
        to_result=views.as_result,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
