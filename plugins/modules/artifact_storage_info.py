#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_storage_info
short_description: Get Artifactory storage usage
description:
  - Get the number of files, folders and bytes that Artifactory stores, in total and by repository, and the free space.
  - Some sizes are only available as rounded text, such as V(3.48 GB). The module converts them to bytes and also
    returns the text.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_storage_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires an administrator account, or a token with the scope V(system:info/storage:r).
options:
  repo:
    description: Key of a repository to return in RV(repository). For a remote repository, the entry of its cache is
      returned.
    type: str
  refresh:
    description:
      - Whether to let the server recalculate the summary and to wait for the result. If V(false), the task returns the
        last calculated summary, which can be a day old.
      - The calculation uses server resources but changes no data, so it also runs in check mode.
    type: bool
    default: false
  refresh_timeout:
    description:
      - Maximum time in seconds to wait for a new summary.
      - The server does not report when the calculation is complete. If the summary does not change, the task waits for
        the full time.
    type: float
    default: 30.0
seealso:
  - module: buildworks.toolchain.artifact_repository_info
"""

EXAMPLES = r"""
- name: Get the storage usage
  buildworks.toolchain.artifact_storage_info:
  register: storage

- name: Fail if the disk is nearly full
  ansible.builtin.assert:
    that: storage.storage.file_store.used_percent < 90

- name: Recalculate and get the storage usage of a repository
  buildworks.toolchain.artifact_storage_info:
    repo: generic-local
    refresh: true
    refresh_timeout: 2
"""

RETURN = r"""
storage:
  description: Storage usage.
  returned: success
  type: dict
  contains:
    binaries:
      description:
        - C(count) and C(size) (in bytes) of the stored contents. Identical contents are stored only once.
        - C(items), C(artifacts) and C(artifacts_size) count each file, even if several files have the same content.
          C(optimization) is C(size) as a percentage of C(artifacts_size).
        - C(size_text) and C(artifacts_size_text) are the texts of the server.
      type: dict
    file_store:
      description:
        - C(type) and C(directory) of the storage, C(total), C(used) and C(free) in bytes, and C(used_percent) and
          C(free_percent). V(null) if the server reports no number.
        - C(total_text), C(used_text) and C(free_text) are the texts of the server.
      type: dict
    repositories:
      description: All repositories, sorted by key. Remote repositories are represented by their caches.
      type: list
      elements: dict
      contains:
        key:
          description: Key of the repository.
          type: str
        type:
          description: Type of the repository, such as V(local), V(cache), V(virtual) or V(federated).
          type: str
        package_type:
          description: Package type, such as V(maven).
          type: str
        project_key:
          description: Key of the project to which the repository belongs, if the server reports it.
          type: str
        folders:
          description: Number of folders.
          type: int
        files:
          description: Number of files.
          type: int
        items:
          description: Number of files and folders.
          type: int
        used:
          description: Used space in bytes. If the server only reports a text, the value is rounded accordingly.
          type: int
        used_text:
          description: Used space as text of the server.
          type: str
        percent:
          description: Percentage of the total used space.
          type: float
    total:
      description: C(folders), C(files), C(items), C(used) and C(used_text) of all repositories together.
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
  description: The entry of RV(storage.repositories) for O(repo). V(null) if it does not exist or O(repo) is not set.
  returned: success
  type: dict
  sample: null
refreshed:
  description:
    - Whether the summary changed after the requested calculation. V(false) can also mean that the new summary is the
      same. V(null) if O(refresh=false).
  returned: success
  type: bool
  sample: null
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import storage
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        repo=dict(type="str", **SEGMENT),
        refresh=dict(type="bool", default=False),
        refresh_timeout=dict(type="float", default=30.0, at_least=0, at_most=86400),
    )
)


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    refreshed = None
    if task.params["refresh"]:
        summary, refreshed = storage.recalculate(task, artifact)
    else:
        summary = storage.fetch_summary(artifact)
    repo = task.params["repo"]
    repository = storage.find_row(summary, repo) if repo else None
    task.result.update(storage=summary, repository=repository, refreshed=refreshed)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
