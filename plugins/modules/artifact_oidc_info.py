#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_oidc_info
short_description: Get Artifactory OIDC provider information
description:
  - Get all OIDC providers of Artifactory, or one of them, with their identity mappings.
  - You can pass RV(providers) to O(buildworks.toolchain.artifact_oidc#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_oidc_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory 7.73.1 or later. According to JFrog, an Enterprise X or Enterprise+ license is also required.
  - The module sends one request for the providers and one for the mappings of each provider.
  - Mappings of a project are returned only for the providers of this project.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description: Name of the provider to return. If not set, all providers are returned.
    type: str
  workers:
    description: Maximum number of concurrent requests, from 1 to 64.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.artifact_oidc
"""

EXAMPLES = r"""
- name: Get all OIDC providers
  buildworks.toolchain.artifact_oidc_info:
  register: oidc

- name: List the mappings that issue administrator tokens
  ansible.builtin.debug:
    msg: "{{ oidc.providers | map(attribute='identity_mappings') | flatten | selectattr('scope', 'search', '/admin') }}"
"""

RETURN = r"""
providers:
  description: The OIDC providers, sorted by name. The list is empty if no provider exists, or if the provider O(name)
    does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the provider.
      type: str
    description:
      description: Description of the provider. An empty string if it has no description.
      type: str
    issuer_url:
      description: URL of the provider.
      type: str
    provider_type:
      description: Type of the provider, such as V(github) or V(generic). A type that the module does not know is
        returned as the server reports it.
      type: str
    audience:
      description: Audience that tokens must have. An empty string if it is not set.
      type: str
    organization:
      description: GitHub organization whose workflows may get tokens. An empty string if it is not set.
      type: str
    project:
      description: Key of the project. An empty string if the provider is global.
      type: str
    token_issuer:
      description: Issuer in the tokens, if it differs from the URL. An empty string if it is not set.
      type: str
    azure_app_id:
      description: ID of the Azure application. An empty string if it is not set.
      type: str
    use_default_proxy:
      description: Whether Artifactory connects to the provider through its default proxy.
      type: bool
    enable_permissive_configuration:
      description: Whether workflows of all GitHub organizations are accepted.
      type: bool
    identity_mappings:
      description: Identity mappings of the provider, sorted by name.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the mapping.
          type: str
        description:
          description: Description of the mapping. An empty string if it has no description.
          type: str
        priority:
          description: Priority of the mapping. The lowest number takes precedence.
          type: int
        claims:
          description: Claims that an OIDC token must have.
          type: dict
        username:
          description: Name of the user for whom Artifactory issues the token. An empty string if it is not set.
          type: str
        username_pattern:
          description: Pattern that derives the name of the user from claims. An empty string if it is not set.
          type: str
        groups_pattern:
          description: Pattern that derives the names of groups from claims. An empty string if it is not set.
          type: str
        scope:
          description: Scope of the access token. An empty string if it is not set.
          type: str
        audience:
          description: JFrog services that accept the token, sorted and separated by spaces.
          type: str
        expires_in:
          description: Lifetime of the access token in seconds.
          type: int
  sample:
    - name: github
      description: Workflows of acme
      issuer_url: https://token.actions.githubusercontent.com
      provider_type: github
      audience: artifactory
      organization: acme
      project: ""
      token_issuer: ""
      azure_app_id: ""
      use_default_proxy: false
      enable_permissive_configuration: false
      identity_mappings:
        - name: shop-release
          description: ""
          priority: 1
          claims: {ref: refs/heads/main, repository: acme/shop}
          username: ""
          username_pattern: ""
          groups_pattern: ""
          scope: applied-permissions/groups:"deployers"
          audience: "*@*"
          expires_in: 600
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import oidc, providers
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + WORKERS) + ArgumentSpec(dict(name=dict(type="str", **SEGMENT)))


def run(task: Task) -> None:
    name = task.params["name"]
    artifact = ArtifactService(task)
    if name is None:
        found = oidc.list_all(artifact)
    else:
        provider = oidc.find(artifact, name)
        found = {name: provider} if provider else {}
    described = read_concurrently(
        task, found, lambda item_task, key: providers.describe(ArtifactService(item_task), key, found[key])
    )
    task.result["providers"] = [described[key] for key in found]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
