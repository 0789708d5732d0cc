#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_image_info
short_description: Get Artifactory container image information
description:
  - List all container images of an Artifactory repository, or all tags of one image. The module reads all pages of the
    list.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_image_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires Artifactory Pro, and the Read permission on the repository.
options:
  repo:
    description: Key of the repository.
    type: str
    required: true
  image:
    description:
      - Name of an image whose tags are listed. It can contain slashes. Leading and trailing slashes are ignored.
      - If not set, the images of the repository are listed.
    type: str
  page_size:
    description: Number of names to request at a time. The module always reads all pages.
    type: int
    default: 1000
"""

EXAMPLES = r"""
- name: List all images
  buildworks.toolchain.artifact_image_info:
    repo: docker-local
  register: registry

- name: List the tags of an image
  buildworks.toolchain.artifact_image_info:
    repo: docker-local
    image: acme/web
  register: web
"""

RETURN = r"""
images:
  description: Names of the images in the repository, sorted.
  returned: when O(image) is not set
  type: list
  elements: str
  sample: [acme/web, acme/worker]
tags:
  description: Tags of the image, sorted.
  returned: when O(image) is set
  type: list
  elements: str
  sample: [1.0.0, 1.0.1, latest]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        image=dict(type="str", **NAME),
        page_size=dict(type="int", default=1000, at_least=1, at_most=100_000),
    )
)


def run(task: Task) -> None:
    artifact, selection = ArtifactService(task), task.select("repo", "page_size")
    if task.params["image"] is None:
        task.result["images"] = registry.list_images(artifact, **selection)
    else:
        task.result["tags"] = registry.list_tags(artifact, image=task.params["image"], **selection)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
