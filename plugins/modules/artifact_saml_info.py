#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_saml_info
short_description: Get Artifactory SAML information
description:
  - Get all SAML settings of Artifactory, or one of them, with one request.
  - You can pass RV(settings) to O(buildworks.toolchain.artifact_saml#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_saml_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro 7.83.1 or later.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description: Name of the setting to return. If not set, all settings are returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_saml
"""

EXAMPLES = r"""
- name: Get all SAML settings
  buildworks.toolchain.artifact_saml_info:
  register: saml

- name: List the identity providers to which the login page redirects
  ansible.builtin.debug:
    msg: "{{ saml.settings | selectattr('auto_redirect') | map(attribute='login_url') }}"
"""

RETURN = r"""
settings:
  description: The SAML settings, sorted by name. The list is empty if no setting exists, or if the setting O(name)
    does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the setting.
      type: str
    enabled:
      description: Whether users can log in with the identity provider.
      type: bool
    login_url:
      description: URL to which users are sent to log in.
      type: str
    logout_url:
      description: URL to which users are sent to log out.
      type: str
    service_provider_name:
      description: Name of Artifactory at the identity provider.
      type: str
    certificate:
      description: Certificate of the identity provider, as Base64 in one line.
      type: str
    verify_audience_restriction:
      description: Whether Artifactory verifies the audience of responses.
      type: bool
    use_encrypted_assertion:
      description: Whether the identity provider encrypts its assertions.
      type: bool
    auto_user_creation:
      description: Whether Artifactory creates a user at the first login.
      type: bool
    allow_user_to_access_profile:
      description: Whether users that Artifactory creates can open their profile page.
      type: bool
    auto_redirect:
      description: Whether the login page redirects users to the identity provider immediately.
      type: bool
    sync_groups:
      description: Whether users become members of the groups in RV(settings[].group_attribute) for their session.
      type: bool
    group_attribute:
      description: Attribute of the SAML response with the group names of the user. An empty string if it is not set.
      type: str
    email_attribute:
      description: Attribute of the SAML response with the email address of the user. An empty string if it is not set.
      type: str
    name_id_attribute:
      description: Attribute of the SAML response with the name of the user. An empty string if Artifactory uses the
        C(NameID).
      type: str
    ldap_group_settings:
      description: Names of the LDAP group settings whose groups are synchronized, sorted.
      type: list
      elements: str
  sample:
    - name: okta
      enabled: true
      login_url: https://idp.example.com/saml/login
      logout_url: https://idp.example.com/saml/logout
      service_provider_name: https://repo.example.com
      certificate: MIIBtTCCAVugAwIBAgIUKh7d
      verify_audience_restriction: true
      use_encrypted_assertion: false
      auto_user_creation: true
      allow_user_to_access_profile: false
      auto_redirect: false
      sync_groups: true
      group_attribute: groups
      email_attribute: email
      name_id_attribute: ""
      ldap_group_settings: []
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import saml
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(name=dict(type="str", **SEGMENT)))


def run(task: Task) -> None:
    name = task.params["name"]
    artifact = ArtifactService(task)
    if name is None:
        found = saml.list_all(artifact)
    else:
        setting = saml.find(artifact, name)
        found = {name: setting} if setting else {}
    task.result["settings"] = saml.describe(found)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
