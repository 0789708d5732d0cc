# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_admin_key_info
short_description: Show the admin keys of an organization
description:
  - Lists the admin keys of the organization with their age and last use. Their values are told by nobody.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Needs an O(admin_key).
options:
  name:
    description: Only keys of this name.
    type: str
seealso:
  - module: buildworks.toolchain.inference_organization_info
"""

EXAMPLES = r"""
- name: See how old the admin keys are
  buildworks.toolchain.inference_admin_key_info:
  register: keys
"""

RETURN = r"""
admin_keys:
  description: The keys, in the order of the server. Empty when there is none.
  returned: success
  type: list
  elements: dict
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
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import members
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.admin import Admin
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE + ArgumentSpec(dict(name=dict(type="str", **NAME)))


def run(task):
    name = task.params["name"]
    keys = members.admin_keys(Admin(task))
    task.result["admin_keys"] = [key for key in keys if name in (None, key["name"])]


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
