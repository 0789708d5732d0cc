#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_storage_info
short_description: Read how much is stored
description:
  - Reads how many files, folders and bytes there are, in all and by repository, and how much space is left.
  - Sizes that the server only writes for people (V(3.48 GB)) are given in bytes as exactly as they tell, with the text
    beside.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs an administrator, or a token with the scope C(system:info/storage:r).
options:
  repo:
    description: Key of a repository to look for in the summary. Of a remote one it is the cache.
    type: str
  refresh:
    description:
      - Let the server calculate the summary anew, and wait for it. Without that it is as old as the server's last
        calculation, often a day.
      - This costs the server some work, and changes nothing. So it is done in check mode, too.
    type: bool
    default: false
  refresh_timeout:
    description:
      - Seconds to wait for another summary, 0 to 86,400.
      - The server does not say when it is done. A summary that stays as it was is waited for as long as this.
    type: float
    default: 30.0
seealso:
  - module: buildworks.toolchain.artifact_repository_info
"""

EXAMPLES = r"""
- name: See how much is stored
  buildworks.toolchain.artifact_storage_info:
  register: storage

- name: Stop when the disk is nearly full
  ansible.builtin.assert:
    that: storage.storage.file_store.used_percent < 90

- name: See what a repository takes now
  buildworks.toolchain.artifact_storage_info:
    repo: generic-local
    refresh: true
    refresh_timeout: 2
"""

RETURN = r"""
storage:
  description: What is stored.
  returned: success
  type: dict
  contains:
    binaries:
      description:
        - V(count) and V(size) in bytes of the contents, each of which is stored once; V(items), V(artifacts) and
          V(artifacts_size) as if it were not; V(optimization), the size of the contents in per cent of that.
        - V(size_text) and V(artifacts_size_text) are the server's own words.
      type: dict
    file_store:
      description:
        - V(type) and V(directory) of the storage; V(total), V(used) and V(free) in bytes, none where the server tells
          no number, and V(used_percent) and V(free_percent).
        - V(total_text), V(used_text) and V(free_text) are the server's own words.
      type: dict
    repositories:
      description: All repositories, by key. Remote ones are there as their caches.
      type: list
      elements: dict
      contains:
        key:
          description: Key of the repository.
          type: str
        type:
          description: V(local), V(cache), V(virtual), V(federated) or the like.
          type: str
        package_type:
          description: Package type, such as V(maven).
          type: str
        project_key:
          description: Key of the project it belongs to, on servers that tell.
          type: str
        folders:
          description: Number of folders.
          type: int
        files:
          description: Number of files.
          type: int
        items:
          description: Number of both.
          type: int
        used:
          description: Bytes. On servers that tell no more than a text they are as exact as that.
          type: int
        used_text:
          description: The same in the server's own words.
          type: str
        percent:
          description: Its part of all that is stored.
          type: float
    total:
      description: V(folders), V(files), V(items), V(used) and V(used_text) of all repositories together.
      type: dict
  sample:
    binaries:
      count: 125726
      size: 3736621548
      size_text: 3.48 GB
      artifacts_size: 64177570775
      artifacts_size_text: 59.77 GB
      optimization: 5.82
      items: 2176580
      artifacts: 2084408
    file_store:
      type: filesystem
      directory: /var/opt/jfrog/artifactory/data/filestore
      total: 219344125788
      total_text: 204.28 GB
      used: 34595961569
      used_text: 32.22 GB (15.77%)
      used_percent: 15.77
      free: 184748019056
      free_text: 172.06 GB (84.23%)
      free_percent: 84.23
    repositories:
      - key: generic-local
        type: local
        package_type: generic
        project_key: default
        folders: 92172
        files: 2084408
        items: 2176580
        used: 64177570775
        used_text: 59.77 GB
        percent: 100.0
    total:
      folders: 92172
      files: 2084408
      items: 2176580
      used: 64177570775
      used_text: 59.77 GB
repository:
  description: The row of O(repo) in RV(storage.repositories). None when there is none, and without O(repo).
  returned: success
  type: dict
  sample: null
refreshed:
  description:
    - Whether another summary came after the calculation that was asked for. V(false) also means that it may be the same
      for nothing has changed. None with O(refresh=false).
  returned: success
  type: bool
  sample: null
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import storage
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        repo=dict(type="str", **SEGMENT),
        refresh=dict(type="bool", default=False),
        refresh_timeout=dict(type="float", default=30.0, at_least=0, at_most=86400),
    )
)


def run(task):
    artifact = ArtifactService(task)
    refreshed = None
    if task.params["refresh"]:
        found, refreshed = storage.recalculated(task, artifact)
    else:
        found = storage.summary(artifact)
    repo = task.params["repo"]
    task.result.update(storage=found, repository=storage.row_of(found, repo) if repo else None, refreshed=refreshed)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
