#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_repository_info
short_description: List the repositories of an artifact repository server
description:
  - Lists all repositories that the account may see, or reads one with its settings.
  - Both give the same members, whatever the server calls them in its list and in its detail.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Shows the repositories on which the account has the permission Read; all settings are for administrators.
options:
  key:
    description:
      - Only the repository of this key, with its settings.
      - Without them where the server does not tell them to the account, or to anybody in its edition.
    type: str
  type:
    description: Only repositories of this type.
    type: str
    choices: [local, remote, virtual, federated, distribution]
  package_type:
    description: Only repositories for this kind of package, such as V(maven) or V(docker).
    type: str
  project:
    description: Only repositories of the project with this key.
    type: str
"""

EXAMPLES = r"""
- name: List all repositories
  buildworks.toolchain.artifact_repository_info:
  register: artifact

- name: Read one with its settings
  buildworks.toolchain.artifact_repository_info:
    key: libs-release
  register: libs

- name: List the local repositories for images
  buildworks.toolchain.artifact_repository_info:
    type: local
    package_type: docker
"""

RETURN = r"""
repositories:
  description: The repositories, sorted by key. Empty when there is none.
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the repository.
      type: str
    type:
      description: V(local), V(remote), V(virtual), V(federated) or another type of the server, in lower case.
      type: str
    package_type:
      description: Kind of package, in lower case.
      type: str
    description:
      description: Its description.
      type: str
    url:
      description: Its address; of a remote repository, the address that it mirrors. A detail without one gives none.
      type: str
    default_deployment_repo:
      description: Where a virtual repository puts deployed files. Told with O(key) only.
      type: str
    settings:
      description: All that the server tells of the repository, unchanged. None without O(key), or where it tells none.
      type: dict
  sample:
    - key: libs-release-local
      type: local
      package_type: maven
      description: ""
      url: https://repo.example.com/artifactory/libs-release-local
      default_deployment_repo: null
      settings: null
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import repositories
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        key=dict(type="str", no_log=False, **NAME),
        type=dict(type="str", choices=["local", "remote", "virtual", "federated", "distribution"]),
        package_type=dict(type="str", **NAME),
        project=dict(type="str", **NAME),
    ),
    mutually_exclusive=[("key", "type"), ("key", "package_type"), ("key", "project")],
)

WIRE_NAMES = {"package_type": "packageType"}


def run(task):
    artifact = ArtifactService(task)
    if task.params["key"] is not None:
        found = [repository for repository in [repositories.find(artifact, task.params["key"])] if repository]
    else:
        filters = task.given("type", "package_type", "project")
        found = repositories.listed(artifact, **{WIRE_NAMES.get(name, name): value for name, value in filters.items()})
    task.result["repositories"] = found


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
