#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_replication_info
short_description: Get Artifactory replication information
description:
  - Get the replication configuration of one repository or of all repositories in Artifactory. Passwords are not
    returned.
  - You can pass RV(replications) to O(buildworks.toolchain.artifact_replication#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_replication_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions and Artifactory Pro.
  - One request lists all replications. If the server does not support it, the module sends one request for each
    repository that is not virtual.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go. Not tested against a
    real Artifactory server.
options:
  repo:
    description: Key of the repository whose replication to return. If not set, the replications of all repositories are
      returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_replication
"""

EXAMPLES = r"""
- name: Get all replications
  buildworks.toolchain.artifact_replication_info:
  register: artifact

- name: List the URLs on which replication deletes artifacts
  ansible.builtin.debug:
    msg: "{{ artifact.replications | map(attribute='targets', default=[]) | flatten | selectattr('sync_deletes') |
      map(attribute='url') }}"

- name: Get the replication of a repository
  buildworks.toolchain.artifact_replication_info:
    repo: libs-release-local
"""

RETURN = r"""
replications:
  description:
    - The replications, sorted by repository key. The list is empty if no repository has a replication, or if O(repo)
      has no replication.
    - A push replication contains C(targets). A pull replication contains C(enabled), C(sync_deletes),
      C(sync_properties), C(include_path_prefix_pattern), C(exclude_path_prefix_pattern) and
      C(check_binary_existence_in_filestore) instead.
  returned: success
  type: list
  elements: dict
  contains:
    repo:
      description: Key of the replicated repository.
      type: str
    type:
      description: Direction of the replication, which is V(push) or V(pull).
      type: str
    cron:
      description: Schedule of the replication as a Quartz cron expression. V(null) if the targets have different
        schedules.
      type: str
    event_replication:
      description: Whether uploads, deletions and property changes are replicated immediately. V(null) if the targets
        have different values.
      type: bool
    targets:
      description:
        - Targets of a push replication, sorted by URL.
        - Each contains the suboptions of O(buildworks.toolchain.artifact_replication#module:targets) except
          C(password).
      type: list
      elements: dict
  sample:
    - repo: libs-remote
      type: pull
      cron: 0 30 1 * * ?
      event_replication: false
      enabled: true
      sync_deletes: false
      sync_properties: true
      include_path_prefix_pattern: com/example/**
      exclude_path_prefix_pattern: ""
      check_binary_existence_in_filestore: false
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import replications
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(repo=dict(type="str", **SEGMENT)))


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    if task.params["repo"] is None:
        found = replications.list_replications(artifact)
    else:
        replication = replications.find_replication(artifact, task.params["repo"])
        found = [replication] if replication else []
    task.result["replications"] = [replications.to_result(replication) for replication in found]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
