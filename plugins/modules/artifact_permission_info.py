#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_permission_info
short_description: Get Artifactory permission information
description:
  - Get the permissions (permission targets) of Artifactory.
  - RV(permissions) can be passed to O(buildworks.toolchain.artifact_permission#module:items).
  - Artifactory lists only the names of permissions. The module therefore reads each permission separately, O(workers)
    at a time. For 50 permissions, it sends 51 requests.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_permission_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. For other accounts, the module returns only the permissions that they manage.
  - On Artifactory 7.72.0 and later, set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro.
  - Artifactory before 7.72.0 does not return C(destinations) and C(pipeline_sources). Artifactory before 6.6 returns
    only C(repositories).
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go and pyartifactory. Not
    tested against a real Artifactory server.
options:
  name:
    description: Name of the permission to return. If not set, all permissions are returned.
    type: str
  workers:
    description: Number of permissions to read at the same time.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.artifact_permission
"""

EXAMPLES = r"""
- name: Get all permissions
  buildworks.toolchain.artifact_permission_info:
  register: current

- name: List the permissions of a group on repositories
  ansible.builtin.debug:
    msg: "{{ item.name }}: {{ item.repositories.groups.readers }}"
  loop: "{{ current.permissions | selectattr('repositories.groups.readers', 'defined') }}"
  loop_control:
    label: "{{ item.name }}"

- name: Get one permission
  buildworks.toolchain.artifact_permission_info:
    name: web-team
"""

RETURN = r"""
permissions:
  description: The permissions, sorted by name, with the keys that M(buildworks.toolchain.artifact_permission) uses as
    options. Empty if the permission O(name) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the permission.
      type: str
    repositories:
      description: Permissions on artifacts in repositories.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Repositories to which the actions apply. The keys are repository keys or names such as V(ANY
            LOCAL). The values are dictionaries with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on artifacts in repositories. The keys are user names, the values
            are sorted lists of actions.
          type: dict
        groups:
          description: Actions that groups may perform on artifacts in repositories. The keys are group names, the
            values are sorted lists of actions.
          type: dict
    builds:
      description: Permissions on builds.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Build-info repository to which the actions apply. The key is its repository key. The value is a
            dictionary with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on builds. The keys are user names, the values are sorted lists of
            actions.
          type: dict
        groups:
          description: Actions that groups may perform on builds. The keys are group names, the values are sorted lists
            of actions.
          type: dict
    release_bundles:
      description: Permissions on release bundles.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Release bundle repositories to which the actions apply. The keys are repository keys. The values
            are dictionaries with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on release bundles. The keys are user names, the values are sorted
            lists of actions.
          type: dict
        groups:
          description: Actions that groups may perform on release bundles. The keys are group names, the values are
            sorted lists of actions.
          type: dict
    destinations:
      description: Permissions on destinations of release bundles.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Destinations to which the actions apply. The keys are names of destinations, or V(*) for all. The
            values are dictionaries with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on destinations of release bundles. The keys are user names, the
            values are sorted lists of actions.
          type: dict
        groups:
          description: Actions that groups may perform on destinations of release bundles. The keys are group names, the
            values are sorted lists of actions.
          type: dict
    pipeline_sources:
      description: Permissions on pipeline sources of JFrog Pipelines.
      returned: when the permission has this type
      type: dict
      contains:
        targets:
          description: Pipeline sources to which the actions apply. The keys are names of sources, or V(*) for all. The
            values are dictionaries with the lists C(include_patterns) and C(exclude_patterns).
          type: dict
        users:
          description: Actions that users may perform on pipeline sources. The keys are user names, the values are
            sorted lists of actions.
          type: dict
        groups:
          description: Actions that groups may perform on pipeline sources. The keys are group names, the values are
            sorted lists of actions.
          type: dict
  sample:
    - name: web-team
      repositories:
        targets:
          npm-local:
            include_patterns: ["web/**"]
            exclude_patterns: []
        users: {}
        groups:
          developers: [annotate, read, write]
unreadable:
  description:
    - Reasons why listed permissions could not be read, such as names that the server does not accept in a path.
      The keys are names, the values are messages.
  returned: if O(name) is not set and there are such permissions
  type: dict
  sample:
    ..: "Option 'name': '..' is not a valid part of a path"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions import form, permissions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_listed
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + WORKERS) + ArgumentSpec(dict(name=dict(type="str", **SEGMENT)))


def run(task: Task) -> None:
    name = task.params["name"]
    if name is None:
        found = read_listed(task, permissions.list_names(ArtifactService(task)), find)
    else:
        resources = permissions.find(ArtifactService(task), name)
        found = {name: resources} if resources is not None else {}
    task.result["permissions"] = [form.to_result(key, found[key]) for key in sorted(found)]


def find(item_task: Task, name: str) -> Fields | None:
    return permissions.find(ArtifactService(item_task), name)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
