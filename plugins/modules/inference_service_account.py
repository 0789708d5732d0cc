# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_service_account
short_description: Manage an OpenAI service account
description:
  - Create, rotate or delete a service account of an OpenAI project. The account is identified by its name.
  - The API returns the key of an account only once, in the response to the create request. The module writes the key to
    O(key_file) or, if that is not set, returns it in RV(secret). If the task returns it, set C(no_log=true) on the
    task.
  - Rotation creates the new account, waits until the API lists it, stores its key and then deletes the old account. An
    account is rotated if it is older than O(rotate_after) seconds, or if O(key_file) does not contain the key of an
    account with this name. The module compares the file with the redacted key that the API returns.
  - If the response to the create request is lost, the module deletes the orphaned account and repeats the request once.
    If another task creates an account with the same name at the same time, the task fails and lists both accounts.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_service_account
  - buildworks.toolchain.inference
  - buildworks.toolchain.inference_project_selection
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.to_file
  - buildworks.toolchain.issued
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires O(admin_key), and O(project_id) or O(project_name).
  - The C(Date) header of the responses determines the age of an account. If it is missing, the clock of the machine
    that runs the module is used.
options:
  name:
    description: Name of the account. Several accounts can have the same name. O(surplus) determines how they are
      treated.
    type: str
    required: true
  role:
    description:
      - Role in the project.
      - If not set, a new account becomes a V(member), and a rotated account keeps its role.
    type: str
    choices:
      owner: Can administer the project.
      member: Can use the project.
  rotate_after:
    description:
      - Rotate the account if it is older than this number of seconds.
      - If not set, the account is not rotated because of its age.
    type: int
seealso:
  - module: buildworks.toolchain.inference_project_info
  - module: buildworks.toolchain.inference_admin_key
"""

EXAMPLES = r"""
- name: Create a service account for the nightly build and rotate it every 90 days
  buildworks.toolchain.inference_service_account:
    project_name: Sandbox
    name: nightly build
    rotate_after: 7776000
    key_file: ~/nightly.key

- name: Create a service account and register its key
  buildworks.toolchain.inference_service_account:
    project_id: proj_sandbox
    name: release job
  register: release
  no_log: true

- name: Delete the service account and its key
  buildworks.toolchain.inference_service_account:
    project_id: proj_sandbox
    name: release job
    state: absent
"""

RETURN = r"""
service_account:
  description: State of the account after the task or, in check mode, the predicted state. V(null) if the account does
    not exist.
  returned: success
  type: dict
  contains:
    id:
      description: ID of the account.
      type: str
    name:
      description: Name of the account.
      type: str
    role:
      description: Role in the project.
      type: str
    created:
      description: Creation time, as a Unix timestamp.
      type: int
    created_at:
      description: Creation time, in ISO 8601 format (UTC).
      type: str
    surplus:
      description: IDs of other accounts with the same name.
      type: list
      elements: str
removed:
  description: IDs of the accounts that were deleted or, in check mode, would be deleted.
  returned: success
  type: list
  elements: str
secret:
  description: Key of the new account, which cannot be retrieved later. V(null) if O(key_file) is set or no account was
    created.
  returned: success
  type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import (
    projects,
    service_accounts,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued_secret import ISSUED_SECRET, IssuedSecret
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (
    (INFERENCE + projects.PROJECT_OPTIONS)
    + (STATE + VISIBILITY + ISSUED_SECRET + PREDICT_MISSING)
    + ArgumentSpec(
        dict(
            name=dict(type="str", required=True, **NAME),
            role=dict(type="str", choices=list(service_accounts.ROLES)),
            rotate_after=dict(type="int", at_least=1, at_most=100 * 365 * 86400),
        ),
        required_one_of=[("project_id", "project_name")],
    )
)


def run(task: Task) -> None:
    options = task.select_provided("name", "role")
    secret = IssuedSecret(task, service_accounts.ServiceAccountService(task))

    def desired(before: Fields | None) -> Fields:
        replaced = before if before and secret.replace_reason(before) else None
        return service_accounts.inherit_role(options, replaced)

    secret.reconcile("service_account", desired, service_accounts.to_result)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
