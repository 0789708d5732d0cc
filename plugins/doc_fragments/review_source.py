# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Another code-analysis server, from which something is imported."""

    DOCUMENTATION = r"""
options:
  source_url:
    description: Address of the other server, as this one reaches it.
    type: str
    required: true
  source_username:
    description: Name of an account of the other server that is a C(Projects root admin) there.
    type: str
    required: true
  source_password:
    description: Password of that account. Without it none is sent.
    type: str
"""
