#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_configuration_info
short_description: Get the Artifactory system configuration
description:
  - Get all or selected sections of the central configuration descriptor of Artifactory, such as backups, proxies,
    property sets, repository layouts and security settings.
  - The result has the form of Artifactory's YAML configuration. You can pass it to
    O(buildworks.toolchain.artifact_configuration#module:configuration).
  - Secrets are not returned, nor are strings that contain a secret, such as a URL with a password.
  - Repositories and replications are not returned. Use M(buildworks.toolchain.artifact_repository_info) and
    M(buildworks.toolchain.artifact_replication_info) to get them.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_configuration_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  sections:
    description:
      - Names of the sections to return, such as V(backups). If not set, all sections are returned.
      - Sections that the server does not have are omitted from the result.
    type: list
    elements: str
seealso:
  - module: buildworks.toolchain.artifact_configuration
"""

EXAMPLES = r"""
- name: Get the backups and the proxies
  buildworks.toolchain.artifact_configuration_info:
    sections: [backups, proxies]
  register: artifact

- name: Print the schedule of each backup
  ansible.builtin.debug:
    msg: "{{ item.key }}: {{ item.value.cronExp }}"
  loop: "{{ artifact.configuration.backups | dict2items }}"

- name: Get the whole configuration
  buildworks.toolchain.artifact_configuration_info:
  register: artifact

- name: Save the configuration as YAML
  ansible.builtin.copy:
    content: "{{ artifact.configuration | to_nice_yaml }}"
    dest: artifactory.yml
    mode: "0600"
"""

RETURN = r"""
configuration:
  description:
    - Sections of the configuration. The keys are the names of the sections, the values their content.
    - In a section with named objects, such as C(backups), the keys are the names of the objects.
    - If the module does not know the type of a setting, it returns V(true) and V(false) as booleans, and whole numbers
      as integers.
  returned: success
  type: dict
  sample:
    backups:
      backup-daily:
        enabled: true
        cronExp: 0 0 2 ? * MON-FRI
        retentionPeriodHours: 0
        excludedRepositories: []
    proxies: {}
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import descriptor
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.kinds import REFUSED_SECTIONS
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module


def check_sections(params: dict[str, t.Any]) -> None:
    for number, name in enumerate(params["sections"] or ()):
        if name in REFUSED_SECTIONS:
            raise BadOption(f"sections[{number}]", f"'{name}' is not returned: {REFUSED_SECTIONS[name]}")


SPEC = ARTIFACT + ArgumentSpec(
    dict(sections=dict(type="list", elements="str", not_empty=True, each_element=NAME)),
    checks=[check_sections],
)


def run(task: Task) -> None:
    sections = task.params["sections"]
    task.result["configuration"] = descriptor.select_sections(descriptor.fetch(ArtifactService(task)), sections)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
