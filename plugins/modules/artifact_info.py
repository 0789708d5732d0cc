#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_info
short_description: Get Artifactory server information
description:
  - Get the version of an Artifactory server, its add-ons, and whether it is the open-source edition. This takes one
    request.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires no permissions, but a user account unless anonymous access is enabled.
  - Artifactory does not report its license type here. RV(server.open_source) therefore does not distinguish Pro from
    Enterprise.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options: {}
"""

EXAMPLES = r"""
- name: Get information about the Artifactory server
  buildworks.toolchain.artifact_info:
  register: artifactory

- name: Fail if Artifactory is too old for environments
  ansible.builtin.assert:
    that: artifactory.server.version is version('7.53.1', '>=')
"""

RETURN = r"""
server:
  description: The Artifactory server.
  returned: success
  type: dict
  contains:
    version:
      description: Version of Artifactory.
      type: str
    revision:
      description: Revision of the build. V(null) if the server does not return it.
      type: str
    addons:
      description: Names of the active add-ons, sorted. The list is empty for the open-source edition.
      type: list
      elements: str
    open_source:
      description: Whether the server is the open-source edition, or has no active license. V(null) if the server does
        not return information about its license, for example to anonymous users.
      type: bool
  sample:
    version: 7.77.3
    revision: "77703900"
    addons: [build, docker, properties]
    open_source: false
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT


def run(task: Task) -> None:
    task.result["server"] = server.fetch_server(ArtifactService(task))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
