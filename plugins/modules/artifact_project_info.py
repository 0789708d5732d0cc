#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_project_info
short_description: Get Artifactory project information
description:
  - Get the projects of Artifactory and, with O(include), their environments, roles, members and repositories.
  - RV(projects) can be passed to O(buildworks.toolchain.artifact_project#module:items).
  - All projects are listed with one request. Each part in O(include) then costs one request per project, members two.
    Projects are read O(workers) at a time.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires an administrator of the platform. Administrators of projects get only their own projects. Servers may
    accept only an access token, so set O(token).
  - Requires Artifactory Pro.
  - The project V(default) and repositories that are shared with a project are not returned.
  - Verified on the sandbox, which is itself verified with jfrog-client-go, except for environments, roles, users and
    shared repositories of projects. Not verified on a real Artifactory.
options:
  key:
    description: Return only the project with this key.
    type: str
  include:
    description: Parts of the projects to read.
    type: list
    elements: str
    default: []
    choices:
      environments: Environments of the project.
      roles: Custom roles of the project.
      members: Users and groups with roles in the project.
      repositories: Repositories that are attached to the project.
  workers:
    description: Number of projects to read at the same time.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.artifact_project
"""

EXAMPLES = r"""
- name: Get all projects
  buildworks.toolchain.artifact_project_info:
  register: all_projects

- name: List their keys
  ansible.builtin.debug:
    msg: "{{ all_projects.projects | map(attribute='key') }}"

- name: Get a project with its members
  buildworks.toolchain.artifact_project_info:
    key: web
    include: [members, roles]
"""

RETURN = r"""
projects:
  description: The projects, sorted by key, in the form of the options of M(buildworks.toolchain.artifact_project).
    Empty if the project O(key) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the project.
      type: str
    display_name:
      description: Name of the project in the user interface.
      type: str
    description:
      description: Description of the project. Can be empty.
      type: str
    storage_quota:
      description: Limit of the storage that the artifacts of the project use.
      type: str
    soft_limit:
      description: Whether uploads are accepted when RV(projects[].storage_quota) is exceeded.
      type: bool
    storage_quota_email_notification:
      description: Whether the administrators of the project get an email when RV(projects[].storage_quota) is almost
        exceeded.
      type: bool
    admin_privileges:
      description: Privileges of the administrators of the project.
      type: dict
    environments:
      description: Environments of the project with their full names, sorted. V(null) unless O(include) has this part.
      type: list
      elements: str
    roles:
      description: Custom roles of the project with their environments and actions, sorted. V(null) unless O(include)
        has this part.
      type: list
      elements: dict
    members:
      description: Users and groups with their roles in the project, sorted. V(null) unless O(include) has this part.
      type: list
      elements: dict
    repositories:
      description: Keys of the repositories that are attached to the project, sorted. V(null) unless O(include) has this
        part.
      type: list
      elements: str
  sample:
    - key: web
      display_name: Web
      description: Everything of the web team
      storage_quota: 100 GB
      soft_limit: false
      storage_quota_email_notification: true
      admin_privileges: {manage_members: true, manage_resources: true, index_resources: false}
      environments: [web-qa]
      roles:
        - name: deployer
          description: ""
          environments: [DEV]
          actions: [DEPLOY_CACHE_REPOSITORY, READ_REPOSITORY]
      members:
        - user: reader
          roles: [Developer]
      repositories: [generic-local]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import form, projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + WORKERS) + ArgumentSpec(
    dict(
        key=dict(type="str", no_log=False, **SEGMENT),
        include=dict(type="list", elements="str", choices=list(projects.READERS), default=[]),
    )
)


def run(task: Task) -> None:
    key = task.params["key"]
    artifact = ArtifactService(task)
    if key is None:
        found = projects.list_all(artifact)
    else:
        record = projects.find(artifact, key)
        found = [record] if record else []
    settings = {record.text("project_key"): projects.parse_settings(record) for record in found}
    parts = read_concurrently(task, settings, read_parts) if task.params["include"] else {}
    results = [form.to_result(name, {**fields, **parts.get(name, {})}) for name, fields in settings.items()]
    task.result["projects"] = [omit_shared(result) for result in results]


def read_parts(task: Task, key: str) -> Fields:
    artifact = ArtifactService(task)
    return {part: projects.READERS[part](artifact, key) for part in projects.READERS if part in task.params["include"]}


def omit_shared(result: Fields) -> Fields:
    return {name: value for name, value in result.items() if name != "shared_repositories"}


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
