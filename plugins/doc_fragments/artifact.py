# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How to reach and log in to an artifact repository."""

    DOCUMENTATION = r"""
options:
  url:
    description:
      - Address of the platform, such as C(https://repo.example.com). A last C(/artifactory) may be there or not.
      - The environment variable E(JFROG_URL) is used when this is not given. One of the two is needed.
    type: str
  username:
    description: Name of the account. With O(password) it is used before O(api_key) and O(token).
    type: str
  password:
    description: Password of the account.
    type: str
  token:
    description:
      - Access token, or reference token.
      - The environment variable E(JFROG_ACCESS_TOKEN) is used when this is not given.
    type: str
  api_key:
    description:
      - API key, sent as C(X-JFrog-Art-Api). It is used before O(token).
      - Servers from 7.98 on issue none any more.
    type: str
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.artifact
      - buildworks.toolchain.all
"""
