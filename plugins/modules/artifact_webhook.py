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
    URL. With O(items), manage several webhooks concurrently.
  - The module compares and changes only the options that are set.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions. Servers may accept only an access token, so set O(token).
  - Requires Artifactory 7 with a Pro license.
  - An unchanged webhook costs one request. With O(items), one request reads all webhooks.
  - In check mode, the task fails if O(project), O(proxy) or new O(criteria.repositories) do not exist, unless
    O(predict_missing=true). Some versions of Artifactory accept such webhooks.
  - Webhooks with domains, event types or criteria that this version of the collection does not know can be enabled,
    disabled, changed in other options and deleted. Their events and criteria are kept.
  - Verified on the sandbox. Not verified on a real Artifactory.
options:
  key:
    description:
      - Key of the webhook, which is 2 to 200 characters without spaces. It cannot be changed. Required without
        O(items).
    type: str
  description:
    description: Description of the webhook, at most 1000 characters. An empty string removes it.
    type: str
  enabled:
    description: Whether Artifactory sends events. A new webhook is enabled unless this is V(false).
    type: bool
  project:
    description:
      - Key of the project whose events are sent. Without it, the webhook is global. It is used to create a webhook
        and cannot be changed.
    type: str
  domain:
    description:
      - Kind of the objects whose events are sent. Required if the webhook does not exist.
      - One of V(artifact), V(artifact_property), V(docker), V(build), V(release_bundle), V(distribution),
        V(artifactory_release_bundle), V(destination), V(release_bundle_v2), V(release_bundle_v2_promotion),
        V(artifact_lifecycle) and V(user).
      - If it changes, O(event_types) is required, and O(criteria) that are not set get their defaults.
    type: str
  event_types:
    description:
      - Exact event types of O(domain). Required if the webhook does not exist.
      - For V(artifact), V(deployed), V(deleted), V(moved), V(copied) and V(cached).
      - For V(artifact_property), V(added) and V(deleted).
      - For V(docker), V(pushed), V(deleted) and V(promoted).
      - For V(build), V(uploaded), V(deleted) and V(promoted).
      - For V(release_bundle), V(created), V(signed) and V(deleted).
      - For V(distribution), V(distribute_started), V(distribute_completed), V(distribute_aborted),
        V(distribute_failed), V(delete_started), V(delete_completed) and V(delete_failed).
      - For V(destination) and V(artifactory_release_bundle), V(received), V(delete_started), V(delete_completed) and
        V(delete_failed).
      - For V(release_bundle_v2), V(release_bundle_v2_started), V(release_bundle_v2_failed) and
        V(release_bundle_v2_completed).
      - For V(release_bundle_v2_promotion), V(release_bundle_v2_promotion_started),
        V(release_bundle_v2_promotion_completed) and V(release_bundle_v2_promotion_failed).
      - For V(artifact_lifecycle), V(archive) and V(restore). For V(user), V(locked).
    type: list
    elements: str
  allow_unknown_events:
    description:
      - Whether O(domain) and O(event_types) may have values that this version of the collection does not know, such
        as those of a newer Artifactory.
      - If V(false), they are refused before the first request. The domains V(artifact_lifecycle), V(user) and unknown
        ones have no O(criteria).
    type: bool
    default: false
  criteria:
    description:
      - Which objects the events must belong to. Criteria that are not set are not changed. Each list replaces the
        existing one.
      - The domains V(artifact), V(artifact_property) and V(docker) have O(criteria.any_local),
        O(criteria.any_remote), O(criteria.any_federated) and O(criteria.repositories).
      - The domain V(build) has O(criteria.any_build) and O(criteria.builds).
      - The domains V(release_bundle), V(distribution), V(destination) and V(artifactory_release_bundle) have
        O(criteria.any_release_bundle) and O(criteria.release_bundles).
      - The domain V(release_bundle_v2) has O(criteria.any_release_bundle) and O(criteria.release_bundles_v2).
      - All of them have O(criteria.include_patterns) and O(criteria.exclude_patterns).
      - The domain V(release_bundle_v2_promotion) has O(criteria.environments).
      - The criteria must select something.
    type: dict
    suboptions:
      any_local:
        description: Whether all local repositories are selected, also those that are created later.
        type: bool
      any_remote:
        description: Whether all remote repositories are selected, also those that are created later.
        type: bool
      any_federated:
        description: Whether all federated repositories are selected, also those that are created later.
        type: bool
      repositories:
        description: Keys of the selected repositories.
        type: list
        elements: str
      any_build:
        description: Whether all builds are selected.
        type: bool
      builds:
        description: Names of the selected builds.
        type: list
        elements: str
      any_release_bundle:
        description: Whether all release bundles are selected.
        type: bool
      release_bundles:
        description:
          - Names of the selected release bundles. For release bundles v2, use O(criteria.release_bundles_v2).
        type: list
        elements: str
      release_bundles_v2:
        description:
          - >-
            Names of the selected release bundles v2. The values are lists in the form of the REST API, which may be
            empty, such as V({web-app: []}).
        type: dict
      environments:
        description: Names of the environments to which release bundles are promoted, such as V(PROD).
        type: list
        elements: str
      include_patterns:
        description:
          - Ant patterns of the paths of artifacts, or of the names of builds or release bundles, such as
            V(org/acme/**). An empty list stands for all.
        type: list
        elements: str
      exclude_patterns:
        description: Ant patterns of the paths or names that are excluded.
        type: list
        elements: str
  handler:
    description: Form of the request. If not set, a new webhook has V(webhook).
    type: str
    choices:
      webhook: A predefined POST request with the event in JSON.
      custom_webhook: A request with O(method), O(headers) and O(payload).
  webhook_url:
    description:
      - URL to which Artifactory sends the events. Required if the webhook does not exist. O(url) is the URL of
        Artifactory.
      - It is returned, so do not put secrets into it. Artifactory refuses private networks unless its configuration
        allows them.
    type: str
  secret:
    description:
      - Secret that Artifactory sends in the header C(X-JFrog-Event-Auth), or signs the event with. An empty string
        stands for none. It is sent with a new webhook. For existing webhooks, see O(update_secret).
      - For the handler V(webhook).
    type: str
  use_secret_for_signing:
    description:
      - Whether the header contains an HMAC-SHA256 of the request with O(secret), instead of the secret.
      - For the handler V(webhook).
    type: bool
  proxy:
    description: Key of the proxy of Artifactory for the request. An empty string stands for none.
    type: str
  headers:
    description: Exact headers of the request, in any order. Other headers are removed.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the header. Required.
        type: str
      value:
        description:
          - Value of a header that is not secret. With the handler V(custom_webhook), it can be a template. Refused
            for names such as V(Authorization), unless it is a template.
        type: str
      secret_value:
        description:
          - Value of a header that is a credential. It is not compared, see O(update_secret). Mutually exclusive with
            C(value). Without both, the value of an existing header is not changed.
        type: str
  method:
    description:
      - HTTP method. Methods other than V(POST) require Artifactory 7.80.0.
      - For the handler V(custom_webhook).
    type: str
    choices:
      POST: Send a POST request.
      PUT: Send a PUT request.
      GET: Send a GET request.
      PATCH: Send a PATCH request.
      DELETE: Send a DELETE request.
  payload:
    description:
      - Template of the body. Expressions in double braces, such as C(.data.repo_key), insert values of the event. An
        empty string removes the template.
      - Ansible must not evaluate the braces. Mark the text with C(!unsafe), or use the C(raw) tag as in the examples.
      - For the handler V(custom_webhook).
    type: str
  secrets:
    description:
      - Exact secrets that O(payload) and O(headers) can insert with an expression in double braces, such as
        C(.secrets.token). Other secrets are removed.
      - For the handler V(custom_webhook).
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the secret, which is letters, digits and underscores. Required.
        type: str
      secret_value:
        description: Value of the secret. It is not compared, see O(update_secret). Required for a new secret.
        type: str
  test_event:
    description:
      - Whether Artifactory sends a test event to O(webhook_url) before it creates or changes the webhook. If the
        receiver does not accept it, the task fails and the webhook is not written.
      - The receiver processes it like a real event. It is not sent if nothing changes, and not in check mode.
    type: bool
    default: false
  update_secret:
    description:
      - When to send O(secret) and the C(secret_value) of O(secrets) and O(headers) of an existing webhook.
      - Artifactory replaces the whole webhook when another option changes. Then all of them are sent again, also with
        V(on_create), and the diff lists them in C(updated_secrets).
      - Secrets that the task does not set are sent back as Artifactory returns them. If it hides them, a change fails
        before it destroys them, until the task sets them.
    choices:
      on_create: Send secrets when the webhook is created or another option changes.
      always: Send secrets on each run. The task always reports a change.
  undeclared:
    description:
      - How to treat existing webhooks that are not in O(items).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: The webhook exists.
      absent: The webhook does not exist.
  items:
    description:
      - List of webhooks, each with the options below. Options set outside O(items) are the defaults for all items.
      - All items are validated before the first request. Two items must not have the same key.
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
  description: State of the webhook after the task or, in check mode, the predicted state, in the form of the options
    and without secrets. V(null) if the webhook does not exist.
  returned: success, when O(items) is not set
  type: dict
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
      description: Names of O(secrets), sorted.
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
  description: Keys of existing webhooks that are not in O(items), sorted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-webhook]
counts:
  description: Number of O(items) by outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Items that were already in the desired state.
      type: int
    failed:
      description: Items that failed. RV(failures) has the reasons.
      type: int
    unknown:
      description: Items whose outcome is unknown because the response was lost. RV(failures) lists these items.
      type: int
    skipped:
      description: Items that were skipped because of O(max_failures).
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Entries for all items with the status V(failed) or V(unknown), with the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of the first O(result_limit) items, in the order of O(items).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Index of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items).
      type: dict
    status:
      description: Outcome of the item, which is V(changed), V(ok), V(failed), V(unknown) or V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server. Can be V(true) even if the item failed.
      type: bool
    reason:
      description: Reason why the item failed or was skipped.
      type: str
    webhook:
      description: Value of RV(webhook) for this item.
      type: dict
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
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    check_undeclared,
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
ITEM = (STATE + UPDATE_SECRET) + ArgumentSpec(
    dict(
        key=dict(type="str", required=True, no_log=False, **_KEY),
        description=dict(type="str", matches=("(?s:.{0,1000})", "at most 1000 characters")),
        enabled=dict(type="bool"),
        project=dict(type="str", one_line=True),
        domain=dict(type="str", **NAME),
        event_types=dict(type="list", elements="str", not_empty=True, each_element=NAME, narrows_scope=True),
        allow_unknown_events=dict(type="bool", default=False),
        criteria=dict(type="dict", narrows_scope=True, options=_CRITERIA),
        handler=dict(type="str", choices=list(form.HANDLERS)),
        webhook_url=dict(type="str", address=True, **NAME, matches=("\\S*", "a URL without spaces")),
        secret=dict(type="str", no_log=True, unchecked="a secret may be any text"),
        use_secret_for_signing=dict(type="bool", no_log=False),
        proxy=dict(type="str", one_line=True),
        headers=dict(type="list", elements="dict", options=_HEADER),
        method=dict(type="str", choices=list(form.METHODS)),
        payload=dict(type="str", unchecked="a template may be any text"),
        secrets=dict(type="list", elements="dict", no_log=False, options=_SECRET),
        test_event=dict(type="bool", default=False),
    )
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED) + with_items(ITEM)


def run(task: Task) -> None:
    check_undeclared(task)
    shared = SharedLists()
    process_one_or_items(
        task,
        ITEM,
        lambda item_task: reconcile_webhook(item_task, shared),
        check=declared_fields,
        identity=lambda params: params["key"],
        name_option="key",
        expand_all=lambda items: append_undeclared(
            task, "webhooks", items, "key", lambda: shared.webhooks(ArtifactService(task))
        ),
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
        secrets=webhook.secrets,
    )


def declared_fields(params: Fields) -> Fields:
    return {} if params["state"] == "absent" else form.parse_options(params)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
