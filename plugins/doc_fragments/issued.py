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
      - The task warns if other users can read the existing file and O(mode) is not set, or if they can write to its
        folder.
      - Several hosts can use the same name, each with its own file. A task removes only what its file held, unless
        O(surplus=remove).
    type: path
  surplus:
    description:
      - What to do with others of the same name. The C(surplus) of the result lists them.
      - If the response to a creation is lost, the orphaned item is removed in any case.
      - O(state=absent) removes all of them in any case.
      - If a run is killed after it stored a new secret, or the old one cannot be removed, V(keep) leaves the old one
        alone in later runs.
      - Without O(key_file), V(keep) leaves the old one alone when it is replaced.
    type: str
    choices:
      keep: Leave them alone, because other hosts may use them.
      remove: Remove them. The one whose secret is in O(key_file) stays, without O(key_file) the newest. Use this if
        only one place stores the secret.
    default: keep
"""
