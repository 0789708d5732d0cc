#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_credential_domain
short_description: Manage domains of Jenkins credentials
description:
  - Create, update or delete domains of Jenkins credentials. A domain is a group of credentials in a store. The
    specifications of a domain limit the URLs for which Jenkins offers these credentials.
  - The module compares and changes only the options that are set. It never changes or deletes the global domain.
  - In a new domain, an option that is not set has the value that Jenkins' own form for a new domain sets.
  - To manage several domains concurrently, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_credential_domain
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the plugin C(credentials).
  - Requires the Credentials/View and Credentials/ManageDomains permissions.
  - If nothing changes, the module sends one request for each store and one request for each existing domain.
  - The module cannot rename a domain. If Jenkins renamed a domain to the name of another domain, it would delete the
    credentials of the other domain.
  - Each update replaces the whole configuration of a domain. If another client changes the domain after the module
    has read it, this change is lost.
  - Tested against the simulated server (sandbox) that comes with this collection. The responses of the sandbox are
    compared with recordings of Jenkins 2.579. The module has not been tested against a real Jenkins server.
options:
  name:
    description:
      - Name of the domain. It is case-sensitive and cannot be changed. The global domain cannot be managed. Required if
        O(items) is not set.
      - The name must not contain slashes, backslashes, double quotes or control characters. With a double quote or a
        backslash, Jenkins could not list the domains of the store any longer.
    type: str
  folder:
    description: Full name of a folder, such as V(team/web). The domain is in the store of this folder. If not set, the
      domain is in the system store.
    type: str
  description:
    description: Description of the domain. An empty string removes the description.
    type: str
  hostname:
    description:
      - Host names for which Jenkins offers the credentials of the domain. The patterns in O(hostname.includes) and
        O(hostname.excludes) select them.
      - To offer the credentials for all host names, set an empty dictionary.
    type: dict
    suboptions:
      includes:
        description: Patterns of host names to include, such as V(*.example.com). An empty list includes all host names.
        type: list
        elements: str
      excludes:
        description: Patterns of host names to exclude.
        type: list
        elements: str
  hostname_port:
    description:
      - Host names with ports for which Jenkins offers the credentials of the domain. The patterns in
        O(hostname_port.includes) and O(hostname_port.excludes) select them.
      - To offer the credentials for all host names and ports, set an empty dictionary.
    type: dict
    suboptions:
      includes:
        description: Patterns of host names with ports to include, such as V(*.example.com:8443). An empty list includes
          all host names and ports.
        type: list
        elements: str
      excludes:
        description: Patterns of host names with ports to exclude.
        type: list
        elements: str
  path:
    description:
      - Paths of URLs for which Jenkins offers the credentials of the domain.
      - An empty dictionary removes the specification, so that paths are no longer limited.
    type: dict
    suboptions:
      includes:
        description: Patterns of URL paths to include, such as V(/git/**). An empty list includes all paths.
        type: list
        elements: str
      excludes:
        description: Patterns of URL paths to exclude.
        type: list
        elements: str
      case_sensitive:
        description: Whether the patterns of URL paths are case-sensitive. The default is V(false).
        type: bool
  schemes:
    description: Schemes of URLs for which Jenkins offers the credentials of the domain, such as V(https). An empty list
      removes the specification, so that schemes are no longer limited.
    type: list
    elements: str
  allow_delete_credentials:
    description:
      - Whether to delete a domain that contains credentials if O(state=absent). Jenkins deletes these credentials
        together with the domain.
      - If V(false), the task fails if the domain contains credentials.
    type: bool
    default: false
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing folders.
      - If V(false), check mode fails if a folder is missing.
      - Ignored outside of check mode.
  state:
    choices:
      present: Create the domain, or change it as specified.
      absent: Delete the domain. If the domain contains credentials, O(allow_delete_credentials=true) is required.
  items:
    description:
      - Domains to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a C(name) that is unique in its store. All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      folder:
        description: Value of O(folder) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      hostname:
        description: Value of O(hostname) for this item.
        type: dict
        suboptions:
          includes:
            description: Value of O(hostname.includes) for this item.
            type: list
            elements: str
          excludes:
            description: Value of O(hostname.excludes) for this item.
            type: list
            elements: str
      hostname_port:
        description: Value of O(hostname_port) for this item.
        type: dict
        suboptions:
          includes:
            description: Value of O(hostname_port.includes) for this item.
            type: list
            elements: str
          excludes:
            description: Value of O(hostname_port.excludes) for this item.
            type: list
            elements: str
      path:
        description: Value of O(path) for this item.
        type: dict
        suboptions:
          includes:
            description: Value of O(path.includes) for this item.
            type: list
            elements: str
          excludes:
            description: Value of O(path.excludes) for this item.
            type: list
            elements: str
          case_sensitive:
            description: Value of O(path.case_sensitive) for this item.
            type: bool
      schemes:
        description: Value of O(schemes) for this item.
        type: list
        elements: str
      allow_delete_credentials:
        description: Value of O(allow_delete_credentials) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.ci_credential
  - module: buildworks.toolchain.ci_credential_info
"""

EXAMPLES = r"""
- name: Create a domain for the Git server
  buildworks.toolchain.ci_credential_domain:
    name: git
    description: Credentials of the Git server
    hostname:
      includes: [git.example.com, "*.git.example.com"]
    schemes: [https, ssh]

- name: Add a token to the domain
  buildworks.toolchain.ci_credential:
    id: git-token
    domain: git
    type: secret_text
    secret: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/git.token') }}"

- name: Remove the limitation to host names
  buildworks.toolchain.ci_credential_domain:
    name: git
    hostname: {}

- name: Delete the domain and its credentials
  buildworks.toolchain.ci_credential_domain:
    name: git
    state: absent
    allow_delete_credentials: true
"""

RETURN = r"""
domain:
  description: State of the domain after the task or, in check mode, the predicted state. V(null) if the domain does not
    exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the domain.
      type: str
    description:
      description: Description of the domain. An empty string if it has no description.
      type: str
    hostname:
      description: Patterns of host names. The lists C(includes) and C(excludes) are sorted. V(null) if the domain is
        not limited to certain host names.
      type: dict
    hostname_port:
      description: Patterns of host names with ports. The lists C(includes) and C(excludes) are sorted. V(null) if the
        domain is not limited to certain host names and ports.
      type: dict
    path:
      description: Patterns of URL paths with the same keys as O(path). The lists are sorted. V(null) if paths are not
        limited.
      type: dict
    schemes:
      description: Sorted schemes of URLs. V(null) if schemes are not limited.
      type: list
      elements: str
    credentials:
      description: Sorted IDs of the credentials in the domain.
      type: list
      elements: str
  sample:
    name: git
    description: Credentials of the Git server
    hostname: {includes: [git.example.com], excludes: []}
    hostname_port:
    path:
    schemes: [https, ssh]
    credentials: [git-token]
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
    domain:
      description: State of the domain after the item was processed or, in check mode, the predicted state. It has the
        same keys as RV(domain).
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import domains, stores
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_PATTERN: Option = dict(**NAME, matches=(r"[^,\s]+", "a pattern without commas and whitespace"))
_PATTERNS: Option = dict(type="list", elements="str", each_element=_PATTERN, narrows_scope=True)
_SPECIFICATION = dict(includes=_PATTERNS, excludes=_PATTERNS)
ITEM = STATE + ArgumentSpec(
    dict(
        name=dict(stores.DOMAIN, required=True),
        folder=dict(stores.FOLDER, narrows_scope=True),
        description=stores.TEXT,
        hostname=dict(type="dict", narrows_scope=True, options=_SPECIFICATION),
        hostname_port=dict(type="dict", narrows_scope=True, options=_SPECIFICATION),
        path=dict(type="dict", narrows_scope=True, options=dict(**_SPECIFICATION, case_sensitive=dict(type="bool"))),
        schemes=dict(type="list", elements="str", each_element=_PATTERN, narrows_scope=True),
        allow_delete_credentials=dict(type="bool", default=False),
    ),
    checks=[domains.parse_options],
)
SPEC = (CI + PREDICT_MISSING + PREDICTED_PLUGINS + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = domains.SharedDomains()
    process_one_or_items(
        task,
        lambda item_task: reconcile_domain(item_task, shared),
        identity=lambda params: (params["folder"], params["name"]),
        name_option="name",
    )


def reconcile_domain(task: Task, shared: domains.SharedDomains) -> None:
    domain = domains.ManagedDomain(task, CiService(task), shared, domains.parse_options(task.params))
    reconcile(
        task,
        "domain",
        read=domain.find,
        desired=domain.desired,
        create=domain.create,
        update=domain.update,
        delete=domain.delete,
        check=domain.check,
        to_result=domain.to_result,
        replaces=True,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
