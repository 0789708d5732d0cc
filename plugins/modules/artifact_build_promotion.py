#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_build_promotion
short_description: Promote a build
description:
  - Gives a run of a build a status, and copies or moves its files to another repository.
  - When the last promotion of the run has the same O(status) and O(target_repo), nothing is done.
  - Afterwards the history of the run is read back, and each file of its record is looked for in O(target_repo), by its
    checksum. What was promoted only in part is a failure.
  - In check mode the server tries it without doing it, which needs O(target_repo). The status is not sent then, for
    some servers promote in earnest with it; and should one do so nevertheless, the task fails.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Read on the build and its files, Deploy on O(target_repo), and without O(copy) Delete on the
    files.
  - Needs a server of a paid edition.
attributes:
  diff_mode:
    support: none
    details: RV(plan) says what is done.
options:
  build:
    description: Name of the build. It may have blanks and slashes.
    type: str
  number:
    description: Number of the run, which is a text. Of several with one number the newest is promoted.
    type: str
  status:
    description: The status that the run gets, such as V(staged) or V(released).
    type: str
  from_status:
    description:
      - The status that the run must have before. With another, or none, the task fails.
      - Without it a run that is further along already gets O(status) all the same, and so goes back.
    type: str
  comment:
    description: What is said of it in the history.
    type: str
  ci_user:
    description: Who asks for it on the server that built it.
    type: str
  repo:
    description: Repository to take the files from. Without it they are taken from where they are.
    type: str
  target_repo:
    description: Local repository to take the files to. Without it the run only gets the status.
    type: str
  copy:
    description: Copy the files. Without that they are moved, as the server does by default.
    type: bool
    default: false
  artifacts:
    description: Take the files that were built.
    type: bool
    default: true
  dependencies:
    description: Take the files that the build needed.
    type: bool
    default: false
  scopes:
    description: Only dependencies of these scopes. Without it of all.
    type: list
    elements: str
  properties:
    description: Properties for the files, key to value or to a list of values. They are set when something is promoted.
    type: dict
  fail_fast:
    description:
      - Stop at the first error, before anything is done.
      - With V(false) the server does what it can. The task fails then as well, and another run tries the rest.
    type: bool
    default: true
  project_key:
    description: Project that the build belongs to.
    type: str
  items:
    description:
      - Several runs, each with the options below. What is given beside O(items) is their default.
      - Without O(items), O(build), O(number) and O(status) are required, else each item needs them from here or there.
        No two may be about the same run.
      - All are checked before the first request.
    type: list
    elements: dict
    suboptions:
      build:
        description: As O(build).
        type: str
      number:
        description: As O(number).
        type: str
      status:
        description: As O(status).
        type: str
      from_status:
        description: As O(from_status).
        type: str
      comment:
        description: As O(comment).
        type: str
      ci_user:
        description: As O(ci_user).
        type: str
      repo:
        description: As O(repo).
        type: str
      target_repo:
        description: As O(target_repo).
        type: str
      copy:
        description: As O(copy).
        type: bool
      artifacts:
        description: As O(artifacts).
        type: bool
      dependencies:
        description: As O(dependencies).
        type: bool
      scopes:
        description: As O(scopes).
        type: list
        elements: str
      properties:
        description: As O(properties).
        type: dict
      fail_fast:
        description: As O(fail_fast).
        type: bool
      project_key:
        description: As O(project_key).
        type: str
seealso:
  - module: buildworks.toolchain.artifact_build_info
  - module: buildworks.toolchain.artifact_image_promotion
"""

EXAMPLES = r"""
- name: See whether a run can be released
  buildworks.toolchain.artifact_build_promotion:
    build: app
    number: "1"
    status: released
    from_status: staged
    target_repo: generic-release-local
    copy: true
  check_mode: true

- name: Release it
  buildworks.toolchain.artifact_build_promotion:
    build: app
    number: "1"
    status: released
    from_status: staged
    comment: Approved
    target_repo: generic-release-local
    copy: true
    properties:
      release: "1.0"

- name: Only note that a run was tested
  buildworks.toolchain.artifact_build_promotion:
    build: app
    number: "2"
    status: tested

- name: Release two runs
  buildworks.toolchain.artifact_build_promotion:
    build: app
    status: released
    comment: Approved
    target_repo: generic-release-local
    copy: true
    items:
      - number: "1"
      - number: "2"
"""

RETURN = r"""
plan:
  description: What is done. None when the last promotion was the same.
  returned: success, without O(items)
  type: dict
  contains:
    action:
      description: V(copy), V(move) or V(note status).
      type: str
    status:
      description: The status that the run gets.
      type: str
    target_repo:
      description: Where its files go.
      type: str
    files:
      description: How many files there are in the record that go, each content once.
      type: int
  sample:
    action: copy
    status: released
    target_repo: generic-release-local
    files: 1
promotion:
  description: The last promotion in the history of the run, C(null) if there is none. In check mode, the predicted
    promotion, without C(user) and C(timestamp).
  returned: success, without O(items)
  type: dict
  contains:
    status:
      description: The status.
      type: str
    repository:
      description: The repository that the files were taken to.
      type: str
    comment:
      description: What was said of it.
      type: str
    user:
      description: The account that promoted it.
      type: str
    ci_user:
      description: Who asked for it on the server that built it.
      type: str
    timestamp:
      description: When, in ISO 8601.
      type: str
  sample:
    status: released
    repository: generic-release-local
    comment: Approved
    user: admin
    ci_user: null
    timestamp: "2026-05-02T08:00:00.000Z"
messages:
  description: What the server said of it, in check mode of its dry run. None when there was nothing to do.
  returned: success, without O(items)
  type: list
  elements: dict
  contains:
    level:
      description: V(INFO), V(WARNING) or V(ERROR).
      type: str
    message:
      description: The message.
      type: str
  sample: []
counts:
  description: How many of O(items) came to which end. Each has one.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Promoted, or would be in check mode.
      type: int
    ok:
      description: Were promoted so already.
      type: int
    failed:
      description: Failed. RV(failures) says why.
      type: int
    unknown:
      description: What came of them is not known, for the reply was lost. RV(failures) has them as well.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 12, ok: 30, failed: 1, unknown: 0, skipped: 0}
failures:
  description: The outcomes of all O(items) that failed or whose end is unknown, with the members of RV(outcomes).
  returned: with O(items)
  type: list
  elements: dict
  sample: []
outcomes:
  description: What became of the first O(shown) of O(items), in their order.
  returned: with O(items)
  type: list
  elements: dict
  contains:
    index:
      description: Place in O(items), from 0.
      type: int
    item:
      description: The item as it was given.
      type: dict
    status:
      description: V(changed), V(ok), V(failed), V(unknown) or V(skipped), as RV(counts) has them.
      type: str
    changed:
      description: Whether something was changed. With a failed one it may be as well.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
    plan:
      description: As RV(plan).
      type: dict
    promotion:
      description: As RV(promotion).
      type: dict
    messages:
      description: As RV(messages).
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import promotion
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = ArgumentSpec(
    dict(
        build=dict(type="str", required=True, **NAME),
        number=dict(type="str", required=True, **NAME),
        status=dict(type="str", required=True, **NAME),
        from_status=dict(type="str", narrows=True, **NAME),
        comment=dict(type="str", free="may be any text"),
        ci_user=dict(type="str", **NAME),
        repo=dict(type="str", narrows=True, **SEGMENT),
        target_repo=dict(type="str", **SEGMENT),
        copy=dict(type="bool", narrows=True, default=False),
        artifacts=dict(type="bool", narrows=True, default=True),
        dependencies=dict(type="bool", narrows=True, default=False),
        scopes=dict(type="list", elements="str", narrows=True, each=NAME),
        properties=dict(type="dict", text_values=True, free="keys and values are checked as the server does"),
        fail_fast=dict(type="bool", default=True),
        project_key=dict(type="str", narrows=True, no_log=False, **NAME),
    ),
    required_by=dict(repo=["target_repo"], properties=["target_repo"]),
)
SPEC = ARTIFACT + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, promote, check=promotion.check, identity=promotion.run_of)


def promote(task):
    order = promotion.Promotion(task, ArtifactService(task))
    operate(task, order.plan(), order.carry_out, gives=["messages"], rehearse=order.rehearse)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
