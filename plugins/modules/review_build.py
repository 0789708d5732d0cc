#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_build
short_description: Manage Klocwork builds
description:
  - Rename, keep or delete a build of a Klocwork project, or delete all builds except the newest ones.
  - The module does not create builds. Use C(kwadmin load) to create builds. If the build does not exist, the task fails
    unless O(state=absent).
  - After a deletion, the module reads the list of builds to verify the result.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.review_build
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the permission C(webapi_access), and on the project C(change_project_settings) to update builds or
    C(delete_build) to delete them.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Name of the build. Either O(name) or O(keep_newest) is required.
    type: str
  new_name:
    description:
      - New name of the build. If a build with this name exists and there is no build called O(name), the task treats
        the build as already renamed.
      - Cannot be used with O(state=absent).
    type: str
  keep:
    description:
      - Whether to exclude the build from the server's automatic deletion. Kept builds do not count toward the number
        of builds that the server retains.
      - The module sets C(keepit) of the build. The vendor's reference describes the effect of C(keepit) incorrectly.
        In fact, V(true) protects the build.
    type: bool
  allow_last:
    description:
      - Whether the only build of the project may be deleted. This also deletes the citation history of all issues.
    type: bool
    default: false
  keep_newest:
    description:
      - Number of newest builds to retain. Builds that are marked as kept are not counted and never deleted. The module
        deletes all other builds. The maximum is 1,000,000.
      - Mutually exclusive with O(name). O(state) is ignored.
    type: int
seealso:
  - module: buildworks.toolchain.review_build_info
"""

EXAMPLES = r"""
- name: Keep the build of a release and rename it
  buildworks.toolchain.review_build:
    project: mobile-app
    name: build_3
    new_name: release-1.0
    keep: true

- name: Delete a build
  buildworks.toolchain.review_build:
    project: mobile-app
    name: build_1
    state: absent

- name: Delete all builds except the five newest and the kept ones
  buildworks.toolchain.review_build:
    project: mobile-app
    keep_newest: 5
"""

RETURN = r"""
build:
  description: State of the build after the task or, in check mode, the predicted state. V(null) if the build does not
    exist.
  returned: when O(name) is set
  type: dict
  contains:
    id:
      description: ID of the build.
      type: int
    name:
      description: Name of the build.
      type: str
    date:
      description: Time at which the build was loaded, in ISO 8601 format with a time zone.
      type: str
    keep:
      description: Whether the build is excluded from automatic deletion.
      type: bool
  sample:
    id: 3
    name: release-1.0
    date: "2021-04-26T11:51:22Z"
    keep: true
plan:
  description:
    - The planned deletions, with C(counts) by action and the C(first) builds. V(null) if there is nothing to delete.
  returned: when O(keep_newest) is set
  type: dict
  sample:
    counts:
      delete: 1
    first:
      - action: delete
        name: build_1
deleted:
  description: Names of the deleted builds, newest first. V(null) if the module did not delete anything.
  returned: when O(keep_newest) is set
  type: list
  elements: str
not_deleted:
  description: Names of the builds that could not be deleted. V(null) if the module did not delete anything.
  returned: when O(keep_newest) is set
  type: list
  elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, operate, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import prediction
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.access import permission_check
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.resource_name import ResourceName
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (REVIEW + STATE + VISIBILITY) + ArgumentSpec(
    dict(
        project=dict(type="str", required=True, **NAME),
        name=dict(type="str", narrows_scope=True, **NAME),
        new_name=dict(type="str", **NAME),
        keep=dict(type="bool"),
        allow_last=dict(type="bool", default=False),
        keep_newest=dict(type="int", narrows_scope=True, at_least=1, at_most=1_000_000),
    ),
    mutually_exclusive=[("keep_newest", "name"), ("keep_newest", "new_name"), ("keep_newest", "keep")],
    required_one_of=[("name", "keep_newest")],
)


def run(task: Task) -> None:
    if task.params["keep_newest"] is None:
        manage(task)
    else:
        prune(task)


def prune(task: Task) -> None:
    review = ReviewService(task)
    pruning = builds.Pruning(task, review)

    def predict() -> Fields:
        permission_check.PermissionCheck(review, task.params["project"]).require("delete_build")
        return {}

    operate(task, pruning.plan(), pruning.run, result_names=("deleted", "not_deleted"), predict=predict)


def manage(task: Task) -> None:
    project, name = task.params["project"], ResourceName("build", task.params)
    review = ReviewService(task)
    project_builds = builds.Builds()
    reconcile(
        task,
        "build",
        read=lambda: name.find(prediction.list_in_project(task, review, project, project_builds.read)),
        desired={"name": name.desired, **task.select_provided("keep")},
        update=lambda fields: review.write("update_build", project=project, **name.to_wire(builds.to_wire(fields))),
        delete=lambda: review.write("delete_build", project=project, name=name.desired),
        predict_refusal=lambda: permission_check.check_removal(task, review, "delete_build", project),
        check=lambda before, desired: project_builds.check_change(
            name.desired, before, desired, task.params["allow_last"]
        ),
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
