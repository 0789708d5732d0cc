# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How to reach and log in to a code-analysis server."""

    DOCUMENTATION = r"""
options:
  url:
    description:
      - Address of the server, such as C(https://review.example.com:8443).
      - The environment variable E(KLOCWORK_URL) is used when this is not given. One of the two is needed.
    type: str
  username:
    description:
      - Name of the account.
      - When it is not given, the account of the matching line in O(ltoken_file) is used.
    type: str
  ltoken:
    description:
      - Login token of the account, as C(kwauth) stores it. It is used before O(ltoken_file).
      - A server without access control needs none; O(username) is enough then.
    type: str
  ltoken_file:
    description:
      - File with login tokens, a line C(host;port;user;token) each. The first line that fits O(url), and O(username) if
        given, is used. Names of a host that mean the same machine fit each other.
      - The environment variable E(KLOCWORK_LTOKEN) is used when this is not given, else C(~/.klocwork/ltoken).
    type: path
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.review
      - buildworks.toolchain.all
"""
