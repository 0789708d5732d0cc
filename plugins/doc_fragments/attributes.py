# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """What all modules can do."""

    DOCUMENTATION = r"""
options: {}
attributes:
  check_mode:
    description: Can run in check mode and say what would change, without any write to the server.
    support: full
  diff_mode:
    description: Says in diff mode what changes, before and after.
    support: full
  idempotent:
    description: A second run with the same options changes nothing.
    support: full
"""
