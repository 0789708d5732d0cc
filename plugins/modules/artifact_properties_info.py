#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_properties_info
short_description: Read the properties of artifacts and folders
description:
  - Reads all properties of an artifact or folder; with O(items) of as many as you like, side by side.
  - One without properties gives none. One that does not exist is an error.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Read on the item.
options:
  repo:
    description: Key of the repository.
    type: str
  path:
    description: Path of the file or folder in the repository.
    type: str
  items:
    description:
      - Several artifacts or folders. What is given beside O(items) is their default.
      - Without O(items), O(repo) and O(path) are required, else each item needs them from here or there.
    type: list
    elements: dict
    suboptions:
      repo:
        description: As O(repo).
        type: str
      path:
        description: As O(path).
        type: str
seealso:
  - module: buildworks.toolchain.artifact_properties
"""

EXAMPLES = r"""
- name: See whether a build was tested
  buildworks.toolchain.artifact_properties_info:
    repo: generic-local
    path: app/1.0/app-1.0.tar.gz
  register: build

- name: Keep the properties of several artifacts for later
  buildworks.toolchain.artifact_properties_info:
    repo: generic-local
    items:
      - path: app/1.0/app-1.0.tar.gz
      - path: app/1.0
    to_file: "{{ ansible_facts.env.HOME }}/properties.jsonl"
"""

RETURN = r"""
properties:
  description: Key to the list of its values, sorted. Empty when the item has no properties.
  returned: success, without O(items)
  type: dict
  sample:
    qa.platforms: [linux, windows]
    qa.status: [passed]
counts:
  description: How many of O(items) came to which end. Each item has one end.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Always 0 here.
      type: int
    ok:
      description: Were read.
      type: int
    failed:
      description: Failed. RV(failures) says why.
      type: int
    unknown:
      description: Always 0 here.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
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
      description: Always V(false) here.
      type: bool
    reason:
      description: Why it failed, or was not tried.
      type: str
    properties:
      description: As RV(properties).
      type: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", required=True, free="may have any character; empty for the repository itself"),
    )
)
SPEC = ARTIFACT + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, look)


def look(task):
    task.result["properties"] = ArtifactService(task).properties(**task.pick("repo", "path"))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
