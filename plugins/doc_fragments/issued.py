# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options for secrets that a service returns only once."""

    DOCUMENTATION = r"""
options:
  key_file:
    description:
      - Path to the file to write a new secret to. The parent directory must exist. Check mode does not verify this.
      - Symbolic links are followed. The task fails if the path is a directory, a device or a pipe, or if the file
        contains anything other than a secret of this item.
      - The task warns if other users can read the existing file and O(mode) is not set, or if they can write to its
        directory.
      - Several hosts can manage items with the same name, each with its own file. A task only removes the item whose
        secret was in its file, unless O(surplus=remove).
    type: path
  surplus:
    description:
      - How to treat other items with the same name. The result lists their IDs in C(surplus).
      - O(state=absent) always removes all items with this name. If the response to a create request is lost, the
        orphaned item is always removed.
      - With V(keep), an old item remains if the run is killed after it stored the new secret, if the old item cannot be
        removed, or if O(key_file) is not set.
    type: str
    choices:
      keep: Do not change the other items, because other hosts may use them.
      remove: Remove all but the item whose secret is in O(key_file) or, if O(key_file) is not set, the newest one. Use
        this if only one host stores the secret.
    default: keep
"""
