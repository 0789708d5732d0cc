# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Option of modules whose items can be the complete list of all objects."""

    DOCUMENTATION = r"""
options:
  undeclared:
    description:
      - How to treat existing objects that are not in O(items). Protected objects are never reported or deleted.
      - V(report) and V(remove) require O(items) with at least one item. V(remove) requires an item that is not absent.
      - Options beside O(items) that describe objects narrow which objects are undeclared, as RV(undeclared) describes,
        or are refused together with V(report) and V(remove).
    type: str
    choices:
      keep: Keep these objects unchanged.
      report: Keep these objects, return their names in RV(undeclared), and warn if there are any.
      remove: Delete these objects and return their names in RV(undeclared). The same conditions as for O(state=absent)
        apply.
    default: keep
  deletions_only:
    description:
      - Whether to only delete objects, namely O(items) with O(state=absent) and, with O(undeclared=remove), objects
        that are not in O(items).
      - If V(true), all other O(items) only count as declared. They are validated, but not created or changed.
      - Use it to delete objects before or after the other changes of a play, such as accounts before new permissions.
      - V(true) requires O(items).
    type: bool
    default: false
"""
