#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: access_token
short_description: Manage an Artifactory access token
description:
  - Create, rotate or revoke a JFrog access token for Artifactory. A token is identified by its description, subject and
    scope.
  - Several hosts can use the same identity, each with its own O(token_file). A task only revokes the token that its
    O(token_file) contained, unless O(surplus=revoke).
  - Artifactory returns the secret only once, in the response to the create request. The module writes it to
    O(token_file) or, if that is not set, returns it. If the task returns the secret, set C(no_log) on the task.
    Otherwise, the task warns.
  - A token is rotated if it expires within O(rotate_before) seconds or if O(token_file) does not contain the secret of
    an active token. Rotation creates the new token, waits until the server lists it, stores its secret and then revokes
    the old token.
  - If the response to the create request is lost, the module revokes the orphaned token and repeats the request once.
    If another task created a token at the same time, the module cannot distinguish the two tokens, so it fails and
    returns both IDs.
  - If responses have a C(Date) header, the server's clock determines whether a token is active and when it is rotated.
    Otherwise, the clock of the machine that runs the module is used.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.access_token
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.to_file
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires Artifactory 7.21.1 or later. Tokens of earlier versions have no description.
  - Users can create and revoke their own tokens. Managing the tokens of other users requires administrator permissions.
options:
  description:
    description: Purpose of the token. Together with O(subject) and O(scope), it identifies the token.
    type: str
    required: true
  subject:
    description:
      - Name of the user for whom the token is issued. It must not contain a slash.
      - Subjects other than the account itself require administrator permissions.
    type: str
    required: true
  scope:
    description:
      - Scope of the token. Separate several scopes with spaces. Examples are V(applied-permissions/user),
        V(applied-permissions/admin) and V(applied-permissions/groups:"readers","deployers").
      - Artifactory before 7.55 does not return the scope of tokens. For these versions, the module assumes that the
        scope matches.
    type: str
    default: applied-permissions/user
  expires_in:
    description:
      - Lifetime of a new token in seconds. Existing tokens are not changed.
      - V(0) creates a token that never expires, which requires administrator permissions.
      - If not set, the server's default applies.
    type: int
  rotate_before:
    description: Rotate a token that expires within this many seconds.
    type: int
  token_file:
    description:
      - Path to the file to which the secret of a new token is written atomically. The parent directory must exist.
        Check mode does not verify this.
      - With O(include_reference_token=true), the file contains the reference token instead of the access token.
      - Symbolic links to files are followed. The task fails if the path is a directory, a device or a pipe, or if the
        file contains a token of another server or anything other than a token.
      - The task warns if other users can read the existing file and O(mode) is not set, or if other users can write to
        its directory.
    type: path
  refreshable:
    description: Whether to request a refresh token together with a new token.
    type: bool
  refresh_token_file:
    description: Path to the file to which a new refresh token is written. Required if both O(token_file) and
      O(refreshable=true) are set.
    type: path
  include_reference_token:
    description: Whether to request a short reference token together with a new token. Requires Artifactory 7.38.10 or
      later.
    type: bool
    default: false
  project_key:
    description: Key of the project to which a new token belongs.
    type: str
  allow_unlisted:
    description:
      - Whether to accept a token that the server does not store. Such a token works, but it is not listed and cannot be
        revoked. Each run of the task creates another token.
      - By default, O(expires_in) values below 10,800 seconds are refused, because servers do not store such tokens.
    type: bool
    default: false
  allow_lockout:
    description:
      - Whether to allow the revocation of the token with which this task authenticates.
      - If V(false), the task fails before it would revoke this token without a replacement. A rotation is allowed,
        because the new token is stored or returned. The task also fails if O(token) is a reference token whose ID the
        server does not report. This is the case on Artifactory before 7.53.
    type: bool
    default: false
  state:
    choices:
      present: An active token exists.
      absent: All active tokens with this description, subject and scope are revoked. Files are not changed.
  surplus:
    description:
      - How to treat other active tokens with the same O(description), O(subject) and O(scope). RV(token.surplus) lists
        them.
      - If the response to the create request is lost, the orphaned token is always revoked.
      - O(state=absent) always revokes all matching tokens.
      - If a run is killed after it stored a new secret, or if the old token cannot be revoked, later runs with V(keep)
        do not revoke the old token.
      - Artifactory before 7.53 does not report to which token a reference token in O(token_file) belongs. With V(keep),
        a rotation on these versions does not revoke the old token, which remains valid until it expires.
    type: str
    choices:
      keep: Do not change the other tokens, because other hosts may use them.
      revoke: Revoke all tokens except the one stored in O(token_file) or, if O(token_file) is not set, the newest one.
        Use this value if only one host stores the token.
    default: keep
seealso:
  - module: buildworks.toolchain.access_token_info
"""

EXAMPLES = r"""
- name: Create a token for the build agents and rotate it one week before it expires
  buildworks.toolchain.access_token:
    description: build agents
    subject: ci
    scope: applied-permissions/user
    expires_in: 7776000
    rotate_before: 604800
    token_file: ~/ci.token

- name: Create a token and pass it to another task
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
  description: State of the token after the task, without its secret. In check mode, the predicted state. V(null) if the
    token does not exist.
  returned: success
  type: dict
  contains:
    token_id:
      description: ID of the token.
      type: str
    description:
      description: Description of the token.
      type: str
    subject:
      description: Subject of the token, in the server's long form.
      type: str
    username:
      description: Name of the user for whom the token was issued.
      type: str
    scope:
      description: Scope of the token.
      type: str
    issued_at:
      description: Time at which the token was issued, in seconds since the epoch.
      type: int
    expiry:
      description: Time at which the token expires, in seconds since the epoch. V(null) if it never expires.
      type: int
    refreshable:
      description: Whether the token can be refreshed.
      type: bool
    last_used:
      description: Time at which the token was last used, in seconds since the epoch, if the server reports it.
      type: int
    surplus:
      description: IDs of other active tokens with the same description, subject and scope.
      type: list
      elements: str
revoked:
  description: IDs of the tokens that were revoked or, in check mode, would be revoked.
  returned: success
  type: list
  elements: str
access_token:
  description: The access token. Only returned by the task that creates the token, and only if O(token_file) is not set.
    V(null) otherwise.
  returned: success
  type: str
reference_token:
  description:
    - The reference token. Only returned by the task that creates the token with O(include_reference_token=true), and
      only if O(token_file) is not set. V(null) otherwise.
  returned: success
  type: str
refresh_token:
  description:
    - The refresh token. Only returned by the task that creates the token with O(refreshable=true), and only if
      O(token_file) is not set. V(null) otherwise.
  returned: success
  type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import tokens
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued_secret import IssuedSecret
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE, TO_FILE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + STATE + TO_FILE + VISIBILITY) + ArgumentSpec(
    dict(
        description=dict(type="str", required=True, **NAME),
        subject=dict(type="str", required=True, matches=tokens.SUBJECT, **NAME),
        scope=dict(type="str", default="applied-permissions/user", narrows_scope=True, **NAME),
        expires_in=dict(type="int", narrows_scope=True, at_least=0, at_most=tokens.LONGEST_LIFE),
        rotate_before=dict(type="int", at_least=0, at_most=tokens.LONGEST_LIFE),
        token_file=dict(type="path", no_log=False, not_empty=True),
        refreshable=dict(type="bool"),
        refresh_token_file=dict(type="path", no_log=False, not_empty=True),
        include_reference_token=dict(type="bool", default=False, no_log=False),
        project_key=dict(type="str", no_log=False, narrows_scope=True, **NAME),
        allow_unlisted=dict(type="bool", default=False),
        allow_lockout=dict(type="bool", default=False),
        surplus=dict(type="str", choices=["keep", "revoke"], default="keep"),
    )
)


def run(task: Task) -> None:
    desired = {"description": task.params["description"], "username": task.params["subject"]}
    secret = IssuedSecret(task, tokens.TokenService(task, ArtifactService(task)))
    secret.reconcile("token", lambda _before: desired, tokens.to_result)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
