# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Option of modules whose changes may become visible with a delay."""

    DOCUMENTATION = r"""
options:
  visibility_timeout:
    description:
      - Maximum time to wait until the server returns a change that the module has written, in seconds, from 0 to 3600.
        If the time expires, the task fails, and its result is C(changed).
      - Increase the value for clusters, where a change can take minutes to reach all nodes. With V(0), the module reads
        the changed object only once.
    type: float
    default: 10.0
"""
