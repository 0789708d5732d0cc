#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_mail
short_description: Manage the Artifactory mail server
description:
  - Configure or remove the mail server that Artifactory uses to send email.
  - The module compares and changes only the options that are set.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_mail
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions and Artifactory 5.8 or later. The open-source edition is sufficient.
  - A task without changes sends one request.
  - To pause email without losing the settings, set O(enabled=false).
  - If two administrators change the settings at the same time, both changes are kept, because the module sends only the
    members that differ. Of changes of the same member, the last one remains.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  enabled:
    description: Whether Artifactory sends email. The default for a new mail server is V(true).
    type: bool
  host:
    description: Host name or address of the mail server. Required if no mail server exists.
    type: str
  port:
    description: Port of the mail server, from 1 to 65535. The default for a new mail server is V(25).
    type: int
  smtp_username:
    description: User name for the mail server. An empty string removes the user name.
    type: str
  smtp_password:
    description: Password for the mail server. O(update_secret) defines when the password is sent.
    type: str
  from_address:
    description: Sender address of emails. An empty string removes the address.
    type: str
  subject_prefix:
    description: Text at the beginning of the subject of each email, such as V([Artifactory]). An empty string removes
      the text.
    type: str
  ssl:
    description: Whether to connect to the mail server over TLS (SMTPS). The default for a new mail server is V(false).
    type: bool
  tls:
    description: Whether to upgrade the connection to TLS (STARTTLS). The default for a new mail server is V(false).
    type: bool
  artifactory_url:
    description: URL of Artifactory for links in emails. The URL must not contain a user name. An empty string removes
      the URL.
    type: str
  state:
    choices:
      present: Configure the mail server.
      absent: Remove the mail server and all its settings.
seealso:
  - module: buildworks.toolchain.artifact_mail_info
  - module: buildworks.toolchain.artifact_configuration
"""

EXAMPLES = r"""
- name: Configure the mail server
  buildworks.toolchain.artifact_mail:
    host: mail.example.com
    port: 587
    tls: true
    smtp_username: artifactory
    smtp_password: "{{ lookup('ansible.builtin.env', 'SMTP_PASSWORD') }}"
    from_address: artifactory@example.com
    artifactory_url: https://repo.example.com

- name: Pause email
  buildworks.toolchain.artifact_mail:
    enabled: false

- name: Remove the mail server
  buildworks.toolchain.artifact_mail:
    state: absent
"""

RETURN = r"""
mail_server:
  description: The mail server after the task or, in check mode, as predicted. It does not contain the password. V(null)
    if no mail server exists.
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    STATE,
    UPDATE_SECRET,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + STATE + UPDATE_SECRET + VISIBILITY) + ArgumentSpec(
    dict(
        enabled=dict(type="bool"),
        host=dict(type="str", **objects.HOST),
        port=dict(type="int", at_least=1, at_most=65535),
        smtp_username=dict(type="str", one_line=True),
        smtp_password=dict(type="str", no_log=True, unchecked="checked when it is parsed"),
        from_address=dict(type="str", one_line=True),
        subject_prefix=dict(type="str", one_line=True),
        ssl=dict(type="bool"),
        tls=dict(type="bool"),
        artifactory_url=dict(type="str", address=True, one_line=True),
    ),
    checks=[forms.MAIL.parse],
)


def run(task: Task) -> None:
    objects.reconcile_object(task, forms.MAIL)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
