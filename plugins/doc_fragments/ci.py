# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How to reach and log in to a CI server."""

    DOCUMENTATION = r"""
options:
  url:
    description:
      - Address of the server, such as C(https://ci.example.com/jenkins).
      - The environment variable E(JENKINS_URL) is used when this is not given. One of the two is needed.
    type: str
  username:
    description:
      - Name of the account. Without it requests are anonymous.
      - The environment variable E(JENKINS_USER_ID) is used when this is not given.
    type: str
  password:
    description:
      - Password of the account. It is used before O(api_token).
      - With a password each session needs a crumb, which is fetched, kept and renewed when the server asks for it.
    type: str
  api_token:
    description:
      - API token of the account. No crumb is needed then.
      - The environment variable E(JENKINS_API_TOKEN) is used when this is not given.
    type: str
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.ci
      - buildworks.toolchain.all
"""
