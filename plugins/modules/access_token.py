#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: access_token
short_description: Manage an access token of an artifact repository
description:
  - Sees to it that one live token exists for a description, a subject and a scope, or that none does.
  - Description, subject and scope identify a token. Several hosts can use the same ones, each with its own
    O(token_file). A task revokes only the token that its O(token_file) held, unless O(surplus=revoke).
  - The server hands out a token's secret only once, when it is made. So the secret goes into O(token_file), or into the
    result when no file is named. In the second case set C(no_log) on the task; the task warns otherwise.
  - A token is replaced by making the new one first, storing its secret once the server lists it, and revoking the old
    one then. That happens when it expires within O(rotate_before) seconds, or when the secret in O(token_file) is not
    that of a live token, which is proven by its id.
  - If the response to the create request is lost, the orphaned token is revoked and the request is repeated once. If
    another task created a token at the same time, the task fails and names both, because it cannot tell which is which.
  - The server's clock decides whether a token is live and when it is replaced, if its responses have a C(Date) header.
    Otherwise it is the clock of the machine that runs the module.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes
notes:
  - Needs an administrator of the platform for the tokens of others; an account may make and revoke its own.
options:
  description:
    description: What the token is for. With O(subject) and O(scope) it identifies the token.
    type: str
    required: true
  subject:
    description:
      - The name of an account, which has no slash in it; the token acts for it.
      - Only administrators may name another than themselves.
    type: str
    required: true
  scope:
    description:
      - What the token permits, one or more scopes separated by blanks, such as V(applied-permissions/user),
        V(applied-permissions/admin) or V(applied-permissions/groups:"readers","deployers").
      - Servers that do not tell the scope of their tokens (before 7.21) are believed to have the right one.
    type: str
    default: applied-permissions/user
  expires_in:
    description:
      - Seconds that a new token lives, 0 to 3,153,600,000. V(0) is for ever, for administrators only. Without it the
        server decides.
      - It does not matter to a token that is there already.
    type: int
  rotate_before:
    description: Replace a token that expires within this many seconds, 0 to 3,153,600,000.
    type: int
  token_file:
    description:
      - File to write a new secret to, all at once. Its folder must be there, but in check mode.
      - A link to a file is followed; a folder, a device or a pipe is refused. So is a file that holds the token of
        another server, or something else than a token.
      - It gets the reference token with O(include_reference_token=true), else the access token.
      - The task warns if other users can read the existing file and O(mode) is not set, or if they can write to its
        folder.
    type: path
  refreshable:
    description: Whether a new token comes with a refresh token.
    type: bool
  refresh_token_file:
    description: File to write a new refresh token to. Required with both O(token_file) and O(refreshable=true).
    type: path
  include_reference_token:
    description: Ask for a short reference token as well.
    type: bool
    default: false
  project_key:
    description: Project that a new token belongs to.
    type: str
  allow_unlisted:
    description:
      - Accept a token that the server does not store. It works, but is not listed and cannot be revoked, so each run of
        the task makes another one.
      - By default an O(expires_in) under 10,800 seconds is refused, because servers do not store such tokens.
    type: bool
    default: false
  state:
    description:
      - V(present) sees to it that there is a live token.
      - V(absent) revokes all live tokens of this description, subject and scope. Files are left alone.
  surplus:
    description:
      - What to do with other live tokens of this O(description), O(subject) and O(scope). RV(token.surplus) lists them.
      - If the response to the creation of a token is lost, that token is revoked in any case.
      - O(state=absent) revokes all of them in any case.
      - If a run is killed after it stored a new secret, or the old token cannot be revoked, V(keep) leaves the old
        token alone in later runs.
      - Servers before 7.53 do not tell which token a reference token in O(token_file) is. With V(keep), a rotation
        there leaves the old token until it expires.
    type: str
    choices:
      keep: Leave them alone, because other hosts may use them.
      revoke: Revoke them. The one whose secret is in O(token_file) stays, without O(token_file) the newest. Use this
        if only one place stores the token.
    default: keep
seealso:
  - module: buildworks.toolchain.access_token_info
"""

EXAMPLES = r"""
- name: Keep a token for the build agents, a new one a week before the old one expires
  buildworks.toolchain.access_token:
    description: build agents
    subject: ci
    scope: applied-permissions/user
    expires_in: 7776000
    rotate_before: 604800
    token_file: ~/ci.token

- name: Make a token and hand it to another task
  buildworks.toolchain.access_token:
    description: release job
    subject: ci
    expires_in: 86400
  register: release
  no_log: true

- name: Revoke a token
  buildworks.toolchain.access_token:
    description: build agents
    subject: ci
    state: absent
"""

RETURN = r"""
token:
  description: The token afterwards, or as it would be in check mode, never with a secret. None when it is absent.
  returned: success
  type: dict
  contains:
    token_id:
      description: Id of the token.
      type: str
    description:
      description: What it is for.
      type: str
    subject:
      description: The subject in the server's long form.
      type: str
    username:
      description: Name of the account that it acts for.
      type: str
    scope:
      description: What it permits.
      type: str
    issued_at:
      description: When it was made, in seconds since 1970.
      type: int
    expiry:
      description: When it expires, in seconds since 1970. None for never.
      type: int
    refreshable:
      description: Whether it can be refreshed.
      type: bool
    last_used:
      description: When it was used last, in seconds since 1970, if the server tells.
      type: int
    surplus:
      description: Ids of other live tokens with this description, subject and scope.
      type: list
      elements: str
revoked:
  description: Ids of the tokens that were revoked, or would be in check mode.
  returned: success
  type: list
  elements: str
access_token:
  description: The secret, when a token was made and O(token_file) is not given. Only now, never again. None otherwise.
  returned: success
  type: str
reference_token:
  description:
    - The reference token, when one was made with O(include_reference_token=true) and O(token_file) is not given.
    - Only now, never again. None otherwise.
  returned: success
  type: str
refresh_token:
  description:
    - The refresh token, when one was made with O(refreshable=true) and O(token_file) is not given.
    - Only now, never again. None otherwise.
  returned: success
  type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import tokens
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import STATE, TO_FILE
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (ARTIFACT + STATE + TO_FILE) + ArgumentSpec(
    dict(
        description=dict(type="str", required=True, **NAME),
        subject=dict(type="str", required=True, matches=tokens.SUBJECT, **NAME),
        scope=dict(type="str", default="applied-permissions/user", **NAME),
        expires_in=dict(type="int", at_least=0, at_most=tokens.LONGEST_LIFE),
        rotate_before=dict(type="int", at_least=0, at_most=tokens.LONGEST_LIFE),
        token_file=dict(type="path", no_log=False, not_empty=True),
        refreshable=dict(type="bool"),
        refresh_token_file=dict(type="path", no_log=False, not_empty=True),
        include_reference_token=dict(type="bool", default=False, no_log=False),
        project_key=dict(type="str", no_log=False, **NAME),
        allow_unlisted=dict(type="bool", default=False),
        surplus=dict(type="str", choices=["keep", "revoke"], default="keep"),
    )
)


def run(task):
    token = tokens.Token(task, ArtifactService(task))
    reconcile(
        task,
        "token",
        read=token.find,
        desired=token.desired(description=task.params["description"], username=task.params["subject"]),
        create=token.create,
        update=token.remove_surplus,
        delete=token.remove,
        stale=token.stale,
        check=token.check,
        replace=token.replace,
        show=tokens.as_result,
    )
    task.result["revoked"] = token.going(task.result["token"])


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
