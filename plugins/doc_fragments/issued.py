# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Where a secret goes that a service tells only once."""

    DOCUMENTATION = r"""
options:
  key_file:
    description:
      - File to write a new secret to, all at once. Its folder must be there, but in check mode.
      - A link to a file is followed; a folder, a device or a pipe is refused. So is a file that holds a key of
        something else, or something else than a key.
      - Give each place that stores a key a name of its own, or each run of the one removes the key of the other.
    type: path
  surplus:
    description:
      - What becomes of others of the same name.
      - V(remove) removes them. The one whose secret is in O(key_file) stays, without O(key_file) the newest.
      - V(keep) leaves them alone.
    type: str
    choices: [remove, keep]
    default: remove
"""
