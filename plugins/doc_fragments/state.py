# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The option for the state of a resource."""

    DOCUMENTATION = r"""
options:
  state:
    description: Whether the resource should exist.
    type: str
    choices:
      present: The resource exists.
      absent: The resource does not exist.
    default: present
"""
