# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Option of modules that can delete entries that are not listed."""

    DOCUMENTATION = r"""
options:
  purge:
    description: Whether to delete entries that are not listed.
    type: bool
    default: false
"""
