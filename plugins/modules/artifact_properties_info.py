#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_properties_info
short_description: Get Artifactory file and folder properties
description:
  - Get all properties of a file or folder in Artifactory. With O(items), read several items concurrently.
  - An item without properties returns an empty dictionary. If the item does not exist, the task fails.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_properties_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Read permission on the item.
options:
  repo:
    description: Key of the repository.
    type: str
  path:
    description: Path to the file or folder in the repository.
    type: str
  items:
    description:
      - List of files and folders, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Without O(items), O(repo) and O(path) are required. With O(items), each item needs O(repo) and O(path), either
        in the item itself or as a default.
    type: list
    elements: dict
    suboptions:
      repo:
        description: Value of O(repo) for this item.
        type: str
      path:
        description: Value of O(path) for this item.
        type: str
seealso:
  - module: buildworks.toolchain.artifact_properties
"""

EXAMPLES = r"""
- name: Get the properties of a file
  buildworks.toolchain.artifact_properties_info:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
  register: build

- name: Write the properties of several items to a file
  buildworks.toolchain.artifact_properties_info:
    repo: generic-local
    items:
      - path: app/1.0/app-1.0.tar.gz
      - path: app/1.0
    to_file: "{{ ansible_facts.env.HOME }}/properties.jsonl"
"""

RETURN = r"""
properties:
  description: Properties of the item. Each value is a sorted list. Empty if the item has no properties.
  returned: success, when O(items) is not set
  type: dict
  sample:
    qa.platforms: [linux, windows]
    qa.status: [passed]
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Always V(0).
      type: int
    ok:
      description: Items that were read successfully.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Always V(0).
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items that failed, with the same keys as RV(outcomes).
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
      description: Always V(false).
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    properties:
      description: Value of RV(properties) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, unchecked="may have any character; empty for the repository itself"),
    )
)
SPEC = ARTIFACT + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, get_properties)


def get_properties(task: Task) -> None:
    task.result["properties"] = ArtifactService(task).fetch_properties(**task.select("repo", "path"))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
