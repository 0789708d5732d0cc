#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_ldap_info
short_description: Get Artifactory LDAP information
description:
  - Get all LDAP settings of Artifactory with their group settings, or one of them.
  - You can pass RV(settings) to O(buildworks.toolchain.artifact_ldap#module:items). Passwords are not returned.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_ldap_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro 7.57.1 or later. For older versions and the open-source edition, use
    M(buildworks.toolchain.artifact_configuration_info).
  - The module sends two requests, one for LDAP settings and one for group settings.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description: Key of the LDAP setting to return. If not set, all LDAP settings are returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_ldap
"""

EXAMPLES = r"""
- name: Get all LDAP settings
  buildworks.toolchain.artifact_ldap_info:
  register: ldap

- name: List the LDAP servers with which users can log in
  ansible.builtin.debug:
    msg: "{{ ldap.settings | selectattr('enabled') | map(attribute='ldap_url') }}"

- name: Get one LDAP setting
  buildworks.toolchain.artifact_ldap_info:
    key: corporate-ldap
"""

RETURN = r"""
settings:
  description: The LDAP settings, sorted by key. The list is empty if no LDAP setting exists, or if the LDAP setting
    O(key) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the LDAP setting.
      type: str
    ldap_url:
      description: URL of the LDAP server with the base DN.
      type: str
    enabled:
      description: Whether users can log in with this setting.
      type: bool
    user_dn_pattern:
      description: Pattern of the DN with which a user binds to the LDAP server. An empty string if it is not set.
      type: str
    search_filter:
      description: LDAP filter that finds the DN of a user. An empty string if it is not set.
      type: str
    search_base:
      description: DN below which RV(settings[].search_filter) is applied. An empty string stands for the base DN of
        RV(settings[].ldap_url).
      type: str
    search_sub_tree:
      description: Whether RV(settings[].search_filter) is applied to all levels below RV(settings[].search_base)
        instead of only to the first level.
      type: bool
    manager_dn:
      description: DN of the account with which Artifactory searches for users. An empty string if it binds anonymously.
      type: str
    auto_create_user:
      description: Whether Artifactory creates a user at the first login.
      type: bool
    email_attribute:
      description: LDAP attribute from which Artifactory reads the email address of a new user.
      type: str
    ldap_poisoning_protection:
      description: Whether Artifactory filters out users whose LDAP entries could be used for LDAP poisoning.
      type: bool
    allow_user_to_access_profile:
      description: Whether users that Artifactory creates can open their profile page.
      type: bool
    paging_support_enabled:
      description: Whether Artifactory requests search results in pages.
      type: bool
    groups:
      description: Group settings of this LDAP setting, sorted by name.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the group setting.
          type: str
        base_dn:
          description: DN below which groups are searched. An empty string stands for the base DN.
          type: str
        name_attribute:
          description: LDAP attribute with the name of a group.
          type: str
        member_attribute:
          description: LDAP attribute of a group that lists its members or, with the strategy V(dynamic), of a user that
            lists the groups of the user.
          type: str
        sub_tree:
          description: Whether groups are searched at all levels below the base DN instead of only at the first level.
          type: bool
        force_attribute_search:
          description: Whether Artifactory always searches the attributes of groups.
          type: bool
        filter:
          description: LDAP filter that finds groups.
          type: str
        description_attribute:
          description: LDAP attribute with the description of a group.
          type: str
        strategy:
          description: How the LDAP server assigns users to groups. One of V(static), V(dynamic) and V(hierarchical).
          type: str
  sample:
    - key: corporate-ldap
      ldap_url: ldaps://ldap.example.com:636/dc=example,dc=com
      enabled: true
      user_dn_pattern: ""
      search_filter: (uid={0})
      search_base: ou=people
      search_sub_tree: true
      manager_dn: cn=artifactory,ou=services,dc=example,dc=com
      auto_create_user: true
      email_attribute: mail
      ldap_poisoning_protection: true
      allow_user_to_access_profile: false
      paging_support_enabled: true
      groups:
        - name: corporate-groups
          base_dn: ou=groups
          name_attribute: cn
          member_attribute: uniqueMember
          sub_tree: true
          force_attribute_search: false
          filter: (objectClass=groupOfUniqueNames)
          description_attribute: description
          strategy: static
unassigned_groups:
  description: Names of the group settings that belong to no existing LDAP setting, sorted.
  returned: when O(key) is not set
  type: list
  elements: str
  sample: []
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.ldap import form, settings
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(key=dict(type="str", no_log=False, **SEGMENT)))


def run(task: Task) -> None:
    key = task.params["key"]
    artifact = ArtifactService(task)
    if key is None:
        found = settings.list_all(artifact, settings.SETTING)
    else:
        setting = settings.find(artifact, settings.SETTING, key)
        found = {key: setting} if setting else {}
    groups = {
        name: form.read_group(record)
        for name, record in (settings.list_all(artifact, settings.GROUP) if found or key is None else {}).items()
    }
    task.result["settings"] = [form.describe(task, name, record, groups) for name, record in found.items()]
    if key is None:
        task.result["unassigned_groups"] = [name for name, group in groups.items() if group["ldap"] not in found]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
