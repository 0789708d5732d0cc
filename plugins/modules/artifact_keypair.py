#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_keypair
short_description: Manage Artifactory signing key pairs
description:
  - Create, replace or delete key pairs of Artifactory. Artifactory uses key pairs to sign the metadata of repositories,
    for example of Debian, RPM and Alpine repositories.
  - A repository refers to a key pair by its name, see
    O(buildworks.toolchain.artifact_repository#module:primary_key_pair_ref),
    O(buildworks.toolchain.artifact_repository#module:secondary_key_pair_ref) and
    O(buildworks.toolchain.artifact_repository#module:key_pair).
  - Public keys are compared by their content. Line breaks, comments and the checksum line of the text are ignored.
  - To manage several key pairs in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_keypair
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions.
  - Requires Artifactory Pro 7.6.0 or later. O(items) requires Artifactory 7.19 or later.
  - A key pair cannot be deleted or replaced while a repository uses it. The error message names the repositories.
  - A task without changes sends one request, regardless of the number of O(items).
  - Artifactory does not return private keys, so the module compares only public keys.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description:
      - Name of the key pair, which cannot be changed. Required if O(items) is not set.
      - The name must not contain a slash or backslash.
    type: str
  type:
    description: Type of the key pair. Required to create the key pair.
    type: str
    choices:
      rsa: RSA keys in PEM format, for example for Alpine repositories.
      gpg: ASCII-armored GPG keys, for example for Debian and RPM repositories.
  alias:
    description: File name under which clients download the public key. Required to create the key pair.
    type: str
  private_key:
    description:
      - Text of the private key, in the format that O(type) defines. Required to create the key pair.
      - The private key must belong to O(public_key). The module verifies this before the first request, unless the
        private key is an encrypted PEM key.
    type: str
  public_key:
    description:
      - Text of the public key, in the format that O(type) defines. Required to create the key pair.
      - If the existing key pair has a different public key, the task fails unless O(replace=true).
    type: str
  passphrase:
    description: Passphrase of O(private_key). Required if the private key is protected by a passphrase.
    type: str
  replace:
    description:
      - Whether to delete and recreate an existing key pair if O(type), O(alias) or O(public_key) differs. If V(false),
        the task fails instead, because Artifactory cannot change key pairs.
      - The task always fails if a repository uses the key pair. To replace a key pair that is in use, create one with
        another name and assign it to the repositories.
      - If the task is interrupted between deleting and creating, the next run creates the key pair.
    type: bool
    default: false
  verify:
    description:
      - Whether Artifactory tests the keys and the passphrase before the key pair is created or replaced. If the test
        fails, the task fails without changing the key pair. Check mode runs the test, too.
      - Some versions of Artifactory do not support this test.
    type: bool
    default: false
  predict_missing:
    description:
      - Whether check mode assumes that no repository uses the key pairs to delete or replace.
      - Set this to V(true) if an earlier task changes these repositories. Check mode does not apply that change, so
        this task would otherwise fail.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing key pairs that are not in O(items).
      - V(remove) keeps key pairs that repositories use, and adds a warning.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the key pair if it does not exist.
      absent: Delete the key pair.
  items:
    description:
      - Key pairs to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a unique C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      type:
        description: Value of O(type) for this item.
        type: str
        choices:
          rsa: Same as O(type=rsa).
          gpg: Same as O(type=gpg).
      alias:
        description: Value of O(alias) for this item.
        type: str
      private_key:
        description: Value of O(private_key) for this item.
        type: str
      public_key:
        description: Value of O(public_key) for this item.
        type: str
      passphrase:
        description: Value of O(passphrase) for this item.
        type: str
      replace:
        description: Value of O(replace) for this item.
        type: bool
      verify:
        description: Value of O(verify) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_keypair_info
  - module: buildworks.toolchain.artifact_repository
  - module: buildworks.toolchain.artifact_trusted_key
"""

EXAMPLES = r"""
- name: Create a key pair for Debian and RPM repositories
  buildworks.toolchain.artifact_keypair:
    name: packages-2026
    type: gpg
    alias: packages-2026.asc
    private_key: "{{ lookup('ansible.builtin.env', 'SIGNING_KEY') }}"
    public_key: "{{ lookup('ansible.builtin.file', 'packages-2026.asc') }}"
    passphrase: "{{ lookup('ansible.builtin.env', 'SIGNING_PASSPHRASE') }}"
    verify: true

- name: Sign a repository with it
  buildworks.toolchain.artifact_repository:
    key: team-debian
    type: local
    package_type: debian
    primary_key_pair_ref: packages-2026

- name: Replace an unused key pair
  buildworks.toolchain.artifact_keypair:
    name: alpine
    type: rsa
    alias: alpine.rsa.pub
    private_key: "{{ lookup('ansible.builtin.env', 'ALPINE_KEY') }}"
    public_key: "{{ lookup('ansible.builtin.file', 'alpine.rsa.pub') }}"
    replace: true

- name: Show which key pairs are not declared
  buildworks.toolchain.artifact_keypair:
    items:
      - name: packages-2026
      - name: alpine
    undeclared: report

- name: Delete a key pair that no repository uses
  buildworks.toolchain.artifact_keypair:
    name: packages-2025
    state: absent
"""

RETURN = r"""
keypair:
  description: The key pair after the task or, in check mode, as predicted. It does not contain the private key. V(null)
    if the key pair does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the key pair.
      type: str
    type:
      description: Type of the key pair, such as V(rsa) or V(gpg).
      type: str
    alias:
      description: File name under which clients download the public key.
      type: str
    public_key:
      description: Public key, without comments.
      type: str
    fingerprint:
      description: Fingerprint of the public key. For GPG keys, the fingerprint that GnuPG displays. For RSA keys, the
        SHA-256 checksum of the key in DER format. V(null) if the key cannot be parsed.
      type: str
  sample:
    name: packages-2026
    type: gpg
    alias: packages-2026.asc
    public_key: "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQENBGkn...\n-----END PGP PUBLIC KEY BLOCK-----\n"
    fingerprint: C74E618CCF71C99D411BA8D7E24FABCFD55BE356
undeclared:
  description: Names of the existing key pairs that are not in O(items), sorted. With O(undeclared=remove), key pairs
    that repositories use are omitted. If O(type) is set beside O(items), only key pairs of this type.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [packages-2024]
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
    keypair:
      description: Value of RV(keypair) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import managed_keypair
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, TOMCAT_SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
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
        name=dict(type="str", required=True, **TOMCAT_SEGMENT),
        type=dict(type="str", choices=["rsa", "gpg"], narrows_scope=True),
        alias=dict(type="str", **NAME),
        private_key=dict(type="str", no_log=True, unchecked="checked when it is parsed"),
        public_key=dict(type="str", no_log=False, unchecked="checked when it is parsed"),
        passphrase=dict(type="str", no_log=True, unchecked="a passphrase may be any text"),
        replace=dict(type="bool", default=False),
        verify=dict(type="bool", default=False),
    ),
    checks=[managed_keypair.check_options],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = managed_keypair.SharedKeyPairs(task)
    process_one_or_items(
        task,
        lambda item_task: reconcile_keypair(item_task, shared),
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "key pairs", items, "name", lambda: shared.list_undeclared(ArtifactService(task), items)
        ),
    )


def reconcile_keypair(task: Task, shared: managed_keypair.SharedKeyPairs) -> None:
    keypair = managed_keypair.ManagedKeyPair(task, ArtifactService(task), shared)
    reconcile(
        task,
        "keypair",
        read=keypair.find,
        desired=keypair.desired,
        create=keypair.create,
        update=keypair.replace,
        delete=keypair.delete,
        check=keypair.check,
        to_result=keypair.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
