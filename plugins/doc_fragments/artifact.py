# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options for the URL and the credentials of Artifactory."""

    DOCUMENTATION = r"""
options:
  url:
    description:
      - URL of the JFrog Platform, such as C(https://repo.example.com). A trailing C(/artifactory) is ignored.
      - If not set, the host variable C(toolchain_artifact_url) is used, then the environment variable E(JFROG_URL).
        One of them is required.
    type: str
  username:
    description:
      - Name of the user. Together with O(password), it takes precedence over O(api_key) and O(token).
      - If not set, the host variable C(toolchain_artifact_username) is used.
    type: str
  password:
    description:
      - Password of the user.
      - If not set, the host variable C(toolchain_artifact_password) is used.
    type: str
  token:
    description:
      - Access token or reference token.
      - If not set, the host variable C(toolchain_artifact_token) is used, then the environment variable
        E(JFROG_ACCESS_TOKEN).
    type: str
  api_key:
    description:
      - API key, sent in the C(X-JFrog-Art-Api) header. It takes precedence over O(token).
      - Artifactory 7.98 and later do not create API keys.
      - If not set, the host variable C(toolchain_artifact_api_key) is used.
    type: str
  netrc_file:
    description:
      - Path to a netrc file (C(machine repo.example.com login automation password ...)) with the user name and password
        for the host in O(url).
      - It is used if O(password), O(token) and O(api_key) are not set.
      - Only the owner may have access to the file.
      - If O(username) is set, the entry in the file must be for that user.
      - If not set, the host variable C(toolchain_artifact_netrc_file) is used, then the environment variable E(NETRC).
        C(~/.netrc) is only read if one of them names it.
    type: path
attributes:
  action_group:
    description: Supports C(module_defaults) for action groups.
    support: full
    membership:
      - buildworks.toolchain.artifact
      - buildworks.toolchain.all
seealso:
  - name: Artifactory REST API
    description: Reference documentation of the REST API.
    link: https://jfrog.com/help/r/jfrog-rest-apis/artifactory-rest-apis
"""
