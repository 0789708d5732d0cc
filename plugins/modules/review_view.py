#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_view
short_description: Manage a view of a code-analysis project
description:
  - Creates, changes or removes a view, that is a stored query for issues of one project.
  - Only what is given is compared and changed.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Name of the view. V(*default*) is the server's own and is refused.
    type: str
    required: true
  query:
    description:
      - The query, as in the search of the server. It cannot name a build.
      - Required with O(state=present).
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
  state:
    description: Whether the view shall be there.
    type: str
    choices: [present, absent]
    default: present
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

- name: Remove a view
  buildworks.toolchain.review_view:
    project: mobile-app
    name: critical
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import as_set, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.views import (
    check_view,
    find_view,
    wire_fields,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = REVIEW + ArgumentSpec(
    dict(
        project=dict(type="str", required=True),
        name=dict(type="str", required=True),
        query=dict(type="str"),
        tags=dict(type="list", elements="str"),
        public=dict(type="bool"),
        state=dict(type="str", choices=["present", "absent"], default="present"),
    ),
    required_if=[("state", "present", ["query"])],
)


def run(task):
    where, desired = task.pick("project", "name"), task.given("query", "tags", "public")
    if "tags" in desired:
        desired["tags"] = as_set(desired["tags"])
    check_view(where["name"], desired)
    review = ReviewService(task)
    reconcile(
        task,
        "view",
        read=lambda: find_view(review, **where),
        desired=lambda before: desired if before else {"name": where["name"], "public": True, **desired},
        create=lambda fields: review.write("create_view", **where, **wire_fields(fields)),
        update=lambda fields: review.write("update_view", **where, **wire_fields(fields)),
        delete=lambda: review.write("delete_view", **where),
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
