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
      - Maximum time in seconds to wait until the server returns a change.
      - In Artifactory clusters, a change takes seconds to minutes to reach all nodes. The task fails if the server
        does not return the change in time.
    type: float
    default: 10.0
"""
