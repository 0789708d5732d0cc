#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_list_info
short_description: List what is in a folder
description:
  - Lists the files of a folder, and on demand its folders, as deep as you like, in one request.
  - Works for local, remote and virtual repositories. Of a remote one the cache is listed, a virtual one shows
    what is in all of its repositories.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Read on the folder, and an account; anonymous callers may not list. The open source edition
    cannot list.
options:
  repo:
    description: Key of the repository.
    type: str
    required: true
  path:
    description: Path of the folder in the repository. Empty for the whole repository.
    type: str
    default: ""
  deep:
    description: List the folders below as well.
    type: bool
    default: false
  depth:
    description:
      - How many levels to list, 1 to 1,000. Needs O(deep=true).
      - Without it all of them.
    type: int
  folders:
    description: List folders, too. Without that only files are listed, so of a folder with folders alone nothing.
    type: bool
    default: false
  metadata_timestamps:
    description: Tell when the properties of each entry were changed.
    type: bool
    default: false
  root:
    description: List the folder itself, too.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.artifact_item_info
"""

EXAMPLES = r"""
- name: List the releases
  buildworks.toolchain.artifact_list_info:
    repo: generic-local
    path: app
    deep: true
  register: releases

- name: Say how much they take
  ansible.builtin.debug:
    msg: "{{ releases.counts.files }} files, {{ releases.counts.bytes }} bytes"

- name: Keep a list of a whole repository, however long it is
  buildworks.toolchain.artifact_list_info:
    repo: libs-release-local
    deep: true
    to_file: "{{ ansible_facts.env.HOME }}/libs-release-local.jsonl"
"""

RETURN = r"""
entries:
  description: What is in the folder, sorted by path; in O(to_file) in the server's order.
  returned: success, without O(to_file)
  type: list
  elements: dict
  contains:
    path:
      description: Path in the repository, without a slash at its beginning.
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
    metadata_timestamps:
      description: When its V(properties) were last changed, in UTC. Empty without O(metadata_timestamps), and for what
        has no properties.
      type: dict
  sample:
    - path: app/1.0/app-1.0.tar.gz
      type: file
      size: 1024
      modified: "2026-10-01T12:00:00.000Z"
      sha1: 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12
      sha256: d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592
      metadata_timestamps: {}
counts:
  description: How much was listed.
  returned: success
  type: dict
  contains:
    files:
      description: Number of files.
      type: int
    folders:
      description: Number of folders. Always 0 with O(folders=false), but for the folder itself.
      type: int
    bytes:
      description: Bytes of all files together.
      type: int
  sample: {files: 2, folders: 0, bytes: 2048}
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import items
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import gather
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (ARTIFACT + LISTING) + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", default="", free="may have any character; empty for the whole repository"),
        deep=dict(type="bool", default=False),
        depth=dict(type="int", at_least=1, at_most=1000),
        folders=dict(type="bool", default=False),
        metadata_timestamps=dict(type="bool", default=False),
        root=dict(type="bool", default=False),
    )
)
SWITCHES = ("deep", "depth", "folders", "metadata_timestamps", "root")


def run(task):
    if task.params["depth"] and not task.params["deep"]:
        raise BadOption("depth", "needs 'deep: true', for the server looks at it only then")
    counts = task.result["counts"] = {"files": 0, "folders": 0, "bytes": 0}
    listed = items.listed(ArtifactService(task), **task.pick("repo", "path", *SWITCHES))
    gather(task, "entries", items.counted(listed, counts), order=["path"])


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
