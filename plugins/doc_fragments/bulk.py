# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that process many items in one task."""

    DOCUMENTATION = r"""
options:
  workers:
    description:
      - Number of O(items) to process at the same time.
    type: int
    default: 4
  on_error:
    description:
      - How to handle failed O(items). The other items are still processed, up to O(max_failures).
      - If the server rejects the credential (401), no more items are started, and the task fails if items are left.
    type: str
    choices:
      fail: The task fails after it has processed the items. The result contains all outcomes.
      report: The task succeeds. The playbook must check RV(failures).
    default: fail
  max_failures:
    description:
      - Maximum number of failed O(items). When it is reached, no more items are started and the task fails, regardless
        of O(on_error).
      - If not set, all items are processed.
    type: int
  result_limit:
    description:
      - Maximum number of O(items) in RV(outcomes). Failures, deletions and other changes are returned before unchanged
        items. RV(hidden) counts the other items.
      - Does not limit the diff, which shows all items that change, up to 2,000.
    type: int
    default: 10
  to_file:
    description:
      - Path to a file to write the outcomes of all O(items) to, one JSON object per line with the keys of RV(outcomes),
        in the order of completion. An existing file is replaced when the task starts. The file has mode 0600.
      - Not written in check mode.
    type: path
"""
