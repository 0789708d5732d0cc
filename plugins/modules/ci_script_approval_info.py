#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_script_approval_info
short_description: Get Jenkins script approval information
description:
  - Get the signatures and scripts that are approved in Jenkins, and those whose approval is pending.
  - To approve the same signatures and scripts on another server, pass RV(approvals) to
    O(buildworks.toolchain.ci_script_approval#module:items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_script_approval_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Overall/Administer permission. The plugin C(script-security) has no remote API. The module therefore
    runs its own script in the script console. The script changes nothing.
  - Requires the plugin C(script-security).
  - The module sends one request.
  - Tested against the simulated server (sandbox) that comes with this collection. The module has not been tested
    against a real Jenkins server.
options:
  script_text:
    description:
      - Whether to return the text of pending scripts in RV(pending[].script). The text can contain passwords, so set
        C(no_log=true) on the task or keep the result out of logs.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.ci_script_approval
"""

EXAMPLES = r"""
- name: Get all approvals
  buildworks.toolchain.ci_script_approval_info:
  register: scripts

- name: Fail if dangerous signatures are approved
  ansible.builtin.assert:
    that: scripts.approvals | selectattr('signature', 'defined') | map(attribute='signature')
          | intersect(scripts.dangerous) | length == 0

- name: Show the pending signatures
  ansible.builtin.debug:
    msg: "{{ scripts.pending | selectattr('signature', 'defined') | map(attribute='signature') }}"
"""

RETURN = r"""
approvals:
  description: Approved signatures, followed by approved scripts. The signatures and the hashes of the scripts are
    sorted.
  returned: success
  type: list
  elements: dict
  contains:
    signature:
      description: Signature of the method, constructor or field. Not returned for scripts.
      type: str
    assume_permission_check:
      description: Whether the signature is approved only for scripts that run with the permissions of a user. Not
        returned for scripts.
      type: bool
    script_hash:
      description: Hash by which Jenkins identifies the script. Not returned for signatures.
      type: str
  sample:
    - signature: method java.lang.String strip
      assume_permission_check: false
pending:
  description: Signatures and scripts that wait for an approval. The signatures precede the scripts. Both are in the
    order in which they were first used.
  returned: success
  type: list
  elements: dict
  contains:
    signature:
      description: Signature of the method, constructor or field. Not returned for scripts.
      type: str
    script_hash:
      description: Hash by which Jenkins identifies the script. Not returned for signatures.
      type: str
    language:
      description: Language of the script, such as V(groovy). Not returned for signatures.
      type: str
    script:
      description: Text of the script. Returned only for scripts, and only if O(script_text=true).
      type: str
    user:
      description: Name of the account that used the signature or saved the script. V(null) if the account is unknown.
      type: str
    item:
      description: Full name of the job or folder that uses the signature or script. V(null) if it is unknown.
      type: str
  sample:
    - signature: staticMethod java.time.Instant now
      user: alice
      item: team/app
dangerous:
  description: Sorted signatures in RV(approvals) and RV(pending) that the plugin C(script-security) lists as dangerous.
    Scripts can use them to bypass the Groovy sandbox.
  returned: success
  type: list
  elements: str
  sample: []
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.script_approvals import approvals
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI + ArgumentSpec(dict(script_text=dict(type="bool", default=False)))


def run(task: Task) -> None:
    lists = approvals.read_approvals(CiService(task), texts=task.params["script_text"])
    restricted = set(lists.restricted) - set(lists.signatures)
    task.result["approvals"] = [
        *(
            {"signature": signature, "assume_permission_check": signature in restricted}
            for signature in sorted({*lists.signatures, *restricted})
        ),
        *({"script_hash": script_hash} for script_hash in sorted(lists.hashes)),
    ]
    scripts = ({"script_hash": script.pop("hash"), **script} for script in lists.pending_scripts)
    task.result["pending"] = [*lists.pending_signatures, *scripts]
    task.result["dangerous"] = sorted(lists.dangerous)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
