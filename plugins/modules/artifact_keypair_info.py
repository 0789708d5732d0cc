#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_keypair_info
short_description: Get Artifactory key pair information
description:
  - Get all key pairs of Artifactory, or one of them, with one request. Artifactory uses key pairs to sign the metadata
    of repositories.
  - RV(keypairs) has the format of O(buildworks.toolchain.artifact_keypair#module:items). It does not contain private
    keys and passphrases, because Artifactory does not return them.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_keypair_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires Artifactory Pro 7.6.0 or later. If O(name) is not set, the module requires administrator permissions and
    Artifactory 7.19 or later.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description: Name of the key pair to return. If not set, all key pairs are returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_keypair
  - module: buildworks.toolchain.artifact_repository_info
"""

EXAMPLES = r"""
- name: Get all key pairs
  buildworks.toolchain.artifact_keypair_info:
  register: artifact

- name: Show their fingerprints
  ansible.builtin.debug:
    msg: "{{ artifact.keypairs | items2dict(key_name='name', value_name='fingerprint') }}"

- name: Get one key pair
  buildworks.toolchain.artifact_keypair_info:
    name: packages-2026
"""

RETURN = r"""
keypairs:
  description: The key pairs, sorted by name. The list is empty if no key pair exists, or if the key pair O(name) does
    not exist.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the key pair.
      type: str
    type:
      description: Type of the key pair, such as V(rsa) or V(gpg).
      type: str
    alias:
      description: File name under which clients download the public key.
      type: str
    public_key:
      description: Public key, without comments.
      type: str
    fingerprint:
      description: Fingerprint of the public key. For GPG keys, the fingerprint that GnuPG displays. For RSA keys, the
        SHA-256 checksum of the key in DER format. V(null) if the key cannot be parsed.
      type: str
  sample:
    - name: packages-2026
      type: gpg
      alias: packages-2026.asc
      public_key: "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBGkn...\n-----END PGP PUBLIC KEY BLOCK-----\n"
      fingerprint: C74E618CCF71C99D411BA8D7E24FABCFD55BE356
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import keypairs
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(name=dict(type="str", **SEGMENT)))


def run(task: Task) -> None:
    artifact, name = ArtifactService(task), task.params["name"]
    found = keypairs.list_all(artifact).values() if name is None else filter(None, [keypairs.find(artifact, name)])
    task.result["keypairs"] = [keypairs.to_result(fields) for fields in found]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
