# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Where a long list goes."""

    DOCUMENTATION = r"""
options:
  to_file:
    description:
      - File for what was found, a line of JSON each, however much it is. The result has only counts then.
      - It is replaced when all of it was read; if that fails, the old file stays.
      - Not written in check mode.
    type: path
  mask_secrets:
    description:
      - Whether to replace texts that look like secrets by V(MASKED_SECRET).
      - "These are values of properties and parameters whose names contain a word such as C(password), C(token) or
        C(key); user names and passwords in URLs; and texts in the form of well-known tokens and of private keys."
      - The result has the places under C(masked). Names and paths are never masked.
      - By default, nothing is masked.
    type: bool
"""
