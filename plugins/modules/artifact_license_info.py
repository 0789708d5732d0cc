#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_license_info
short_description: Get Artifactory license information
description:
  - Get the licenses of Artifactory with their expiry dates, with one request. License keys are not returned.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_license_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions.
  - JFrog Cloud does not return its licenses.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options: {}
seealso:
  - module: buildworks.toolchain.artifact_license
"""

EXAMPLES = r"""
- name: Get all licenses
  buildworks.toolchain.artifact_license_info:
  register: artifact

- name: Fail if a license expires within 30 days
  ansible.builtin.assert:
    that: artifact.licenses | selectattr('days_left', 'number') | selectattr('days_left', 'lt', 30) | length == 0
    fail_msg: "Renew these licenses: {{ artifact.licenses }}"
"""

RETURN = r"""
licenses:
  description: The licenses, in the order of the server. The list is empty if the server has no license, and for the
    open-source edition.
  returned: success
  type: list
  elements: dict
  contains:
    type:
      description: Type of the license as Artifactory reports it, such as V(Commercial) for Artifactory Pro, V(Trial),
        V(Enterprise) or V(Enterprise Plus).
      type: str
    edition:
      description: Edition of the license. One of V(open_source), V(pro) and V(enterprise), or V(null) if the edition
        cannot be derived from the type.
      type: str
    valid_through:
      description: Last day on which the license is valid, in ISO 8601 format. V(null) if the server does not report the
        date.
      type: str
    days_left:
      description: Number of days until RV(licenses[].valid_through). Negative if this date has passed. V(null) if the
        date is not known.
      type: int
    expired:
      description: Whether the license has expired.
      type: bool
    licensed_to:
      description: Name of the owner of the license.
      type: str
    hash:
      description: Hash of the license. V(null) on a single node.
      type: str
    node:
      description: ID of the node that uses the license. V(null) if no node uses it, and on a single node.
      type: str
    node_url:
      description: URL of the node that uses the license. V(null) if RV(licenses[].node) is V(null).
      type: str
  sample:
    - type: Enterprise
      edition: enterprise
      valid_through: "2027-12-07"
      days_left: 375
      expired: false
      licensed_to: Example Corporation
      hash: 179b7ea384d0c4655a00dfac7285a21d986a17923
      node: art1
      node_url: http://10.1.16.83:8081/artifactory
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.licenses import licenses
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT


def run(task: Task) -> None:
    task.result["licenses"] = licenses.read(ArtifactService(task)).entries


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
