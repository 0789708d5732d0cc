# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Who may read a file that the task writes."""

    DOCUMENTATION = r"""
options:
  owner:
    description:
      - Name of the user who shall own the file. Only the superuser can give a file away.
      - Without it the owner of the file that is there stays, and a new one belongs to who runs the task.
    type: str
  group:
    description: Name of the file's group. Without it the group of the file that is there stays.
    type: str
  mode:
    description:
      - Mode of the file, three octal digits in quotes, such as V('0640').
      - Without it the mode of the file that is there stays, and a new one is for its owner alone (V('0600')).
    type: str
"""
