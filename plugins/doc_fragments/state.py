# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Whether a resource shall be there."""

    DOCUMENTATION = r"""
options:
  state:
    description: Whether it shall be there, V(present), or not, V(absent).
    type: str
    choices: [present, absent]
    default: present
"""
