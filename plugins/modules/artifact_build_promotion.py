#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_build_promotion
short_description: Promote an Artifactory build
description:
  - Set the status of a build in Artifactory and copy or move its files to another repository. With O(items), promote
    several builds concurrently.
  - If the last promotion of the build has the same O(status) and O(target_repo), nothing is changed.
  - After the promotion, the module reads the promotion history and searches O(target_repo) for the checksum of each
    file of the build. If only a part of the build was promoted, the task fails.
  - In check mode with O(target_repo), the module requests a dry run from the server. It does not send O(status) in that
    request, because some Artifactory versions promote despite the dry run if a status is present. If the dry run
    nevertheless changes the history or moves files, the task fails.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_build_promotion
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires Artifactory Pro.
  - Requires the Read permission on the build and its files, and the Deploy permission on O(target_repo). Moving files
    also requires the Delete permission on them.
attributes:
  diff_mode:
    support: none
    details: RV(plan) describes the changes.
options:
  build:
    description: Name of the build. It can contain spaces and slashes.
    type: str
  number:
    description: Build number, as a string. If several runs have this number, the newest one is promoted.
    type: str
  status:
    description: Status to set, such as V(staged) or V(released).
    type: str
  from_status:
    description:
      - Status that the build must have before the promotion. The task fails if its status differs.
      - If not set, the status is changed regardless of the current status, even if this returns a released build to an
        earlier status.
    type: str
  comment:
    description: Comment for the promotion history.
    type: str
  ci_user:
    description: User who requested the promotion on the CI server. The name is stored in the promotion history.
    type: str
  repo:
    description: Key of the repository from which the files are promoted. If not set, the files are promoted from the
      repositories in which they are stored.
    type: str
  target_repo:
    description: Key of the local repository to which the files are promoted. If not set, only the status is changed.
    type: str
  copy:
    description: Whether to copy the files. If V(false), they are moved.
    type: bool
    default: false
  artifacts:
    description: Whether to promote the artifacts of the build.
    type: bool
    default: true
  dependencies:
    description: Whether to promote the dependencies of the build.
    type: bool
    default: false
  scopes:
    description: Scopes of the dependencies to promote. If not set, the dependencies of all scopes are promoted.
    type: list
    elements: str
  properties:
    description: Properties to set on the promoted files. Each value is a string or a list of strings. They are only set
      if the build is promoted.
    type: dict
  fail_fast:
    description:
      - Whether to stop at the first error, before anything is changed.
      - If V(false), the server promotes as many files as possible. If errors occur, the task still fails, and the next
        run tries to promote the remaining files.
    type: bool
    default: true
  project_key:
    description: Key of the project to which the build belongs. Requires Artifactory 7.17.4 or later.
    type: str
  items:
    description:
      - List of builds, each with the options below. Options set outside O(items) are the defaults for all items.
      - Without O(items), O(build), O(number) and O(status) are required. With O(items), each item needs O(build),
        O(number) and O(status), either in the item itself or as a default.
      - All items are validated before the first request. Two items must not refer to the same run.
    type: list
    elements: dict
    suboptions:
      build:
        description: Value of O(build) for this item.
        type: str
      number:
        description: Value of O(number) for this item.
        type: str
      status:
        description: Value of O(status) for this item.
        type: str
      from_status:
        description: Value of O(from_status) for this item.
        type: str
      comment:
        description: Value of O(comment) for this item.
        type: str
      ci_user:
        description: Value of O(ci_user) for this item.
        type: str
      repo:
        description: Value of O(repo) for this item.
        type: str
      target_repo:
        description: Value of O(target_repo) for this item.
        type: str
      copy:
        description: Value of O(copy) for this item.
        type: bool
      artifacts:
        description: Value of O(artifacts) for this item.
        type: bool
      dependencies:
        description: Value of O(dependencies) for this item.
        type: bool
      scopes:
        description: Value of O(scopes) for this item.
        type: list
        elements: str
      properties:
        description: Value of O(properties) for this item.
        type: dict
      fail_fast:
        description: Value of O(fail_fast) for this item.
        type: bool
      project_key:
        description: Value of O(project_key) for this item.
        type: str
seealso:
  - module: buildworks.toolchain.artifact_build_info
  - module: buildworks.toolchain.artifact_image_promotion
"""

EXAMPLES = r"""
- name: Check whether a build can be released
  buildworks.toolchain.artifact_build_promotion:
    build: app
    number: "1"
    status: released
    from_status: staged
    target_repo: generic-release-local
    copy: true
  check_mode: true

- name: Release the build
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

- name: Set the status of a build without copying its files
  buildworks.toolchain.artifact_build_promotion:
    build: app
    number: "2"
    status: tested

- name: Release two builds
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
  description: Changes that were made or, in check mode, would be made. V(null) if the last promotion had the same
    status and target repository.
  returned: success, when O(items) is not set
  type: dict
  contains:
    action:
      description: One of V(copy), V(move) or V(set status).
      type: str
    status:
      description: Status to set.
      type: str
    target_repo:
      description: Repository to which the files are promoted.
      type: str
    files:
      description: Number of files to promote. Files with identical contents are counted once.
      type: int
  sample:
    action: copy
    status: released
    target_repo: generic-release-local
    files: 1
promotion:
  description: Last entry of the promotion history. V(null) if the build has never been promoted. In check mode, the
    predicted entry, in which C(user) and C(timestamp) are V(null).
  returned: success, when O(items) is not set
  type: dict
  contains:
    status:
      description: Status that the promotion set.
      type: str
    repository:
      description: Repository to which the files were promoted.
      type: str
    comment:
      description: Comment on the promotion.
      type: str
    user:
      description: User who promoted the build.
      type: str
    ci_user:
      description: User of the CI server who requested the promotion.
      type: str
    timestamp:
      description: Time of the promotion, in ISO 8601 format.
      type: str
  sample:
    status: released
    repository: generic-release-local
    comment: Approved
    user: admin
    ci_user: null
    timestamp: "2026-05-02T08:00:00.000Z"
messages:
  description: Messages of the server about the promotion or, in check mode, its dry run. V(null) if nothing had to be
    changed.
  returned: success, when O(items) is not set
  type: list
  elements: dict
  contains:
    level:
      description: One of V(INFO), V(WARNING) or V(ERROR).
      type: str
    message:
      description: Text of the message.
      type: str
  sample: []
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Builds that were promoted or, in check mode, would be promoted.
      type: int
    ok:
      description: Builds that had already been promoted.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 12, ok: 30, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items), without options that are not set.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    plan:
      description: Value of RV(plan) for this item.
      type: dict
    promotion:
      description: Value of RV(promotion) for this item.
      type: dict
    messages:
      description: Value of RV(messages) for this item.
      type: list
      elements: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import build_promotion
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = ArgumentSpec(
    dict(
        build=dict(type="str", required=True, **NAME),
        number=dict(type="str", required=True, **NAME),
        status=dict(type="str", required=True, **NAME),
        from_status=dict(type="str", narrows_scope=True, **NAME),
        comment=dict(type="str", unchecked="may be any text"),
        ci_user=dict(type="str", **NAME),
        repo=dict(type="str", narrows_scope=True, **SEGMENT),
        target_repo=dict(type="str", **SEGMENT),
        copy=dict(type="bool", narrows_scope=True, default=False),
        artifacts=dict(type="bool", narrows_scope=True, default=True),
        dependencies=dict(type="bool", narrows_scope=True, default=False),
        scopes=dict(type="list", elements="str", narrows_scope=True, each_element=NAME),
        properties=dict(type="dict", text_values=True, unchecked="keys and values are checked as the server does"),
        fail_fast=dict(type="bool", default=True),
        project_key=dict(type="str", narrows_scope=True, no_log=False, **NAME),
    ),
    required_by=dict(repo=["target_repo"], properties=["target_repo"]),
    checks=[build_promotion.check],
)
SPEC = ARTIFACT + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, promote, identity=build_promotion.run_key)


def promote(task: Task) -> None:
    promotion = build_promotion.Promotion(task, ArtifactService(task))
    operate(
        task,
        promotion.plan(),
        promotion.promote,
        result_names=["messages"],
        check=promotion.check,
        predict=promotion.predict,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
