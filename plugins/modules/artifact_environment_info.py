#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_environment_info
short_description: Get Artifactory environment information
description:
  - Get the names of all global environments of Artifactory, including the built-in ones.
  - You can pass RV(environments) to O(buildworks.toolchain.artifact_environment#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_environment_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro 7.53.1 or later.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options: {}
seealso:
  - module: buildworks.toolchain.artifact_environment
"""

EXAMPLES = r"""
- name: Get all environments
  buildworks.toolchain.artifact_environment_info:
  register: stages

- name: List their names
  ansible.builtin.debug:
    msg: "{{ stages.environments | map(attribute='name') }}"
"""

RETURN = r"""
environments:
  description: All global environments, sorted by name. The built-in environments V(DEV) and V(PROD) are included.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the environment.
      type: str
  sample:
    - name: DEV
    - name: PROD
    - name: QA
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import environments
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT


def run(task: Task) -> None:
    names = environments.list_names(ArtifactService(task))
    task.result["environments"] = [{"name": name} for name in names]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
