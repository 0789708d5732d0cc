#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_trash
short_description: Manage the Artifactory trash can
description:
  - Permanently delete items from the Artifactory trash can, restore them, or empty the trash can. With O(items),
    process several items concurrently.
  - The module reads the trash can before and after each action. It makes no changes if an item to delete is not in the
    trash can or an item to restore already exists in its repository.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_trash
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
attributes:
  diff_mode:
    support: none
    details: RV(plan) describes the changes.
notes:
  - Requires an administrator account and Artifactory 4.4.3 or later. The open-source edition is sufficient.
options:
  action:
    description: Action to perform.
    type: str
    choices:
      clean: Permanently delete O(repo) and O(path), or O(build_records), from the trash can.
      restore: Restore O(repo) and O(path) from the trash can.
      empty: Permanently delete all items in the trash can.
  repo:
    description: Key of the repository from which the item was deleted.
    type: str
  path:
    description:
      - Original path of the file or folder in the repository.
      - Paths that Artifactory would interpret as another item are refused, as in M(buildworks.toolchain.artifact_file).
      - An empty path refers to all deleted items of the repository. It is only allowed if O(action=clean).
    type: str
  build_records:
    description: Whether to permanently delete the build info of deleted builds. Only allowed if O(action=clean).
    type: bool
    default: false
  project_key:
    description: Key of the project to which the O(build_records) belong.
    type: str
  to_repo:
    description: Key of the repository to which the item is restored. If not set, O(repo) is used.
    type: str
  to_path:
    description: Path to which the item is restored. If not set, O(path) is used. Set to an empty string for the root of
      the repository.
    type: str
  force:
    description:
      - Whether O(action=restore) replaces existing files. If V(false), the task fails and names the first existing
        file. This also applies to files at the path of a restored folder or of a file in it.
    type: bool
    default: false
  wait:
    description: Whether to wait until the action is complete and to verify the result.
  items:
    description:
      - List of actions, each with the options below. Options set outside O(items) are the defaults for all items.
      - Without O(items), O(action) is required. With O(items), each item needs O(action), either in the item itself or
        as a default.
      - All items are validated before the first request. Two items must not refer to the same place in the trash can.
        V(empty) cannot be combined with other items.
    type: list
    elements: dict
    suboptions:
      action:
        description: Value of O(action) for this item.
        type: str
        choices:
          clean: Same as O(action=clean).
          restore: Same as O(action=restore).
          empty: Same as O(action=empty).
      repo:
        description: Value of O(repo) for this item.
        type: str
      path:
        description: Value of O(path) for this item.
        type: str
      build_records:
        description: Value of O(build_records) for this item.
        type: bool
      project_key:
        description: Value of O(project_key) for this item.
        type: str
      to_repo:
        description: Value of O(to_repo) for this item.
        type: str
      to_path:
        description: Value of O(to_path) for this item.
        type: str
      force:
        description: Value of O(force) for this item.
        type: bool
seealso:
  - module: buildworks.toolchain.artifact_trash_info
"""

EXAMPLES = r"""
- name: Restore a release that was deleted by mistake
  buildworks.toolchain.artifact_trash:
    action: restore
    repo: generic-local
    path: tools/0.9/tools-0.9.tar.gz

- name: Permanently delete the deleted items of a folder
  buildworks.toolchain.artifact_trash:
    action: clean
    repo: generic-local
    path: tools

- name: Permanently delete the build info of deleted builds
  buildworks.toolchain.artifact_trash:
    action: clean
    build_records: true

- name: Empty the trash can
  buildworks.toolchain.artifact_trash:
    action: empty
    wait_timeout: 3600

- name: Permanently delete the deleted items of two folders
  buildworks.toolchain.artifact_trash:
    action: clean
    repo: generic-local
    items:
      - path: tools/0.8
      - path: tools/0.9
"""

RETURN = r"""
plan:
  description: Changes that were made or, in check mode, would be made. V(null) if nothing had to be changed.
  returned: success, when O(items) is not set
  type: dict
  contains:
    action:
      description: The O(action).
      type: str
    repos:
      description: Keys of the repositories whose deleted items are removed. Only returned if O(action=empty).
      type: list
      elements: str
    source:
      description: Repository and path in the trash can.
      type: str
    type:
      description: Either V(file) or V(folder).
      type: str
    size:
      description: Size of the file in bytes. V(null) for a folder.
      type: int
    target:
      description: Repository and path to which the item is restored.
      type: str
    replaces:
      description: Whether an existing file is replaced.
      type: bool
  sample:
    action: restore
    source: generic-local/tools/0.9/tools-0.9.tar.gz
    type: file
    size: 1024
    target: generic-local/tools/0.9/tools-0.9.tar.gz
    replaces: false
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Items that were deleted or restored or, in check mode, would be.
      type: int
    ok:
      description: Items that required no change.
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
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import trash
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WAIT, with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = ArgumentSpec(
    dict(
        action=dict(type="str", required=True, choices=["clean", "restore", "empty"]),
        repo=dict(type="str", narrows_scope=True, **SEGMENT),
        path=dict(
            type="str", narrows_scope=True, unchecked="checked as the server reads it; empty for all of the repository"
        ),
        build_records=dict(type="bool", narrows_scope=True, default=False),
        project_key=dict(type="str", narrows_scope=True, no_log=False, **SEGMENT),
        to_repo=dict(type="str", narrows_scope=True, **SEGMENT),
        to_path=dict(
            type="str", narrows_scope=True, unchecked="checked as the server reads it; empty for the repository itself"
        ),
        force=dict(type="bool", narrows_scope=True, default=False),
    ),
    checks=[trash.check_options],
)
SPEC = (ARTIFACT + WAIT) + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, perform_action, identity=trash.trash_path)


def perform_action(task: Task) -> None:
    trash.check_options(task.params)
    artifact = ArtifactService(task)
    operate(
        task,
        trash.plan_action(artifact, task.params),
        lambda: trash.perform_action(task, artifact),
        check=lambda: trash.check(artifact),
        predict=lambda: trash.predict_refusal(artifact, task.params),
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
