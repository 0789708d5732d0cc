# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How to work through many items in one task."""

    DOCUMENTATION = r"""
options:
  workers:
    description:
      - How many of O(items) are worked on at the same time, 1 to 64.
      - More are faster, up to what the server bears.
    type: int
    default: 4
  on_error:
    description:
      - What to do about O(items) that fail. All others are worked on in any case, up to O(max_failures).
      - V(fail) fails the task at its end. What was reached is in its result.
      - V(report) leaves it to the playbook to look at RV(failures).
      - If the server rejects the credential (401), no more items are begun. The task fails if items are left.
    type: str
    choices: [fail, report]
    default: fail
  max_failures:
    description:
      - After so many failed O(items) no more are begun and the task fails, whatever O(on_error) says, 1 to 1,000,000.
      - Without it all items are tried.
    type: int
  result_limit:
    description: How many of O(items), the first ones, are in RV(outcomes) and in the diff, 0 to 10,000.
    type: int
    default: 10
  to_file:
    description:
      - File for the outcomes of all O(items), each a line of JSON with the members of RV(outcomes), in the order in
        which they came to an end. For its owner alone, and replaced when the task begins.
      - Not written in check mode.
    type: path
"""
