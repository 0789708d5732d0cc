#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_script_approval
short_description: Manage Jenkins script approvals
description:
  - Approve signatures and scripts in Jenkins, or revoke their approval.
  - A signature identifies a method, constructor or field. Scripts in the Groovy sandbox may use approved signatures. An
    approved script runs outside of the Groovy sandbox.
  - The module approves exactly the signatures and scripts that you specify, whether or not their approval is pending.
    It never approves other pending signatures or scripts.
  - To manage several approvals in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_script_approval
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Administer permission. The plugin C(script-security) has no remote API. The module therefore
    runs its own scripts in the script console.
  - Requires the plugin C(script-security).
  - An approval grants permissions on the Jenkins controller. Review a signature or script before you approve it.
  - If nothing changes, the module sends one request, regardless of the number of O(items).
  - The module does not manage approvals of classpath entries.
  - Tested against the simulated server (sandbox) that comes with this collection. The module has not been tested
    against a real Jenkins server.
options:
  signature:
    description:
      - Signature of the method, constructor or field, exactly as Jenkins displays it, such as V(staticMethod
        java.time.Instant now).
      - Each approval requires exactly one of O(signature), O(script) and O(script_hash).
    type: str
  script:
    description:
      - Text of the script. It must be identical to the text in the job, including line breaks at its end.
      - The module does not send the text to Jenkins. Jenkins identifies a script by the hash of its language and text,
        which the module computes.
      - Each approval requires exactly one of O(signature), O(script) and O(script_hash).
    type: str
  language:
    description:
      - Language of O(script) as the plugin C(script-security) names it, for example V(groovy), V(jelly), V(jexl) or
        V(system-command).
    type: str
    default: groovy
  script_hash:
    description:
      - Hash of the script, as M(buildworks.toolchain.ci_script_approval_info) returns it. The hash starts with
        C(SHA512:), unless it comes from a plugin version before 2022.
      - Each approval requires exactly one of O(signature), O(script) and O(script_hash).
    type: str
  assume_permission_check:
    description:
      - Whether to approve O(signature) only for scripts that run with the permissions of a user. Jenkins calls this
        "approve assuming permission check". If V(false), the signature is approved without this restriction.
      - If not set, the restriction of an existing approval is kept, and a new approval has no restriction.
      - Requires O(signature).
    type: bool
  allow_dangerous:
    description:
      - Whether to approve a signature that the plugin C(script-security) lists as dangerous. Scripts can use such a
        signature to bypass the Groovy sandbox.
      - If V(false), the task fails if the signature is dangerous.
    type: bool
    default: false
  state:
    choices:
      present: Approve the signature or script.
      absent: Revoke the approval of the signature or script. A pending approval is denied.
  items:
    description:
      - Approvals to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires a signature or script that no other item has. All items are validated before the first
        request.
    type: list
    elements: dict
    suboptions:
      signature:
        description: Value of O(signature) for this item.
        type: str
      script:
        description: Value of O(script) for this item.
        type: str
      language:
        description: Value of O(language) for this item.
        type: str
      script_hash:
        description: Value of O(script_hash) for this item.
        type: str
      assume_permission_check:
        description: Value of O(assume_permission_check) for this item.
        type: bool
      allow_dangerous:
        description: Value of O(allow_dangerous) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.ci_script_approval_info
"""

EXAMPLES = r"""
- name: Approve a signature
  buildworks.toolchain.ci_script_approval:
    signature: staticMethod java.time.Instant now

- name: Approve the script of a job
  buildworks.toolchain.ci_script_approval:
    script: |
      println "Nodes: ${jenkins.model.Jenkins.get().nodes.size()}"

- name: Approve several signatures, and revoke another
  buildworks.toolchain.ci_script_approval:
    items:
      - signature: method java.lang.String strip
      - signature: method hudson.model.Item getFullName
        assume_permission_check: true
      - signature: staticMethod java.time.Instant now
        state: absent
"""

RETURN = r"""
approval:
  description: State of the approval after the task or, in check mode, the predicted state. V(null) if the signature or
    script is neither approved nor pending.
  returned: success, when O(items) is not set
  type: dict
  contains:
    signature:
      description: Signature of the method, constructor or field. Not returned for scripts.
      type: str
    script_hash:
      description: Hash by which Jenkins identifies the script. Not returned for signatures.
      type: str
    status:
      description: V(approved) if the signature or script is approved, V(pending) if its approval is pending.
      type: str
    assume_permission_check:
      description: Whether the signature is approved only for scripts that run with the permissions of a user. V(null)
        for scripts and pending signatures. In check mode, it can also be V(null) for a signature that was not approved
        before.
      type: bool
    dangerous:
      description: Whether the plugin C(script-security) lists the signature as dangerous. V(null) for scripts. In check
        mode, it is also V(null) for a signature that was neither approved nor pending before.
      type: bool
  sample:
    signature: staticMethod java.time.Instant now
    status: approved
    assume_permission_check: false
    dangerous: false
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
    approval:
      description: State of the approval after the item was processed or, in check mode, the predicted state. It has the
        same keys as RV(approval).
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.script_approvals import approvals
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    STATE,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

# A signature that Jenkins cannot parse would disable all approvals
_SIGNATURE = (
    r"((method|staticMethod)( [^ ]+){2,}|new( [^ ]+)+|(field|staticField)( [^ ]+){2})",
    "a signature, such as 'method java.lang.String length', with single blanks",
)
_HASH = ("SHA512:[0-9a-f]{128}|[0-9a-f]{40}", "the hash of a script in lower case, such as SHA512:01ab...")
_IDENTITY = ("signature", "script", "script_hash")


def check_options(params: Fields) -> None:
    if params["signature"] is None and params["assume_permission_check"] is not None:
        raise BadOption("assume_permission_check", "requires 'signature'")


ITEM = STATE + ArgumentSpec(
    dict(
        signature=dict(type="str", one_line=True, matches=_SIGNATURE),
        script=dict(type="str", not_empty=True),
        language=dict(type="str", default="groovy", narrows_scope=True, **NAME),
        script_hash=dict(type="str", matches=_HASH),
        assume_permission_check=dict(type="bool", narrows_scope=True),
        allow_dangerous=dict(type="bool", default=False, narrows_scope=True),
    ),
    required_one_of=[_IDENTITY],
    mutually_exclusive=[_IDENTITY],
    checks=[check_options],
)
SPEC = (CI + PREDICTED_PLUGINS + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    entries = [task.params] if task.params["items"] is None else task.params["items"]
    shared = approvals.Approvals([entry["signature"] for entry in entries if entry["signature"] is not None])
    process_one_or_items(
        task,
        lambda item_task: reconcile_approval(item_task, shared),
        identity=lambda params: params["signature"] or find_hashes(params)[0],
        name_option="signature",
    )


def reconcile_approval(task: Task, shared: approvals.Approvals) -> None:
    params = task.params
    approval = approvals.ManagedApproval(CiService(task), shared, params["signature"], find_hashes(params))
    managed = {**approval.identity, "status": "approved", **task.select_provided("assume_permission_check")}

    def check(before: Fields | None, desired: Fields | None) -> None:
        approval.refuse_owned(before, desired and managed)
        if desired and not params["allow_dangerous"]:
            approval.check_harmless()

    reconcile(
        task,
        "approval",
        read=approval.find,
        desired=managed,
        create=approval.approve,
        update=lambda _changes: approval.approve(managed),
        delete=approval.revoke,
        check=check,
        to_result=lambda fields: {"assume_permission_check": None, "dangerous": None, **fields},
    )


def find_hashes(params: Fields) -> list[str]:
    """Return the hashes of the script, or an empty list for a signature."""
    if params["script"] is not None:
        return approvals.hash_script(params["script"], params["language"])
    return [] if params["script_hash"] is None else [params["script_hash"]]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
