#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_replication_info
short_description: Get Artifactory replication information
description:
  - Get the configuration of the replications of one repository or of all repositories in Artifactory.
  - RV(replications) can be passed to O(buildworks.toolchain.artifact_replication#module:items). Passwords are not
    returned.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions and Artifactory Pro.
  - One request lists all replications. Versions of Artifactory without this request cost one request for each
    repository.
  - Verified on the sandbox, which is itself verified with jfrog-client-go. Not verified on a real Artifactory.
options:
  repo:
    description: Return only the replication of the repository with this key.
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
    - The replications, sorted by repository. Empty if no repository is replicated.
    - Push replications have C(targets), sorted by URL. Pull replications have the other options instead.
  returned: success
  type: list
  elements: dict
  contains:
    repo:
      description: Key of the repository.
      type: str
    type:
      description: V(push) or V(pull).
      type: str
    cron:
      description: Schedule of all targets. V(null) if the targets have different ones.
      type: str
    event_replication:
      description: Whether changes are replicated immediately. V(null) if the targets differ.
      type: bool
    targets:
      description:
        - The targets, with the suboptions of O(buildworks.toolchain.artifact_replication#module:targets) except
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
