# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Attributes of all modules that change something."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in check mode and return the predicted changes, without writing to the server.
    support: full
  diff_mode:
    description: Returns the managed fields before and after the change in diff mode.
    support: full
  idempotent:
    description: A second run with the same options changes nothing.
    support: full
"""
