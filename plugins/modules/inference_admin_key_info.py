# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_admin_key_info
short_description: Get OpenAI admin key information
description:
  - List the admin keys of an OpenAI organization with their owner, age, expiration and last use. The API never returns
    the values of existing keys.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_admin_key_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires O(admin_key).
options:
  name:
    description: Return only keys with this name.
    type: str
seealso:
  - module: buildworks.toolchain.inference_admin_key
"""

EXAMPLES = r"""
- name: Get all admin keys of the organization
  buildworks.toolchain.inference_admin_key_info:
  register: keys

- name: List the admin keys that are older than 90 days
  ansible.builtin.debug:
    msg: "{{ keys.admin_keys | selectattr('age_days', 'gt', 90) | map(attribute='name') }}"
"""

RETURN = r"""
admin_keys:
  description: The admin keys in the order returned by the API. Empty if no key matches.
  returned: success
  type: list
  elements: dict
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
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import listings
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = INFERENCE + ArgumentSpec(dict(name=dict(type="str", **NAME)))


def run(task: Task) -> None:
    name = task.params["name"]
    keys = listings.list_admin_keys(AdminClient(task))
    task.result["admin_keys"] = [key for key in keys if name in (None, key["name"])]


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
