# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that return long lists."""

    DOCUMENTATION = r"""
options:
  to_file:
    description:
      - Path to a file to write the results to, one JSON object per line. The task then returns only counts. Use this
        for long lists.
      - An existing file is replaced after everything was read. If the task fails, the existing file is kept.
      - Not written in check mode.
    type: path
  mask_secrets:
    description:
      - Whether to replace texts that look like secrets by V(MASKED_SECRET).
      - Such texts are the values of properties and parameters whose names contain a word such as C(password), C(token)
        or C(key), user names and passwords in URLs, private keys, and well-known token formats.
      - The result lists the positions under C(masked). Names and paths are never masked.
      - If not set, nothing is masked.
    type: bool
  secret_members:
    description:
      - Names of further keys whose texts are masked with O(mask_secrets), at any depth. Use it for free texts that
        contain secrets, such as C(description).
    type: list
    elements: str
"""
