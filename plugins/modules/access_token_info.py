#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: access_token_info
short_description: List the access tokens of an artifact repository
description:
  - Lists the tokens that the account may see; administrators see all. Secrets are never in the list.
  - Tokens that live shorter than the server's threshold (10,800 seconds by default) are not listed by the server.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - An administrator of the platform sees all tokens, another account its own.
options:
  description:
    description: Only tokens with this description. A star stands for any text.
    type: str
  subject:
    description: Only tokens that act for this account.
    type: str
  refreshable:
    description: Only tokens that can be refreshed, or only those that cannot.
    type: bool
  token_id:
    description: Only the token of this id.
    type: str
seealso:
  - module: buildworks.toolchain.access_token
"""

EXAMPLES = r"""
- name: List all tokens
  buildworks.toolchain.access_token_info:
  register: access

- name: List the tokens of one account that have to do with builds
  buildworks.toolchain.access_token_info:
    description: build*
    subject: ci
"""

RETURN = r"""
tokens:
  description: The tokens, the newest first. Empty when there is none.
  returned: success
  type: list
  elements: dict
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
      description: What it permits, if the server tells.
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
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import tokens
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = ARTIFACT + ArgumentSpec(
    dict(
        description=dict(type="str", **NAME),
        subject=dict(type="str", **NAME),
        refreshable=dict(type="bool"),
        token_id=dict(type="str", no_log=False, **NAME),
    )
)


def run(task):
    filters = task.given("description", "token_id")
    if task.params["subject"] is not None:
        filters["username"] = task.params["subject"]
    if task.params["refreshable"] is not None:
        filters["refreshable"] = str(task.params["refreshable"]).lower()
    task.result["tokens"] = tokens.listed(ArtifactService(task), **filters)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
