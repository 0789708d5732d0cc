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
      - When this is not given, the host's variable C(toolchain_ci_url) is used, then the
        environment variable E(JENKINS_URL). One of them is needed.
    type: str
  username:
    description:
      - Name of the account. Without it requests are anonymous.
      - When this is not given, the host's variable C(toolchain_ci_username) is used, then the
        environment variable E(JENKINS_USER_ID).
    type: str
  password:
    description:
      - Password of the account. It is used before O(api_token).
      - With a password each session needs a crumb, which is fetched, kept and renewed when the server asks for it.
      - When this is not given, the host's variable C(toolchain_ci_password) is used.
    type: str
  api_token:
    description:
      - API token of the account. No crumb is needed then.
      - When this is not given, the host's variable C(toolchain_ci_api_token) is used, then the
        environment variable E(JENKINS_API_TOKEN).
    type: str
  netrc_file:
    description:
      - File in netrc format (C(machine ci.example.com login automation password ...)) with user name and password for
        the host of O(url). Used when neither O(password) nor O(api_token) is given.
      - Nobody but its owner may have access to it.
      - When O(username) is given, the line must be for that account.
      - When this is not given, the host's variable C(toolchain_ci_netrc_file) is used, then the
        environment variable E(NETRC). Without any of them no such file is read, not even C(~/.netrc).
    type: path
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.ci
      - buildworks.toolchain.all
seealso:
  - name: Jenkins Remote Access API
    description: The documentation of the vendor.
    link: https://www.jenkins.io/doc/book/using/remote-access-api/
"""
