# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Whether to wait for the end of what was asked for."""

    DOCUMENTATION = r"""
options:
  wait:
    description: Wait until it has come to its end. Without that the task ends once the server has accepted it.
    type: bool
    default: true
  wait_timeout:
    description:
      - Seconds to wait at most, 0 to 2,592,000. Then the task fails.
      - O(timeout) is for each request.
    type: float
    default: 600.0
  wait_delay:
    description: Seconds between two looks, 0.1 to 86,400.
    type: float
    default: 1.0
"""
