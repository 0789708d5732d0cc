# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Option for check mode of resources that depend on missing ones."""

    DOCUMENTATION = r"""
options:
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create the missing objects that this task requires, such as users,
        groups, projects, repositories or files.
      - If V(false), check mode fails if such an object is missing.
      - Ignored outside of check mode.
    type: bool
    default: false
"""
