#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_mail_info
short_description: Get Artifactory mail server information
description:
  - Get the settings of the mail server that Artifactory uses to send email, with one request.
  - RV(mail_server) has the same keys as the options of M(buildworks.toolchain.artifact_mail).
  - The password is not returned.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_mail_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. The open-source edition is sufficient.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options: {}
seealso:
  - module: buildworks.toolchain.artifact_mail
"""

EXAMPLES = r"""
- name: Get the settings of the mail server
  buildworks.toolchain.artifact_mail_info:
  register: artifact

- name: Verify that Artifactory sends email
  ansible.builtin.debug:
    msg: "{{ artifact.mail_server is not none and artifact.mail_server.enabled }}"
"""

RETURN = r"""
mail_server:
  description: The mail server. V(null) if no mail server exists.
  returned: success
  type: dict
  contains:
    enabled:
      description: Whether Artifactory sends email.
      type: bool
    host:
      description: Host name or address of the mail server.
      type: str
    port:
      description: Port of the mail server.
      type: int
    smtp_username:
      description: User name for the mail server. An empty string if it is not set.
      type: str
    from_address:
      description: Sender address of emails. An empty string if it is not set.
      type: str
    subject_prefix:
      description: Text at the beginning of the subject of each email. An empty string if it is not set.
      type: str
    ssl:
      description: Whether the connection to the mail server uses TLS (SMTPS).
      type: bool
    tls:
      description: Whether the connection is upgraded to TLS (STARTTLS).
      type: bool
    artifactory_url:
      description: URL of Artifactory for links in emails. An empty string if it is not set.
      type: str
  sample:
    enabled: true
    host: mail.example.com
    port: 587
    smtp_username: artifactory
    from_address: artifactory@example.com
    subject_prefix: "[Artifactory]"
    ssl: false
    tls: true
    artifactory_url: https://repo.example.com
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import forms, objects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT


def run(task: Task) -> None:
    task.result["mail_server"] = next(iter(objects.list_objects(task, forms.MAIL)), None)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
