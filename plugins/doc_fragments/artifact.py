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
      - When this is not given, the host's variable C(toolchain_artifact_url) is used, then the
        environment variable E(JFROG_URL). One of them is needed.
    type: str
  username:
    description:
      - Name of the account. With O(password) it is used before O(api_key) and O(token).
      - When this is not given, the host's variable C(toolchain_artifact_username) is used.
    type: str
  password:
    description:
      - Password of the account.
      - When this is not given, the host's variable C(toolchain_artifact_password) is used.
    type: str
  token:
    description:
      - Access token, or reference token.
      - When this is not given, the host's variable C(toolchain_artifact_token) is used, then the
        environment variable E(JFROG_ACCESS_TOKEN).
    type: str
  api_key:
    description:
      - API key, sent as C(X-JFrog-Art-Api). It is used before O(token).
      - Servers from 7.98 on issue none any more.
      - When this is not given, the host's variable C(toolchain_artifact_api_key) is used.
    type: str
  netrc_file:
    description:
      - File in netrc format (C(machine repo.example.com login automation password ...)) with user name and password for
        the host of O(url).
      - It is used when neither O(password), O(token) nor O(api_key) is given.
      - Nobody but its owner may have access to it.
      - When O(username) is given, the line must be for that account.
      - When this is not given, the host's variable C(toolchain_artifact_netrc_file) is used, then the
        environment variable E(NETRC). Without any of them no such file is read, not even C(~/.netrc).
    type: path
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.artifact
      - buildworks.toolchain.all
seealso:
  - name: Artifactory REST API
    description: The reference of the vendor.
    link: https://jfrog.com/help/r/jfrog-rest-apis/artifactory-rest-apis
"""
