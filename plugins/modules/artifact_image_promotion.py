#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_image_promotion
short_description: Promote container images
description:
  - Copies or moves one tag of a container image, or the whole image, to another repository, under the same name or
    another.
  - The digests of the manifests are compared before. What is there already with the same content is left alone, and a
    move whose source is gone and whose target is there is done.
  - Artifactory copies, moves and replaces the folder of a tag with everything below it, for example the image
    C(team/web) below the tag C(web) of the image C(team). The task fails before it acts if such a folder contains
    something else than the tag, and without O(tag) if the folder of the image contains something else than its tags.
  - Afterwards the digests are compared again, and what was moved must be gone from where it was.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Read on O(repo) and Deploy on O(target_repo), Delete on O(repo) without O(copy), and Delete on
    O(target_repo) where a tag is replaced.
  - Needs a server of a paid edition. Both repositories must be local ones.
attributes:
  diff_mode:
    support: none
    details: RV(plan) says what is done.
options:
  repo:
    description: Key of the repository that the image is in.
    type: str
  image:
    description: Name of the image, which may have slashes in it.
    type: str
  tag:
    description: The tag to promote. Without it all tags of the image are promoted.
    type: str
  target_repo:
    description: Key of the repository that the image goes to.
    type: str
  target_image:
    description: Name of the image there. Without it the same as O(image).
    type: str
  target_tag:
    description: The tag there. Without it the same as O(tag). A tag that is there with other content is replaced.
    type: str
  copy:
    description: Copy the image. Without that it is moved, as the server does by default.
    type: bool
    default: false
  items:
    description:
      - Several images, each with the options below. What is given beside O(items) is their default.
      - Without O(items), O(repo), O(image) and O(target_repo) are required, else each item needs them from here or
        there. No two may become the same image or tag.
      - All are checked before the first request.
    type: list
    elements: dict
    suboptions:
      repo:
        description: As O(repo).
        type: str
      image:
        description: As O(image).
        type: str
      tag:
        description: As O(tag).
        type: str
      target_repo:
        description: As O(target_repo).
        type: str
      target_image:
        description: As O(target_image).
        type: str
      target_tag:
        description: As O(target_tag).
        type: str
      copy:
        description: As O(copy).
        type: bool
seealso:
  - module: buildworks.toolchain.artifact_image_info
  - module: buildworks.toolchain.artifact_build_promotion
"""

EXAMPLES = r"""
- name: Release a tag, and keep it where it is
  buildworks.toolchain.artifact_image_promotion:
    repo: docker-local
    image: acme/web
    tag: 1.0.1
    target_repo: docker-release-local
    copy: true

- name: Call it the stable one as well
  buildworks.toolchain.artifact_image_promotion:
    repo: docker-local
    image: acme/web
    tag: 1.0.1
    target_repo: docker-release-local
    target_tag: stable
    copy: true

- name: Release several images
  buildworks.toolchain.artifact_image_promotion:
    repo: docker-local
    target_repo: docker-release-local
    copy: true
    items:
      - image: acme/web
        tag: 1.0.0
      - image: acme/worker
        tag: "2.0"

- name: Move a whole image
  buildworks.toolchain.artifact_image_promotion:
    repo: docker-local
    image: acme/worker
    target_repo: docker-release-local
"""

RETURN = r"""
plan:
  description: What is done. None when everything is where it shall be.
  returned: success, without O(items)
  type: dict
  contains:
    counts:
      description: How many tags, by action, which is V(copy) or V(move).
      type: dict
    first:
      description: The first ten of them.
      type: list
      elements: dict
      contains:
        action:
          description: V(copy) or V(move).
          type: str
        tag:
          description: The tag.
          type: str
        target_tag:
          description: The tag that it becomes.
          type: str
        digest:
          description: Digest of its manifest.
          type: str
        replaces:
          description: Digest of the manifest that the tag has there now, when it is another.
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
  description: The tags that were promoted. None when there was nothing to do, and in check mode.
  returned: success, without O(items)
  type: list
  elements: dict
  contains:
    tag:
      description: The tag.
      type: str
    target_tag:
      description: The tag that it became.
      type: str
    digest:
      description: Digest of its manifest.
      type: str
  sample:
    - tag: 1.0.1
      target_tag: 1.0.1
      digest: sha256:3d3d0b2d4b4b6f4a7e8d8b4f6a0a3bd7c4d1b3b4f7e9c3a5d2e1f0a9b8c7d6e5
counts:
  description: How many of O(items) came to which end. Each has one.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Promoted, or would be in check mode.
      type: int
    ok:
      description: Were where they shall be.
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
    promoted:
      description: As RV(promoted).
      type: list
      elements: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import image_promotion
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        image=dict(type="str", required=True, **NAME),
        tag=dict(type="str", narrows=True, **SEGMENT),
        target_repo=dict(type="str", required=True, **SEGMENT),
        target_image=dict(type="str", narrows=True, **NAME),
        target_tag=dict(type="str", narrows=True, **SEGMENT),
        copy=dict(type="bool", narrows=True, default=False),
    ),
    required_by=dict(target_tag=["tag"]),
)
SPEC = ARTIFACT + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, promote, check=image_promotion.check, identity=image_promotion.target)


def promote(task):
    order = image_promotion.ImagePromotion(task, ArtifactService(task))
    operate(task, order.plan(), order.carry_out, gives=["promoted"], rehearse=order.rehearse)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
