# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Owner, group and mode of a file that the module writes."""

    DOCUMENTATION = r"""
options:
  owner:
    description:
      - Name of the user who owns the file. Changing the owner requires superuser permissions.
      - If not set, the owner of an existing file is not changed. A new file is owned by the user running the task.
    type: str
  group:
    description: Name of the group of the file. If not set, the group of an existing file is not changed.
    type: str
  mode:
    description:
      - Mode of the file as three octal digits in quotes, such as V('0640').
      - If not set, the mode of an existing file is not changed. A new file has the mode V('0600').
    type: str
"""
