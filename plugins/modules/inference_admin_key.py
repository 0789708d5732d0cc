# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_admin_key
short_description: Manage an OpenAI admin key
description:
  - Create, rotate or revoke an admin key of an OpenAI organization. The key is identified by its name.
  - The API returns the value of a key only once, in the response to the create request. The module writes the value to
    O(key_file) or, if that is not set, returns it in RV(secret). If the task returns it, set C(no_log=true) on the
    task.
  - Rotation creates the new key, waits until the API lists it, stores its value and then revokes the old key. A key is
    rotated if it expires within O(rotate_before) seconds, or if O(key_file) does not contain the value of a key with
    this name. The module compares the file with the redacted value that the API returns.
  - If the response to the create request is lost, the module revokes the orphaned key and repeats the request once. If
    another task creates a key with the same name at the same time, the task fails and lists both keys.
  - Unless O(allow_lockout=true), the module never revokes the admin key that it uses. If the requested state would
    require this, the task fails before any change.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_admin_key
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.to_file
  - buildworks.toolchain.issued
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires O(admin_key).
  - The C(Date) header of the responses determines whether a key has expired. If it is missing, the clock of the machine
    that runs the module is used.
options:
  name:
    description: Name of the key. Several keys can have the same name. O(surplus) determines how they are treated.
    type: str
    required: true
  expires_in:
    description:
      - Lifetime of a new key in seconds, at most 31,536,000 (365 days). Existing keys are not changed.
      - If not set, a new key does not expire.
    type: int
  rotate_before:
    description:
      - Rotate the key if it expires within this number of seconds. Must be less than O(expires_in).
      - If not set, the key is rotated only after it has expired.
    type: int
  allow_lockout:
    description:
      - Whether to allow the revocation of the O(admin_key) with which this task authenticates.
      - If V(false), the task fails before such a change. It also fails if the API returns no part of a key to revoke,
        so that it can be the key of the task.
      - If V(true), the module cannot verify the revocation of its key. The task then fails with the error of the API,
        although the key was revoked.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.inference_admin_key_info
  - module: buildworks.toolchain.inference_service_account
"""

EXAMPLES = r"""
- name: Create an admin key for the nightly audit and rotate it a week before it expires
  buildworks.toolchain.inference_admin_key:
    name: nightly audit
    expires_in: 7776000
    rotate_before: 604800
    key_file: ~/audit.key

- name: Revoke the admin key
  buildworks.toolchain.inference_admin_key:
    name: nightly audit
    state: absent
"""

RETURN = r"""
admin_key:
  description:
    - State of the admin key after the task, without its value. In check mode, the predicted state. V(null) if the admin
      key does not exist.
  returned: success
  type: dict
  contains:
    id:
      description: ID of the key.
      type: str
    name:
      description: Name of the key.
      type: str
    redacted_value:
      description: First and last characters of the value.
      type: str
    created:
      description: Creation time, as a Unix timestamp.
      type: int
    created_at:
      description: Creation time, in ISO 8601 format (UTC).
      type: str
    last_used:
      description: Time at which the key was last used, as a Unix timestamp. V(null) if the key has never been used.
      type: int
    last_used_at:
      description: Time of the last use, in ISO 8601 format (UTC).
      type: str
    expires:
      description: Expiration time, as a Unix timestamp. V(null) if the key does not expire.
      type: int
    expires_at:
      description: Expiration time, in ISO 8601 format (UTC).
      type: str
    age_days:
      description: Age of the key in full days.
      type: int
    owner:
      description: Owner of the key with C(type), C(id), C(name), C(email) and C(role), if the API returns them.
      type: dict
    surplus:
      description: IDs of other keys with the same name.
      type: list
      elements: str
removed:
  description: IDs of the keys that were revoked or, in check mode, would be revoked.
  returned: success
  type: list
  elements: str
secret:
  description: Value of the new key, which cannot be retrieved later. V(null) if O(key_file) is set or no key was
    created.
  returned: success
  type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import admin_keys
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued_secret import ISSUED_SECRET, IssuedSecret
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (INFERENCE + STATE + ISSUED_SECRET + VISIBILITY) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        expires_in=dict(type="int", narrows_scope=True, at_least=1, at_most=admin_keys.LONGEST_LIFE),
        rotate_before=dict(type="int", at_least=1, at_most=admin_keys.LONGEST_LIFE),
        allow_lockout=dict(type="bool", default=False),
    )
)


def run(task: Task) -> None:
    secret = IssuedSecret(task, admin_keys.AdminKeyService(task))
    secret.reconcile("admin_key", lambda _before: task.select_provided("name"), admin_keys.to_result)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
