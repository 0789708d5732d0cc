#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_api_token
short_description: Manage a Jenkins API token
description:
  - Create, rotate or revoke an API token of a Jenkins user. The token is identified by its name.
  - Jenkins returns the value of a token only once, in the response to the create request. The module logs in with the
    new token to verify it. It then writes the value to O(token_file) or, if that is not set, returns it in
    RV(api_token). If the task returns the value, set C(no_log=true) on the task.
  - A token is rotated if O(token_file) does not contain the value of a token with this name, or if the token has
    expired. O(rotate_before) and O(rotate_after) can require an earlier rotation.
  - Rotation creates the new token, stores its value and then revokes the old token.
  - The module identifies the token in O(token_file) by a hash, so the value of the token is not sent to Jenkins.
  - If the response to the create request is lost, the module revokes the orphaned token and repeats the request once.
    If another task creates a token with the same name at the same time, the task fails and lists both tokens.
  - An account without the Overall/Administer permission cannot list tokens. In this case, the module logs in with the
    token in O(token_file), regardless of the name of the token. If the login fails, the module creates a new token.
  - Without the Overall/Administer permission, the module cannot revoke tokens. If the response to the create request is
    lost, the orphaned token remains and the task fails.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_api_token
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.to_file
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Administer permission for O(state=absent), O(surplus=revoke), O(rotate_before) and
    O(rotate_after). A task without O(token_file) and a task for another O(user) also require this permission. Other
    tasks require no permission.
  - The task can log in with O(password), with another API token or with the token that it rotates. If it rotates its
    own token, it continues with the new token.
  - The task fails if it would revoke the token that it logs in with, except in a rotation of this token.
  - If nothing changes, the module sends one request. Without the Overall/Administer permission, it sends two requests.
  - The module calculates the age of a token with the time in the C(Date) header of the responses. If the header is
    missing, the module uses the clock of the host that runs it.
  - Tested against the simulated server (sandbox) that comes with this collection. The sandbox is itself tested with
    recorded responses of Jenkins 2.579. The module has not been tested against a real Jenkins server.
options:
  name:
    description: Name of the token. Several tokens of a user can have the same name. In this case, O(surplus) determines
      how the other tokens are treated.
    type: str
    required: true
  user:
    description:
      - Name of the user who owns the token. The default is the account that the task logs in with.
      - Jenkins does not allow administrators to create tokens of other users, unless it is started with
        C(-Djenkins.security.ApiTokenProperty.adminCanGenerateNewTokens=true). Administrators can always revoke tokens
        of other users.
    type: str
  expires_in:
    description:
      - Lifetime of a new token in seconds, at least 86,400 (one day). Existing tokens are not changed.
      - Jenkins stores only the last day on which the token is valid. The token remains valid until the end of that day.
      - If not set, a new token does not expire. Versions of Jenkins that do not support expiring tokens ignore this
        option.
    type: int
  rotate_before:
    description: Rotate the token if it expires within this number of seconds. The value must be less than
      O(expires_in).
    type: int
  rotate_after:
    description: Rotate the token if it is at least this number of seconds old, regardless of when it expires. The value
      must be less than O(expires_in).
    type: int
  token_file:
    description:
      - Path to the file to which the value of a new token is written atomically. The parent directory must exist. Check
        mode does not verify this.
      - Symbolic links to files are followed. The task fails if the path is a directory, a device or a pipe.
      - The task fails if the file contains a token with another name or anything other than an API token.
      - If other users can read the existing file and O(mode) is not set, the task issues a warning. It also issues a
        warning if other users can write to the directory of the file.
    type: path
  state:
    choices:
      present: A valid token exists.
      absent: All tokens of the user with this name are revoked. Files are not changed.
  surplus:
    description:
      - How to treat other tokens of the user with the same name. RV(token.surplus) lists these tokens.
      - If the response to the create request is lost, the orphaned token is always revoked.
      - With O(state=absent), all tokens with this name are always revoked.
      - If a run is killed after it has stored a new value, or if the old token cannot be revoked, the old token
        remains. Later runs with V(keep) do not revoke it.
    type: str
    choices:
      keep: Do not change the other tokens, because other hosts may use them.
      revoke: Revoke all tokens except the one stored in O(token_file) or, if O(token_file) is not set, the newest one.
        Use this value if only one host stores the token.
    default: keep
seealso:
  - module: buildworks.toolchain.ci_user
  - module: buildworks.toolchain.ci_user_info
"""

EXAMPLES = r"""
- name: Create an API token for the backup and rotate it every 90 days
  buildworks.toolchain.ci_api_token:
    name: backup
    rotate_after: 7776000
    token_file: ~/backup.token

- name: Create an API token and pass it to another task
  buildworks.toolchain.ci_api_token:
    name: release
    expires_in: 86400
  register: release
  no_log: true

- name: Revoke the API token of another user
  buildworks.toolchain.ci_api_token:
    name: notebook
    user: builder
    state: absent
"""

RETURN = r"""
token:
  description: State of the API token after the task, without its value. In check mode, the predicted state. V(null) if
    the token does not exist.
  returned: success
  type: dict
  contains:
    uuid:
      description: ID of the token. V(null) in check mode if the token would be created. Also V(null) if the account of
        the task may not list tokens and the task did not create the token.
      type: str
    name:
      description: Name of the token.
      type: str
    user:
      description: Name of the user who owns the token.
      type: str
    created:
      description: Time when the token was created, as a Unix timestamp. V(null) if it is unknown.
      type: int
    created_at:
      description: Time when the token was created, in ISO 8601 format (UTC). V(null) if it is unknown.
      type: str
    expires:
      description: Last day on which the token is valid, in ISO 8601 format. V(null) if the token does not expire, or if
        the account of the task may not list tokens. Also V(null) in check mode if the token would be created.
      type: str
    surplus:
      description: IDs of other tokens of the user with the same name. Empty if no other token has this name, or if the
        account of the task may not list tokens.
      type: list
      elements: str
  sample:
    uuid: 6a9b8202-cbfd-435d-9231-2a5384c58003
    name: backup
    user: admin
    created: 1795400596
    created_at: "2026-11-23T02:23:16Z"
    expires: null
    surplus: []
revoked:
  description: IDs of the tokens that were revoked or, in check mode, would be revoked.
  returned: success
  type: list
  elements: str
api_token:
  description: Value of the new token, which cannot be retrieved later. V(null) if O(token_file) is set or no token was
    created.
  returned: success
  type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.object_names import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import api_token
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued_secret import IssuedSecret
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, TO_FILE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + STATE + TO_FILE + VISIBILITY) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **NAME),
        user=dict(type="str", **SEGMENT),
        expires_in=dict(type="int", narrows_scope=True, at_least=api_token.DAY, at_most=api_token.LONGEST_LIFE),
        rotate_before=dict(type="int", at_least=1, at_most=api_token.LONGEST_LIFE),
        rotate_after=dict(type="int", at_least=1, at_most=api_token.LONGEST_LIFE),
        token_file=dict(type="path", no_log=False, not_empty=True),
        surplus=dict(type="str", choices=["keep", "revoke"], default="keep"),
    )
)


def run(task: Task) -> None:
    service = api_token.ApiTokenService(task, CiService(task))
    secret = IssuedSecret(task, service)
    secret.reconcile("token", lambda _before: task.select_provided("name"), service.to_result)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
