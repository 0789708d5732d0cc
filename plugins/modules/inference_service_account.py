# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_service_account
short_description: Manage a service account of a project
description:
  - Sees to it that a project has a service account of a name, or none. With O(key_file) its key is in that file,
    which is proven by the beginning and the end of the key that the service tells.
  - The service tells the key of an account only once, when the account is made. So the key goes into O(key_file), or
    into the result when no file is named. In the second case set C(no_log) on the task; the task warns otherwise.
  - An account is replaced by making the new one first, storing its key once the service lists the account, and deleting
    the old one then. That happens when it is older than O(rotate_after), or when the key in O(key_file) is not that of
    an account of this name.
  - If the response to the create request is lost, the orphaned account is deleted and the request is repeated once. If
    another task created an account at the same time, the task fails and names both, because it cannot tell which is
    which.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.inference_project
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.to_file
  - buildworks.toolchain.issued
  - buildworks.toolchain.attributes
notes:
  - Needs an O(admin_key).
  - The server's clock decides how old an account is, if its responses have a C(Date) header. Otherwise it is the clock
    of the machine that runs the module.
options:
  name:
    description: Name of the account. Several accounts can have one name, see O(surplus).
    type: str
    required: true
  role:
    description: Role in the project. Without it a new account is a V(member), or has the role of the one it replaces.
    type: str
    choices: [owner, member]
  rotate_after:
    description: Replace an account that is older than this many seconds, 1 to 3,153,600,000.
    type: int
seealso:
  - module: buildworks.toolchain.inference_project_info
  - module: buildworks.toolchain.inference_admin_key
"""

EXAMPLES = r"""
- name: Keep a service account for the nightly build, a new one every 90 days
  buildworks.toolchain.inference_service_account:
    project_name: Sandbox
    name: nightly build
    rotate_after: 7776000
    key_file: ~/nightly.key

- name: Make one and hand its key to another task
  buildworks.toolchain.inference_service_account:
    project_id: proj_sandbox
    name: release job
  register: release
  no_log: true

- name: Delete it, and its key with it
  buildworks.toolchain.inference_service_account:
    project_id: proj_sandbox
    name: release job
    state: absent
"""

RETURN = r"""
service_account:
  description: The account afterwards, or as it would be in check mode. None when it is absent.
  returned: success
  type: dict
  contains:
    id:
      description: Id of the account.
      type: str
    name:
      description: Name of the account.
      type: str
    role:
      description: Role in the project.
      type: str
    created:
      description: When it was made, in seconds since 1970.
      type: int
    created_at:
      description: The same as a date and time, in UTC.
      type: str
    surplus:
      description: Ids of other accounts of this name.
      type: list
      elements: str
removed:
  description: Ids of the accounts that were deleted, or would be in check mode.
  returned: success
  type: list
  elements: str
secret:
  description: The key, when an account was made and O(key_file) is not given. Only now, never again. None otherwise.
  returned: success
  type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import projects, service_accounts
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued import ISSUED
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (
    (INFERENCE + projects.PROJECT)
    + (STATE + ISSUED)
    + ArgumentSpec(
        dict(
            name=dict(type="str", required=True, **NAME),
            role=dict(type="str", choices=list(service_accounts.ROLES)),
            rotate_after=dict(type="int", at_least=1, at_most=100 * 365 * 86400),
        ),
        required_one_of=[("project_id", "project_name")],
    )
)


def run(task):
    account = service_accounts.ServiceAccount(task)
    reconcile(
        task,
        "service_account",
        read=account.find,
        desired=account.wanted,
        create=account.create,
        update=account.update,
        delete=account.remove,
        replace_reason=account.stale,
        check=account.check,
        replace=account.replace,
        to_result=account.shown,
    )
    task.result["removed"] = account.going(task.result["service_account"])


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
