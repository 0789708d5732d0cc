#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_license
short_description: Manage Artifactory licenses
description:
  - Install licenses on a self-hosted Artifactory server, or remove licenses from a cluster.
  - A single node has one license, which a new license key replaces. A cluster has one license for each node.
  - After the first license is installed, the module waits until Artifactory accepts requests that require a license.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_license
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions.
  - JFrog Cloud and the open-source edition have no licenses to manage.
  - A cluster returns a hash of each license, so the module can detect installed keys. If all keys are installed, the
    task sends a single read request.
  - A single node returns no hash. By default, the module sends the key on each run. If the server reports that the key
    is already installed, the task reports no change. Check mode cannot detect this, so it predicts a change and adds a
    warning.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  license_keys:
    description:
      - License keys to install or, with O(state=absent), to remove. Required with O(state=present).
      - Whitespace in a key is ignored. One string can contain several keys, separated by empty lines, as in the file
        C(artifactory.cluster.license).
      - A single node accepts only one key. Licenses of a cluster that are not listed are kept.
    type: list
    elements: str
  license_hashes:
    description:
      - Hashes of licenses to remove, such as RV(buildworks.toolchain.artifact_license_info#module:licenses[].hash).
      - Requires O(state=absent).
    type: list
    elements: str
  update_license:
    description: When to install keys that are not installed, or whose status is unknown because the server returns no
      hashes.
    type: str
    default: always
    choices:
      always: Install these keys on each run.
      if_invalid: Install these keys only if the server has no license, or if all of its licenses have expired. If a
        license is valid, the task sends a single read request.
  remove_used:
    description: Whether to remove a license even if a node uses it, or if no valid license would remain. If V(false),
      the task fails before it removes such a license.
    type: bool
    default: false
  wait_timeout:
    description:
      - Maximum time in seconds to wait until the first license takes effect. If the time expires, the task fails. V(0)
        disables waiting.
      - The module does not wait if the server already had a valid license, or if the license is already installed.
    type: float
    default: 120.0
  state:
    choices:
      present: Install the licenses.
      absent: Remove the licenses from a cluster. The license of a single node cannot be removed.
seealso:
  - module: buildworks.toolchain.artifact_license_info
"""

EXAMPLES = r"""
- name: Install a license, which replaces the current one on a single node
  buildworks.toolchain.artifact_license:
    license_keys: ["{{ lookup('ansible.builtin.env', 'ARTIFACTORY_LICENSE') }}"]

- name: Install a license only if the server has no valid one
  buildworks.toolchain.artifact_license:
    license_keys: ["{{ lookup('ansible.builtin.env', 'ARTIFACTORY_LICENSE') }}"]
    update_license: if_invalid

- name: Remove a license of a cluster that no node uses
  buildworks.toolchain.artifact_license:
    license_hashes: [179b7ea384d0c4655a00dfac7285a21d986a17923]
    state: absent
"""

RETURN = r"""
licenses:
  description: All licenses of the server after the task or, in check mode, as predicted. The list is empty if the
    server has no license. Most values of a predicted license are V(null).
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.licenses import changes
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module


def check_state(params: Fields) -> None:
    if params["state"] == "present" and params["license_hashes"] is not None:
        raise BadOption("license_hashes", "requires 'state: absent'")


SPEC = ARTIFACT + STATE + VISIBILITY
SPEC += ArgumentSpec(
    dict(
        license_keys=dict(
            type="list",
            elements="str",
            no_log=True,
            not_empty=True,
            narrows_scope=True,
            each_element=dict(unchecked="changes.list_keys removes blanks and line breaks"),
        ),
        license_hashes=dict(
            type="list",
            elements="str",
            not_empty=True,
            narrows_scope=True,
            each_element=dict(matches=("[0-9a-fA-F]{40,80}", "a hash of at least 40 hexadecimal digits")),
        ),
        update_license=dict(type="str", choices=["always", "if_invalid"], default="always"),
        remove_used=dict(type="bool", default=False),
        wait_timeout=dict(type="float", default=120.0, at_least=0, at_most=86_400),
    ),
    required_if=[
        ("state", "present", ["license_keys"]),
        ("state", "absent", ["license_keys", "license_hashes"], True),
    ],
    checks=[check_state, changes.list_keys],
)


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    if task.params["state"] == "present":
        changes.install(task, artifact)
    else:
        changes.remove(task, artifact)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
