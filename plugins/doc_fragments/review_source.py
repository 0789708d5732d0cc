# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options for the Klocwork server to import from."""

    DOCUMENTATION = r"""
options:
  source_url:
    description: URL of the Klocwork server to import from. It must be reachable from the server at O(url).
    type: str
    required: true
  source_username:
    description: Name of an account with the role C(Projects root admin) on the source server.
    type: str
    required: true
  source_password:
    description: Password of the account on the source server. If not set, no password is sent.
    type: str
"""
