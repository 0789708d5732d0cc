#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_repository_info
short_description: Get Artifactory repository information
description:
  - List the Artifactory repositories that are visible to the account, or get one repository with its configuration.
  - The list and the single repository have the same keys, although the REST API uses different names for them.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Returns the repositories on which the account has the Read permission. Only administrators get the configuration.
options:
  key:
    description:
      - Return only the repository with this key, including its configuration.
      - The configuration is omitted if the server does not return it to the account or its edition does not support it.
      - Mutually exclusive with the other filters.
    type: str
  type:
    description: Return only repositories of this type.
    type: str
    choices:
      local: Repositories that store uploaded artifacts.
      remote: Proxies of other repositories, with a cache.
      virtual: Repositories that combine several repositories under one key.
      federated: Local repositories that are mirrored between several servers.
      distribution: Repositories of the discontinued distribution to Bintray.
  package_type:
    description: Return only repositories of this package type, such as V(maven) or V(docker).
    type: str
  project:
    description: Return only repositories of the project with this key.
    type: str
"""

EXAMPLES = r"""
- name: List all repositories
  buildworks.toolchain.artifact_repository_info:
  register: artifact

- name: Get a repository with its configuration
  buildworks.toolchain.artifact_repository_info:
    key: libs-release
  register: libs

- name: List the local Docker repositories
  buildworks.toolchain.artifact_repository_info:
    type: local
    package_type: docker
"""

RETURN = r"""
repositories:
  description: The repositories, sorted by key. Empty if no repositories match.
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
      description: Package type, in lower case.
      type: str
    description:
      description: Description of the repository.
      type: str
    url:
      description: URL of the repository or, for a remote repository, the URL that it proxies. V(null) if the server
        does not return one.
      type: str
    default_deployment_repo:
      description: Repository to which uploads to a virtual repository are deployed. Only returned if O(key) is set.
      type: str
    settings:
      description: Configuration of the repository, as returned by the REST API. V(null) if O(key) is not set or the
        server does not return it.
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

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


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    if task.params["key"] is not None:
        repository = queries.find_repository(artifact, task.params["key"])
        task.result["repositories"] = [repository] if repository else []
    else:
        filters = task.select_provided("type", "package_type", "project")
        query = {WIRE_NAMES.get(name, name): value for name, value in filters.items()}
        task.result["repositories"] = queries.list_repositories(artifact, **query)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
