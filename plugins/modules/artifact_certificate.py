#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_certificate
short_description: Manage Artifactory client certificates
description:
  - Create, replace or delete client certificates of Artifactory. Remote repositories use them to authenticate to the
    remote server.
  - A remote repository refers to a certificate by its alias, see
    O(buildworks.toolchain.artifact_repository#module:client_tls_certificate).
  - The module compares the SHA-256 fingerprints of certificates. If the fingerprint differs, the certificate is
    replaced. Repositories keep their reference to the alias.
  - To manage several certificates in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_certificate
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
  - Requires Artifactory Pro 5.4.0 or later.
  - A certificate cannot be deleted while a repository uses it. The error message names the repositories.
  - A task without changes sends one request, regardless of the number of O(items).
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  alias:
    description:
      - Alias of the certificate, which cannot be changed. Required if O(items) is not set.
      - The alias must not contain a slash or backslash.
    type: str
  certificate:
    description:
      - Text of the certificate in PEM format, followed by the other certificates of its chain, if any. Required to
        create the certificate.
      - The text must not contain the private key.
    type: str
  private_key:
    description:
      - Text of the private key, in PEM format and without a passphrase. Required to create or replace the certificate.
      - The private key must belong to the first certificate in O(certificate). The module verifies this before the
        first request.
    type: str
  warn_before:
    description: Number of days, from 0 to 3650. The task adds a warning if the certificate expires within this time.
    type: int
    default: 30
  predict_missing:
    description:
      - Whether check mode assumes that no repository uses the certificates to delete.
      - Set this to V(true) if an earlier task changes these repositories. Check mode does not apply that change, so
        this task would otherwise fail.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing certificates that are not in O(items).
      - V(remove) keeps certificates that repositories use, and adds a warning.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the certificate, or replace it if its fingerprint differs.
      absent: Delete the certificate.
  items:
    description:
      - Certificates to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(alias). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      alias:
        description: Value of O(alias) for this item.
        type: str
      certificate:
        description: Value of O(certificate) for this item.
        type: str
      private_key:
        description: Value of O(private_key) for this item.
        type: str
      warn_before:
        description: Value of O(warn_before) for this item.
        type: int
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_certificate_info
  - module: buildworks.toolchain.artifact_repository
"""

EXAMPLES = r"""
- name: Create or renew a client certificate
  buildworks.toolchain.artifact_certificate:
    alias: mirror
    certificate: "{{ lookup('ansible.builtin.file', 'mirror.pem') }}"
    private_key: "{{ lookup('ansible.builtin.env', 'MIRROR_KEY') }}"

- name: Authenticate to a remote server with it
  buildworks.toolchain.artifact_repository:
    key: mirror-npm
    type: remote
    package_type: npm
    remote_url: https://npm.example.com
    client_tls_certificate: mirror

- name: Warn of certificates that expire within 60 days
  buildworks.toolchain.artifact_certificate:
    items:
      - alias: mirror
    warn_before: 60
    undeclared: report

- name: Delete a certificate that no repository uses
  buildworks.toolchain.artifact_certificate:
    alias: old-mirror
    state: absent
"""

RETURN = r"""
certificate:
  description: The certificate after the task or, in check mode, as predicted. It does not contain the private key.
    V(null) if the certificate does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    alias:
      description: Alias of the certificate.
      type: str
    issued_to:
      description: Name of the owner of the certificate (subject).
      type: str
    issued_by:
      description: Name of the certificate authority that issued the certificate (issuer).
      type: str
    issued_on:
      description: Time from which the certificate is valid, in ISO 8601 format in UTC.
      type: str
    valid_until:
      description: Time at which the certificate expires, in ISO 8601 format in UTC.
      type: str
    fingerprint:
      description: SHA-256 fingerprint of the certificate.
      type: str
  sample:
    alias: mirror
    issued_to: artifactory.example.com
    issued_by: Example CA
    issued_on: "2026-01-01T00:00:00.000Z"
    valid_until: "2027-01-01T00:00:00.000Z"
    fingerprint: "0a:f1:5c:27:93:e0:4d:b8:61:7e:2a:c9:35:f4:08:bd:56:ea:1f:83:c7:20:9b:6d:44:d2:fe:17:a8:3b:70:95"
undeclared:
  description: Aliases of the existing certificates that are not in O(items), sorted. With O(undeclared=remove),
    certificates that repositories use are omitted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-mirror]
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
    certificate:
      description: Value of RV(certificate) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import managed_certificate
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import TOMCAT_SEGMENT
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
        alias=dict(type="str", required=True, **TOMCAT_SEGMENT),
        certificate=dict(type="str", unchecked="checked when it is parsed"),
        private_key=dict(type="str", no_log=True, unchecked="checked when it is parsed"),
        warn_before=dict(type="int", default=30, at_least=0, at_most=3650),
    ),
    checks=[managed_certificate.parse_options],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = managed_certificate.SharedCertificates(task)
    process_one_or_items(
        task,
        lambda item_task: reconcile_certificate(item_task, shared),
        identity=lambda params: params["alias"],
        name_option="alias",
        expand_all=lambda items: append_undeclared(
            task, "certificates", items, "alias", lambda: shared.list_undeclared(ArtifactService(task), items)
        ),
    )


def reconcile_certificate(task: Task, shared: managed_certificate.SharedCertificates) -> None:
    certificate = managed_certificate.ManagedCertificate(task, ArtifactService(task), shared)
    reconcile(
        task,
        "certificate",
        read=certificate.find,
        desired=certificate.desired,
        create=certificate.install,
        update=certificate.install,
        delete=certificate.delete,
        check=certificate.check,
        to_result=certificate.to_result,
    )
    certificate.warn_of_expiry()


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
