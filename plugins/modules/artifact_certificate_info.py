#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_certificate_info
short_description: Get Artifactory client certificate information
description:
  - Get all client certificates of Artifactory, with one request. Remote repositories use them to authenticate to the
    remote server.
  - A remote repository refers to a certificate by its alias, see
    O(buildworks.toolchain.artifact_repository#module:client_tls_certificate).
  - Private keys are never returned.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_certificate_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions.
  - Requires Artifactory 5.4.0 or later.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options: {}
seealso:
  - module: buildworks.toolchain.artifact_certificate
  - module: buildworks.toolchain.artifact_repository_info
"""

EXAMPLES = r"""
- name: Get all client certificates
  buildworks.toolchain.artifact_certificate_info:
  register: artifact

- name: Fail if a certificate expires within 30 days
  ansible.builtin.assert:
    that: artifact.certificates | selectattr('valid_until', 'lt', limit) | length == 0
  vars:
    limit: "{{ '%Y-%m-%dT%H:%M:%SZ' | strftime(now().timestamp() + 30 * 86400, utc=true) }}"
"""

RETURN = r"""
certificates:
  description: The client certificates, sorted by alias. The list is empty if no certificate exists.
  returned: success
  type: list
  elements: dict
  contains:
    alias:
      description: Alias of the certificate.
      type: str
    issued_to:
      description: Name of the owner of the certificate (subject).
      type: str
    issued_by:
      description: Name of the certificate authority that issued the certificate (issuer).
      type: str
    issued_on:
      description: Time from which the certificate is valid, in ISO 8601 format in UTC.
      type: str
    valid_until:
      description: Time at which the certificate expires, in ISO 8601 format in UTC.
      type: str
    fingerprint:
      description: SHA-256 fingerprint of the certificate.
      type: str
  sample:
    - alias: mirror
      issued_to: artifactory.example.com
      issued_by: Example CA
      issued_on: "2026-01-01T00:00:00.000Z"
      valid_until: "2027-01-01T00:00:00.000Z"
      fingerprint: "0a:f1:5c:27:93:e0:4d:b8:61:7e:2a:c9:35:f4:08:bd:56:ea:1f:83:c7:20:9b:6d:44:d2:fe:17:a8:3b:70:95"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import certificates
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT


def run(task: Task) -> None:
    task.result["certificates"] = certificates.list_certificates(ArtifactService(task))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
