# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that wait for an operation."""

    DOCUMENTATION = r"""
options:
  wait:
    description:
      - Whether to wait until the operation is complete. If V(false), the task ends when the server has accepted the
        request.
    type: bool
    default: true
  wait_timeout:
    description:
      - Maximum time to wait, in seconds. If the time expires, the task fails.
      - O(timeout) applies to each request.
    type: float
    default: 600.0
  wait_delay:
    description: Polling interval in seconds.
    type: float
    default: 1.0
"""
