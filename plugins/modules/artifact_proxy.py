#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_proxy
short_description: Manage Artifactory proxies
description:
  - Create, update or delete the HTTP proxies that Artifactory can use to reach other servers.
  - The module compares and changes only the options that are set.
  - To manage several proxies in one task, use O(items).
  - A proxy cannot be deleted while a repository, a replication or a webhook uses it.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_proxy
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
  - Requires administrator permissions and Artifactory 5.8 or later. The open-source edition is sufficient, except for
    deletions with version 7.49 or later.
  - A task without changes sends one request, regardless of the number of O(items).
  - The module sends one request per change, so a refused change does not affect other O(items). The requests are sent
    one after another, because Artifactory applies configuration changes one at a time.
  - Before a deletion, the module verifies that no repository, replication or webhook uses the proxy. If this cannot be
    verified, the task fails. The open-source edition 7.49 or later does not return the necessary information.
  - To delete a proxy, set O(token). The module then reads all webhooks, which the server may return only to access
    tokens.
  - If two administrators change a proxy at the same time, both changes are kept, because the module sends only the
    members that differ. Of changes of the same member, the last one remains.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description:
      - Key of the proxy. Required if O(items) is not set.
      - The key may contain letters, digits, V(_), V(-) and V(.), and must start with a letter or V(_). Repositories,
        backups, proxies, property sets, layouts and LDAP settings share one namespace, in which the key must be unique.
    type: str
  host:
    description: Host name or address of the proxy. Required if the proxy does not exist.
    type: str
  port:
    description: Port of the proxy, from 1 to 65535. Required if the proxy does not exist.
    type: int
  proxy_username:
    description: User name for the proxy. An empty string removes the user name.
    type: str
  proxy_password:
    description: Password for the proxy. O(update_secret) defines when the password is sent.
    type: str
  nt_host:
    description: Host name of the Artifactory server, for proxies with NTLM authentication. An empty string removes the
      host name.
    type: str
  nt_domain:
    description: Windows domain of O(proxy_username), for proxies with NTLM authentication. An empty string removes the
      domain.
    type: str
  platform_default:
    description:
      - Whether the proxy is the default for new remote repositories and for the requests of all services of the JFrog
        Platform. The default for a new proxy is V(false).
      - If V(true), O(services) must be empty.
    type: bool
  redirected_to_hosts:
    description: Hosts to which the proxy may redirect requests, in any order. Artifactory also sends the credentials of
      the proxy to these hosts. The list replaces the existing one.
    type: list
    elements: str
  services:
    description: Services for which the proxy is the default, in any order. The list replaces the existing one.
    type: list
    elements: str
    choices:
      jfrt: Artifactory.
      jfmc: Mission Control.
      jfxr: Xray.
      jfds: Distribution.
  state:
    choices:
      present: Create or update the proxy.
      absent: Delete the proxy.
  predict_missing:
    description:
      - Whether check mode assumes that no repository, replication or webhook uses the proxies to delete.
      - Set this to V(true) if an earlier task changes these objects. Check mode does not apply that change, so this
        task would otherwise fail.
      - Ignored outside of check mode.
  items:
    description:
      - Proxies to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a unique C(key). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      key:
        description: Value of O(key) for this item.
        type: str
      host:
        description: Value of O(host) for this item.
        type: str
      port:
        description: Value of O(port) for this item.
        type: int
      proxy_username:
        description: Value of O(proxy_username) for this item.
        type: str
      proxy_password:
        description: Value of O(proxy_password) for this item.
        type: str
      nt_host:
        description: Value of O(nt_host) for this item.
        type: str
      nt_domain:
        description: Value of O(nt_domain) for this item.
        type: str
      platform_default:
        description: Value of O(platform_default) for this item.
        type: bool
      redirected_to_hosts:
        description: Value of O(redirected_to_hosts) for this item.
        type: list
        elements: str
      services:
        description: Value of O(services) for this item.
        type: list
        elements: str
        choices:
          jfrt: Same as O(services=jfrt).
          jfmc: Same as O(services=jfmc).
          jfxr: Same as O(services=jfxr).
          jfds: Same as O(services=jfds).
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
      update_secret:
        description: Value of O(update_secret) for this item.
        type: str
        choices:
          on_create: Same as O(update_secret=on_create).
          always: Same as O(update_secret=always).
seealso:
  - module: buildworks.toolchain.artifact_proxy_info
  - module: buildworks.toolchain.artifact_repository
  - module: buildworks.toolchain.artifact_configuration
"""

EXAMPLES = r"""
- name: Create a proxy
  buildworks.toolchain.artifact_proxy:
    key: corporate
    host: proxy.example.com
    port: 3128
    proxy_username: artifactory
    proxy_password: "{{ lookup('ansible.builtin.env', 'PROXY_PASSWORD') }}"
    services: [jfxr]

- name: Replace the password
  buildworks.toolchain.artifact_proxy:
    key: corporate
    proxy_password: "{{ lookup('ansible.builtin.env', 'PROXY_PASSWORD') }}"
    update_secret: always

- name: Report proxies that are not declared
  buildworks.toolchain.artifact_proxy:
    items:
      - key: corporate
        host: proxy.example.com
        port: 3128
      - key: lab
        host: proxy.lab.example.com
        port: 8080
        redirected_to_hosts: [a.example.com, b.example.com]
    undeclared: report

- name: Delete a proxy
  buildworks.toolchain.artifact_proxy:
    key: lab
    state: absent
"""

RETURN = r"""
proxy:
  description: The proxy after the task or, in check mode, as predicted. It does not contain the password. V(null) if
    the proxy does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    key:
      description: Key of the proxy.
      type: str
    host:
      description: Host name or address of the proxy.
      type: str
    port:
      description: Port of the proxy.
      type: int
    proxy_username:
      description: User name for the proxy. An empty string if it is not set.
      type: str
    nt_host:
      description: Host name of the Artifactory server for NTLM authentication. An empty string if it is not set.
      type: str
    nt_domain:
      description: Windows domain of the user for NTLM authentication. An empty string if it is not set.
      type: str
    platform_default:
      description: Whether the proxy is the default of the JFrog Platform.
      type: bool
    redirected_to_hosts:
      description: Hosts to which the proxy may redirect requests, sorted.
      type: list
      elements: str
    services:
      description: Services for which the proxy is the default, sorted.
      type: list
      elements: str
  sample:
    key: corporate
    host: proxy.example.com
    port: 3128
    proxy_username: artifactory
    nt_host: ""
    nt_domain: ""
    platform_default: false
    redirected_to_hosts: []
    services: [jfxr]
undeclared:
  description: Keys of the existing proxies that are not in O(items), sorted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-proxy]
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
  sample: {changed: 1, ok: 3, failed: 0, unknown: 0, skipped: 0}
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
    proxy:
      description: Value of RV(proxy) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import forms, objects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

# The server separates hosts by commas
DIRECT_HOST: Option = dict(**NAME, matches=(r"[^,\s]+", "a host name without commas and spaces"))
ITEM = (STATE + UPDATE_SECRET) + ArgumentSpec(
    dict(
        key=dict(type="str", required=True, no_log=False, **objects.NAME),
        host=dict(type="str", **objects.HOST),
        port=dict(type="int", at_least=1, at_most=65535),
        proxy_username=dict(type="str", one_line=True),
        proxy_password=dict(type="str", no_log=True, unchecked="checked when it is parsed"),
        nt_host=dict(type="str", one_line=True),
        nt_domain=dict(type="str", one_line=True),
        platform_default=dict(type="bool"),
        redirected_to_hosts=dict(type="list", elements="str", each_element=DIRECT_HOST),
        services=dict(type="list", elements="str", choices=["jfrt", "jfmc", "jfxr", "jfds"]),
    ),
    checks=[forms.PROXIES.parse],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    objects.reconcile_items(task, forms.PROXIES)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
