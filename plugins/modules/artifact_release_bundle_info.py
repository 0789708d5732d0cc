#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_release_bundle_info
short_description: Get Artifactory release bundle information
description:
  - Get the versions of a release bundle (v2) with their status, promotions and artifacts.
  - If O(name) is not set, get the names of all release bundles.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_release_bundle_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires Artifactory 7.63.2 or later with an Enterprise license.
  - Release bundles on which the account has no Read permission are not returned.
  - The module sends one request per 250 versions. Each part in O(include) adds at least one request per version.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description: Name of the release bundle. If not set, the names of all release bundles are returned.
    type: str
  version:
    description: Version to return. If not set, all versions are returned. Requires O(name).
    type: str
  project:
    description:
      - Key of the project of the release bundle. With O(name), the default is a global release bundle.
      - Without O(name), limits the names to this project. If neither option is set, the names of all release bundles
        are returned.
    type: str
  include:
    description: Additional information to return for each version. Ignored if O(name) is not set.
    type: list
    elements: str
    choices:
      promotions: The promotions to environments.
      artifacts: The artifacts with path and checksum. The list can be long.
    default: []
  workers:
    description: Maximum number of concurrent requests for O(include), from 1 to 64.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.artifact_release_bundle
"""

EXAMPLES = r"""
- name: Get the names of all release bundles
  buildworks.toolchain.artifact_release_bundle_info:

- name: Get all versions of a release bundle with their promotions
  buildworks.toolchain.artifact_release_bundle_info:
    name: app
    include: [promotions]
  register: app

- name: List the versions that were promoted to PROD
  ansible.builtin.debug:
    msg: "{{ app.release_bundles | selectattr('environments', 'contains', 'PROD') | map(attribute='version') }}"

- name: Get the artifacts of one version
  buildworks.toolchain.artifact_release_bundle_info:
    name: app
    version: "1.0"
    include: [artifacts]
"""

RETURN = r"""
names:
  description: Names of the release bundles, sorted by project and name.
  returned: when O(name) is not set
  type: list
  elements: dict
  contains:
    name:
      description: Name of the release bundle.
      type: str
    project:
      description: Key of the project. An empty string if the release bundle is global.
      type: str
  sample:
    - name: app
      project: ""
release_bundles:
  description: The versions, newest first. The list is empty if the release bundle or the version does not exist.
  returned: when O(name) is set
  type: list
  elements: dict
  contains:
    name:
      description: Name of the release bundle.
      type: str
    version:
      description: Version of the release bundle.
      type: str
    project:
      description: Key of the project. An empty string if the release bundle is global.
      type: str
    status:
      description: Status of the creation, such as V(COMPLETED), V(PROCESSING) or V(FAILED).
      type: str
    created:
      description: Time of the creation in UTC (ISO 8601).
      type: str
    created_by:
      description: User who created the release bundle.
      type: str
    messages:
      description: Reasons why the creation failed.
      type: list
      elements: str
    environments:
      description: Environments to which the release bundle has been promoted, sorted.
      returned: when O(include) contains V(promotions)
      type: list
      elements: str
    promotions:
      description: Promotions of the release bundle, newest first, including failed ones.
      returned: when O(include) contains V(promotions)
      type: list
      elements: dict
      contains:
        environment:
          description: Target environment.
          type: str
        status:
          description: Status of the promotion, such as V(COMPLETED), V(PROCESSING) or V(FAILED).
          type: str
        created:
          description: Time of the promotion in UTC (ISO 8601).
          type: str
        created_by:
          description: User who promoted the release bundle.
          type: str
        messages:
          description: Reasons why the promotion failed.
          type: list
          elements: str
    artifacts:
      description: Artifacts of the release bundle, sorted by path. The list is empty if the creation is not complete.
      returned: when O(include) contains V(artifacts)
      type: list
      elements: dict
      contains:
        path:
          description: Path of the artifact, beginning with the key of its repository.
          type: str
        sha256:
          description: SHA-256 checksum of the artifact.
          type: str
  sample:
    - name: app
      version: "1.0"
      project: ""
      status: COMPLETED
      created: "2026-05-01T10:11:12.000Z"
      created_by: ci
      messages: []
      environments: [DEV]
      promotions:
        - environment: DEV
          status: COMPLETED
          created: "2026-05-02T08:00:00.000Z"
          created_by: ci
          messages: []
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.release_bundles import bundles, queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + WORKERS) + ArgumentSpec(
    dict(
        name=dict(type="str", **SEGMENT),
        version=dict(type="str", **SEGMENT),
        project=dict(type="str", **SEGMENT),
        include=dict(type="list", elements="str", choices=list(queries.READERS), default=[]),
    ),
    required_by=dict(version=["name"]),
)


def run(task: Task) -> None:
    name, project = task.params["name"], task.params["project"] or ""
    artifact = ArtifactService(task)
    if name is None:
        task.result["names"] = queries.list_names(artifact, project)
        return
    found = queries.list_versions(artifact, name, task.params["version"], project)
    parts = read_concurrently(task, [entry["version"] for entry in found], read_parts) if task.params["include"] else {}
    task.result["release_bundles"] = [{**entry, **parts.get(entry["version"], {})} for entry in found]


def read_parts(task: Task, version: str) -> Fields:
    artifact = ArtifactService(task)
    bundle = bundles.Version(task.params["name"], version, task.params["project"] or "")
    parts: Fields = {}
    for part in task.params["include"]:
        parts.update(queries.READERS[part](artifact, bundle))
    return parts


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
