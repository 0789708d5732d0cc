# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options for the address and login token of a Klocwork server."""

    DOCUMENTATION = r"""
options:
  url:
    description:
      - URL of the Klocwork server, such as C(https://review.example.com:8443), without C(/review/api).
      - If not set, the host variable C(toolchain_review_url) is used, then the environment variable E(KLOCWORK_URL).
        One of them is required.
    type: str
  username:
    description:
      - Name of the account.
      - If not set, the host variable C(toolchain_review_username) is used, then the account of the matching line in
        O(ltoken_file).
    type: str
  ltoken:
    description:
      - Login token (ltoken) of the account, as created by C(kwauth). Takes precedence over O(ltoken_file).
      - Since Klocwork 2024.2, C(kwauth) does not write the token to the file but to its own store. Run
        C(kwauth --print-auth-info) to print it. Application tokens cannot be used with the Web API.
      - If access control is disabled on the server, only O(username) is required.
      - If not set, the host variable C(toolchain_review_ltoken) is used.
    type: str
  ltoken_file:
    description:
      - Path to the file with login tokens. Each line has the format C(host;port;user;token).
      - A line matches if it has the port of O(url) (80 or 443 if O(url) has no port) and, if set, the account
        O(username). The module prefers a line with the host of O(url), then a line with another name or address
        of the same machine. Malformed lines are ignored. If no line matches, the error message mentions the first
        malformed line that contains the host.
      - Must be a regular file, encoded in UTF-8, or in UTF-16 with a byte order mark.
      - If not set, the host variable C(toolchain_review_ltoken_file) is used, then the environment variable
        E(KLOCWORK_LTOKEN), then C(~/.klocwork/ltoken), or C(%APPDATA%/.klocwork/ltoken) if only that file exists.
    type: path
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.review
      - buildworks.toolchain.all
notes:
  - Klocwork returns an empty list as an empty response body, which cannot be distinguished from a lost body. Lists of
    modules, views, roles, role assignments and accounts are never empty, so the task fails if one is. The module
    verifies empty lists of builds, projects and groups with a second request. If the list of groups is lost twice in
    a row, the module does not detect a group without members.
seealso:
  - name: Validate and Klocwork Web API
    description: Documentation of the vendor.
    link: https://help.klocwork.com/current/en-us/concepts/klocworkwebapicookbook.htm
"""
