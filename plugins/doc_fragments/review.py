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
      - Address of the server, such as C(https://review.example.com:8443), without C(/review/api).
      - When this is not given, the host's variable C(toolchain_review_url) is used, then the
        environment variable E(KLOCWORK_URL). One of them is needed.
    type: str
  username:
    description:
      - Name of the account.
      - When it is not given, the account of the matching line in O(ltoken_file) is used.
      - When this is not given, the host's variable C(toolchain_review_username) is used.
    type: str
  ltoken:
    description:
      - Login token of the account, as C(kwauth) stores it. It is used before O(ltoken_file).
      - C(kwauth) from 2024.2 on keeps it in a store of its own, where O(ltoken_file) has nothing;
        C(kwauth --print-auth-info) prints it. Application tokens do not open the Web API.
      - A server without access control needs none; O(username) is enough then.
      - When this is not given, the host's variable C(toolchain_review_ltoken) is used.
    type: str
  ltoken_file:
    description:
      - File with login tokens, a line C(host;port;user;token) each, used where the port is that of O(url) (80 or 443
        when it has none), and the account is O(username) if given.
      - A line with exactly the host of O(url) goes before others; without one, the first line is used whose host means
        the same machine. Lines of another form are ignored; if no line fits, the message names the first of them that
        contains the host.
      - It must be an ordinary file in UTF-8, or in UTF-16 with a byte order mark.
      - When this is not given, the host's variable C(toolchain_review_ltoken_file) is used, then the
        environment variable E(KLOCWORK_LTOKEN), else C(~/.klocwork/ltoken), or on Windows C(%APPDATA%/.klocwork/ltoken)
        where that alone is there.
    type: path
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.review
      - buildworks.toolchain.all
notes:
  - Klocwork sends an empty list as an empty response, which is also what remains if the body of a response is lost.
    Lists of modules, views, roles, role assignments and accounts are never empty, so the task fails if one is. An
    empty list of builds is verified with the configuration of the project, an empty list of projects with the modules
    of the project, and an empty list of groups with the groups of all accounts. A group without members remains
    undetected if the list of groups is lost twice in a row.
seealso:
  - name: Validate and Klocwork Web API
    description: The documentation of the vendor.
    link: https://help.klocwork.com/current/en-us/concepts/klocworkwebapicookbook.htm
"""
