#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_image_promotion
short_description: Promote Artifactory container images
description:
  - Copy or move a tag of a container image, or all its tags, to another Artifactory repository. Both the image and the
    tag can be renamed. With O(items), promote several images concurrently.
  - The module compares manifest digests first. A tag that already exists in the target repository with the same digest
    is not changed. A tag counts as moved if it exists only in the target repository.
  - Artifactory copies, moves and replaces the folder of a tag with everything below it. For example, the image
    V(team/web) is below the tag V(web) of the image V(team). The task fails before it changes anything if such a folder
    contains anything other than the tag. If O(tag) is not set, it also fails if the folder of the image contains
    anything other than its tags.
  - After the promotion, the module compares the digests again. It also verifies that moved tags no longer exist in the
    source repository.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_image_promotion
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires Artifactory Pro. Both repositories must be local.
  - Requires the Read permission on O(repo) and the Deploy permission on O(target_repo). Moving also requires the Delete
    permission on O(repo). Replacing a tag also requires the Delete permission on O(target_repo).
attributes:
  diff_mode:
    support: none
    details: RV(plan) describes the changes.
options:
  repo:
    description: Key of the repository that contains the image.
    type: str
  image:
    description: Name of the image. It can contain slashes.
    type: str
  tag:
    description: Tag to promote. If not set, all tags of the image are promoted.
    type: str
  target_repo:
    description: Key of the repository to which the image is promoted.
    type: str
  target_image:
    description: Name of the image in the target repository. If not set, the name is not changed.
    type: str
  target_tag:
    description: Tag in the target repository. If not set, the tag is not changed. An existing tag with another digest
      is replaced.
    type: str
  copy:
    description: Whether to copy the image. If V(false), it is moved.
    type: bool
    default: false
  items:
    description:
      - List of images, each with the options below. Options set outside O(items) are the defaults for all items.
      - Without O(items), O(repo), O(image) and O(target_repo) are required. With O(items), each item needs O(repo),
        O(image) and O(target_repo), either in the item itself or as a default.
      - All items are validated before the first request. Two items must not have the same target.
    type: list
    elements: dict
    suboptions:
      repo:
        description: Value of O(repo) for this item.
        type: str
      image:
        description: Value of O(image) for this item.
        type: str
      tag:
        description: Value of O(tag) for this item.
        type: str
      target_repo:
        description: Value of O(target_repo) for this item.
        type: str
      target_image:
        description: Value of O(target_image) for this item.
        type: str
      target_tag:
        description: Value of O(target_tag) for this item.
        type: str
      copy:
        description: Value of O(copy) for this item.
        type: bool
seealso:
  - module: buildworks.toolchain.artifact_image_info
  - module: buildworks.toolchain.artifact_build_promotion
"""

EXAMPLES = r"""
- name: Copy a tag to the release repository
  buildworks.toolchain.artifact_image_promotion:
    repo: docker-local
    image: acme/web
    tag: 1.0.1
    target_repo: docker-release-local
    copy: true

- name: Copy the tag as "stable"
  buildworks.toolchain.artifact_image_promotion:
    repo: docker-local
    image: acme/web
    tag: 1.0.1
    target_repo: docker-release-local
    target_tag: stable
    copy: true

- name: Copy tags of several images
  buildworks.toolchain.artifact_image_promotion:
    repo: docker-local
    target_repo: docker-release-local
    copy: true
    items:
      - image: acme/web
        tag: 1.0.0
      - image: acme/worker
        tag: "2.0"

- name: Move all tags of an image
  buildworks.toolchain.artifact_image_promotion:
    repo: docker-local
    image: acme/worker
    target_repo: docker-release-local
"""

RETURN = r"""
plan:
  description: Changes that were made or, in check mode, would be made. V(null) if all tags are already in place.
  returned: success, when O(items) is not set
  type: dict
  contains:
    counts:
      description: Number of tags by action, which is V(copy) or V(move).
      type: dict
    first:
      description: The first ten tags.
      type: list
      elements: dict
      contains:
        action:
          description: Either V(copy) or V(move).
          type: str
        tag:
          description: Tag in the source repository.
          type: str
        target_tag:
          description: Tag in the target repository.
          type: str
        digest:
          description: Digest of the manifest.
          type: str
        replaces:
          description: Digest of the manifest to which the target tag currently points. V(null) if the target tag does
            not exist or already has this digest.
          type: str
  sample:
    counts: {copy: 1}
    first:
      - action: copy
        tag: 1.0.1
        target_tag: 1.0.1
        digest: sha256:3d3d0b2d4b4b6f4a7e8d8b4f6a0a3bd7c4d1b3b4f7e9c3a5d2e1f0a9b8c7d6e5
        replaces: null
promoted:
  description: Tags that were promoted. V(null) in check mode and if nothing had to be changed.
  returned: success, when O(items) is not set
  type: list
  elements: dict
  contains:
    tag:
      description: Tag in the source repository.
      type: str
    target_tag:
      description: Tag in the target repository.
      type: str
    digest:
      description: Digest of the manifest.
      type: str
  sample:
    - tag: 1.0.1
      target_tag: 1.0.1
      digest: sha256:3d3d0b2d4b4b6f4a7e8d8b4f6a0a3bd7c4d1b3b4f7e9c3a5d2e1f0a9b8c7d6e5
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Images that were promoted or, in check mode, would be promoted.
      type: int
    ok:
      description: Images that were already in place.
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
    promoted:
      description: Value of RV(promoted) for this item.
      type: list
      elements: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import image_promotion
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

ITEM = ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        image=dict(type="str", required=True, **NAME),
        tag=dict(type="str", narrows_scope=True, **SEGMENT),
        target_repo=dict(type="str", required=True, **SEGMENT),
        target_image=dict(type="str", narrows_scope=True, **NAME),
        target_tag=dict(type="str", narrows_scope=True, **SEGMENT),
        copy=dict(type="bool", narrows_scope=True, default=False),
    ),
    required_by=dict(target_tag=["tag"]),
    checks=[image_promotion.check],
)
SPEC = ARTIFACT + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, promote, identity=image_promotion.target)


def promote(task: Task) -> None:
    promotion = image_promotion.ImagePromotion(task, ArtifactService(task))
    operate(task, promotion.plan(), promotion.promote, result_names=["promoted"], predict=promotion.predict_refusal)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
