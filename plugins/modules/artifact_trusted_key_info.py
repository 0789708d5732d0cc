#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_trusted_key_info
short_description: Get Artifactory trusted key information
description:
  - Get all trusted public keys of Artifactory, with one request. Artifactory uses trusted keys to verify the signatures
    of incoming release bundles.
  - You can pass RV(trusted_keys) to O(buildworks.toolchain.artifact_trusted_key#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_trusted_key_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions.
  - Requires Artifactory Enterprise+ or Artifactory Edge.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options: {}
seealso:
  - module: buildworks.toolchain.artifact_trusted_key
"""

EXAMPLES = r"""
- name: Get all trusted keys
  buildworks.toolchain.artifact_trusted_key_info:
  register: artifact

- name: Show their fingerprints
  ansible.builtin.debug:
    msg: "{{ artifact.trusted_keys | items2dict(key_name='alias', value_name='fingerprint') }}"
"""

RETURN = r"""
trusted_keys:
  description: The trusted keys, sorted by alias. The list is empty if no key is trusted.
  returned: success
  type: list
  elements: dict
  contains:
    alias:
      description: Alias of the trusted key.
      type: str
    key:
      description: Public key, without comments. An empty string if Artifactory does not return it.
      type: str
    kid:
      description: ID that Artifactory assigns to the key.
      type: str
    fingerprint:
      description: Fingerprint of the public key. For GPG keys, the fingerprint that GnuPG displays.
      type: str
    issued_by:
      description: Name and email address of the issuer. V(null) if the issuer is unknown.
      type: str
    issued_on:
      description: Time at which the key was created, in ISO 8601 format in UTC. V(null) if the time is unknown.
      type: str
    valid_until:
      description: Time at which the key expires, in ISO 8601 format in UTC. V(null) if the key does not expire, or if
        the time is unknown.
      type: str
  sample:
    - alias: release-bundles
      key: "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBGkn...\n-----END PGP PUBLIC KEY BLOCK-----\n"
      kid: 5be356
      fingerprint: C74E618CCF71C99D411BA8D7E24FABCFD55BE356
      issued_by: Releases <releases@example.com>
      issued_on: "2026-01-01T00:00:00.000Z"
      valid_until: null
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import trusted_keys
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT


def run(task: Task) -> None:
    task.result["trusted_keys"] = trusted_keys.list_all(ArtifactService(task))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
