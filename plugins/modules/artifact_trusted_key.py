#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_trusted_key
short_description: Manage Artifactory trusted keys
description:
  - Add, replace or delete trusted public keys of Artifactory. Artifactory uses trusted keys to verify the signatures of
    incoming release bundles.
  - Keys are compared by their content. Line breaks, comments and the checksum line of the text are ignored.
  - To manage several keys in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_trusted_key
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions.
  - Requires Artifactory Enterprise+ or Artifactory Edge.
  - A task without changes sends one request, regardless of the number of O(items).
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  alias:
    description: Alias of the trusted key, which cannot be changed. Required if O(items) is not set.
    type: str
  key:
    description:
      - Text of the public key, as an ASCII-armored GPG key or in PEM format. Required to add the key.
      - If the key is already trusted under another alias, the task fails.
    type: str
  replace:
    description:
      - Whether to replace an existing trusted key with the same alias if O(key) differs. If V(false), the task fails
        instead.
      - To replace a key, the module deletes the existing key and adds the new one. If the task is interrupted in
        between, the next run adds the key.
    type: bool
    default: false
  undeclared:
    description:
      - How to treat existing trusted keys that are not in O(items).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Add the key if no trusted key with the alias exists.
      absent: Delete the trusted key.
  items:
    description:
      - Trusted keys to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(alias). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      alias:
        description: Value of O(alias) for this item.
        type: str
      key:
        description: Value of O(key) for this item.
        type: str
      replace:
        description: Value of O(replace) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_trusted_key_info
  - module: buildworks.toolchain.artifact_keypair
"""

EXAMPLES = r"""
- name: Trust the key that signs release bundles
  buildworks.toolchain.artifact_trusted_key:
    alias: release-bundles
    key: "{{ lookup('ansible.builtin.file', 'release-bundles.asc') }}"

- name: Replace it
  buildworks.toolchain.artifact_trusted_key:
    alias: release-bundles
    key: "{{ lookup('ansible.builtin.file', 'new-release-bundles.asc') }}"
    replace: true

- name: Delete all other trusted keys
  buildworks.toolchain.artifact_trusted_key:
    items:
      - alias: release-bundles
    undeclared: remove

- name: Stop trusting a key
  buildworks.toolchain.artifact_trusted_key:
    alias: release-bundles
    state: absent
"""

RETURN = r"""
trusted_key:
  description: The trusted key after the task or, in check mode, as predicted. V(null) if it does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    alias:
      description: Alias of the trusted key.
      type: str
    key:
      description: Public key, without comments. An empty string if Artifactory does not return it.
      type: str
    kid:
      description: ID that Artifactory assigns to the key. V(null) if check mode predicts the key.
      type: str
    fingerprint:
      description: Fingerprint of the public key. For GPG keys, the fingerprint that GnuPG displays.
      type: str
    issued_by:
      description: Name and email address of the issuer. V(null) if the issuer is unknown.
      type: str
    issued_on:
      description: Time at which the key was created, in ISO 8601 format in UTC. V(null) if the time is unknown.
      type: str
    valid_until:
      description: Time at which the key expires, in ISO 8601 format in UTC. V(null) if the key does not expire, or if
        the time is unknown.
      type: str
  sample:
    alias: release-bundles
    key: "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBGkn...\n-----END PGP PUBLIC KEY BLOCK-----\n"
    kid: 5be356
    fingerprint: C74E618CCF71C99D411BA8D7E24FABCFD55BE356
    issued_by: Releases <releases@example.com>
    issued_on: "2026-01-01T00:00:00.000Z"
    valid_until: null
undeclared:
  description: Aliases of the existing trusted keys that are not in O(items), sorted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-release-bundles]
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
    trusted_key:
      description: Value of RV(trusted_key) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import trusted_keys
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared

ITEM = STATE + ArgumentSpec(
    dict(
        alias=dict(type="str", required=True, **NAME),
        key=dict(type="str", no_log=False, unchecked="checked when it is parsed"),
        replace=dict(type="bool", default=False),
    ),
    checks=[trusted_keys.parse_options],
)
SPEC = (ARTIFACT + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = trusted_keys.SharedTrustedKeys()
    process_one_or_items(
        task,
        lambda item_task: reconcile_trusted_key(item_task, shared),
        identity=lambda params: params["alias"],
        name_option="alias",
        expand_all=lambda items: append_undeclared(
            task, "trusted keys", items, "alias", lambda: shared.list_aliases(ArtifactService(task))
        ),
    )


def reconcile_trusted_key(task: Task, shared: trusted_keys.SharedTrustedKeys) -> None:
    trusted_key = trusted_keys.ManagedTrustedKey(task, ArtifactService(task), shared)
    reconcile(
        task,
        "trusted_key",
        read=trusted_key.find,
        desired=trusted_key.desired,
        create=trusted_key.create,
        update=trusted_key.replace,
        delete=trusted_key.delete,
        check=trusted_key.check,
        to_result=trusted_key.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
