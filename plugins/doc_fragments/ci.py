# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Connection options of all Jenkins modules."""

    DOCUMENTATION = r"""
options:
  url:
    description:
      - URL of the Jenkins controller, such as C(https://ci.example.com/jenkins).
      - If not set, the host variable C(toolchain_ci_url) is used, then the environment variable E(JENKINS_URL). One of
        them is required.
    type: str
  username:
    description:
      - Name of the user to log in with. If there is no user name, requests are anonymous.
      - If not set, the host variable C(toolchain_ci_username) is used, then the environment variable
        E(JENKINS_USER_ID).
    type: str
  password:
    description:
      - Password of the user. Takes precedence over O(api_token).
      - Jenkins requires a crumb for sessions with a password. The module requests, caches and renews this crumb.
      - If not set, the host variable C(toolchain_ci_password) is used.
    type: str
  api_token:
    description:
      - API token of the user. Does not require a crumb.
      - If not set, the host variable C(toolchain_ci_api_token) is used, then the environment variable
        E(JENKINS_API_TOKEN).
    type: str
  netrc_file:
    description:
      - Path to a netrc file (C(machine ci.example.com login automation password ...)) with user name and password for
        the host of O(url). Used if neither O(password) nor O(api_token) is set.
      - Only the owner may have access to the file.
      - If O(username) is set, the entry must be for this user.
      - If not set, the host variable C(toolchain_ci_netrc_file) is used, then the environment variable E(NETRC). If
        none of these is set, no netrc file is read, not even C(~/.netrc).
    type: path
attributes:
  action_group:
    description: Action groups of the module, for use in C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.ci
      - buildworks.toolchain.all
seealso:
  - name: Jenkins Remote Access API
    description: API documentation of Jenkins.
    link: https://www.jenkins.io/doc/book/using/remote-access-api/
"""
