#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_group_info
short_description: Get Artifactory group information
description:
  - Get the groups of Artifactory with their members.
  - RV(groups) can be passed to O(buildworks.toolchain.artifact_group#module:items). RV(states) contains the properties
    that cannot be set, such as the realm.
  - Artifactory lists only the names of groups. The module therefore reads each group separately, O(workers) at a time.
    For 50 groups, it sends 51 requests.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_group_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions or, on Artifactory 7.49.3 and later, a token with the scope
    C(system:identities:r).
  - On Artifactory 7.49.3 and later, set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go and pyartifactory. Not
    tested against a real Artifactory server.
options:
  name:
    description: Name of the group to return. If not set, all groups are returned.
    type: str
  workers:
    description: Number of groups to read at the same time.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.artifact_group
"""

EXAMPLES = r"""
- name: Get all groups
  buildworks.toolchain.artifact_group_info:
  register: teams

- name: List the groups whose members are administrators
  ansible.builtin.debug:
    msg: "{{ teams.groups | selectattr('admin_privileges') | map(attribute='name') }}"

- name: Get one group
  buildworks.toolchain.artifact_group_info:
    name: readers
"""

RETURN = r"""
groups:
  description: The groups, sorted by name, with the keys that M(buildworks.toolchain.artifact_group) uses as options.
    Empty if the group O(name) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the group as the server stores it.
      type: str
    description:
      description: Description of the group. Empty if it is not set.
      type: str
    external_id:
      description: ID of the group in an external directory. Empty if it is not set.
      type: str
    auto_join:
      description: Whether users that are created later join the group automatically.
      type: bool
    admin_privileges:
      description: Whether members of the group are administrators.
      type: bool
    watch_manager:
      description: Whether members of the group may manage Xray watches. V(null) on Artifactory before 7.128.
      type: bool
    policy_viewer:
      description: Whether members of the group may view Xray policies. V(null) on Artifactory before 7.128.
      type: bool
    policy_manager:
      description: Whether members of the group may manage Xray policies. V(null) on Artifactory before 7.128.
      type: bool
    reports_manager:
      description: Whether members of the group may manage Xray reports. V(null) on Artifactory before 7.128.
      type: bool
    resources_manager:
      description: Whether members of the group may manage resources and their permissions in the default project.
        V(null) on Artifactory before 7.128.
      type: bool
    manage_webhook:
      description: Whether members of the group may manage webhooks. V(null) on Artifactory before 7.128.
      type: bool
    members:
      description: Names of the users in the group, sorted. V(null) on Artifactory before 6.13.
      type: list
      elements: str
  sample:
    - name: developers
      description: Developers of the web team
      external_id: ""
      auto_join: false
      admin_privileges: false
      watch_manager: null
      policy_viewer: null
      policy_manager: null
      reports_manager: null
      resources_manager: null
      manage_webhook: null
      members: [reader]
states:
  description:
    - Read-only properties of the groups. The keys are group names, the values are dictionaries.
    - C(realm) is the realm that the group comes from, such as V(internal), V(ldap) or V(saml). C(realm_attributes)
      contains the attributes of the group in its external directory, or V(null).
  returned: success
  type: dict
  sample:
    developers:
      realm: internal
      realm_attributes: null
unreadable:
  description:
    - Reasons why listed groups could not be read, such as names that the server does not accept in a path.
      The keys are names, the values are messages.
  returned: if O(name) is not set and there are such groups
  type: dict
  sample:
    ..: "Option 'name': '..' is not a valid part of a path"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + WORKERS) + ArgumentSpec(dict(name=dict(type="str", **SEGMENT)))


def run(task: Task) -> None:
    name = task.params["name"]
    if name is None:
        found = groups.read_all(task)
    else:
        group = groups.find_in_any_case(ArtifactService(task), name)
        found = [group] if group else []
    task.result["groups"] = [groups.to_options(group) for group in found]
    task.result["states"] = {group["name"]: groups.to_state(group) for group in found}


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
