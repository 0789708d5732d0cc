#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_configuration_info
short_description: Get the Jenkins configuration as code
description:
  - Get the configuration that Jenkins exports with the Configuration as Code plugin (JCasC), such as security settings,
    nodes, views, credentials, tools and settings of plugins.
  - The result has the same format as O(buildworks.toolchain.ci_configuration#module:configuration).
  - Jenkins does not export jobs, folders, passwords of users and API tokens. It also omits members that have their
    default value.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_configuration_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Overall/SystemRead or Overall/Administer permission, and the plugin C(configuration-as-code).
  - The module sends one request.
  - Requires the Python package PyYAML on the host that runs the module. It is installed together with ansible-core.
  - Tested against the simulated server (sandbox) that comes with this collection. The module has not been tested
    against a real Jenkins server.
options:
  sections:
    description:
      - Names of the parts of the configuration to return. A name is a root, such as V(jenkins) or V(unclassified), or a
        member of a root, such as V(jenkins.nodes).
      - If not set, the whole configuration is returned.
      - Sections that the server does not have are omitted from the result.
    type: list
    elements: str
  mask_secrets:
    description:
      - Whether to replace texts that look like secrets with V(MASKED_SECRET). RV(masked) lists the positions of these
        texts.
      - If V(false), secrets are returned as Jenkins has encrypted them. Only the same server can decrypt them.
    type: bool
    default: true
seealso:
  - module: buildworks.toolchain.ci_configuration
"""

EXAMPLES = r"""
- name: Get the nodes and the location
  buildworks.toolchain.ci_configuration_info:
    sections: [jenkins.nodes, unclassified.location]
  register: jenkins

- name: Print the URL of Jenkins
  ansible.builtin.debug:
    msg: "{{ jenkins.configuration.unclassified.location.url | default('not set') }}"

- name: Get the whole configuration
  buildworks.toolchain.ci_configuration_info:
  register: jenkins

- name: Save the configuration as YAML
  ansible.builtin.copy:
    content: "{{ jenkins.configuration | to_nice_yaml }}"
    dest: jenkins-export.yaml
    mode: "0600"
"""

RETURN = r"""
configuration:
  description:
    - The selected sections of the configuration. The keys are the names of the roots. The values are dictionaries with
      the members of the roots.
    - Whole numbers are returned as integers, and V(true) and V(false) as booleans. All other single values are strings.
  returned: success
  type: dict
  sample:
    jenkins:
      numExecutors: 2
      mode: NORMAL
      systemMessage: Managed by Ansible
masked:
  description: Number and positions of the texts in RV(configuration) that were replaced with V(MASKED_SECRET).
  returned: if O(mask_secrets=true)
  type: dict
  contains:
    count:
      description: Number of texts that were replaced with V(MASKED_SECRET).
      type: int
      sample: 1
    places:
      description: Paths of the first 100 texts that were replaced with V(MASKED_SECRET). A path consists of the names
        of the members that lead to the text.
      type: list
      elements: str
      sample: ["credentials: system: domainCredentials: credentials: usernamePassword: password"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import SecretMasker
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI + ArgumentSpec(
    dict(
        sections=dict(type="list", elements="str", not_empty=True, each_element=NAME),
        mask_secrets=dict(type="bool", default=True, no_log=False),
    ),
)


def run(task: Task) -> None:
    configuration = server.select_sections(server.fetch_export(CiService(task)), task.params["sections"])
    if task.params["mask_secrets"]:
        masker = SecretMasker()
        configuration = masker.mask(configuration)
        task.result["masked"] = masker.result
    task.result["configuration"] = configuration


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
