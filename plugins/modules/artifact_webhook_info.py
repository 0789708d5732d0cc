#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_webhook_info
short_description: Get Artifactory webhook information
description:
  - Get all webhooks of Artifactory, or one of them, with one request.
  - You can pass RV(webhooks) to O(buildworks.toolchain.artifact_webhook#module:items).
  - Secrets are not returned, even if Artifactory returns them. The value of a header is V(null), because it can be a
    credential, unless it is a template or the header is known to be harmless, such as C(Content-Type).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_webhook_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory 7 with a Pro license.
  - If a webhook has several handlers, the module returns only the first one and adds a warning.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description: Key of the webhook to return. If not set, all webhooks are returned.
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
  description: The webhooks, sorted by key. The list is empty if no webhook exists, or if the webhook O(key) does not
    exist.
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the webhook.
      type: str
    description:
      description: Description of the webhook. An empty string if it has no description.
      type: str
    enabled:
      description: Whether the webhook is enabled. If V(false), Artifactory does not send its events.
      type: bool
    project:
      description: Key of the project whose events are sent. An empty string if the webhook is global.
      type: str
    domain:
      description: Type of the objects whose events are sent, such as V(artifact) or V(build).
      type: str
    event_types:
      description: Types of the events that are sent, such as V(deployed), sorted.
      type: list
      elements: str
    criteria:
      description: Criteria that select the objects whose events are sent, with all suboptions of
        O(buildworks.toolchain.artifact_webhook#module:criteria) that apply to the domain.
      type: dict
    handler:
      description: Type of the HTTP request. V(webhook) is a predefined POST request, V(custom_webhook) a request with a
        custom method and payload.
      type: str
    webhook_url:
      description: URL to which Artifactory sends the events.
      type: str
    use_secret_for_signing:
      description: Whether Artifactory signs the events with the secret instead of sending the secret.
      returned: when the handler is V(webhook)
      type: bool
    proxy:
      description: Key of the proxy through which Artifactory sends the events. An empty string if no proxy is set.
      type: str
    headers:
      description: HTTP headers of the request as dictionaries with C(name) and C(value), sorted by name. C(value) is
        V(null) if it can be a credential.
      type: list
      elements: dict
    method:
      description: HTTP method of the request.
      returned: when the handler is V(custom_webhook)
      type: str
    payload:
      description: Template of the request body. An empty string if no template is set.
      returned: when the handler is V(custom_webhook)
      type: str
    secrets:
      description: Secrets of the webhook, sorted by name. Each contains only C(name).
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
