#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_trash_info
short_description: List Artifactory trash can items
description:
  - List the deleted items in the Artifactory trash can that can be restored, for one repository or for all.
  - To find out who deleted an item and when, read its properties with M(buildworks.toolchain.artifact_item_info) in the
    repository V(auto-trashcan).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_trash_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires an administrator account.
options:
  repo:
    description: Key of the repository from which the items were deleted. If not set, the whole trash can is listed.
    type: str
  path:
    description: Original path of a folder in the repository. Requires O(repo).
    type: str
    default: ""
  deep:
    description: Whether to list subfolders recursively.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.artifact_trash
"""

EXAMPLES = r"""
- name: List the repositories with deleted items
  buildworks.toolchain.artifact_trash_info:

- name: List all deleted items of a repository
  buildworks.toolchain.artifact_trash_info:
    repo: generic-local
    deep: true
  register: trash

- name: Print their number and size
  ansible.builtin.debug:
    msg: "{{ trash.counts.files }} files, {{ trash.counts.bytes }} bytes"
"""

RETURN = r"""
entries:
  description: The deleted items, sorted by repository and path. In O(to_file), they are in the order returned by the
    server. Empty if the trash can is empty.
  returned: success, when O(to_file) is not set
  type: list
  elements: dict
  contains:
    repo:
      description: Key of the repository from which the item was deleted.
      type: str
    path:
      description: Original path in the repository. Empty for the repository itself.
      type: str
    type:
      description: Either V(file) or V(folder).
      type: str
    size:
      description: Size of the file in bytes. V(null) for a folder.
      type: int
    modified:
      description: Time at which the entry last changed, in ISO 8601 format (UTC).
      type: str
    sha1:
      description: SHA-1 checksum of the file. V(null) for a folder.
      type: str
    sha256:
      description: SHA-256 checksum of the file. V(null) for a folder or if the server does not report the checksum.
      type: str
  sample:
    - repo: generic-local
      path: tools/0.9/tools-0.9.tar.gz
      type: file
      size: 1024
      modified: "2026-10-01T12:00:00.000Z"
      sha1: 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12
      sha256: d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592
counts:
  description: Number and size of the listed items.
  returned: success
  type: dict
  contains:
    files:
      description: Number of files.
      type: int
    folders:
      description: Number of folders.
      type: int
    bytes:
      description: Total size of all files in bytes.
      type: int
  sample: {files: 1, folders: 0, bytes: 1024}
masked:
  description: Texts that O(mask_secrets) replaced.
  returned: when O(mask_secrets) is set
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Locations of the first 100 masked texts.
      type: list
      elements: str
  sample:
    count: 1
    places: ["app.jar: comment"]
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info, trash
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module


def check_path(params: dict[str, t.Any]) -> None:
    if params["path"] and not params["repo"]:
        raise BadOption("path", "needs 'repo'")


SPEC = (ARTIFACT + LISTING) + ArgumentSpec(
    dict(
        repo=dict(type="str", **SEGMENT),
        path=dict(type="str", default="", unchecked="may have any character; empty for all of the repository"),
        deep=dict(type="bool", default=False),
    ),
    checks=[check_path],
)


def run(task: Task) -> None:
    counts = task.result["counts"] = {"files": 0, "folders": 0, "bytes": 0}
    entries = trash.list_items(ArtifactService(task), **task.select("repo", "path", "deep"))
    output_list(task, "entries", item_info.count_items(entries, counts), order=("repo", "path"))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
