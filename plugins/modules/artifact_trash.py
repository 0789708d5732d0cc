#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_trash
short_description: Clean, empty and restore from the trash can
description:
  - Deletes for good what lies in the trash can, all of it or a part, or puts a part back to where it was.
  - Each act is verified by looking. What is not in the trash can any more needs no cleaning, and what is back in its
    repository needs no restoring.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.wait
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
attributes:
  diff_mode:
    support: none
    details: The plan says what goes, or comes back.
notes:
  - Needs an administrator.
options:
  action:
    description:
      - V(clean) deletes O(repo) and O(path), or O(build_records), for good.
      - V(restore) puts O(repo) and O(path) back.
      - V(empty) deletes everything in the trash can for good.
    type: str
    choices: [clean, restore, empty]
  repo:
    description: Key of the repository that it was deleted from.
    type: str
  path:
    description:
      - Path of the file or folder, as it was in the repository.
      - Paths that Artifactory takes for another item are refused, as in M(buildworks.toolchain.artifact_file).
      - An empty one is all of the repository's trash, which only V(clean) takes.
    type: str
  build_records:
    description: Clean the records of deleted builds.
    type: bool
    default: false
  project_key:
    description: Key of the project that O(build_records) belong to.
    type: str
  to_repo:
    description: Key of another repository to restore to.
    type: str
  to_path:
    description: Another path to restore to; empty for that of the repository itself.
    type: str
  force:
    description:
      - Whether V(restore) replaces existing files. Without it, the task fails and names the first existing file. Files
        that are in the way of files of a restored folder are existing files as well.
    type: bool
    default: false
  wait:
    description: Wait until it is done, and verify that it is.
  items:
    description:
      - Several places, each with the options below. What is given beside O(items) is their default.
      - Without O(items), O(action) is required, else each item needs it from here or there. No two may be about the
        same place, and V(empty), which is about all of them, goes with no other item.
      - All are checked before the first request.
    type: list
    elements: dict
    suboptions:
      action:
        description: As O(action).
        type: str
        choices: [clean, restore, empty]
      repo:
        description: As O(repo).
        type: str
      path:
        description: As O(path).
        type: str
      build_records:
        description: As O(build_records).
        type: bool
      project_key:
        description: As O(project_key).
        type: str
      to_repo:
        description: As O(to_repo).
        type: str
      to_path:
        description: As O(to_path).
        type: str
      force:
        description: As O(force).
        type: bool
seealso:
  - module: buildworks.toolchain.artifact_trash_info
"""

EXAMPLES = r"""
- name: Put back a release that was deleted by mistake
  buildworks.toolchain.artifact_trash:
    action: restore
    repo: generic-local
    path: tools/0.9/tools-0.9.tar.gz

- name: Delete the trash of one folder for good
  buildworks.toolchain.artifact_trash:
    action: clean
    repo: generic-local
    path: tools

- name: Delete the records of deleted builds for good
  buildworks.toolchain.artifact_trash:
    action: clean
    build_records: true

- name: Empty the trash can
  buildworks.toolchain.artifact_trash:
    action: empty
    wait_timeout: 3600

- name: Clean what belongs to old products
  buildworks.toolchain.artifact_trash:
    action: clean
    repo: generic-local
    items:
      - path: tools/0.8
      - path: tools/0.9
"""

RETURN = r"""
plan:
  description: What was done, or would be in check mode. None when there was nothing to do.
  returned: success, without O(items)
  type: dict
  contains:
    action:
      description: As O(action).
      type: str
    repos:
      description: Keys of the repositories whose trash goes. Only with V(empty).
      type: list
      elements: str
    place:
      description: Repository and path in the trash can.
      type: str
    type:
      description: V(file) or V(folder).
      type: str
    size:
      description: Bytes of the file. None for a folder.
      type: int
    to:
      description: Repository and path that it is restored to.
      type: str
    replaces:
      description: Whether a file is there, which is replaced.
      type: bool
  sample:
    action: restore
    place: generic-local/tools/0.9/tools-0.9.tar.gz
    type: file
    size: 1024
    to: generic-local/tools/0.9/tools-0.9.tar.gz
    replaces: false
counts:
  description: How many of O(items) came to which end. Each has one.
  returned: with O(items)
  type: dict
  contains:
    changed:
      description: Cleaned, emptied or restored, or would be in check mode.
      type: int
    ok:
      description: Needed nothing.
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
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import trash
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import one_or_each
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import WAIT, one_or_many
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

ITEM = ArgumentSpec(
    dict(
        action=dict(type="str", required=True, choices=["clean", "restore", "empty"]),
        repo=dict(type="str", narrows=True, **SEGMENT),
        path=dict(type="str", narrows=True, free="checked as the server reads it; empty for all of the repository"),
        build_records=dict(type="bool", narrows=True, default=False),
        project_key=dict(type="str", narrows=True, no_log=False, **SEGMENT),
        to_repo=dict(type="str", narrows=True, **SEGMENT),
        to_path=dict(type="str", narrows=True, free="checked as the server reads it; empty for the repository itself"),
        force=dict(type="bool", narrows=True, default=False),
    )
)
SPEC = (ARTIFACT + WAIT) + one_or_many(ITEM)


def run(task):
    one_or_each(task, ITEM, act, check=trash.check, identity=trash.place_of)


def act(task):
    trash.check(task.params)
    artifact = ArtifactService(task)
    operate(
        task,
        trash.plan(artifact, task.params),
        lambda: trash.carry_out(task, artifact),
        rehearse=lambda: trash.rehearse(artifact, task.params),
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
