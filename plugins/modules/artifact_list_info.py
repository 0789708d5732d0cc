#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_list_info
short_description: List an Artifactory folder
description:
  - List the files of an Artifactory folder in one request. Optionally, include folders and recurse into them.
  - Supports local, remote and virtual repositories. For a remote repository, its cache is listed. A virtual repository
    returns the contents of all its repositories.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_list_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires Read permission on the folder. Anonymous users cannot list folders.
  - Requires Artifactory Pro, because the open-source edition does not support this request.
options:
  repo:
    description: Key of the repository.
    type: str
    required: true
  path:
    description: Path to the folder in the repository. If empty, the whole repository is listed.
    type: str
    default: ""
  deep:
    description: Whether to list subfolders recursively.
    type: bool
    default: false
  depth:
    description:
      - Number of levels to list. Requires O(deep=true).
      - If not set, all levels are listed.
    type: int
  folders:
    description: Whether to include folders in the list. If V(false), only files are listed.
    type: bool
    default: false
  metadata_timestamps:
    description: Whether to return when the properties of each entry were changed.
    type: bool
    default: false
  root:
    description: Whether to include the folder itself in the list.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.artifact_item_info
"""

EXAMPLES = r"""
- name: List all releases
  buildworks.toolchain.artifact_list_info:
    repo: generic-local
    path: app
    deep: true
  register: releases

- name: Print their number and size
  ansible.builtin.debug:
    msg: "{{ releases.counts.files }} files, {{ releases.counts.bytes }} bytes"

- name: Write a list of all files of a repository to a file
  buildworks.toolchain.artifact_list_info:
    repo: libs-release-local
    deep: true
    to_file: "{{ ansible_facts.env.HOME }}/libs-release-local.jsonl"
"""

RETURN = r"""
entries:
  description: Contents of the folder, sorted by path. In O(to_file), they are in the order returned by the server.
  returned: success, when O(to_file) is not set
  type: list
  elements: dict
  contains:
    path:
      description: Path in the repository, without a leading slash.
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
    metadata_timestamps:
      description: Time at which the C(properties) of the entry last changed, in UTC. Empty if
        O(metadata_timestamps=false) or if the entry has no properties.
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
  description: Number and size of the listed entries.
  returned: success
  type: dict
  contains:
    files:
      description: Number of files.
      type: int
    folders:
      description: Number of folders. If O(folders=false), this is at most V(1), because only the folder itself is
        counted.
      type: int
    bytes:
      description: Total size of all files in bytes.
      type: int
  sample: {files: 2, folders: 0, bytes: 2048}
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module


def check_depth(params: dict[str, t.Any]) -> None:
    if params["depth"] and not params["deep"]:
        raise BadOption("depth", "needs 'deep: true'")


SPEC = (ARTIFACT + LISTING) + ArgumentSpec(
    dict(
        repo=dict(type="str", required=True, **SEGMENT),
        path=dict(type="str", default="", unchecked="may have any character; empty for the whole repository"),
        deep=dict(type="bool", default=False),
        depth=dict(type="int", at_least=1, at_most=1000),
        folders=dict(type="bool", default=False),
        metadata_timestamps=dict(type="bool", default=False),
        root=dict(type="bool", default=False),
    ),
    checks=[check_depth],
)
LIST_OPTIONS = ("deep", "depth", "folders", "metadata_timestamps", "root")


def run(task: Task) -> None:
    counts = task.result["counts"] = {"files": 0, "folders": 0, "bytes": 0}
    entries = item_info.list_folder(ArtifactService(task), **task.select("repo", "path", *LIST_OPTIONS))
    output_list(task, "entries", item_info.count_items(entries, counts), order=["path"])


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
