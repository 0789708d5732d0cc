#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_project_info
short_description: Get Artifactory project information
description:
  - Get all projects of Artifactory, or one of them. To get their environments, roles, members or repositories as well,
    set O(include).
  - You can pass RV(projects) to O(buildworks.toolchain.artifact_project#module:items).
  - One request lists all projects. Each part in O(include) takes another request for each project, and V(members) takes
    two. O(workers) limits the number of projects that are read at the same time.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_project_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires platform administrator permissions. Project administrators get only their own projects.
  - Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro.
  - The module does not return the project V(default), or repositories that are shared with a project.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go, except for the
    environments, roles, users and shared repositories of projects. Not tested against a real Artifactory server.
options:
  key:
    description: Key of the project to return. If not set, all projects are returned.
    type: str
  include:
    description: Parts of the projects to return in addition to their settings.
    type: list
    elements: str
    default: []
    choices:
      environments: Return the environments of each project, without the global environments.
      roles: Return the custom roles of each project, without the predefined roles.
      members: Return the users and groups that have roles in each project.
      repositories: Return the keys of the repositories that are attached to each project.
  workers:
    description: Maximum number of projects to read at the same time.
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
  description: The projects, sorted by key. The list is empty if no project exists, or if the project O(key) does not
    exist.
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
      description: Description of the project. An empty string if it has no description.
      type: str
    storage_quota:
      description: Maximum storage for the artifacts of the project, such as V(100 GB), or V(unlimited).
      type: str
    soft_limit:
      description: Whether Artifactory accepts uploads when RV(projects[].storage_quota) is exceeded.
      type: bool
    storage_quota_email_notification:
      description: Whether the project administrators get an email when RV(projects[].storage_quota) is almost exceeded.
      type: bool
    admin_privileges:
      description: Privileges of the project administrators. The keys are V(manage_members), V(manage_resources),
        V(manage_remote_repository) and V(index_resources), the values booleans.
      type: dict
    environments:
      description: Sorted full names of the environments of the project, such as V(web-qa). V(null) unless O(include)
        contains V(environments).
      type: list
      elements: str
    roles:
      description: Custom roles of the project, sorted by name. Each contains C(name), C(description), C(environments)
        and C(actions). V(null) unless O(include) contains V(roles).
      type: list
      elements: dict
    members:
      description: Members of the project, first groups, then users, sorted by name. Each contains C(roles) and either
        C(user) or C(group). V(null) unless O(include) contains V(members).
      type: list
      elements: dict
    repositories:
      description: Sorted keys of the repositories that are attached to the project. V(null) unless O(include) contains
        V(repositories).
      type: list
      elements: str
  sample:
    - key: web
      display_name: Web
      description: Everything of the web team
      storage_quota: 100 GB
      soft_limit: false
      storage_quota_email_notification: true
      admin_privileges:
        manage_members: true
        manage_resources: true
        manage_remote_repository: false
        index_resources: false
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
