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
  - RV(repositories) can be passed to O(buildworks.toolchain.artifact_repository#module:items). Secrets such as
    passwords are not returned.
  - If O(configuration=true), Artifactory 7.61.3 and later returns all configurations in one request. On earlier
    versions, the module reads each repository separately, O(workers) at a time.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_repository_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - The module returns only repositories on which the account has the Read permission. Artifactory returns complete
    configurations only to administrators.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go and pyartifactory. Not
    tested against a real Artifactory server.
options:
  key:
    description:
      - Return only the repository with this key, including its configuration.
      - The configuration is omitted if the account has no access to it or the edition of Artifactory does not support
        this request.
      - Mutually exclusive with O(type), O(package_type) and O(project).
    type: str
  type:
    description:
      - Return only repositories of this class.
    type: str
    choices:
      local: Repositories that store uploaded artifacts.
      remote: Repositories that proxy another server and cache its artifacts.
      virtual: Repositories that combine several repositories under one key.
      federated: Repositories that are mirrored between several Artifactory servers.
      distribution: Repositories for the distribution of artifacts to Bintray, which is discontinued.
  package_type:
    description:
      - Return only repositories of this package type, such as V(maven) or V(docker).
    type: str
  project:
    description:
      - Return only repositories of the project with this key. Requires Artifactory 7.17.4 or later.
    type: str
  configuration:
    description:
      - Whether to return the configurations of all repositories that match the filters. This requires administrator
        permissions and Artifactory Pro.
      - If O(key) is set, this option is ignored, and the configuration is always returned.
    type: bool
    default: false
    version_added: 0.3.0
  sharing:
    description:
      - Whether to return the projects with which the repositories are shared. This costs one request per repository.
      - Requires administrator permissions for the JFrog Platform and Artifactory 7.90.1 or later.
    type: bool
    default: false
    version_added: 0.3.0
  workers:
    description:
      - Number of repositories to read at the same time.
      - Used if O(sharing=true), or if O(configuration=true) and Artifactory cannot return all configurations in one
        request.
    type: int
    default: 8
    version_added: 0.3.0
seealso:
  - module: buildworks.toolchain.artifact_repository
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

- name: Get all virtual repositories with their configurations
  buildworks.toolchain.artifact_repository_info:
    type: virtual
    configuration: true
  register: virtual

- name: Verify that no virtual repository has changed
  buildworks.toolchain.artifact_repository:
    items: "{{ virtual.repositories }}"
  check_mode: true
"""

RETURN = r"""
repositories:
  description:
    - The repositories, sorted by key. The list is empty if no repositories match.
    - Each element has the form of an item of O(buildworks.toolchain.artifact_repository#module:items).
    - With O(key) or O(configuration=true), an element contains all options that apply to its class and package type,
      except for secrets.
    - Otherwise, or if the account may not read the configuration, an element contains C(key), C(type),
      C(package_type), C(description) and, for a remote repository, C(url).
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the repository.
      type: str
    type:
      description: Class of the repository in lower case, such as V(local), V(remote), V(virtual) or V(federated).
      type: str
    package_type:
      description: Package type of the repository in lower case, such as V(maven).
      type: str
    settings:
      description:
        - Settings for which M(buildworks.toolchain.artifact_repository) has no option. The keys are the names of the
          REST API.
        - Only returned together with the configuration.
      type: dict
  sample:
    - key: libs-release-local
      type: local
      package_type: maven
      description: ""
configurations:
  description:
    - Configurations of the repositories. The keys are repository keys, the values are configurations as returned by the
      REST API.
    - Passwords and secret values of HTTP headers are removed. A value is V(null) if Artifactory does not return the
      configuration to the account.
  returned: when O(key) is set or O(configuration=true)
  type: dict
  sample:
    libs-release-local:
      key: libs-release-local
      rclass: local
      packageType: maven
      repoLayoutRef: maven-2-default
sharing:
  description:
    - Projects with which the repositories are shared. The keys are repository keys, the values are dictionaries with
      the keys below.
    - Repositories that are not shared are omitted.
  returned: when O(sharing=true)
  type: dict
  contains:
    projects:
      description: Keys of the projects with which the repository is shared, sorted.
      type: list
      elements: str
    all_projects:
      description: Whether the repository is shared with all projects.
      type: bool
    read_only:
      description: Whether the projects with which the repository is shared can only read it.
      type: bool
  sample:
    libs-release-local:
      projects: [web]
      all_projects: false
      read_only: true
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import listing
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + WORKERS) + ArgumentSpec(
    dict(
        key=dict(type="str", no_log=False, **NAME),
        type=dict(type="str", choices=["local", "remote", "virtual", "federated", "distribution"]),
        package_type=dict(type="str", **NAME),
        project=dict(type="str", **NAME),
        configuration=dict(type="bool", default=False),
        sharing=dict(type="bool", default=False),
    ),
    mutually_exclusive=[("key", "type"), ("key", "package_type"), ("key", "project")],
)


def run(task: Task) -> None:
    artifact, key = ArtifactService(task), task.params["key"]
    filters = task.select_provided("type", "package_type", "project")
    if key is not None:
        found = listing.find_repository(artifact, key)
    elif task.params["configuration"]:
        found = listing.list_with_configurations(task, artifact, filters)
    else:
        found = listing.list_repositories(artifact, filters)
    task.result["repositories"] = [listing.to_options(artifact, repository) for repository in found]
    if key is not None or task.params["configuration"]:
        task.result["configurations"] = {
            repository["key"]: listing.strip_secrets(repository["settings"]) for repository in found
        }
    if task.params["sharing"]:
        task.result["sharing"] = projects.list_sharing(task, [repository["key"] for repository in found])


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
