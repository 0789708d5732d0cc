#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: review_build
short_description: Manage the builds of a code-analysis project
description:
  - Renames, keeps or deletes a build, or deletes all builds but the newest ones.
  - Builds come to be there by the server's own tools (C(kwadmin load)); one that is not there is an error, unless it
    shall be absent.
  - Deletions are read back.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.attributes
notes:
  - Needs the Web API permission, and on the project the one to change its settings, or to delete builds.
options:
  project:
    description: Name of the project.
    type: str
    required: true
  name:
    description: Name of the build.
    type: str
  new_name:
    description:
      - Name that the build shall have. It is renamed, unless one of this name is there and none of the old one.
      - Not to be combined with O(state=absent).
    type: str
  keep:
    description:
      - Whether the server's automatic deletion leaves the build alone, and does not count it.
      - This is what the server's C(keepit) does. Its reference says the opposite.
    type: bool
  allow_last:
    description: Whether the only build of the project may be deleted. With it goes the history of all that was cited.
    type: bool
    default: false
  keep_newest:
    description:
      - Instead of O(name), how many of the newest builds stay, 1 to 1,000,000. All older ones are deleted, but for
        those that are kept, which are not counted either. O(state) says nothing then.
    type: int
seealso:
  - module: buildworks.toolchain.review_build_info
"""

EXAMPLES = r"""
- name: Keep the build of a release, by the name of the release
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

- name: Delete all but the five newest builds, and those that are kept
  buildworks.toolchain.review_build:
    project: mobile-app
    keep_newest: 5
"""

RETURN = r"""
build:
  description: The build afterwards, or as it would be in check mode. None when it is absent.
  returned: when O(name) is given
  type: dict
  contains:
    id:
      description: Id of the build.
      type: int
    name:
      description: Name of the build.
      type: str
    date:
      description: When it was loaded, in ISO 8601 with a zone.
      type: str
    keep:
      description: Whether the server's automatic deletion leaves it alone.
      type: bool
  sample:
    id: 3
    name: release-1.0
    date: "2021-04-26T11:51:22Z"
    keep: true
plan:
  description: What is to be done, C(counts) by action, and the C(first) of the builds. None for nothing to do.
  returned: when O(keep_newest) is given
  type: dict
  sample:
    counts:
      delete: 1
    first:
      - action: delete
        name: build_1
deleted:
  description: The builds that are gone, the newest first. None when nothing was done.
  returned: when O(keep_newest) is given
  type: list
  elements: str
left:
  description: The builds that should be gone and are not. None when nothing was done.
  returned: when O(keep_newest) is given
  type: list
  elements: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import builds, missing, rights
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.naming import Naming
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW, ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (REVIEW + STATE) + ArgumentSpec(
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


def run(task):
    if task.params["keep_newest"] is None:
        manage(task)
    else:
        prune(task)


def prune(task):
    review = ReviewService(task)
    pruning = builds.Pruning(task, review)

    def rehearse():
        rights.Rights(review, task.params["project"]).require("delete_build")
        return {}

    operate(task, pruning.plan(), pruning.carry_out, result_names=("deleted", "left"), predict=rehearse)


def manage(task):
    project, naming = task.params["project"], Naming("build", task.params)
    review = ReviewService(task)
    known = builds.Builds()
    reconcile(
        task,
        "build",
        read=lambda: naming.find(missing.of_project(task, review, project, known.listed)),
        desired={"name": naming.wanted, **task.select_provided("keep")},
        update=lambda fields: review.write(
            "update_build", project=project, **naming.wire_fields(builds.wire_fields(fields))
        ),
        delete=lambda: review.write("delete_build", project=project, name=naming.wanted),
        predict_refusal=lambda: rights.predict_removal(task, review, "delete_build", project),
        check=lambda before, wanted: known.check(naming.wanted, before, wanted, task.params["allow_last"]),
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
