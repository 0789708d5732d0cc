#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_user_info
short_description: Get Artifactory user information
description:
  - Get the users of Artifactory with their group memberships. Passwords are not returned.
  - RV(users) can be passed to O(buildworks.toolchain.artifact_user#module:items). RV(states) contains the properties
    that cannot be set, such as the last login.
  - Artifactory lists only the names of users, up to 1,000 per request. The module therefore reads each user separately,
    O(workers) at a time. For 500 users, it sends 501 requests.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_user_info
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
    description: Name of the user to return. The module converts it to lower case. If not set, all users are returned.
    type: str
  workers:
    description: Number of users to read at the same time.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.artifact_user
"""

EXAMPLES = r"""
- name: Get all users
  buildworks.toolchain.artifact_user_info:
  register: accounts

- name: List the locked users
  ansible.builtin.debug:
    msg: "{{ accounts.states | dict2items | selectattr('value.status', 'equalto', 'locked') | map(attribute='key') }}"

- name: Get one user
  buildworks.toolchain.artifact_user_info:
    name: admin
"""

RETURN = r"""
users:
  description: The users, sorted by name, with the keys that M(buildworks.toolchain.artifact_user) uses as options.
    Empty if the user O(name) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the user in lower case.
      type: str
    email:
      description: Email address of the user. V(null) if it is not set.
      type: str
    admin:
      description: Whether the user is an administrator themselves. Administrator permissions through a group do not
        count.
      type: bool
    profile_updatable:
      description: Whether the user may change their own profile.
      type: bool
    disable_ui_access:
      description: Whether the user is denied access to the web interface and can use only the REST API.
      type: bool
    internal_password_disabled:
      description: Whether the login with a password that is stored in Artifactory is disabled. If V(true), the user can
        log in only through an external directory, single sign-on or access tokens.
      type: bool
    watch_manager:
      description: Whether the user may manage Xray watches. V(null) on Artifactory before 7.128.
      type: bool
    policy_viewer:
      description: Whether the user may view Xray policies. V(null) on Artifactory before 7.128.
      type: bool
    policy_manager:
      description: Whether the user may manage Xray policies. V(null) on Artifactory before 7.128.
      type: bool
    reports_manager:
      description: Whether the user may manage Xray reports. V(null) on Artifactory before 7.128.
      type: bool
    resources_manager:
      description: Whether the user may manage resources and their permissions in the default project. V(null) on
        Artifactory before 7.128.
      type: bool
    manage_webhook:
      description: Whether the user may manage webhooks. V(null) on Artifactory before 7.128.
      type: bool
    platform_auditor:
      description: Whether the user has read-only access to the whole JFrog Platform. V(null) on Artifactory before
        7.141.
      type: bool
    groups:
      description: Names of the groups that the user is a member of, sorted.
      type: list
      elements: str
  sample:
    - name: carol
      email: carol@example.com
      admin: false
      profile_updatable: true
      disable_ui_access: false
      internal_password_disabled: false
      watch_manager: null
      policy_viewer: null
      policy_manager: null
      reports_manager: null
      resources_manager: null
      manage_webhook: null
      platform_auditor: null
      groups: [readers]
states:
  description:
    - Read-only properties of the users. The keys are user names, the values are dictionaries.
    - C(status) is V(enabled), V(disabled), V(invited) or V(locked). C(realm) is the realm that the user comes from,
      such as V(internal), V(ldap) or V(saml).
    - C(effective_admin) is whether the user is an administrator, directly or through a group. C(last_logged_in) is the
      time of the last login, in ISO 8601 format.
    - Properties that the server does not return are V(null).
  returned: success
  type: dict
  sample:
    carol:
      status: enabled
      realm: internal
      effective_admin: false
      last_logged_in: "2026-10-01T12:00:00.000Z"
unreadable:
  description:
    - Reasons why listed users could not be read, such as names that the server does not accept in a path.
      The keys are names, the values are messages.
  returned: if O(name) is not set and there are such users
  type: dict
  sample:
    ..: "Option 'name': '..' is not a valid part of a path"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_listed
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + WORKERS) + ArgumentSpec(dict(name=dict(type="str", **SEGMENT)))


def run(task: Task) -> None:
    name, artifact = task.params["name"], ArtifactService(task)
    if name is None:
        names = users.list_names(artifact)
        found = read_listed(task, names, lambda item_task, key: users.find(ArtifactService(item_task), key))
    else:
        user = users.find(artifact, name.lower())
        found = {user["name"]: user} if user else {}
    task.result["users"] = [users.to_options(user) for _name, user in sorted(found.items())]
    task.result["states"] = {name: users.to_state(user) for name, user in sorted(found.items())}


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
