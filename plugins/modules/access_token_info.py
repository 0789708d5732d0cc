#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: access_token_info
short_description: Get Artifactory access token information
description:
  - Get a list of the JFrog access tokens of an Artifactory server that are visible to the account. Secrets are never
    returned.
  - The server does not list tokens whose lifetime is below its threshold, which is 10,800 seconds by default.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.access_token_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires Artifactory 7.21.1 or later. Tokens of earlier versions have no description.
  - No special permission is required to list the account's own tokens. Only administrators see the tokens of other
    users.
options:
  description:
    description: Return only tokens with this description. V(*) matches any text.
    type: str
  subject:
    description: Return only tokens issued for this user.
    type: str
  refreshable:
    description: Return only tokens that can be refreshed (V(true)) or cannot be refreshed (V(false)).
    type: bool
  token_id:
    description: Return only the token with this ID.
    type: str
  exclude_own:
    description:
      - Whether to leave out the token with which this task authenticates, and all tokens with the same description,
        subject and scope. If V(true), the task fails if it cannot identify its token.
      - Use it before you revoke the listed tokens.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.access_token
"""

EXAMPLES = r"""
- name: List all tokens
  buildworks.toolchain.access_token_info:
  register: access

- name: List the tokens of a user whose description starts with "build"
  buildworks.toolchain.access_token_info:
    description: build*
    subject: ci
"""

RETURN = r"""
tokens:
  description: The tokens, newest first. Empty if no tokens match.
  returned: success
  type: list
  elements: dict
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
      description: Scope of the token, if the server reports it.
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
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import tokens
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        description=dict(type="str", **NAME),
        subject=dict(type="str", **NAME),
        refreshable=dict(type="bool"),
        token_id=dict(type="str", no_log=False, **NAME),
        exclude_own=dict(type="bool", default=False, narrows_scope=True),
    )
)


def run(task: Task) -> None:
    filters = task.select_provided("description", "token_id")
    if task.params["subject"] is not None:
        filters["username"] = task.params["subject"]
    if task.params["refreshable"] is not None:
        filters["refreshable"] = str(task.params["refreshable"]).lower()
    artifact = ArtifactService(task)
    found = tokens.list_tokens(artifact, **filters)
    task.result["tokens"] = tokens.exclude_own(artifact, found) if task.params["exclude_own"] else found


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
