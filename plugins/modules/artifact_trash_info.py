#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_trash_info
short_description: List what lies in the trash can
description:
  - Lists what was deleted and can still be restored, of one repository or of all.
  - Who deleted something and when are among its properties, which M(buildworks.toolchain.artifact_item_info) reads in
    the repository C(auto-trashcan).
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs an administrator.
options:
  repo:
    description: Key of the repository that things were deleted from. Without it all of them are listed.
    type: str
  path:
    description: Path of a folder, as it was in the repository. Needs O(repo).
    type: str
    default: ""
  deep:
    description: List the folders below as well.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.artifact_trash
"""

EXAMPLES = r"""
- name: See which repositories have something in the trash can
  buildworks.toolchain.artifact_trash_info:

- name: List all that was deleted from a repository
  buildworks.toolchain.artifact_trash_info:
    repo: generic-local
    deep: true
  register: trash

- name: Say how much it takes
  ansible.builtin.debug:
    msg: "{{ trash.counts.files }} files, {{ trash.counts.bytes }} bytes"
"""

RETURN = r"""
entries:
  description: What lies there, sorted by its place; in O(to_file) in the server's order. Empty when nothing does.
  returned: success, without O(to_file)
  type: list
  elements: dict
  contains:
    repo:
      description: Key of the repository that it was deleted from.
      type: str
    path:
      description: Path that it had there. Empty for the repository itself.
      type: str
    type:
      description: V(file) or V(folder).
      type: str
    size:
      description: Bytes of the file. None for a folder.
      type: int
    modified:
      description: When it was last modified, in UTC.
      type: str
    sha1:
      description: SHA-1 of the file. None for a folder.
      type: str
    sha256:
      description: SHA-256 of the file. None for a folder, and where the server has none.
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
  description: How much was listed.
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
      description: Bytes of all files together.
      type: int
  sample: {files: 1, folders: 0, bytes: 1024}
masked:
  description: What O(mask_secrets) masked.
  returned: with O(mask_secrets)
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Where they were, the first 100 of them.
      type: list
      elements: str
  sample:
    count: 1
    places: ["app.jar: comment"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import items, trash
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import gather
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (ARTIFACT + LISTING) + ArgumentSpec(
    dict(
        repo=dict(type="str", **SEGMENT),
        path=dict(type="str", default="", free="may have any character; empty for all of the repository"),
        deep=dict(type="bool", default=False),
    )
)


def run(task):
    if task.params["path"] and not task.params["repo"]:
        raise BadOption("path", "needs 'repo'")
    counts = task.result["counts"] = {"files": 0, "folders": 0, "bytes": 0}
    listed = trash.listed(ArtifactService(task), **task.pick("repo", "path", "deep"))
    gather(task, "entries", items.counted(listed, counts), order=("repo", "path"))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
