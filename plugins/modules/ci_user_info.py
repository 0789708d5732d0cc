#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_user_info
short_description: Get Jenkins user information
description:
  - Get the accounts in the user database of Jenkins and the names of their API tokens. The module does not return
    passwords or the values of API tokens.
  - You can pass RV(users) to O(buildworks.toolchain.ci_user#module:items).
  - Jenkins also has users without an account, such as the authors of commits. The module does not return these users.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_user_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Overall/Administer permission. Jenkins does not list accounts in its REST API. The module therefore
    reads them with a script.
  - Requires that Jenkins uses its own user database. The task fails if the users come from another security realm, such
    as LDAP.
  - The module sends one request.
  - Tested against the simulated server (sandbox) that comes with this collection. The sandbox is itself tested with
    recorded responses of Jenkins 2.579. The module has not been tested against a real Jenkins server.
options:
  name:
    description: Name of the user to return. The case of the name is ignored. If not set, all users are returned.
    type: str
seealso:
  - module: buildworks.toolchain.ci_user
  - module: buildworks.toolchain.ci_api_token
"""

EXAMPLES = r"""
- name: Get all users
  buildworks.toolchain.ci_user_info:
  register: accounts

- name: List the API tokens of each user
  ansible.builtin.debug:
    msg: "{{ item.key }}: {{ item.value.tokens | map(attribute='name') | join(', ') }}"
  loop: "{{ accounts.states | dict2items }}"

- name: Get one user
  buildworks.toolchain.ci_user_info:
    name: admin
"""

RETURN = r"""
users:
  description: List of the users, sorted by name. Each entry has the keys that M(buildworks.toolchain.ci_user) uses as
    options. The list is empty if the user O(name) has no account.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the user (user ID).
      type: str
    full_name:
      description: Full name of the user.
      type: str
    description:
      description: Description of the user. V(null) if it is not set.
      type: str
    email:
      description: Email address of the user. V(null) if it is not set, or if the Jenkins plugin C(mailer) is not
        active.
      type: str
  sample:
    - name: carol
      full_name: Carol Jones
      description: null
      email: null
states:
  description:
    - Read-only properties of the users. The keys are user names. The values are dictionaries with the key C(tokens).
    - C(tokens) is a list of the API tokens of the user, sorted by name. Each API token has the keys C(uuid), C(name),
      C(created), C(created_at) and C(expires).
    - C(created) is the creation time as a Unix timestamp. C(created_at) is the same time in ISO 8601 format (UTC). Both
      are V(null) if the time is unknown.
    - C(expires) is the last day on which the token is valid. It is V(null) if the token does not expire.
  returned: success
  type: dict
  sample:
    carol:
      tokens:
        - uuid: 6a9b8202-cbfd-435d-9231-2a5384c58003
          name: notebook
          created: 1795400596
          created_at: "2026-11-23T02:23:16Z"
          expires: "2027-11-23"
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import accounts, managed_user, token_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = CI + ArgumentSpec(dict(name=dict(type="str", **SEGMENT)))


def run(task: Task) -> None:
    users = accounts.fetch(CiService(task), task.params["name"]).users
    found = [users[key] for key in sorted(users)]
    task.result["users"] = [{field: user[field] for field in ("name", *managed_user.FIELDS)} for user in found]
    task.result["states"] = {
        user["name"]: {"tokens": [token_list.to_state(token) for token in user["tokens"]]} for user in found
    }


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
