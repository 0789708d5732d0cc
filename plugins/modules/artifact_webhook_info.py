#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_webhook_info
short_description: Get Artifactory webhook information
description:
  - Get the webhooks of Artifactory, or one of them, with one request.
  - RV(webhooks) can be passed to O(buildworks.toolchain.artifact_webhook#module:items).
  - Secrets are not returned, even if Artifactory returns them. The value of a header is V(null) if its name is that of
    a credential, such as V(Authorization), unless it is a template.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. Servers may accept only an access token, so set O(token).
  - Requires Artifactory 7 with a Pro license.
  - Of a webhook with several handlers, the first one is returned, with a warning.
  - Verified on the sandbox. Not verified on a real Artifactory.
options:
  key:
    description: Return only the webhook with this key.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_webhook
"""

EXAMPLES = r"""
- name: Get all webhooks
  buildworks.toolchain.artifact_webhook_info:
  register: artifact

- name: List the URLs that get events
  ansible.builtin.debug:
    msg: "{{ artifact.webhooks | selectattr('enabled') | map(attribute='webhook_url') | unique }}"

- name: Get one webhook
  buildworks.toolchain.artifact_webhook_info:
    key: deploy
"""

RETURN = r"""
webhooks:
  description: The webhooks, sorted by key. Empty if the webhook O(key) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the webhook.
      type: str
    description:
      description: Description of the webhook. Can be empty.
      type: str
    enabled:
      description: Whether Artifactory sends events.
      type: bool
    project:
      description: Key of the project whose events are sent. Empty for a global webhook.
      type: str
    domain:
      description: Kind of the objects whose events are sent.
      type: str
    event_types:
      description: Event types of the domain, sorted.
      type: list
      elements: str
    criteria:
      description: Which objects the events must belong to, with all criteria of the domain.
      type: dict
    handler:
      description: Form of the request, V(webhook) or V(custom_webhook).
      type: str
    webhook_url:
      description: URL to which Artifactory sends the events.
      type: str
    use_secret_for_signing:
      description: Whether Artifactory signs the events with the secret.
      returned: when the handler is V(webhook)
      type: bool
    proxy:
      description: Key of the proxy for the request. Empty for none.
      type: str
    headers:
      description: Headers of the request, sorted by name and without C(secret_value). The C(value) of a credential is
        V(null).
      type: list
      elements: dict
    method:
      description: HTTP method of the request.
      returned: when the handler is V(custom_webhook)
      type: str
    payload:
      description: Template of the body. Can be empty.
      returned: when the handler is V(custom_webhook)
      type: str
    secrets:
      description: Names of O(buildworks.toolchain.artifact_webhook#module:secrets), sorted.
      returned: when the handler is V(custom_webhook)
      type: list
      elements: dict
  sample:
    - key: deploy
      description: Deploys new releases
      enabled: true
      project: ""
      domain: artifact
      event_types: [deployed]
      criteria:
        any_local: false
        any_remote: false
        any_federated: false
        repositories: [libs-release-local]
        include_patterns: ["com/example/**"]
        exclude_patterns: []
      handler: webhook
      webhook_url: https://deploy.example.com/artifactory
      use_secret_for_signing: true
      proxy: ""
      headers: []
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.webhooks import form, webhooks
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(key=dict(type="str", no_log=False, **SEGMENT)))


def run(task: Task) -> None:
    key = task.params["key"]
    artifact = ArtifactService(task)
    if key is None:
        found = webhooks.list_all(artifact)
    else:
        webhook = webhooks.find(artifact, key)
        found = {key: webhook} if webhook else {}
    task.result["webhooks"] = [form.describe(task, name, record) for name, record in found.items()]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
