#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_webhook
short_description: Manage Artifactory webhooks
description:
  - Create, update or delete webhooks of Artifactory. A webhook sends events, such as the upload of an artifact, to a
    URL.
  - The module compares and changes only the options that are set.
  - To manage several webhooks concurrently, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_webhook
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory 7 with a Pro license.
  - Reading the current state of one webhook takes one request. With O(items), one request reads all webhooks.
  - In check mode, the task fails if O(project), O(proxy) or an added entry of O(criteria.repositories) does not exist,
    unless O(predict_missing=true). Outside of check mode, some versions of Artifactory accept such webhooks.
  - Artifactory replaces a webhook as a whole. The module reads it again immediately before. If another administrator
    changes it between these two requests, the change is lost.
  - The module can also enable, disable, change and delete webhooks with unknown domains, event types or criteria. It
    keeps the unknown values.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description:
      - Key of the webhook, which cannot be changed. Required if O(items) is not set.
      - The key consists of 2 to 200 characters. It must not contain spaces or slashes.
    type: str
  description:
    description: Description of the webhook, with at most 1000 characters. An empty string removes the description.
    type: str
  enabled:
    description: Whether the webhook is enabled. If V(false), Artifactory does not send its events. The default for a
      new webhook is V(true). An enabled webhook is disabled while it is changed, and enabled after the change has been
      verified. If the task fails in between, the webhook stays disabled. If V(true) is set, the next run enables it.
    type: bool
  project:
    description:
      - Key of the project whose events are sent. If it is not set when the webhook is created, the webhook is global.
      - The project of an existing webhook cannot be changed.
    type: str
  domain:
    description:
      - Type of the objects whose events are sent. Required if the webhook does not exist.
      - The known domains are V(artifact), V(artifact_property), V(docker), V(build), V(release_bundle),
        V(distribution), V(artifactory_release_bundle), V(destination), V(release_bundle_v2),
        V(release_bundle_v2_promotion), V(artifact_lifecycle) and V(user).
      - To change the domain of an existing webhook, also set O(event_types). Suboptions of O(criteria) that are not set
        are reset to their defaults.
    type: str
  event_types:
    description:
      - Types of the events that the webhook sends. Types that are not listed are removed from the webhook. Required if
        the webhook does not exist.
      - The valid event types depend on O(domain).
      - The domain V(artifact) has V(deployed), V(deleted), V(moved), V(copied) and V(cached).
      - The domain V(artifact_property) has V(added) and V(deleted).
      - The domain V(docker) has V(pushed), V(deleted) and V(promoted).
      - The domain V(build) has V(uploaded), V(deleted) and V(promoted).
      - The domain V(release_bundle) has V(created), V(signed) and V(deleted).
      - The domain V(distribution) has V(distribute_started), V(distribute_completed), V(distribute_aborted),
        V(distribute_failed), V(delete_started), V(delete_completed) and V(delete_failed).
      - The domains V(destination) and V(artifactory_release_bundle) have V(received), V(delete_started),
        V(delete_completed) and V(delete_failed).
      - The domain V(release_bundle_v2) has V(release_bundle_v2_started), V(release_bundle_v2_failed) and
        V(release_bundle_v2_completed).
      - The domain V(release_bundle_v2_promotion) has V(release_bundle_v2_promotion_started),
        V(release_bundle_v2_promotion_completed) and V(release_bundle_v2_promotion_failed).
      - The domain V(artifact_lifecycle) has V(archive) and V(restore).
      - The domain V(user) has V(locked).
    type: list
    elements: str
  allow_unknown_events:
    description:
      - Whether O(domain) and O(event_types) may have values that this version of the collection does not know, such
        as those of a newer Artifactory. If V(false), the task fails if they have such values.
      - O(criteria) cannot be set for an unknown domain.
    type: bool
    default: false
  criteria:
    description:
      - Criteria that select the objects whose events are sent. The task fails if they select nothing.
      - Criteria that are not set are not changed. Each list replaces the existing list.
      - The domains V(artifact), V(artifact_property) and V(docker) have O(criteria.any_local),
        O(criteria.any_remote), O(criteria.any_federated) and O(criteria.repositories).
      - The domain V(build) has O(criteria.any_build) and O(criteria.builds).
      - The domains V(release_bundle), V(distribution), V(destination) and V(artifactory_release_bundle) have
        O(criteria.any_release_bundle) and O(criteria.release_bundles).
      - The domain V(release_bundle_v2) has O(criteria.any_release_bundle) and O(criteria.release_bundles_v2).
      - All of these domains also have O(criteria.include_patterns) and O(criteria.exclude_patterns).
      - The domain V(release_bundle_v2_promotion) has only O(criteria.environments).
      - The domains V(artifact_lifecycle) and V(user) have no criteria.
    type: dict
    suboptions:
      any_local:
        description: Whether to select all local repositories, including those that are created later. The default for a
          new webhook is V(false).
        type: bool
      any_remote:
        description: Whether to select all remote repositories, including those that are created later. The default for
          a new webhook is V(false).
        type: bool
      any_federated:
        description: Whether to select all federated repositories, including those that are created later. The default
          for a new webhook is V(false).
        type: bool
      repositories:
        description: Keys of the repositories to select, in addition to those that O(criteria.any_local),
          O(criteria.any_remote) and O(criteria.any_federated) select.
        type: list
        elements: str
      any_build:
        description: Whether to select all builds. The default for a new webhook is V(false).
        type: bool
      builds:
        description: Names of the builds to select.
        type: list
        elements: str
      any_release_bundle:
        description: Whether to select all release bundles. The default for a new webhook is V(false).
        type: bool
      release_bundles:
        description:
          - Names of the release bundles v1 to select. For release bundles v2, use O(criteria.release_bundles_v2).
        type: list
        elements: str
      release_bundles_v2:
        description:
          - >-
            Release bundles v2 to select, such as V({release-bundles-v2: [web-app]}). The keys are the repositories that
            store release bundles, such as V(release-bundles-v2), or V(web-release-bundles-v2) for the project V(web).
            The values are the names of release bundles.
        type: dict
      environments:
        description: Names of environments, such as V(PROD). Only promotions of release bundles to these environments
          are selected.
        type: list
        elements: str
      include_patterns:
        description:
          - Ant patterns, such as V(org/acme/**), of the artifact paths, build names or release bundle names to include.
          - If the list is empty, all paths or names are included. For the domain V(build), patterns also select builds
            without O(criteria.any_build) and O(criteria.builds).
        type: list
        elements: str
      exclude_patterns:
        description: Ant patterns of the artifact paths, build names or release bundle names to exclude. An empty list
          excludes nothing.
        type: list
        elements: str
  handler:
    description: Type of the HTTP request that delivers an event. The default for a new webhook is V(webhook).
    type: str
    choices:
      webhook: Send a predefined POST request with the event as JSON.
      custom_webhook: Send a request that O(method), O(headers) and O(payload) define.
  webhook_url:
    description:
      - URL to which Artifactory sends the events. Required if the webhook does not exist.
      - The URL must not contain secrets, because the module returns it.
      - Artifactory refuses URLs in private networks unless its configuration allows them.
    type: str
  secret:
    description:
      - Secret with which the receiver can verify that the event comes from Artifactory. An empty string removes it.
      - O(use_secret_for_signing) defines whether Artifactory sends the secret itself or a signature.
      - The secret is sent when the webhook is created. For an existing webhook, O(update_secret) defines when it is
        sent.
      - Requires O(handler=webhook).
    type: str
  use_secret_for_signing:
    description:
      - Whether the header C(X-JFrog-Event-Auth) contains an HMAC-SHA256 signature of the request, created with
        O(secret). If V(false), it contains the secret itself.
      - The default for a new webhook is V(false). Requires O(handler=webhook).
    type: bool
  proxy:
    description: Key of the proxy through which Artifactory sends the events. The proxy must be configured in
      Artifactory. An empty string removes it from the webhook.
    type: str
  headers:
    description: HTTP headers of the request, in any order. Headers that are not listed are removed from the webhook.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the HTTP header. Required.
        type: str
      value:
        description:
          - Value of a header that is not a credential. For credentials, use O(headers[].secret_value).
          - With O(handler=custom_webhook), it can be a template, such as one that inserts an entry of O(secrets).
          - For headers such as V(Authorization), only templates are accepted.
        type: str
      secret_value:
        description:
          - Value of a header that is a credential. Mutually exclusive with O(headers[].value).
          - The module does not compare it. O(update_secret) defines when it is sent for an existing webhook.
          - If neither O(headers[].value) nor O(headers[].secret_value) is set, the value of an existing header is not
            changed.
        type: str
  method:
    description:
      - HTTP method of the request. The default for a new webhook is V(POST). Other methods require Artifactory 7.80.0
        or later.
      - Requires O(handler=custom_webhook).
    type: str
    choices:
      POST: Send a POST request.
      PUT: Send a PUT request.
      GET: Send a GET request.
      PATCH: Send a PATCH request.
      DELETE: Send a DELETE request.
  payload:
    description:
      - Template of the request body. Expressions in double braces, such as C(.data.repo_key), insert values of the
        event. An empty string removes the template.
      - To keep Ansible from evaluating the braces, mark the text with C(!unsafe), or use the C(raw) tag as in the
        examples.
      - Requires O(handler=custom_webhook).
    type: str
  secrets:
    description:
      - Secrets that O(payload) and O(headers) can insert with an expression in double braces, such as
        C(.secrets.token). Secrets that are not listed are removed from the webhook.
      - Requires O(handler=custom_webhook).
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the secret, which consists of letters, digits and underscores, and does not start with a
          digit. Required.
        type: str
      secret_value:
        description:
          - Value of the secret. Required for a new secret.
          - The module does not compare it. O(update_secret) defines when it is sent for an existing webhook.
        type: str
  test_event:
    description:
      - Whether Artifactory sends a test event to O(webhook_url) before the webhook is created or changed. If the
        receiver does not accept the event, the task fails without changing the webhook.
      - The receiver processes the test event like a real one.
      - No test event is sent in check mode or if the webhook is not changed.
    type: bool
    default: false
  update_secret:
    description:
      - When to send O(secret), O(secrets[].secret_value) and O(headers[].secret_value) for an existing webhook.
      - Artifactory replaces the whole webhook when another option changes. All secrets of the task are then sent again,
        even with V(on_create). The diff lists them in C(updated_secrets).
      - Secrets that the task does not set are sent back as Artifactory returns them. If Artifactory hides one of them,
        the task fails without changing the webhook. To change the webhook, set the hidden secret.
    choices:
      on_create: Send secrets when the webhook is created, or when another option changes.
      always: Send secrets on each run. The task always reports a change.
  undeclared:
    description:
      - How to treat existing webhooks that are not in O(items), which is then the complete list of webhooks.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the webhook, or change it as specified.
      absent: Delete the webhook.
  items:
    description:
      - Webhooks to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a unique C(key). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      key:
        description: Value of O(key) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      enabled:
        description: Value of O(enabled) for this item.
        type: bool
      project:
        description: Value of O(project) for this item.
        type: str
      domain:
        description: Value of O(domain) for this item.
        type: str
      event_types:
        description: Value of O(event_types) for this item.
        type: list
        elements: str
      allow_unknown_events:
        description: Value of O(allow_unknown_events) for this item.
        type: bool
      criteria:
        description: Value of O(criteria) for this item.
        type: dict
        suboptions:
          any_local:
            description: Value of O(criteria.any_local) for this item.
            type: bool
          any_remote:
            description: Value of O(criteria.any_remote) for this item.
            type: bool
          any_federated:
            description: Value of O(criteria.any_federated) for this item.
            type: bool
          repositories:
            description: Value of O(criteria.repositories) for this item.
            type: list
            elements: str
          any_build:
            description: Value of O(criteria.any_build) for this item.
            type: bool
          builds:
            description: Value of O(criteria.builds) for this item.
            type: list
            elements: str
          any_release_bundle:
            description: Value of O(criteria.any_release_bundle) for this item.
            type: bool
          release_bundles:
            description: Value of O(criteria.release_bundles) for this item.
            type: list
            elements: str
          release_bundles_v2:
            description: Value of O(criteria.release_bundles_v2) for this item.
            type: dict
          environments:
            description: Value of O(criteria.environments) for this item.
            type: list
            elements: str
          include_patterns:
            description: Value of O(criteria.include_patterns) for this item.
            type: list
            elements: str
          exclude_patterns:
            description: Value of O(criteria.exclude_patterns) for this item.
            type: list
            elements: str
      handler:
        description: Value of O(handler) for this item.
        type: str
        choices:
          webhook: Same as O(handler=webhook).
          custom_webhook: Same as O(handler=custom_webhook).
      webhook_url:
        description: Value of O(webhook_url) for this item.
        type: str
      secret:
        description: Value of O(secret) for this item.
        type: str
      use_secret_for_signing:
        description: Value of O(use_secret_for_signing) for this item.
        type: bool
      proxy:
        description: Value of O(proxy) for this item.
        type: str
      headers:
        description: Value of O(headers) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Value of O(headers[].name) for this item.
            type: str
          value:
            description: Value of O(headers[].value) for this item.
            type: str
          secret_value:
            description: Value of O(headers[].secret_value) for this item.
            type: str
      method:
        description: Value of O(method) for this item.
        type: str
        choices:
          POST: Same as O(method=POST).
          PUT: Same as O(method=PUT).
          GET: Same as O(method=GET).
          PATCH: Same as O(method=PATCH).
          DELETE: Same as O(method=DELETE).
      payload:
        description: Value of O(payload) for this item.
        type: str
      secrets:
        description: Value of O(secrets) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Value of O(secrets[].name) for this item.
            type: str
          secret_value:
            description: Value of O(secrets[].secret_value) for this item.
            type: str
      test_event:
        description: Value of O(test_event) for this item.
        type: bool
      update_secret:
        description: Value of O(update_secret) for this item.
        type: str
        choices:
          on_create: Same as O(update_secret=on_create).
          always: Same as O(update_secret=always).
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_webhook_info
"""

EXAMPLES = r"""
- name: Notify a deployment service about uploads
  buildworks.toolchain.artifact_webhook:
    key: deploy
    description: Deploys new releases
    domain: artifact
    event_types: [deployed]
    criteria:
      repositories: [libs-release-local]
      include_patterns: ["com/example/**"]
    webhook_url: https://deploy.example.com/artifactory
    secret: "{{ lookup('ansible.builtin.env', 'WEBHOOK_SECRET') }}"
    use_secret_for_signing: true

- name: Start a workflow for each new image
  buildworks.toolchain.artifact_webhook:
    key: scan-images
    domain: docker
    event_types: [pushed]
    criteria:
      any_local: true
    handler: custom_webhook
    webhook_url: https://api.example.com/workflows/scan/dispatches
    headers:
      - name: Accept
        value: application/json
      - name: Authorization
        value: "{% raw %}Bearer {{.secrets.token}}{% endraw %}"
    payload: '{% raw %}{"image": "{{ .data.image_name }}:{{ .data.tag }}"}{% endraw %}'
    secrets:
      - name: token
        secret_value: "{{ lookup('ansible.builtin.env', 'WORKFLOW_TOKEN') }}"

- name: Change the URL, after the receiver has accepted a test event
  buildworks.toolchain.artifact_webhook:
    key: deploy
    webhook_url: https://new-deploy.example.com/artifactory
    secret: "{{ lookup('ansible.builtin.env', 'WEBHOOK_SECRET') }}"
    test_event: true

- name: Replace a secret
  buildworks.toolchain.artifact_webhook:
    key: deploy
    secret: "{{ lookup('ansible.builtin.env', 'NEW_WEBHOOK_SECRET') }}"
    update_secret: always

- name: Preview the exact webhooks of the server
  buildworks.toolchain.artifact_webhook:
    items:
      - key: builds
        domain: build
        event_types: [uploaded, promoted]
        criteria: {any_build: true}
        webhook_url: https://deploy.example.com/builds
      - key: locked-users
        domain: user
        event_types: [locked]
        webhook_url: https://audit.example.com/users
    undeclared: remove
  check_mode: true

- name: Delete a webhook
  buildworks.toolchain.artifact_webhook:
    key: scan-images
    state: absent
"""

RETURN = r"""
webhook:
  description: The webhook after the task or, in check mode, as predicted. It does not contain secrets. V(null) if the
    webhook does not exist.
  returned: success, when O(items) is not set
  type: dict
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
      description: Criteria that select the objects whose events are sent, with all suboptions of O(criteria) that apply
        to the domain.
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
        V(null) if it can be a credential, unless the task sets the same O(headers[].value).
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
    key: deploy
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
undeclared:
  description: Sorted keys of the existing webhooks that are not in O(items). If O(project) or O(domain) is set
    beside O(items), only webhooks with this value.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-webhook]
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Number of items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Number of items that were already in the desired state.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items), without options that are not set.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    webhook:
      description: Value of RV(webhook) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.webhooks import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.webhooks.managed import (
    ManagedWebhook,
    SharedLists,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    UNDECLARED,
    UPDATE_SECRET,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    deletions_first,
)

_KEY = dict(**NAME, matches=("[^\\s/]{2,200}", "2 to 200 characters without spaces and '/'"))
_NAMES: Option = dict(type="list", elements="str", each_element=NAME, narrows_scope=True)
_CRITERIA: dict[str, Option] = dict(
    any_local=dict(type="bool"),
    any_remote=dict(type="bool"),
    any_federated=dict(type="bool"),
    repositories=dict(type="list", elements="str", each_element=SEGMENT, narrows_scope=True),
    any_build=dict(type="bool"),
    builds=_NAMES,
    any_release_bundle=dict(type="bool"),
    release_bundles=_NAMES,
    release_bundles_v2=dict(type="dict", text_values=True, narrows_scope=True, unchecked="checked when it is parsed"),
    environments=_NAMES,
    include_patterns=_NAMES,
    exclude_patterns=_NAMES,
)
_HEADER: dict[str, Option] = dict(
    name=dict(type="str", **NAME, matches=("[!#$%&'*+.^_`|~0-9A-Za-z-]+", "the name of a header")),
    value=dict(type="str", one_line=True),
    secret_value=dict(type="str", no_log=True, one_line=True),
)
_SECRET: dict[str, Option] = dict(
    name=dict(type="str", **NAME, matches=("[a-zA-Z_][a-zA-Z0-9_]*", "letters, digits and underscores")),
    secret_value=dict(type="str", no_log=True, unchecked="a secret may be any text"),
)


def declared_fields(params: Fields) -> Fields:
    return {} if params["state"] == "absent" else form.parse_options(params)


ITEM = (STATE + UPDATE_SECRET) + ArgumentSpec(
    dict(
        key=dict(type="str", required=True, no_log=False, **_KEY),
        description=dict(type="str", matches=("(?s:.{0,1000})", "at most 1000 characters")),
        enabled=dict(type="bool"),
        project=dict(type="str", one_line=True, narrows_scope=True),
        domain=dict(type="str", **NAME, narrows_scope=True),
        event_types=dict(type="list", elements="str", not_empty=True, each_element=NAME, narrows_scope=True),
        allow_unknown_events=dict(type="bool", default=False),
        criteria=dict(type="dict", narrows_scope=True, options=_CRITERIA),
        handler=dict(type="str", choices=list(form.HANDLERS), refused_with_undeclared=True),
        webhook_url=dict(type="str", address=True, **NAME, matches=("\\S*", "a URL without spaces")),
        secret=dict(type="str", no_log=True, unchecked="a secret may be any text"),
        use_secret_for_signing=dict(type="bool", no_log=False),
        proxy=dict(type="str", one_line=True),
        headers=dict(type="list", elements="dict", options=_HEADER),
        method=dict(type="str", choices=list(form.METHODS)),
        payload=dict(type="str", unchecked="a template may be any text"),
        secrets=dict(type="list", elements="dict", no_log=False, options=_SECRET),
        test_event=dict(type="bool", default=False),
    ),
    checks=[declared_fields],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = SharedLists()
    process_one_or_items(
        task,
        lambda item_task: reconcile_webhook(item_task, shared),
        identity=lambda params: params["key"],
        name_option="key",
        expand_all=lambda items: append_undeclared(task, "webhooks", items, "key", lambda: shared.list_selected(task)),
        level_of=deletions_first(task),
    )


def reconcile_webhook(task: Task, shared: SharedLists) -> None:
    webhook = ManagedWebhook(task, ArtifactService(task), shared, declared_fields(task.params))
    reconcile(
        task,
        "webhook",
        read=webhook.find,
        desired=webhook.desired,
        create=webhook.create,
        update=webhook.update,
        delete=webhook.delete,
        check=webhook.check,
        predict_refusal=webhook.predict_refusal,
        to_result=webhook.to_result,
        replaces=True,
        enable_last="enabled",
        may_disable=webhook.may_disable,
        secrets=webhook.secrets,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
