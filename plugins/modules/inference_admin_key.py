# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_admin_key
short_description: Manage an admin key of an organization
description:
  - Sees to it that the organization has an admin key of a name that has not expired, or none. With O(key_file) its
    value is in that file, which is proven by the beginning and the end of it that the service tells.
  - The service tells the value only once, when the key is made. So it goes into O(key_file), or into the result when no
    file is named. In the second case set C(no_log) on the task; the task warns otherwise.
  - A key is replaced by making the new one first, storing its value once the service lists the key, and revoking the
    old one then. That happens when it expires within O(rotate_before) seconds, or when what is in O(key_file) is not
    the value of a key of this name.
  - If the response to the create request is lost, the orphaned key is revoked and the request is repeated once. If
    another task created a key at the same time, the task fails and names both, because it cannot tell which is which.
  - The key that the task itself uses is never revoked. A task that would have to fails before anything is changed.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.to_file
  - buildworks.toolchain.issued
  - buildworks.toolchain.attributes
notes:
  - Needs an O(admin_key).
  - The server's clock decides whether a key has expired, if its responses have a C(Date) header. Otherwise it is the
    clock of the machine that runs the module.
options:
  name:
    description: Name of the key. Several keys can have one name, see O(surplus).
    type: str
    required: true
  expires_in:
    description:
      - Seconds that a new key lives, 1 to 31,536,000. Without it a new key lives until it is revoked.
      - It does not matter to a key that is there already.
    type: int
  rotate_before:
    description: Replace a key that expires within this many seconds, 1 to 31,536,000. Must be less than O(expires_in).
    type: int
seealso:
  - module: buildworks.toolchain.inference_admin_key_info
  - module: buildworks.toolchain.inference_service_account
"""

EXAMPLES = r"""
- name: Keep an admin key for the nightly audit, a new one a week before the old one expires
  buildworks.toolchain.inference_admin_key:
    name: nightly audit
    expires_in: 7776000
    rotate_before: 604800
    key_file: ~/audit.key

- name: Revoke it
  buildworks.toolchain.inference_admin_key:
    name: nightly audit
    state: absent
"""

RETURN = r"""
admin_key:
  description: The key afterwards, or as it would be in check mode, never with its value. None when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: Id of the key.
      type: str
    name:
      description: Name of the key.
      type: str
    redacted_value:
      description: The beginning and the end of its value.
      type: str
    created:
      description: When it was made, in seconds since 1970.
      type: int
    created_at:
      description: The same as a date and time, in UTC.
      type: str
    last_used:
      description: When it was used last, in seconds since 1970; none if never.
      type: int
    last_used_at:
      description: The same as a date and time, in UTC.
      type: str
    expires:
      description: When it expires, in seconds since 1970; none if never.
      type: int
    expires_at:
      description: The same as a date and time, in UTC.
      type: str
    age_days:
      description: Whole days since it was made.
      type: int
    owner:
      description: Whose key it is (C(type), C(id), C(name), C(email), C(role)), as far as the server tells.
      type: dict
    surplus:
      description: Ids of other keys of this name.
      type: list
      elements: str
removed:
  description: Ids of the keys that were revoked, or would be in check mode.
  returned: success
  type: list
  elements: str
secret:
  description: The value, when a key was made and O(key_file) is not given. Only now, never again. None otherwise.
  returned: success
  type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import admin_keys
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued import ISSUED
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (INFERENCE + STATE + ISSUED) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        expires_in=dict(type="int", at_least=1, at_most=admin_keys.LONGEST_LIFE),
        rotate_before=dict(type="int", at_least=1, at_most=admin_keys.LONGEST_LIFE),
    )
)


def run(task):
    key = admin_keys.AdminKey(task)
    reconcile(
        task,
        "admin_key",
        read=key.find,
        desired=key.desired(**task.select_provided("name")),
        create=key.create,
        update=key.remove_surplus,
        delete=key.remove,
        replace_reason=key.stale,
        replace=key.replace,
        check=key.check,
        to_result=key.shown,
    )
    task.result["removed"] = key.going(task.result["admin_key"])


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
